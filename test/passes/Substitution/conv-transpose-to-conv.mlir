// RUN: hone-opt %s --hone-conv-transpose-to-conv | FileCheck %s

// CHECK-LABEL: @blocks
func.func @blocks(%x: tensor<1x3x4x5xf32>) -> tensor<1x2x8x10xf32> {
  %w = graph.constant dense<0.5> : tensor<3x2x2x2xf32>
  // CHECK-NOT: conv_transpose
  // CHECK: graph.transpose %{{.*}} perm [1, 2, 3, 0]
  // CHECK: graph.conv %{{.*}}, %{{.*}} strides [1, 1]{{.*}}tensor<8x3x1x1xf32> -> tensor<1x8x4x5xf32>
  // CHECK: graph.transpose %{{.*}} perm [0, 1, 4, 2, 5, 3] : tensor<1x2x2x2x4x5xf32> -> tensor<1x2x4x2x5x2xf32>
  // CHECK: graph.reshape {{.*}} -> tensor<1x2x8x10xf32>
  %y = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x3x4x5xf32>, tensor<3x2x2x2xf32> -> tensor<1x2x8x10xf32>
  return %y : tensor<1x2x8x10xf32>
}

// Extents of the input that are known at run time only.
// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?x3x?x?xf32>) -> tensor<?x2x?x?xf32> {
  %w = graph.constant dense<0.5> : tensor<3x2x2x2xf32>
  // CHECK: graph.conv %
  // CHECK: graph.shape
  // CHECK: graph.reshape {{.*}} -> tensor<?x2x?x?xf32>
  %y = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<?x3x?x?xf32>, tensor<3x2x2x2xf32> -> tensor<?x2x?x?xf32>
  return %y : tensor<?x2x?x?xf32>
}

// CHECK-LABEL: @negative_overlapping
func.func @negative_overlapping(%x: tensor<1x3x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %w = graph.constant dense<0.5> : tensor<3x2x3x3xf32>
  // CHECK: graph.conv_transpose
  %y = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x3x4x5xf32>, tensor<3x2x3x3xf32> -> tensor<1x2x9x11xf32>
  return %y : tensor<1x2x9x11xf32>
}
