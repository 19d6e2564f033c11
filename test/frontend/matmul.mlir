// Batches that only a run tells to be 1 or equal stretch, also from 1 to nothing.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/batches.txt -o %t/batches.onnx
// RUN: hone compile %t/batches.onnx -o %t/batches.hone
// RUN: %npy random %t/one.npy f4 1x2x3
// RUN: %npy random %t/none.npy f4 0x3x4
// RUN: %npy random %t/five.npy f4 5x3x4
// RUN: hone-run run %t/batches.hone --input x=%t/one.npy --input y=%t/none.npy --output-dir %t/out \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: hone-run run %t/batches.hone --input x=%t/one.npy --input y=%t/five.npy --output-dir %t/out \
// RUN:   | FileCheck %s --check-prefix=FIVE
// RUN: %npy random %t/none.npy f4 0x2x3
// RUN: %npy random %t/one.npy f4 1x3x4
// RUN: hone-run run %t/batches.hone --input x=%t/none.npy --input y=%t/one.npy --output-dir %t/out \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: %npy random %t/two.npy f4 2x2x3
// RUN: %refuses hone-run run %t/batches.hone --input x=%t/two.npy --input y=%t/five.npy --output-dir %t/out \
// RUN:   | FileCheck %s --check-prefix=UNEQUAL

// NONE: output 'z' 0x2x4xfloat32
// FIVE: output 'z' 5x2x4xfloat32
// UNEQUAL: node 'm'

//--- batches.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[a,m,k] x, float[b,k,n] y) => (float[c,m,n] z) {
  [m] z = MatMul(x, y)
}
