// RUN: hone-opt %s --hone-scale-weights | FileCheck %s
// RUN: hone-opt %s --hone-scale-weights --hone-fold-constants --canonicalize | FileCheck %s --check-prefix=FOLDED

// A batch normalization behind a convolution with a bias: what stays is one addition.
// CHECK-LABEL: @normalized
// CHECK:         %[[W:.*]] = graph.binary<mul> %{{.*}}, %{{.*}} : tensor<2x3x1x1xf32>, tensor<2x1x1x1xf32>
// CHECK:         graph.conv %{{.*}}, %[[W]]
// FOLDED-LABEL: @normalized
// FOLDED-DAG:     %[[BIAS:.*]] = graph.constant dense<{{\[\[\[}}7.000000e+00]], {{\[\[}}1.000000e+01]]]>
// FOLDED-DAG:     %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00]], {{.*}}, {{\[\[\[}}1.500000e+00]]
// FOLDED:         %[[PRODUCT:.*]] = graph.conv %{{.*}}, %[[W]]
// FOLDED-NEXT:    %[[SUM:.*]] = graph.binary<add> %[[PRODUCT]], %[[BIAS]]
// FOLDED-NEXT:    return %[[SUM]]
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
// CHECK:         graph.binary<mul> %{{.*}}, %{{.*}} : tensor<3xf32>, tensor<f32>
// CHECK:         graph.binary<mul> %{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<1x3xf32>
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

// Constants in a row, whichever side they are on: 1 + y - 3 + 7, and y - 5 behind weights that are computed.
// FOLDED-LABEL: @shifts
// FOLDED-DAG:     %[[FIVE:.*]] = graph.constant dense<5.000000e+00> : tensor<1x3xf32>
// FOLDED-DAG:     %[[SIX:.*]] = graph.constant dense<6.000000e+00> : tensor<f32>
// FOLDED:         %[[Y:.*]] = graph.contract
// FOLDED-NEXT:    %[[A:.*]] = graph.binary<add> %[[Y]], %[[FIVE]]
// FOLDED-NEXT:    %[[Z:.*]] = graph.contract
// FOLDED-NEXT:    %[[B:.*]] = graph.binary<sub> %[[Z]], %[[SIX]]
// FOLDED-NEXT:    return %[[A]], %[[B]]
func.func @shifts(%x: tensor<4x8xf32>, %v: tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = graph.constant dense<0.5> : tensor<8x3xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<3xf32>
  %seven = graph.constant dense<7.0> : tensor<1x1xf32>
  %five = graph.constant dense<5.0> : tensor<f32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = graph.binary<add> %one, %0 : tensor<f32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = graph.binary<sub> %1, %three : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %3 = graph.binary<add> %2, %seven : tensor<4x3xf32>, tensor<1x1xf32> -> tensor<4x3xf32>
  %4 = graph.contract %x[0, 2], %v[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %5 = graph.binary<sub> %4, %five : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  %6 = graph.binary<sub> %5, %one : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  return %3, %6 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Factors that do not fit into weights are one factor; a bias that is taken away is scaled, too.
// FOLDED-LABEL: @factors
// FOLDED-DAG:     %[[SIX:.*]] = graph.constant dense<6.000000e+00> : tensor<f32>
// FOLDED-DAG:     %[[TWO:.*]] = graph.constant dense<2.000000e+00> : tensor<f32>
// FOLDED-DAG:     %[[W:.*]] = graph.constant dense<1.000000e+00> : tensor<8x3xf32>
// FOLDED:         %[[Y:.*]] = graph.contract
// FOLDED-NEXT:    %[[A:.*]] = graph.binary<mul> %[[Y]], %[[SIX]]
// FOLDED-NEXT:    %[[Z:.*]] = graph.contract %{{.*}}, %[[W]]
// FOLDED-NEXT:    %[[B:.*]] = graph.binary<sub> %[[Z]], %[[TWO]]
// FOLDED-NEXT:    return %[[A]], %[[B]]
func.func @factors(%x: tensor<4x8xf32>, %v: tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = graph.constant dense<0.5> : tensor<8x3xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.contract %x[0, 2], %v[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = graph.binary<mul> %0, %two : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  %2 = graph.binary<mul> %three, %1 : tensor<f32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %3 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %4 = graph.binary<sub> %3, %one : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  %5 = graph.binary<mul> %4, %two : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  return %2, %5 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Constants that together are larger than each; a sum that is also read by itself; nothing to do with a product.
// CHECK-LABEL: @negative_shifts
// CHECK:         %[[Y:.*]] = graph.contract
// CHECK-NEXT:    %[[A:.*]] = graph.binary<add> %[[Y]],
// CHECK-NEXT:    %[[B:.*]] = graph.binary<add> %[[A]],
// CHECK-NEXT:    %[[C:.*]] = graph.binary<add> %[[B]],
// CHECK-NEXT:    %[[D:.*]] = graph.binary<add> %[[X:.*]], %[[X]]
// CHECK-NEXT:    %[[E:.*]] = graph.binary<add> %[[D]],
// CHECK-NEXT:    %[[F:.*]] = graph.binary<add> %[[E]],
// CHECK-NEXT:    return %[[B]], %[[C]], %[[F]]
func.func @negative_shifts(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = graph.constant dense<0.5> : tensor<3x3xf32>
  %r = graph.constant dense<1.0> : tensor<4x1xf32>
  %c = graph.constant dense<2.0> : tensor<3xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  %1 = graph.binary<add> %0, %r : tensor<4x3xf32>, tensor<4x1xf32> -> tensor<4x3xf32>
  %2 = graph.binary<add> %1, %c : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %3 = graph.binary<add> %2, %c : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %4 = graph.binary<add> %x, %x : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %5 = graph.binary<add> %4, %c : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %6 = graph.binary<add> %5, %c : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  return %2, %3, %6 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @negative_shifts_of_halves
// CHECK:         %[[Y:.*]] = graph.contract
// CHECK-NEXT:    %[[A:.*]] = graph.binary<add> %[[Y]],
// CHECK-NEXT:    graph.binary<add> %[[A]],
func.func @negative_shifts_of_halves(%x: tensor<4x3xf16>) -> tensor<4x3xf16> {
  %w = graph.constant dense<0.5> : tensor<3x3xf16>
  %c = graph.constant dense<2.0> : tensor<f16>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f16 [0, 1] : tensor<4x3xf16>, tensor<3x3xf16> -> tensor<4x3xf16>
  %1 = graph.binary<add> %0, %c : tensor<4x3xf16>, tensor<f16> -> tensor<4x3xf16>
  %2 = graph.binary<add> %1, %c : tensor<4x3xf16>, tensor<f16> -> tensor<4x3xf16>
  return %2 : tensor<4x3xf16>
}

// A constant from which something is taken is no step: its value turns the sign.
// CHECK-LABEL: @negative_reversed
// CHECK:         %[[Y:.*]] = graph.contract
// CHECK-NEXT:    %[[A:.*]] = graph.binary<sub> %{{.*}}, %[[Y]]
// CHECK-NEXT:    graph.binary<add> %[[A]],
func.func @negative_reversed(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3xf32>
  %c = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  %1 = graph.binary<sub> %c, %0 : tensor<f32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = graph.binary<add> %1, %c : tensor<4x3xf32>, tensor<f32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
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
