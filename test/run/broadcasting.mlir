// Operands of unlike shapes: scalars, ones, run-time extents of one, nothing at all.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @add(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>) -> tensor<2x4x3xf32> {
  %0 = graph.binary<add> %a, %b : tensor<2x1x3xf32>, tensor<4x1xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// EVAL @add([[[1, 2, 3]], [[4, 5, 6]]], [[0], [10], [20], [30]]) ->
//   [[[1, 2, 3], [11, 12, 13], [21, 22, 23], [31, 32, 33]], [[4, 5, 6], [14, 15, 16], [24, 25, 26], [34, 35, 36]]]
func.func @scalar(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = graph.binary<mul> %a, %b : tensor<f32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
// EVAL @scalar(3, -0.5) -> -1.5
func.func @run_time(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.binary<sub> %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// EVAL @run_time([[1, 2], [3, 4]], [[1, 1], [1, 1]]) -> [[0, 1], [2, 3]]
// EVAL @run_time([[1, 2], [3, 4]], [[1], [10]]) -> [[0, 1], [-7, -6]]
// EVAL @run_time([[5]], [[1, 2, 3]]) -> [[4, 3, 2]]
// EVAL @run_time(splat[0, 3] 1, [[1, 2, 3]]) -> splat[0, 3] 0
// EVAL @run_time(splat[2, 0] 1, [[7]]) -> splat[2, 0] 0
func.func @empty(%a: tensor<0xf32>, %b: tensor<f32>) -> tensor<0xf32> {
  %0 = graph.binary<add> %a, %b : tensor<0xf32>, tensor<f32> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
// EVAL @empty([], 1) -> []
func.func @chain(%a: tensor<33x17xf32>, %b: tensor<17xf32>, %c: tensor<33x1xf32>) -> tensor<33x17xf32> {
  %0 = graph.binary<add> %a, %b : tensor<33x17xf32>, tensor<17xf32> -> tensor<33x17xf32>
  %1 = graph.unary<exp> %0 : tensor<33x17xf32> -> tensor<33x17xf32>
  %2 = graph.binary<mul> %1, %c : tensor<33x17xf32>, tensor<33x1xf32> -> tensor<33x17xf32>
  %3 = graph.binary<sub> %2, %a : tensor<33x17xf32>, tensor<33x17xf32> -> tensor<33x17xf32>
  return %3 : tensor<33x17xf32>
}
// EVAL within 1e-6 @chain(random[33, 17], random[17], random[33, 1])
