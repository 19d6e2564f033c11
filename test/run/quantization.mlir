// Quantized numbers: rounding to even, saturation, scales per tensor, per axis and per block.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in i8, i16, i4, i2
func.func @signed(%x: tensor<6xf32>, %s: tensor<f32>, %z: tensor<$T>) -> (tensor<6x$T>, tensor<6xf32>) {
  %0 = graph.quantize %x, %s, %z to $T axis(0) block(0) : tensor<6xf32>, tensor<f32>, tensor<$T> -> tensor<6x$T>
  %1 = graph.dequantize %0, %s, %z to f32 axis(0) block(0) : tensor<6x$T>, tensor<f32>, tensor<$T> -> tensor<6xf32>
  return %0, %1 : tensor<6x$T>, tensor<6xf32>
}
// EVAL @signed([0, 0.5, 0.25, -0.5, -0.75, -0.25], 0.5, 0) -> [0, 1, 0, -1, -2, 0], [0, 0.5, 0, -0.5, -1, 0]
// EVAL @signed([1e9, -1e9, inf, -inf, 0.1, -0.1], 0.125, 1)

// -----

// FOR T in ui8, ui16, ui4, ui2
func.func @unsigned(%x: tensor<6xf32>, %s: tensor<f32>, %z: tensor<$T>) -> (tensor<6x$T>, tensor<6xf32>) {
  %0 = graph.quantize %x, %s, %z to $T axis(0) block(0) : tensor<6xf32>, tensor<f32>, tensor<$T> -> tensor<6x$T>
  %1 = graph.dequantize %0, %s, %z to f32 axis(0) block(0) : tensor<6x$T>, tensor<f32>, tensor<$T> -> tensor<6xf32>
  return %0, %1 : tensor<6x$T>, tensor<6xf32>
}
// EVAL @unsigned([0, 1, 2.5, -1, 1e9, 1.5], 1, 1)
// EVAL @unsigned([0, 1, 2, -1, -1e9, 0.5], 1, 1)

// -----

func.func @axis(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xui8>) -> (tensor<2x3xui8>, tensor<2x3xf32>) {
  %0 = graph.quantize %x, %s, %z to ui8 axis(1) block(0) : tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xui8>
  %1 = graph.dequantize %0, %s, %z to f32 axis(1) block(0) : tensor<2x3xui8>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xui8>, tensor<2x3xf32>
}
// EVAL @axis([[1, 2, 3], [4, 500, -6]], [1, 2, 0.5], [0, 128, 10]) -> [[1, 129, 16], [4, 255, 0]], [[1, 2, 3], [4, 254, -5]]
func.func @blocks(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>) -> (tensor<2x4xi8>, tensor<2x4xf32>) {
  %0 = graph.quantize %x, %s to i8 axis(1) block(2) : tensor<2x4xf32>, tensor<2x2xf32> -> tensor<2x4xi8>
  %1 = graph.dequantize %0, %s to f32 axis(1) block(2) : tensor<2x4xi8>, tensor<2x2xf32> -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xi8>, tensor<2x4xf32>
}
// EVAL @blocks([[1, 2, 3, 4], [5, 6, 7, 8]], [[1, 2], [0.5, 4]]) -> [[1, 2, 2, 2], [10, 12, 2, 2]], [[1, 2, 4, 4], [5, 6, 8, 8]]
func.func @to_fp8(%x: tensor<5xf32>, %s: tensor<f32>) -> (tensor<5xf8E4M3FN>, tensor<5xf32>) {
  %0 = graph.quantize %x, %s to f8E4M3FN axis(0) block(0) : tensor<5xf32>, tensor<f32> -> tensor<5xf8E4M3FN>
  %1 = graph.dequantize %0, %s to f32 axis(0) block(0) : tensor<5xf8E4M3FN>, tensor<f32> -> tensor<5xf32>
  return %0, %1 : tensor<5xf8E4M3FN>, tensor<5xf32>
}
// EVAL @to_fp8([1, 3, 1000, -2.2, 0], 2) -> [0.5, 1.5, 448, -1.125, 0], [1, 3, 896, -2.25, 0]
func.func @half_scale(%q: tensor<4xi8>, %s: tensor<f16>) -> tensor<4xf16> {
  %0 = graph.dequantize %q, %s to f16 axis(0) block(0) : tensor<4xi8>, tensor<f16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
// EVAL @half_scale([1, -2, 127, -128], 0.5) -> [0.5, -1, 63.5, -64]
