// Comparisons, classes and choices.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, bf16, i64, i32, i16, i8, ui64, ui8
func.func @compare(%a: tensor<3x1x$T>, %b: tensor<3x$T>)
    -> (tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>) {
  %0 = graph.compare<eq> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  %1 = graph.compare<ne> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  %2 = graph.compare<lt> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  %3 = graph.compare<le> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  %4 = graph.compare<gt> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  %5 = graph.compare<ge> %a, %b : tensor<3x1x$T>, tensor<3x$T> -> tensor<3x3xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>, tensor<3x3xi1>
}
// EVAL @compare([[1], [2], [3]], [1, 2, 3]) -> [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
//   [[0, 1, 1], [0, 0, 1], [0, 0, 0]], [[1, 1, 1], [0, 1, 1], [0, 0, 1]],
//   [[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]]

func.func @select(%c: tensor<2x1xi1>, %a: tensor<3x$T>, %b: tensor<$T>) -> tensor<2x3x$T> {
  %0 = graph.select %c, %a, %b : tensor<2x1xi1>, tensor<3x$T>, tensor<$T> -> tensor<2x3x$T>
  return %0 : tensor<2x3x$T>
}
// EVAL @select([[true], [false]], [1, 2, 3], 7) -> [[1, 2, 3], [7, 7, 7]]

// -----

// FOR T in f64, f32, f16, bf16, f8E5M2
func.func @classify(%x: tensor<5x$T>) -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  %0 = graph.classify<nan> %x : tensor<5x$T> -> tensor<5xi1>
  %1 = graph.classify<inf> %x : tensor<5x$T> -> tensor<5xi1>
  %2 = graph.classify<pos_inf> %x : tensor<5x$T> -> tensor<5xi1>
  %3 = graph.classify<neg_inf> %x : tensor<5x$T> -> tensor<5xi1>
  return %0, %1, %2, %3 : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}
// EVAL @classify([1, nan, inf, -inf, 0]) -> [0, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]

// -----

// Comparisons with NaN are false but for ne; zeros are equal.
func.func @nan(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.compare<eq> %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %1 = graph.compare<ne> %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %2 = graph.compare<le> %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %3 = graph.compare<gt> %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// EVAL @nan([nan, 1, nan, 0], [nan, nan, 1, -0]) -> [0, 0, 0, 1], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]
