// Constant halves beside f32 activations: whole and partial panels, channels that fill vectors or do not, tables.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f16, bf16
// FOR N in 1, 16, 37
func.func @weights(%a: tensor<29x24xf32>, %w: tensor<24x$Nx$T> {graph.constant}, %bias: tensor<$Nxf32>) -> tensor<29x$Nxf32> {
  %0 = graph.contract %a[0, 2], %w[2, 1] to f32 [0, 1] : tensor<29x24xf32>, tensor<24x$Nx$T> -> tensor<29x$Nxf32>
  %1 = graph.binary<add> %0, %bias : tensor<29x$Nxf32>, tensor<$Nxf32> -> tensor<29x$Nxf32>
  return %1 : tensor<29x$Nxf32>
}
// EVAL within 1e-6 @weights(random[29, 24], random[24, $N], random[$N])

// -----

// FOR T in f16, bf16
func.func @conv(%x: tensor<1x5x9x11xf32>, %w: tensor<19x5x3x3x$T> {graph.constant}) -> tensor<1x19x9x11xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x5x9x11xf32>, tensor<19x5x3x3x$T> -> tensor<1x19x9x11xf32>
  return %0 : tensor<1x19x9x11xf32>
}
// EVAL within 1e-6 @conv(random[1, 5, 9, 11], random[19, 5, 3, 3])

// -----

// One filter a channel: vectors, and the channels left over.
// FOR T in f16, bf16
// FOR C in 16, 21
func.func @depthwise(%x: tensor<1x$Cx7x9xf32>, %w: tensor<$Cx1x3x3x$T> {graph.constant}) -> tensor<1x$Cx7x9xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups $C to f32
      : tensor<1x$Cx7x9xf32>, tensor<$Cx1x3x3x$T> -> tensor<1x$Cx7x9xf32>
  return %0 : tensor<1x$Cx7x9xf32>
}
// EVAL within 1e-6 @depthwise(random[1, $C, 7, 9], random[$C, 1, 3, 3])

// -----

// Rounded by one op, widened by each reader in its own kernel.
// FOR T in f16, bf16
func.func @readers(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = graph.binary<add> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.cast %0 to $T : tensor<4x8xf32> -> tensor<4x8x$T>
  %2 = graph.cast %1 to f32 : tensor<4x8x$T> -> tensor<4x8xf32>
  %3 = graph.reduce<sum> %2 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %4 = graph.transpose %1 perm [1, 0] : tensor<4x8x$T> -> tensor<8x4x$T>
  %5 = graph.cast %4 to f32 : tensor<8x4x$T> -> tensor<8x4xf32>
  %6 = graph.binary<mul> %5, %y : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return %6, %3 : tensor<8x4xf32>, tensor<4xf32>
}
// EVAL within 1e-6 @readers(random[4, 8], random[8, 4])

// -----

// A network of halves: sums are f32, every op rounds, biases and residuals are halves.
// FOR T in f16, bf16
// FOR N in 16, 21
func.func @all_halves(%x: tensor<1x8x7x9x$T>, %w: tensor<$Nx8x3x3x$T> {graph.constant}, %b: tensor<$Nx1x1x$T> {graph.constant}, %r: tensor<1x$Nx7x9x$T>) -> tensor<1x$Nx7x9x$T> {
  %zero = graph.constant dense<0.0> : tensor<$T>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to $T
      : tensor<1x8x7x9x$T>, tensor<$Nx8x3x3x$T> -> tensor<1x$Nx7x9x$T>
  %1 = graph.binary<add> %0, %b : tensor<1x$Nx7x9x$T>, tensor<$Nx1x1x$T> -> tensor<1x$Nx7x9x$T>
  %2 = graph.binary<add> %1, %r : tensor<1x$Nx7x9x$T>, tensor<1x$Nx7x9x$T> -> tensor<1x$Nx7x9x$T>
  %3 = graph.binary<max> %2, %zero : tensor<1x$Nx7x9x$T>, tensor<$T> -> tensor<1x$Nx7x9x$T>
  return %3 : tensor<1x$Nx7x9x$T>
}
// EVAL within 1e-2 @all_halves(random[1, 8, 7, 9], random[$N, 8, 3, 3], random[$N, 1, 1], random[1, $N, 7, 9])

// -----

// FOR T in f16, bf16
func.func @product_of_halves(%a: tensor<2x5x16x$T>, %b: tensor<2x7x16x$T>) -> tensor<2x5x7x$T> {
  %0 = graph.contract %a[0, 1, 3], %b[0, 2, 3] to $T [0, 1, 2] : tensor<2x5x16x$T>, tensor<2x7x16x$T> -> tensor<2x5x7x$T>
  return %0 : tensor<2x5x7x$T>
}
// EVAL within 1e-2 @product_of_halves(random[2, 5, 16], random[2, 7, 16])
