// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @max
// CHECK-DAG:     arith.constant 0xFF800000 : f32
// CHECK:         tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:           arith.maximumf
func.func @max(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.pool<max> %x window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1]
      : tensor<1x2x8x8xf32> -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// -----

// All windows lie inside: the divisor is a constant.
// CHECK-LABEL: @average
// CHECK-NOT:     tensor.pad
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-NOT:       linalg.index
// CHECK:           arith.constant 4.0
// CHECK:           arith.divf
func.func @average(%x: tensor<1x2x8xf32>) -> tensor<1x2x2xf32> {
  %0 = graph.pool<avg> %x window [4] strides [4] dilations [1] pads [0, 0] : tensor<1x2x8xf32> -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// -----

// What lies outside does not count, and the last window makes room for itself.
// CHECK-LABEL: @average_of_what_is_inside
// CHECK:         tensor.pad %{{.*}} low[0, 0, 1] high[0, 0, 2]
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:           linalg.index 2
// CHECK:           arith.minsi
// CHECK:           arith.sitofp
// CHECK:           arith.divf
func.func @average_of_what_is_inside(%x: tensor<1x2x7xf32>) -> tensor<1x2x4xf32> {
  %0 = graph.pool<avg> %x window [4] strides [2] dilations [1] pads [1, 1] {ceilMode = true}
      : tensor<1x2x7xf32> -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}

// -----

// CHECK-LABEL: @indices
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}}, %{{.*}} : tensor<1x2x2x2xf32>, tensor<1x2x2x2xi64>)
// CHECK:           tensor.extract
// CHECK:           arith.cmpf ogt
func.func @indices(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xi64> {
  %0 = graph.max_pool_indices %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
      : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xi64>
  return %0 : tensor<1x2x2x2xi64>
}
