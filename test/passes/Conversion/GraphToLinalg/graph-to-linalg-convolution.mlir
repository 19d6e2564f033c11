// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: @plain
// CHECK:         %[[P:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]]
// CHECK-SAME:      ins(%[[P]], %{{.*}} : tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>)
func.func @plain(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %0 = graph.conv %x, %w strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// Groups split the channels, which stay innermost; without pads there is no copy.
// CHECK-LABEL: @grouped_nhwc
// CHECK-NOT:     tensor.pad
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1], [2], [3, 4]] {{.*}} into tensor<1x8x8x2x2xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2], [3], [4]] {{.*}} into tensor<2x3x2x3x3xf32>
// CHECK:         linalg.generic
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2], [3, 4]] {{.*}} into tensor<1x6x6x6xf32>
func.func @grouped_nhwc(%x: tensor<1x4x8x8xf32, #graph.layout<[0, 2, 3, 1]>>, %w: tensor<6x2x3x3xf32>)
    -> tensor<1x6x6x6xf32, #graph.layout<[0, 2, 3, 1]>> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 2 to f32
      : tensor<1x4x8x8xf32, #graph.layout<[0, 2, 3, 1]>>, tensor<6x2x3x3xf32>
      -> tensor<1x6x6x6xf32, #graph.layout<[0, 2, 3, 1]>>
  return %0 : tensor<1x6x6x6xf32, #graph.layout<[0, 2, 3, 1]>>
}

// -----

// A transposed convolution reads the window backwards over the input spread out between zeros.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 - d4 + 2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>
// CHECK-LABEL: @transposed
// CHECK-SAME:    (%[[X0:.*]]: tensor<1x4x5xf32>
// CHECK:         %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<1x4x12xf32>)
// CHECK:         %[[SPREAD:.*]] = tensor.insert_slice %[[X0]] into %[[ZEROS]][0, 0, 1] [1, 4, 5] [1, 1, 2]
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[SPREAD]]
func.func @transposed(%x: tensor<1x4x5xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x2x10xf32> {
  %0 = graph.conv_transpose %x, %w strides [2] dilations [1] pads [1, 1] output_padding [1] groups 1 to f32
      : tensor<1x4x5xf32>, tensor<4x2x3xf32> -> tensor<1x2x10xf32>
  return %0 : tensor<1x2x10xf32>
}

// -----

// Weights of unknown extent are reversed first.
// CHECK-LABEL: @transposed_dynamic
// CHECK-SAME:    (%{{[^:]*}}: tensor<1x4x5xf32>, %[[W:[^:]*]]: tensor<4x2x?xf32>)
// CHECK:         %[[MIRRORED:.*]] = linalg.generic
// CHECK:           tensor.extract %[[W]]
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %[[MIRRORED]]
func.func @transposed_dynamic(%x: tensor<1x4x5xf32>, %w: tensor<4x2x?xf32>) -> tensor<1x2x?xf32> {
  %0 = graph.conv_transpose %x, %w strides [2] dilations [1] pads [1, 1] output_padding [1] groups 1 to f32
      : tensor<1x4x5xf32>, tensor<4x2x?xf32> -> tensor<1x2x?xf32>
  return %0 : tensor<1x2x?xf32>
}
