// Determinants: few columns one after the other, more of them, or as many as a run says, in a loop.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/small.txt -o %t/small.onnx
// RUN: hone compile %t/small.onnx --emit=graph -o - | FileCheck %s --check-prefix=SMALL
// RUN: %make-onnx %t/any.txt -o %t/any.onnx
// RUN: hone compile %t/any.onnx --emit=graph -o - | FileCheck %s --check-prefix=ANY
// RUN: %make-onnx %t/oblong.txt -o %t/oblong.onnx
// RUN: %refuses hone compile %t/oblong.onnx --emit=graph -o - | FileCheck %s --check-prefix=OBLONG

// Rows change places where the first number of a column is not the largest, and 3 x 3 numbers are no multiple of 2 x 2.
// RUN: %npy make %t/x.npy f4 0 2 0 0 0 0  0 0 0 0 3 0  1 9 9 9 9 9  0 0 0 5 0 7  0 0 1 0 0 0  0 0 0 0 0 4 --shape=1x6x6
// RUN: hone run %t/any.onnx --input x=%t/x.npy --output-dir %t/out
// RUN: %npy show %t/out/y.npy | FileCheck %s --check-prefix=VALUE
// RUN: %npy make %t/wide.npy f4 1 2 3 4 5 6 --shape=1x2x3
// RUN: %refuses hone run %t/any.onnx --input x=%t/wide.npy --output-dir %t/out | FileCheck %s --check-prefix=WIDE

// SMALL-LABEL: func.func @main
// SMALL-NOT: graph.loop
// SMALL-COUNT-3: graph.arg_reduce<max>
// SMALL-NOT: graph.arg_reduce<max>
// SMALL: return

// ANY-LABEL: func.func @main
// ANY: graph.loop
// ANY: graph.arg_reduce<max>
// ANY: graph.yield

// OBLONG: node 'd'{{.*}}error: Det: needs square matrices, not 2 by 3

// VALUE: float32 1
// VALUE-NEXT: 120

// WIDE: node 'd'

//--- small.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[n,3,3] x) => (float[n] y) {
  [d] y = Det(x)
}
//--- any.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[b,m,n] x) => (float[b] y) {
  [d] y = Det(x)
}
//--- oblong.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[2,3] x) => (float y) {
  [d] y = Det(x)
}
