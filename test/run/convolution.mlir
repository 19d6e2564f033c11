// Convolutions: known values, borders, strides, dilations, groups, one to three dimensions.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @plain(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}
// EVAL @plain([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]], [[[[1, 0], [0, -1]]]]) -> [[[[-4, -4], [-4, -4]]]]

func.func @padded(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32> {
  %0 = graph.conv %x, %w strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32> -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}
// EVAL @padded([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]], splat[1, 1, 3, 3] 1) -> [[[[12, 16], [24, 28]]]]

func.func @depthwise(%x: tensor<1x2x1x3xf32>, %w: tensor<2x1x1x2xf32>) -> tensor<1x2x1x2xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 2 to f32
      : tensor<1x2x1x3xf32>, tensor<2x1x1x2xf32> -> tensor<1x2x1x2xf32>
  return %0 : tensor<1x2x1x2xf32>
}
// EVAL @depthwise([[[[1, 2, 3]], [[4, 5, 6]]]], [[[[1, 1]]], [[[1, -1]]]]) -> [[[[3, 5]], [[-1, -1]]]]

// With channels last one pixel lies as it did before.
func.func @pixel(%x: tensor<2x4x2x2xf32>) -> (tensor<2x3x1x1xf32>, tensor<2x3xf32>) {
  %w = graph.constant dense<0.5> : tensor<3x4x2x2xf32>
  %b = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %shape = graph.constant dense<[2, 3]> : tensor<2xi64>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<2x4x2x2xf32>, tensor<3x4x2x2xf32> -> tensor<2x3x1x1xf32>
  %1 = graph.binary<add> %0, %b : tensor<2x3x1x1xf32>, tensor<3x1x1xf32> -> tensor<2x3x1x1xf32>
  %2 = graph.unary<neg> %1 : tensor<2x3x1x1xf32> -> tensor<2x3x1x1xf32>
  %3 = graph.reshape %1, %shape : tensor<2x3x1x1xf32>, tensor<2xi64> -> tensor<2x3xf32>
  return %2, %3 : tensor<2x3x1x1xf32>, tensor<2x3xf32>
}
// EVAL @pixel(splat[2, 4, 2, 2] 1) -> [[[[-9]], [[-10]], [[-11]]], [[[-9]], [[-10]], [[-11]]]], [[9, 10, 11], [9, 10, 11]]

func.func @one(%x: tensor<1x2x4xf32>, %w: tensor<3x2x2xf32>) -> tensor<1x3x2xf32> {
  %0 = graph.conv %x, %w strides [1] dilations [2] pads [0, 0] groups 1 to f32
      : tensor<1x2x4xf32>, tensor<3x2x2xf32> -> tensor<1x3x2xf32>
  return %0 : tensor<1x3x2xf32>
}
// EVAL @one([[[1, 2, 3, 4], [5, 6, 7, 8]]], [[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]]) ->
//   [[[1, 2], [8, 10], [7, 8]]]

func.func @three(%x: tensor<1x2x3x4x5xf32>, %w: tensor<2x2x2x2x2xf32>) -> tensor<1x2x2x3x4xf32> {
  %0 = graph.conv %x, %w strides [1, 1, 1] dilations [1, 1, 1] pads [0, 0, 0, 0, 0, 0] groups 1 to f32
      : tensor<1x2x3x4x5xf32>, tensor<2x2x2x2x2xf32> -> tensor<1x2x2x3x4xf32>
  return %0 : tensor<1x2x2x3x4xf32>
}
// EVAL within 1e-6 @three(random[1, 2, 3, 4, 5], random[2, 2, 2, 2, 2])

func.func @dynamic(%x: tensor<?x3x?x?xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<?x5x?x?xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<?x3x?x?xf32>, tensor<5x3x3x3xf32> -> tensor<?x5x?x?xf32>
  return %0 : tensor<?x5x?x?xf32>
}
// EVAL within 1e-6 @dynamic(random[2, 3, 7, 5], random[5, 3, 3, 3])
// EVAL within 1e-6 @dynamic(random[1, 3, 1, 1], random[5, 3, 3, 3])
// EVAL @dynamic(splat[0, 3, 4, 4] 0, random[5, 3, 3, 3]) -> splat[0, 5, 4, 4] 0

// -----

// Packed weights: channels that fill vectors, or do not.
// FOR C in 3, 8, 16
// FOR O in 7, 24
func.func @weights(%x: tensor<1x$Cx9x11xf32>, %w: tensor<$Ox$Cx3x3xf32> {graph.constant}, %b: tensor<$Ox1x1xf32>)
    -> tensor<1x$Ox9x11xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x$Cx9x11xf32>, tensor<$Ox$Cx3x3xf32> -> tensor<1x$Ox9x11xf32>
  %1 = graph.binary<add> %0, %b : tensor<1x$Ox9x11xf32>, tensor<$Ox1x1xf32> -> tensor<1x$Ox9x11xf32>
  %2 = graph.unary<tanh> %1 : tensor<1x$Ox9x11xf32> -> tensor<1x$Ox9x11xf32>
  return %2 : tensor<1x$Ox9x11xf32>
}
// EVAL within 1e-5 @weights(random[1, $C, 9, 11], random[$O, $C, 3, 3], random[$O, 1, 1])

