// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG:   #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[AXIS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @per_axis
// CHECK:         linalg.generic {indexing_maps = [#[[ALL]], #[[AXIS]], #[[AXIS]], #[[ALL]]]
// CHECK:           arith.divf
// CHECK:           math.roundeven
// CHECK:           arith.fptosi
func.func @per_axis(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %zero: tensor<3xui8>) -> tensor<2x3xui8> {
  %0 = graph.quantize %x, %scale, %zero to ui8 axis(1) block(0)
      : tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// -----

// CHECK-DAG:   #[[NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: @per_tensor
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[NONE]], #{{.*}}]
// CHECK:           arith.mulf
func.func @per_tensor(%x: tensor<2x3xi8>, %scale: tensor<f32>) -> tensor<2x3xf32> {
  %0 = graph.dequantize %x, %scale to f32 axis(1) block(0) : tensor<2x3xi8>, tensor<f32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Blocks that divide the extent are a dimension of their own.
// CHECK-DAG:   #[[SCALE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: @blocks
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [3, 2, 4]
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[SCALE]], #{{.*}}]
// CHECK:         tensor.collapse_shape
func.func @blocks(%x: tensor<3x8xi4>, %scale: tensor<3x2xf32>) -> tensor<3x8xf32> {
  %0 = graph.dequantize %x, %scale to f32 axis(1) block(4) : tensor<3x8xi4>, tensor<3x2xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// CHECK-DAG:   #[[SCALE:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 3)>
// CHECK-LABEL: @ragged_blocks
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[SCALE]], #{{.*}}]
func.func @ragged_blocks(%x: tensor<3x8xi8>, %scale: tensor<3x3xf32>) -> tensor<3x8xf32> {
  %0 = graph.dequantize %x, %scale to f32 axis(1) block(3) : tensor<3x8xi8>, tensor<3x3xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
