// Sequences are lists while importing; nothing of them is left.
// RUN: %make-onnx %s -o %t.onnx
// RUN: hone compile %t.onnx --emit=graph -o - | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-DAG: graph.slice {{.*}} -> tensor<2x4xf32>
// CHECK-DAG: graph.slice {{.*}} -> tensor<1x4xf32>
// CHECK: graph.concat {{.*}} dim 0 : tensor<1x4xf32>, tensor<2x4xf32> -> tensor<3x4xf32>

<ir_version: 10, opset_import: ["" : 22]>
g (float[5, 4] x) => (float[3, 4] y) {
  two = Constant<value_int: int = 2>()
  last = Constant<value_int: int = -1>()
  first = Constant<value_int: int = 0>()
  pieces = SplitToSequence<axis = 0>(x, two)
  a = SequenceAt(pieces, last)
  b = SequenceAt(pieces, first)
  both = SequenceConstruct(a, b)
  y = ConcatFromSequence<axis = 0>(both)
}
