// Old operators keep their old meaning: broadcasts along an axis, softmax over several dimensions, slopes per channel.
// RUN: %make-onnx %s -o %t.onnx --no-check
// RUN: hone compile %t.onnx --emit=graph -o - | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: graph.reshape {{.*}} : tensor<3xf32>, tensor<2xi64> -> tensor<3x1xf32>
// CHECK: graph.binary<add> {{.*}} : tensor<2x3x4xf32>, tensor<3x1xf32> -> tensor<2x3x4xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x12xf32>
// CHECK: graph.softmax {{.*}} dim 1 : tensor<2x12xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x3x4xf32>
// CHECK: graph.reshape {{.*}} : tensor<3xf32>, tensor<2xi64> -> tensor<3x1xf32>
// CHECK: graph.select

<ir_version: 3, opset_import: ["" : 6]>
g (float[2, 3, 4] x, float[3] b, float[3] slope) => (float[2, 3, 4] y) {
  s = Add<broadcast = 1, axis = 1>(x, b)
  t = Softmax<axis = 1>(s)
  y = PRelu(t, slope)
}
