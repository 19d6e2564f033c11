// Products of tensors: constant and computed operands, odd extents, every type.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// EVAL @matmul([[1, 2, 3], [4, 5, 6]], [[7, 8], [9, 10], [11, 12]]) -> [[58, 64], [139, 154]]
// EVAL @matmul([[inf, 0, 1], [1, 1, 1]], [[0, 1], [1, 1], [1, nan]]) -> [[nan, nan], [2, nan]]

func.func @transposed(%a: tensor<3x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = graph.contract %a[2, 0], %b[1, 2] to f32 [1, 0] : tensor<3x2xf32>, tensor<2x3xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// EVAL @transposed([[1, 4], [2, 5], [3, 6]], [[7, 9, 11], [8, 10, 12]]) -> [[58, 139], [64, 154]]

func.func @vectors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<f32>, tensor<4x4xf32>) {
  %0 = graph.contract %a[0], %b[0] to f32 [] : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  %1 = graph.contract %a[0], %b[1] to f32 [0, 1] : tensor<4xf32>, tensor<4xf32> -> tensor<4x4xf32>
  return %0, %1 : tensor<f32>, tensor<4x4xf32>
}
// EVAL @vectors([1, 2, 3, 4], [1, 0, -1, 2]) -> 6, [[1, 0, -1, 2], [2, 0, -2, 4], [3, 0, -3, 6], [4, 0, -4, 8]]

func.func @batched(%a: tensor<2x5x7xf32>, %b: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.contract %a[0, 1, 3], %b[0, 3, 2] to f32 [0, 1, 2] : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}
// EVAL within 1e-6 @batched(random[2, 5, 7], random[2, 7, 6])

func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// EVAL within 1e-6 @dynamic(random[5, 19], random[19, 33])
// EVAL @dynamic([[1, 2]], [[3], [4]]) -> [[11]]
// EVAL @dynamic(splat[0, 3] 0, random[3, 2]) -> splat[0, 2] 0
// EVAL @dynamic(splat[2, 0] 0, splat[0, 3] 0) -> [[0, 0, 0], [0, 0, 0]]

func.func @splats(%a: tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
  %w = graph.constant dense<0.5> : tensor<3x4xf32>
  %0 = graph.contract %a[0, 2], %w[2, 1] to f32 [0, 1] : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %1 = graph.contract %w[2, 0], %a[1, 2] to f32 [0, 1] : tensor<3x4xf32>, tensor<2x3xf32> -> tensor<4x2xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<4x2xf32>
}
// EVAL @splats([[1, 2, 3], [4, 5, 6]]) -> [[3, 3, 3, 3], [7.5, 7.5, 7.5, 7.5]], [[3, 7.5], [3, 7.5], [3, 7.5], [3, 7.5]]

// -----

// A constant factor is packed. Rows and columns fill tiles, or do not.
// FOR N in 1, 16, 37, 48
// FOR M in 1, 29
func.func @weights(%a: tensor<$Mx24xf32>, %w: tensor<24x$Nxf32> {graph.constant}, %bias: tensor<$Nxf32>) -> tensor<$Mx$Nxf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.contract %a[0, 2], %w[2, 1] to f32 [0, 1] : tensor<$Mx24xf32>, tensor<24x$Nxf32> -> tensor<$Mx$Nxf32>
  %1 = graph.binary<add> %0, %bias : tensor<$Mx$Nxf32>, tensor<$Nxf32> -> tensor<$Mx$Nxf32>
  %2 = graph.binary<max> %1, %zero : tensor<$Mx$Nxf32>, tensor<f32> -> tensor<$Mx$Nxf32>
  return %2 : tensor<$Mx$Nxf32>
}
// EVAL within 1e-6 @weights(random[$M, 24], random[24, $N], random[$N])

// -----

// Run-time rows; a number of steps that nothing divides.
func.func @rows(%a: tensor<?x23xf32>, %w: tensor<23x10xf32> {graph.constant}) -> tensor<?x10xf32> {
  %0 = graph.contract %a[0, 2], %w[2, 1] to f32 [0, 1] : tensor<?x23xf32>, tensor<23x10xf32> -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}
// EVAL within 1e-6 @rows(random[17, 23], random[23, 10])
// EVAL @rows(splat[0, 23] 0, random[23, 10]) -> splat[0, 10] 0

// -----

// FOR T in f64, f16, bf16, i32, i64, ui32
func.func @types(%a: tensor<3x5x$T>, %b: tensor<5x4x$T>) -> tensor<3x4x$T> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to $T [0, 1] : tensor<3x5x$T>, tensor<5x4x$T> -> tensor<3x4x$T>
  return %0 : tensor<3x4x$T>
}
// EVAL within 1 ulp @types(random[3, 5](1, 3), random[5, 4](1, 3))

// -----

// Narrow integers are extended to the type of the result first.
func.func @widening(%a: tensor<2x3xui8>, %b: tensor<3x2xi8>) -> tensor<2x2xi32> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to i32 [0, 1] : tensor<2x3xui8>, tensor<3x2xi8> -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// EVAL @widening([[255, 255, 255], [1, 2, 3]], [[127, -128], [127, -128], [127, -128]]) -> [[97155, -97920], [762, -768]]
func.func @halves(%a: tensor<1x64xf16>, %b: tensor<64x1xf16>) -> (tensor<1x1xf32>, tensor<1x1xf16>) {
  %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<1x64xf16>, tensor<64x1xf16> -> tensor<1x1xf32>
  %1 = graph.contract %a[0, 2], %b[2, 1] to f16 [0, 1] : tensor<1x64xf16>, tensor<64x1xf16> -> tensor<1x1xf16>
  return %0, %1 : tensor<1x1xf32>, tensor<1x1xf16>
}
// EVAL @halves(splat[1, 64] 64, splat[64, 1] 64) -> [[262144]], [[inf]]
// EVAL @halves(splat[1, 64] 0.5, splat[64, 1] 0.03125) -> [[1]], [[1]]
