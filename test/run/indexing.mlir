// Elements and slices by index, read and written.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, bf16, i64, i16, ui8, i4, i1
func.func @gathers(%x: tensor<3x2x$T>, %i: tensor<2x2xi64>, %j: tensor<1x2xi32>, %t: tensor<2x2xi64>)
    -> (tensor<2x2x2x$T>, tensor<3x2x2x$T>, tensor<1x2x$T>, tensor<2x$T>) {
  %0 = graph.gather %x, %i dim 0 : tensor<3x2x$T>, tensor<2x2xi64> -> tensor<2x2x2x$T>
  %1 = graph.gather %x, %i dim 1 : tensor<3x2x$T>, tensor<2x2xi64> -> tensor<3x2x2x$T>
  %2 = graph.gather_elements %x, %j dim 0 : tensor<3x2x$T>, tensor<1x2xi32> -> tensor<1x2x$T>
  %3 = graph.gather_nd %x, %t batch 0 : tensor<3x2x$T>, tensor<2x2xi64> -> tensor<2x$T>
  return %0, %1, %2, %3 : tensor<2x2x2x$T>, tensor<3x2x2x$T>, tensor<1x2x$T>, tensor<2x$T>
}
// EVAL @gathers([[0, 1], [1, 1], [1, 0]], [[0, 1], [-1, -2]], [[2, -3]], [[0, 1], [2, 1]]) ->
//   [[[0, 1], [1, 1]], [[1, 0], [1, 1]]], [[[0, 1], [1, 0]], [[1, 1], [1, 1]], [[1, 0], [0, 1]]], [[1, 1]], [1, 0]
func.func @writes(%x: tensor<3x2x$T>, %j: tensor<1x2xi32>, %u: tensor<1x2x$T>, %t: tensor<2x1xi64>, %v: tensor<2x2x$T>)
    -> (tensor<3x2x$T>, tensor<3x2x$T>) {
  %0 = graph.scatter_elements<assign> %x, %j, %u dim 0 : tensor<3x2x$T>, tensor<1x2xi32>, tensor<1x2x$T> -> tensor<3x2x$T>
  %1 = graph.scatter_nd<assign> %x, %t, %v : tensor<3x2x$T>, tensor<2x1xi64>, tensor<2x2x$T> -> tensor<3x2x$T>
  return %0, %1 : tensor<3x2x$T>, tensor<3x2x$T>
}
// EVAL @writes([[0, 0], [0, 0], [0, 0]], [[2, -2]], [[1, 1]], [[0], [2]], [[1, 0], [1, 1]]) ->
//   [[0, 0], [0, 1], [1, 0]], [[1, 0], [0, 0], [1, 1]]

// -----

// FOR T in f32, f16, i32, ui8
func.func @meet(%x: tensor<4x$T>, %i: tensor<5xi64>, %u: tensor<5x$T>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) {
  %0 = graph.scatter_elements<add> %x, %i, %u dim 0 : tensor<4x$T>, tensor<5xi64>, tensor<5x$T> -> tensor<4x$T>
  %1 = graph.scatter_elements<mul> %x, %i, %u dim 0 : tensor<4x$T>, tensor<5xi64>, tensor<5x$T> -> tensor<4x$T>
  %2 = graph.scatter_elements<min> %x, %i, %u dim 0 : tensor<4x$T>, tensor<5xi64>, tensor<5x$T> -> tensor<4x$T>
  %3 = graph.scatter_elements<max> %x, %i, %u dim 0 : tensor<4x$T>, tensor<5xi64>, tensor<5x$T> -> tensor<4x$T>
  return %0, %1, %2, %3 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
}
// EVAL @meet([1, 2, 3, 4], [0, 1, 1, 3, -1], [5, 1, 6, 2, 3]) -> [6, 9, 3, 9], [5, 12, 3, 24], [1, 1, 3, 2], [5, 6, 3, 4]
func.func @meet_slices(%x: tensor<3x2x$T>, %t: tensor<3x1xi64>, %u: tensor<3x2x$T>) -> (tensor<3x2x$T>, tensor<3x2x$T>) {
  %0 = graph.scatter_nd<add> %x, %t, %u : tensor<3x2x$T>, tensor<3x1xi64>, tensor<3x2x$T> -> tensor<3x2x$T>
  %1 = graph.scatter_nd<max> %x, %t, %u : tensor<3x2x$T>, tensor<3x1xi64>, tensor<3x2x$T> -> tensor<3x2x$T>
  return %0, %1 : tensor<3x2x$T>, tensor<3x2x$T>
}
// EVAL @meet_slices([[1, 2], [3, 4], [5, 6]], [[1], [1], [-1]], [[1, 1], [10, 10], [0, 7]]) ->
//   [[1, 2], [14, 15], [5, 13]], [[1, 2], [10, 10], [5, 7]]

// -----

func.func @batched(%x: tensor<2x3x2xf32>, %t: tensor<2x1x1xi64>) -> tensor<2x1x2xf32> {
  %0 = graph.gather_nd %x, %t batch 1 : tensor<2x3x2xf32>, tensor<2x1x1xi64> -> tensor<2x1x2xf32>
  return %0 : tensor<2x1x2xf32>
}
// EVAL @batched(iota[2, 3, 2], [[[2]], [[0]]]) -> [[[4, 5]], [[6, 7]]]
func.func @dynamic(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> tensor<?x4xf32> {
  %0 = graph.gather %x, %i dim 0 : tensor<?x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
// EVAL @dynamic(iota[5, 4], [4, 0, -2]) -> [[16, 17, 18, 19], [0, 1, 2, 3], [12, 13, 14, 15]]
// EVAL @dynamic(iota[5, 4], []) -> splat[0, 4] 0
func.func @scalar(%x: tensor<5xf32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = graph.gather %x, %i dim 0 : tensor<5xf32>, tensor<i64> -> tensor<f32>
  return %0 : tensor<f32>
}
// EVAL @scalar([1, 2, 3, 4, 5], -1) -> 5
