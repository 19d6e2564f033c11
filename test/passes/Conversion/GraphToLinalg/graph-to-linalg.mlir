// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// Unsigned integers lose their sign in the type, not in what is computed.
// CHECK-LABEL: @storage_types
// CHECK-SAME:    (%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> tensor<4xi8>
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<4xi8>, tensor<4xi8>)
// CHECK:           arith.maxui
// CHECK:         return %{{.*}} : tensor<4xi8>
func.func @storage_types(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = graph.binary<max> %x, %y : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// A layout is the order of the dimensions.
// CHECK-LABEL: @layout
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<1x4x4x8xf32>) -> tensor<1x8x4x4xf32>
// CHECK:         %[[Y:.*]] = linalg.transpose ins(%[[X]] : tensor<1x4x4x8xf32>)
// CHECK-SAME:      permutation = [0, 3, 1, 2]
// CHECK:         return %[[Y]]
func.func @layout(%x: tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>) -> tensor<1x8x4x4xf32> {
  %0 = graph.relayout %x : tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

// Sub-byte elements take a byte each, signed ones with their sign.
// CHECK-LABEL: @constants
// CHECK-DAG:     arith.constant dense<[7, -8, -1]> : tensor<3xi8>
// CHECK-DAG:     arith.constant dense<[7, 8, 15]> : tensor<3xi8>
// CHECK-DAG:     arith.constant dense<[0, 56, -2]> : tensor<3xi8>
// CHECK-DAG:     arith.constant dense<[1, -1]> : tensor<2xi64>
func.func @constants() -> (tensor<3xi4>, tensor<3xui4>, tensor<3xf8E4M3FN>, tensor<2xui64>) {
  %0 = graph.constant dense<[7, -8, -1]> : tensor<3xi4>
  %1 = graph.constant dense<[7, 8, 15]> : tensor<3xui4>
  %2 = graph.constant dense<[0.0, 1.0, -448.0]> : tensor<3xf8E4M3FN>
  %3 = graph.constant dense<[1, 18446744073709551615]> : tensor<2xui64>
  return %0, %1, %2, %3 : tensor<3xi4>, tensor<3xui4>, tensor<3xf8E4M3FN>, tensor<2xui64>
}

// -----

// Extents are read from the arguments that carry their names.
// CHECK-LABEL: @symbols
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<?x3xf32>
// CHECK:         %[[D:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         tensor.empty(%[[D]]) : tensor<?x3xf32>
// CHECK:         linalg.generic
// CHECK-NOT:       tensor.extract
// CHECK:           arith.addf
func.func @symbols(%x: tensor<?x3xf32> {graph.dims = ["batch", unit]},
                   %y: tensor<?x3xf32> {graph.dims = ["batch", unit]}) -> tensor<?x3xf32> {
  %0 = graph.binary<add> %x, %y : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: @negative_left_alone
//       CHECK:   %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
//       CHECK:   return %[[S]] : tensor<4xf32>
func.func @negative_left_alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