// -----

// FOR S in 1, 2
// FOR D in 1, 2
func.func @windows(%x: tensor<2x4x9x10xf32>, %w: tensor<6x4x3x2xf32> {graph.constant}) -> tensor<2x6x?x?xf32> {
  %0 = graph.conv %x, %w strides [$S, 1] dilations [$D, $D] pads [2, 1, 0, 1] groups 1 to f32
      : tensor<2x4x9x10xf32>, tensor<6x4x3x2xf32> -> tensor<2x6x?x?xf32>
  return %0 : tensor<2x6x?x?xf32>
}
// EVAL within 1e-6 @windows(random[2, 4, 9, 10], random[6, 4, 3, 2])
func.func @grouped(%x: tensor<1x6x8x8xf32>, %w: tensor<4x3x3x3xf32> {graph.constant}) -> tensor<1x4x?x?xf32> {
  %0 = graph.conv %x, %w strides [$S, $S] dilations [$D, $D] pads [1, 1, 1, 1] groups 2 to f32
      : tensor<1x6x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x?x?xf32>
  return %0 : tensor<1x4x?x?xf32>
}
// EVAL within 1e-6 @grouped(random[1, 6, 8, 8], random[4, 3, 3, 3])
func.func @depthwise(%x: tensor<1x10x9x8xf32>, %w: tensor<10x1x3x3xf32> {graph.constant}) -> tensor<1x10x?x?xf32> {
  %0 = graph.conv %x, %w strides [$S, $S] dilations [$D, $D] pads [1, 1, 1, 1] groups 10 to f32
      : tensor<1x10x9x8xf32>, tensor<10x1x3x3xf32> -> tensor<1x10x?x?xf32>
  return %0 : tensor<1x10x?x?xf32>
}
// EVAL within 1e-6 @depthwise(random[1, 10, 9, 8], random[10, 1, 3, 3])

// -----

// FOR T in f64, f16, bf16
func.func @floats(%x: tensor<1x2x4x4x$T>, %w: tensor<3x2x3x3x$T>) -> tensor<1x3x4x4x$T> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to $T
      : tensor<1x2x4x4x$T>, tensor<3x2x3x3x$T> -> tensor<1x3x4x4x$T>
  return %0 : tensor<1x3x4x4x$T>
}
// EVAL within 4 ulp @floats(random[1, 2, 4, 4](1, 2), random[3, 2, 3, 3](1, 2))

// -----

func.func @integers(%x: tensor<1x2x3x3xui8>, %w: tensor<2x2x2x2xi8>) -> tensor<1x2x2x2xi32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to i32
      : tensor<1x2x3x3xui8>, tensor<2x2x2x2xi8> -> tensor<1x2x2x2xi32>
  return %0 : tensor<1x2x2x2xi32>
}
// EVAL @integers(random[1, 2, 3, 3](0, 255), random[2, 2, 2, 2](-128, 127))

// -----

func.func @transposed(%x: tensor<1x1x2x2xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %0 = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
// EVAL @transposed([[[[1, 2], [3, 4]]]], [[[[1, 10], [100, 1000]]]]) ->
//   [[[[1, 10, 2, 20], [100, 1000, 200, 2000], [3, 30, 4, 40], [300, 3000, 400, 4000]]]]
// FOR G in 1, 2
func.func @transposed_windows(%x: tensor<2x4x5x6xf32>, %w: tensor<4x3x3x3xf32> {graph.constant}) -> tensor<2x?x?x?xf32> {
  %0 = graph.conv_transpose %x, %w strides [2, 1] dilations [1, 2] pads [1, 0, 1, 1] output_padding [1, 0] groups $G to f32
      : tensor<2x4x5x6xf32>, tensor<4x3x3x3xf32> -> tensor<2x?x?x?xf32>
  return %0 : tensor<2x?x?x?xf32>
}
// EVAL within 1e-6 @transposed_windows(random[2, 4, 5, 6], random[4, 3, 3, 3])

// -----

// Windows beside each other, whose rows are sixteen bytes or more.
// FOR T in f16, f32
func.func @patches(%x: tensor<1x3x32x64x$T>, %w: tensor<16x3x8x8x$T> {graph.constant}) -> tensor<1x16x4x8x$T> {
  %0 = graph.conv %x, %w strides [8, 8] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to $T
      : tensor<1x3x32x64x$T>, tensor<16x3x8x8x$T> -> tensor<1x16x4x8x$T>
  return %0 : tensor<1x16x4x8x$T>
}
// EVAL within 1e-3 @patches(random[1, 3, 32, 64], random[16, 3, 8, 8])
