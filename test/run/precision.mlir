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
