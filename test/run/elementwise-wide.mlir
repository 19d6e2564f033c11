// Rows of elements that a device may move several at once: every size of element, mixed sizes, what all of them share.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, bf16, i64, i32, i16, i8, ui64, ui32, ui16, ui8
func.func @flat(%a: tensor<?x16x$T>, %b: tensor<?x16x$T>, %c: tensor<$T>) -> tensor<?x16x$T> {
  %0 = graph.binary<add> %a, %b : tensor<?x16x$T>, tensor<?x16x$T> -> tensor<?x16x$T>
  %1 = graph.binary<mul> %0, %c : tensor<?x16x$T>, tensor<$T> -> tensor<?x16x$T>
  return %1 : tensor<?x16x$T>
}
// EVAL @flat([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]],
//   [[1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3]], 2) ->
//   [[4, 6, 8, 10, 10, 12, 14, 16, 22, 24, 26, 28, 32, 34, 36, 38]]
// EVAL @flat(random[5, 16], random[5, 16], 2)

func.func @mixed(%a: tensor<?x16x$T>, %b: tensor<16x$T>) -> tensor<?x16xi1> {
  %0 = graph.compare<lt> %a, %b : tensor<?x16x$T>, tensor<16x$T> -> tensor<?x16xi1>
  return %0 : tensor<?x16xi1>
}
// EVAL @mixed([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]],
//   [2, 2, 2, 5, 5, 5, 9, 9, 9, 9, 9, 13, 13, 13, 16, 16]) ->
//   [[1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]]

func.func @rows(%a: tensor<?x16x$T>, %b: tensor<16x$T>, %c: tensor<?x1x$T>) -> tensor<?x16x$T> {
  %0 = graph.binary<sub> %a, %b : tensor<?x16x$T>, tensor<16x$T> -> tensor<?x16x$T>
  %1 = graph.binary<max> %0, %c : tensor<?x16x$T>, tensor<?x1x$T> -> tensor<?x16x$T>
  return %1 : tensor<?x16x$T>
}
// EVAL @rows([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
//   [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 2]], [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
//   [[4], [9]]) -> [[4, 4, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14],
//   [15, 14, 13, 12, 12, 11, 10, 9, 9, 9, 9, 9, 9, 9, 9, 9]]
// EVAL @rows(random[7, 16](3, 40), random[16](0, 3), random[7, 1](3, 40))

// Pairs at most.
func.func @pairs(%a: tensor<?x6x$T>, %b: tensor<?x6xi1>) -> tensor<?x6x$T> {
  %0 = graph.binary<add> %a, %a : tensor<?x6x$T>, tensor<?x6x$T> -> tensor<?x6x$T>
  %1 = graph.select %b, %0, %a : tensor<?x6xi1>, tensor<?x6x$T>, tensor<?x6x$T> -> tensor<?x6x$T>
  return %1 : tensor<?x6x$T>
}
// EVAL @pairs([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18]],
//   [[1, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 0, 1]]) ->
//   [[2, 2, 6, 4, 10, 6], [7, 8, 9, 20, 22, 24], [13, 28, 30, 16, 17, 36]]

// -----

// Enough for every thread of a large device.
func.func @large(%a: tensor<512x512xf32>, %b: tensor<512xf32>) -> tensor<512x512xf32> {
  %0 = graph.binary<add> %a, %b : tensor<512x512xf32>, tensor<512xf32> -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
// EVAL @large(random[512, 512], random[512])

func.func @bools(%a: tensor<?x16xi1>, %b: tensor<?x16xi1>) -> tensor<?x16xi1> {
  %0 = graph.binary<xor> %a, %b : tensor<?x16xi1>, tensor<?x16xi1> -> tensor<?x16xi1>
  return %0 : tensor<?x16xi1>
}
// EVAL @bools([[1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0]], [[1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]]) ->
//   [[0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0]]
