// Conversions between element types: rounding, saturation, what integers cannot hold, and bits as they are.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f16, bf16, i64, i32, i16, i8
func.func @from_f32(%x: tensor<6xf32>) -> tensor<6x$T> {
  %0 = graph.cast %x to $T : tensor<6xf32> -> tensor<6x$T>
  return %0 : tensor<6x$T>
}
// EVAL @from_f32([0, 1, -2, 100, -100, 64]) -> [0, 1, -2, 100, -100, 64]
func.func @to_f32(%x: tensor<6x$T>) -> tensor<6xf32> {
  %0 = graph.cast %x to f32 : tensor<6x$T> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// EVAL @to_f32([0, 1, -2, 100, -100, 64]) -> [0, 1, -2, 100, -100, 64]
func.func @to_bool(%x: tensor<4x$T>) -> (tensor<4xi1>, tensor<4x$T>) {
  %0 = graph.cast %x to i1 : tensor<4x$T> -> tensor<4xi1>
  %1 = graph.cast %0 to $T : tensor<4xi1> -> tensor<4x$T>
  return %0, %1 : tensor<4xi1>, tensor<4x$T>
}
// EVAL @to_bool([0, 1, -1, 7]) -> [0, 1, 1, 1], [0, 1, 1, 1]

// -----

// FOR T in ui64, ui32, ui16, ui8
func.func @unsigned(%x: tensor<4xf32>) -> (tensor<4x$T>, tensor<4xf32>) {
  %0 = graph.cast %x to $T : tensor<4xf32> -> tensor<4x$T>
  %1 = graph.cast %0 to f32 : tensor<4x$T> -> tensor<4xf32>
  return %0, %1 : tensor<4x$T>, tensor<4xf32>
}
// EVAL @unsigned([0, 1.9, 200.5, 255]) -> [0, 1, 200, 255], [0, 1, 200, 255]

// -----

// Truncation towards zero, wrapping integers, rounding floats to nearest even.
func.func @truncate(%x: tensor<6xf32>) -> (tensor<6xi32>, tensor<6xi64>) {
  %0 = graph.cast %x to i32 : tensor<6xf32> -> tensor<6xi32>
  %1 = graph.cast %x to i64 : tensor<6xf32> -> tensor<6xi64>
  return %0, %1 : tensor<6xi32>, tensor<6xi64>
}
// EVAL @truncate([1.9, -1.9, 0.5, -0.5, 2147483000, -2147483648]) -> [1, -1, 0, 0, 2147483008, -2147483648],
//   [1, -1, 0, 0, 2147483008, -2147483648]
func.func @wrap(%x: tensor<5xi32>) -> (tensor<5xi8>, tensor<5xui8>, tensor<5xi16>, tensor<5xi4>, tensor<5xui4>) {
  %0 = graph.cast %x to i8 : tensor<5xi32> -> tensor<5xi8>
  %1 = graph.cast %x to ui8 : tensor<5xi32> -> tensor<5xui8>
  %2 = graph.cast %x to i16 : tensor<5xi32> -> tensor<5xi16>
  %3 = graph.cast %x to i4 : tensor<5xi32> -> tensor<5xi4>
  %4 = graph.cast %x to ui4 : tensor<5xi32> -> tensor<5xui4>
  return %0, %1, %2, %3, %4 : tensor<5xi8>, tensor<5xui8>, tensor<5xi16>, tensor<5xi4>, tensor<5xui4>
}
// EVAL @wrap([300, -1, 128, 65537, 7]) -> [44, -1, -128, 1, 7], [44, 255, 128, 1, 7], [300, -1, 128, 1, 7],
//   [-4, -1, 0, 1, 7], [12, 15, 0, 1, 7]
func.func @halves(%x: tensor<8xf32>) -> (tensor<8xf16>, tensor<8xbf16>) {
  %0 = graph.cast %x to f16 : tensor<8xf32> -> tensor<8xf16>
  %1 = graph.cast %x to bf16 : tensor<8xf32> -> tensor<8xbf16>
  return %0, %1 : tensor<8xf16>, tensor<8xbf16>
}
// EVAL @halves([1.00048828125, 65504, 65520, 1e-8, 6e-8, inf, nan, 1.00390625]) ->
//   [1, 65504, inf, 0, 5.9604645e-8, inf, nan, 1.00390625], [1, 65536, 65536, 1.0011718e-8, 6.0070306e-8, inf, nan, 1]
// EVAL @halves(random[8](-70000, 70000))
// EVAL @halves(random[8](-1e-5, 1e-5))
func.func @half_to_double(%x: tensor<4xf16>, %y: tensor<4xbf16>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf16>) {
  %0 = graph.cast %x to f64 : tensor<4xf16> -> tensor<4xf64>
  %1 = graph.cast %y to f64 : tensor<4xbf16> -> tensor<4xf64>
  %2 = graph.cast %y to f16 : tensor<4xbf16> -> tensor<4xf16>
  return %0, %1, %2 : tensor<4xf64>, tensor<4xf64>, tensor<4xf16>
}
// EVAL @half_to_double([0.1, inf, nan, 6e-8], [3, -inf, nan, 73786976294838206464]) -> [0.0999755859375, inf, nan, 5.9604644775390625e-08],
//   [3, -inf, nan, 73786976294838206464], [3, -inf, nan, inf]
func.func @double_to_half(%x: tensor<4xf64>) -> (tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>) {
  %0 = graph.cast %x to f16 : tensor<4xf64> -> tensor<4xf16>
  %1 = graph.cast %x to bf16 : tensor<4xf64> -> tensor<4xbf16>
  %2 = graph.cast %x to f32 : tensor<4xf64> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>
}
// EVAL @double_to_half([0.1, 1e300, -3, nan]) -> [0.0999755859375, inf, -3, nan], [0.10009765625, inf, -3, nan],
//   [0.1, inf, -3, nan]

// -----

// Eight and four bit floats; values beyond their range saturate or do not.
// FOR T in f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f4E2M1FN
func.func @small(%x: tensor<24xf32>) -> (tensor<24x$T>, tensor<24xf32>, tensor<24xf16>) {
  %0 = graph.cast %x to $T : tensor<24xf32> -> tensor<24x$T>
  %1 = graph.cast %0 to f32 : tensor<24x$T> -> tensor<24xf32>
  %2 = graph.cast %0 to f16 : tensor<24x$T> -> tensor<24xf16>
  return %0, %1, %2 : tensor<24x$T>, tensor<24xf32>, tensor<24xf16>
}
// EVAL @small(random[24](-3, 3))
// EVAL @small(random[24](-1000, 1000))
// EVAL @small(random[24](-0.02, 0.02))
func.func @saturate(%x: tensor<5xf32>) -> (tensor<5x$T>, tensor<5x$T>) {
  %0 = graph.cast %x to $T : tensor<5xf32> -> tensor<5x$T>
  %1 = graph.cast %x to $T {saturate = false} : tensor<5xf32> -> tensor<5x$T>
  return %0, %1 : tensor<5x$T>, tensor<5x$T>
}
// EVAL @saturate([inf, -inf, nan, 1e6, -1e6])

// -----

func.func @fp8_values(%x: tensor<6xf32>) -> (tensor<6xf8E4M3FN>, tensor<6xf8E4M3FN>, tensor<6xf8E5M2>) {
  %0 = graph.cast %x to f8E4M3FN : tensor<6xf32> -> tensor<6xf8E4M3FN>
  %1 = graph.cast %x to f8E4M3FN {saturate = false} : tensor<6xf32> -> tensor<6xf8E4M3FN>
  %2 = graph.cast %x to f8E5M2 : tensor<6xf32> -> tensor<6xf8E5M2>
  return %0, %1, %2 : tensor<6xf8E4M3FN>, tensor<6xf8E4M3FN>, tensor<6xf8E5M2>
}
// EVAL @fp8_values([1, 17, 500, -500, nan, 0.001953125]) -> [1, 16, 448, -448, nan, 0.001953125],
//   [1, 16, nan, nan, nan, 0.001953125], [1, 16, 512, -512, nan, 0.001953125]
func.func @powers_of_two(%x: tensor<5xf32>) -> (tensor<5xf8E8M0FNU>, tensor<5xf8E8M0FNU>, tensor<5xf8E8M0FNU>) {
  %0 = graph.cast %x to f8E8M0FNU : tensor<5xf32> -> tensor<5xf8E8M0FNU>
  %1 = graph.cast %x to f8E8M0FNU {rounding = #graph.rounding<up>} : tensor<5xf32> -> tensor<5xf8E8M0FNU>
  %2 = graph.cast %x to f8E8M0FNU {rounding = #graph.rounding<down>} : tensor<5xf32> -> tensor<5xf8E8M0FNU>
  return %0, %1, %2 : tensor<5xf8E8M0FNU>, tensor<5xf8E8M0FNU>, tensor<5xf8E8M0FNU>
}
// EVAL @powers_of_two([1, 3, 5, 0.3, nan]) -> [1, 4, 4, 0.25, nan], [1, 4, 8, 0.5, nan], [1, 2, 4, 0.25, nan]

// -----

func.func @bits(%x: tensor<3xf32>, %y: tensor<3xi16>) -> (tensor<3xi32>, tensor<3xui32>, tensor<3xf16>, tensor<3xbf16>) {
  %0 = graph.bitcast %x to i32 : tensor<3xf32> -> tensor<3xi32>
  %1 = graph.bitcast %x to ui32 : tensor<3xf32> -> tensor<3xui32>
  %2 = graph.bitcast %y to f16 : tensor<3xi16> -> tensor<3xf16>
  %3 = graph.bitcast %y to bf16 : tensor<3xi16> -> tensor<3xbf16>
  return %0, %1, %2, %3 : tensor<3xi32>, tensor<3xui32>, tensor<3xf16>, tensor<3xbf16>
}
// EVAL @bits([1, -2, inf], [15360, -16384, 16256]) -> [1065353216, -1073741824, 2139095040],
//   [1065353216, 3221225472, 2139095040], [1, -2, 1.875], [0.0078125, -2, 1]
