// Dimensions behind an ellipsis that only a run tells to be 1 or equal stretch; those of one name are equal, nothing is
// copied for them. Letters must be equal.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/stretch.txt -o %t/stretch.onnx
// RUN: hone compile %t/stretch.onnx --emit=graph -o - | FileCheck %s --check-prefix=STRETCH
// RUN: %make-onnx %t/equal.txt -o %t/equal.onnx
// RUN: hone compile %t/equal.onnx --emit=graph -o - | FileCheck %s --check-prefix=EQUAL

// RUN: %npy make %t/row.npy f4 1 2 3 10 20 30 --shape=2x1x3
// RUN: %npy make %t/column.npy f4 1 1 1 0 1 0 2 0 0 0 0 1 --shape=1x4x3
// RUN: hone run %t/stretch.onnx --input x=%t/row.npy --input y=%t/column.npy --output-dir %t/out
// RUN: %npy show %t/out/z.npy | FileCheck %s --check-prefix=VALUE
// RUN: %npy make %t/three.npy f4 1 1 1 0 1 0 2 0 0 --shape=3x1x3
// RUN: %refuses hone run %t/stretch.onnx --input x=%t/row.npy --input y=%t/three.npy --output-dir %t/out \
// RUN:   | FileCheck %s --check-prefix=UNEQUAL

// STRETCH-COUNT-2: graph.broadcast
// STRETCH: graph.contract
// EQUAL-NOT: graph.broadcast
// EQUAL: graph.contract

// VALUE: float32 2x4
// VALUE-NEXT: 6 2 2 3 60 20 20 30

// UNEQUAL: node 'e'

//--- stretch.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[a,b,3] x, float[c,d,3] y) => (float[m,n] z) {
  [e] z = Einsum <equation = "...i,...i->..."> (x, y)
}
//--- equal.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[n,i,j] x, float[n,j,k] y) => (float[n,i,k] z) {
  [e] z = Einsum <equation = "...ij,...jk->...ik"> (x, y)
}
