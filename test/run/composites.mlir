// Normalizations and softmaxes that are written out. What they are recognized as gives the same, with infinities, NaN,
// squares that overflow and no epsilon too.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @layer(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %epsilon = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.reduce<sum> %x dims [1] keep : tensor<?x4xf32> -> tensor<?x1xf32>
  %1 = graph.binary<mul> %0, %quarter : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<?x4xf32> -> tensor<?x1xf32>
  %5 = graph.binary<mul> %4, %quarter : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %6 = graph.binary<add> %5, %epsilon : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %7 = graph.unary<sqrt> %6 : tensor<?x1xf32> -> tensor<?x1xf32>
  %8 = graph.binary<div> %2, %7 : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  return %8 : tensor<?x4xf32>
}
// EVAL within 1e-6 @layer([[3, 3, 3, 3], [1, -1, 1, -1], [1, inf, 2, 3], [nan, 1, 2, 3]]) -> [[0, 0, 0, 0],
//   [0.70710678, -0.70710678, 0.70710678, -0.70710678], [nan, nan, nan, nan], [nan, nan, nan, nan]]

func.func @rms(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %0 = graph.binary<mul> %x, %x : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<?x4xf32> -> tensor<?x1xf32>
  %2 = graph.binary<mul> %1, %quarter : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %3 = graph.unary<sqrt> %2 : tensor<?x1xf32> -> tensor<?x1xf32>
  %4 = graph.unary<reciprocal> %3 : tensor<?x1xf32> -> tensor<?x1xf32>
  %5 = graph.binary<mul> %x, %4 : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  return %5 : tensor<?x4xf32>
}
// EVAL within 1e-6 @rms([[0, 0, 0, 0], [2, -2, 2, -2], [1, -inf, 2, 3], [nan, 1, 2, 3]]) -> [[nan, nan, nan, nan],
//   [1, -1, 1, -1], [0, nan, 0, 0], [nan, nan, nan, nan]]

func.func @softmax(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = graph.reduce<max> %x dims [1] keep : tensor<?x3xf32> -> tensor<?x1xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<?x3xf32>, tensor<?x1xf32> -> tensor<?x3xf32>
  %2 = graph.unary<exp> %1 : tensor<?x3xf32> -> tensor<?x3xf32>
  %3 = graph.reduce<sum> %2 dims [1] keep : tensor<?x3xf32> -> tensor<?x1xf32>
  %4 = graph.binary<div> %2, %3 : tensor<?x3xf32>, tensor<?x1xf32> -> tensor<?x3xf32>
  return %4 : tensor<?x3xf32>
}
// EVAL within 1e-6 @softmax([[1000, 1000, -1000], [-inf, -inf, -inf], [0, -inf, 0], [inf, 0, 0], [nan, 0, 0]]) ->
//   [[0.5, 0.5, 0], [nan, nan, nan], [0.5, 0, 0.5], [nan, nan, nan], [nan, nan, nan]]

// -----

// Halves between casts.
func.func @halves(%x: tensor<2x48xf16>) -> tensor<2x48xf16> {
  %count = graph.constant dense<48.0> : tensor<f32>
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %wide = graph.cast %x to f32 : tensor<2x48xf16> -> tensor<2x48xf32>
  %0 = graph.reduce<sum> %wide dims [1] keep : tensor<2x48xf32> -> tensor<2x1xf32>
  %1 = graph.binary<div> %0, %count : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %2 = graph.binary<sub> %wide, %1 : tensor<2x48xf32>, tensor<2x1xf32> -> tensor<2x48xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<2x48xf32>, tensor<2x48xf32> -> tensor<2x48xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<2x48xf32> -> tensor<2x1xf32>
  %5 = graph.binary<div> %4, %count : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %6 = graph.binary<add> %5, %epsilon : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %7 = graph.unary<sqrt> %6 : tensor<2x1xf32> -> tensor<2x1xf32>
  %8 = graph.binary<div> %2, %7 : tensor<2x48xf32>, tensor<2x1xf32> -> tensor<2x48xf32>
  %9 = graph.cast %8 to f16 : tensor<2x48xf32> -> tensor<2x48xf16>
  return %9 : tensor<2x48xf16>
}
// EVAL within 1 ulp @halves(random[2, 48](1, 3))
