// RUN: hone-opt %s --hone-scale-weights | FileCheck %s
// RUN: hone-opt %s --hone-scale-weights --hone-fold-constants --canonicalize | FileCheck %s --check-prefix=FOLDED

// A batch normalization behind a convolution with a bias: what stays are additions.
// CHECK-LABEL: @normalized
// CHECK:         %[[W:.*]] = graph.binary<mul> %{{.*}}, %{{.*}} : tensor<2x3x1x1xf32>, tensor<2x1x1x1xf32>
// CHECK:         graph.conv %{{.*}}, %[[W]]
// FOLDED-LABEL: @normalized
// FOLDED-DAG:     %[[BIAS:.*]] = graph.constant dense<{{\[\[\[}}2.000000e+00]], {{\[\[}}3.000000e+00]]]>
// FOLDED-DAG:     %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00]], {{.*}}, {{\[\[\[}}1.500000e+00]]
// FOLDED:         %[[PRODUCT:.*]] = graph.conv %{{.*}}, %[[W]]
// FOLDED-NEXT:    %[[SUM:.*]] = graph.binary<add> %[[PRODUCT]], %[[BIAS]]
// FOLDED-NEXT:    graph.binary<add> %[[SUM]],
// FOLDED-NEXT:    return
func.func @normalized(%x: tensor<?x3x4x4xf32>) -> tensor<?x2x4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<2x3x1x1xf32>
  %b = graph.constant dense<1.0> : tensor<2x1x1xf32>
  %s = graph.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %t = graph.constant dense<[[[5.0]], [[7.0]]]> : tensor<2x1x1xf32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<?x3x4x4xf32>, tensor<2x3x1x1xf32> -> tensor<?x2x4x4xf32>
  %1 = graph.binary<add> %0, %b : tensor<?x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<?x2x4x4xf32>
  %2 = graph.binary<mul> %1, %s : tensor<?x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<?x2x4x4xf32>
  %3 = graph.binary<add> %2, %t : tensor<?x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<?x2x4x4xf32>
  return %3 : tensor<?x2x4x4xf32>
}

// Columns of a matrix, and a scalar.
// CHECK-LABEL: @columns
// CHECK:         graph.binary<mul> %{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<1x3xf32>
// CHECK:         graph.binary<mul> %{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<1x1xf32>
// CHECK:         %[[Y:.*]] = graph.contract
// CHECK-NEXT:    return %[[Y]]
func.func @columns(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %w = graph.constant dense<0.5> : tensor<8x3xf32>
  %s = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = graph.binary<mul> %s, %0 : tensor<3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = graph.binary<mul> %1, %half : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// The output channels of a transposed convolution are its weights' second dimension.
// CHECK-LABEL: @transposed
// CHECK:         graph.binary<mul> %{{.*}}, %{{.*}} : tensor<3x2x2x2xf32>, tensor<1x2x1x1xf32>
// CHECK:         graph.conv_transpose
// CHECK-NEXT:    return
func.func @transposed(%x: tensor<1x3x4x5xf32>) -> tensor<1x2x8x10xf32> {
  %w = graph.constant dense<0.5> : tensor<3x2x2x2xf32>
  %s = graph.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x3x4x5xf32>, tensor<3x2x2x2xf32> -> tensor<1x2x8x10xf32>
  %1 = graph.binary<mul> %0, %s : tensor<1x2x8x10xf32>, tensor<2x1x1xf32> -> tensor<1x2x8x10xf32>
  return %1 : tensor<1x2x8x10xf32>
}

// A scale of rows, which are activations; a product that is also used unscaled; half precision.
// CHECK-LABEL: @negative_rows
// CHECK:         graph.contract
// CHECK-NEXT:    graph.binary<mul>
func.func @negative_rows(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %w = graph.constant dense<0.5> : tensor<8x3xf32>
  %s = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<2x8xf32>, tensor<8x3xf32> -> tensor<2x3xf32>
  %1 = graph.binary<mul> %0, %s : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @negative_used_twice
// CHECK:         graph.contract
// CHECK-NEXT:    graph.binary<mul>
func.func @negative_used_twice(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = graph.constant dense<0.5> : tensor<8x3xf32>
  %s = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<2x8xf32>, tensor<8x3xf32> -> tensor<2x3xf32>
  %1 = graph.binary<mul> %0, %s : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @negative_half
// CHECK:         graph.contract
// CHECK-NEXT:    graph.binary<mul>
func.func @negative_half(%x: tensor<2x8xf16>) -> tensor<2x3xf16> {
  %w = graph.constant dense<0.5> : tensor<8x3xf16>
  %s = graph.constant dense<2.0> : tensor<f16>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f16 [0, 1] : tensor<2x8xf16>, tensor<8x3xf16> -> tensor<2x3xf16>
  %1 = graph.binary<mul> %0, %s : tensor<2x3xf16>, tensor<f16> -> tensor<2x3xf16>
  return %1 : tensor<2x3xf16>
}
