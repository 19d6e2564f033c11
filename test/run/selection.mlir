// Results whose size depends on values: nonzero, the largest, boxes that do not overlap.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f32, f16, i64, ui8, i1
func.func @nonzero(%x: tensor<2x3x$T>) -> (tensor<2x6xi64>, tensor<1xi64>) {
  %p, %n = graph.nonzero %x : tensor<2x3x$T> -> tensor<2x6xi64>, tensor<1xi64>
  return %p, %n : tensor<2x6xi64>, tensor<1xi64>
}
// EVAL @nonzero([[0, 1, 0], [1, 0, 1]]) -> [[0, 1, 1, 0, 0, 0], [1, 0, 2, 0, 0, 0]], [3]
// EVAL @nonzero([[0, 0, 0], [0, 0, 0]]) -> splat[2, 6] 0, [0]

// -----

func.func @exact(%x: tensor<?xf32>) -> tensor<1x?xi64> {
  %zero = graph.constant dense<0> : tensor<1xi64>
  %one = graph.constant dense<1> : tensor<1xi64>
  %p, %n = graph.nonzero %x : tensor<?xf32> -> tensor<1x?xi64>, tensor<1xi64>
  %0 = graph.slice %p[%zero, %n, %one] dims [1] : tensor<1x?xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<1x?xi64>
  return %0 : tensor<1x?xi64>
}
// EVAL @exact([5, 0, nan, -0, -1]) -> [[0, 2, 4]]
// EVAL @exact([]) -> splat[1, 0] 0

// -----

// FOR T in f64, f32, f16, bf16, i64, i32, i8, ui8
func.func @topk(%x: tensor<2x5x$T>, %k: tensor<1xi64>) -> (tensor<2x?x$T>, tensor<2x?xi64>, tensor<2x?x$T>, tensor<2x?xi64>) {
  %v, %i = graph.topk %x, %k dim 1 largest : tensor<2x5x$T>, tensor<1xi64> -> tensor<2x?x$T>, tensor<2x?xi64>
  %w, %j = graph.topk %x, %k dim 1 : tensor<2x5x$T>, tensor<1xi64> -> tensor<2x?x$T>, tensor<2x?xi64>
  return %v, %i, %w, %j : tensor<2x?x$T>, tensor<2x?xi64>, tensor<2x?x$T>, tensor<2x?xi64>
}
// EVAL @topk([[3, 1, 4, 1, 5], [9, 2, 6, 5, 9]], [3]) -> [[5, 4, 3], [9, 9, 6]], [[4, 2, 0], [0, 4, 2]],
//   [[1, 1, 3], [2, 5, 6]], [[1, 3, 0], [1, 3, 2]]
// EVAL @topk([[3, 1, 4, 1, 5], [9, 2, 6, 5, 9]], [5])
// EVAL @topk([[3, 1, 4, 1, 5], [9, 2, 6, 5, 9]], [0])

// -----

func.func @columns(%x: tensor<4x2xf32>, %k: tensor<1xi64>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  %v, %i = graph.topk %x, %k dim 0 largest : tensor<4x2xf32>, tensor<1xi64> -> tensor<?x2xf32>, tensor<?x2xi64>
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
}
// EVAL @columns([[1, 8], [7, 2], [3, 6], [5, 4]], [2]) -> [[7, 8], [5, 6]], [[1, 0], [3, 2]]
func.func @long(%x: tensor<1000xf32>, %k: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xi64>) {
  %v, %i = graph.topk %x, %k dim 0 largest : tensor<1000xf32>, tensor<1xi64> -> tensor<?xf32>, tensor<?xi64>
  return %v, %i : tensor<?xf32>, tensor<?xi64>
}
// EVAL @long(random[1000], [17])
func.func @boxes(%b: tensor<1x4x4xf32>, %s: tensor<1x1x4xf32>, %n: tensor<1xi64>, %iou: tensor<f32>, %score: tensor<f32>)
    -> (tensor<?x3xi64>, tensor<1xi64>) {
  %r, %c = graph.nms %b, %s, %n, %iou, %score
      : tensor<1x4x4xf32>, tensor<1x1x4xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> tensor<?x3xi64>, tensor<1xi64>
  return %r, %c : tensor<?x3xi64>, tensor<1xi64>
}
// EVAL @boxes([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11], [0, 10.1, 1, 11.1]]], [[[0.9, 0.8, 0.7, 0.75]]], [3], 0.5, 0) ->
//   [[0, 0, 0], [0, 0, 3], [0, 0, 0]], [2]
// EVAL @boxes([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11], [0, 10.1, 1, 11.1]]], [[[0.9, 0.8, 0.7, 0.75]]], [1], 0.9, 0.85) ->
//   [[0, 0, 0]], [1]
