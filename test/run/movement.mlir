// Ops that move elements: views, slices, pads, joins; every storage size, run-time shapes, empty tensors.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, i64, i32, i8, ui4, i1, f8E4M3FN
func.func @views(%x: tensor<2x3x$T>) -> (tensor<3x2x$T>, tensor<6x$T>, tensor<2x2x3x$T>, tensor<4x3x$T>) {
  %shape = graph.constant dense<[6]> : tensor<1xi64>
  %target = graph.constant dense<[2, 2, 3]> : tensor<3xi64>
  %repeats = graph.constant dense<[2, 1]> : tensor<2xi64>
  %0 = graph.transpose %x perm [1, 0] : tensor<2x3x$T> -> tensor<3x2x$T>
  %1 = graph.reshape %x, %shape : tensor<2x3x$T>, tensor<1xi64> -> tensor<6x$T>
  %2 = graph.broadcast %x, %target : tensor<2x3x$T>, tensor<3xi64> -> tensor<2x2x3x$T>
  %3 = graph.tile %x, %repeats : tensor<2x3x$T>, tensor<2xi64> -> tensor<4x3x$T>
  return %0, %1, %2, %3 : tensor<3x2x$T>, tensor<6x$T>, tensor<2x2x3x$T>, tensor<4x3x$T>
}
// EVAL @views([[0, 1, 1], [1, 0, 0]]) -> [[0, 1], [1, 0], [1, 0]], [0, 1, 1, 1, 0, 0],
//   [[[0, 1, 1], [1, 0, 0]], [[0, 1, 1], [1, 0, 0]]], [[0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]]
func.func @parts(%x: tensor<2x4x$T>, %y: tensor<2x1x$T>, %v: tensor<$T>) -> (tensor<2x5x$T>, tensor<2x2x$T>, tensor<2x4x$T>, tensor<4x5x$T>) {
  %m1 = graph.constant dense<-1> : tensor<1xi64>
  %m9 = graph.constant dense<-9> : tensor<1xi64>
  %m2 = graph.constant dense<-2> : tensor<1xi64>
  %pads = graph.constant dense<[1, 0, 1, 1]> : tensor<4xi64>
  %0 = graph.concat %x, %y dim 1 : tensor<2x4x$T>, tensor<2x1x$T> -> tensor<2x5x$T>
  %1 = graph.slice %x[%m1, %m9, %m2] dims [1] : tensor<2x4x$T>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x2x$T>
  %2 = graph.slice %x[%m1, %m9, %m1] dims [1] : tensor<2x4x$T>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x4x$T>
  %3 = graph.pad<constant> %x, %pads, %v : tensor<2x4x$T>, tensor<4xi64>, tensor<$T> -> tensor<4x5x$T>
  return %0, %1, %2, %3 : tensor<2x5x$T>, tensor<2x2x$T>, tensor<2x4x$T>, tensor<4x5x$T>
}
// EVAL @parts([[0, 1, 1, 0], [1, 0, 1, 1]], [[1], [0]], 1) -> [[0, 1, 1, 0, 1], [1, 0, 1, 1, 0]], [[0, 1], [1, 0]],
//   [[0, 1, 1, 0], [1, 1, 0, 1]], [[1, 1, 1, 1, 1], [0, 1, 1, 0, 1], [1, 0, 1, 1, 1], [1, 1, 1, 1, 1]]

// -----

func.func @permute(%x: tensor<2x3x4x5xf32>) -> (tensor<2x4x5x3xf32>, tensor<5x4x3x2xf32>, tensor<2x4x3x5xf32>) {
  %0 = graph.transpose %x perm [0, 2, 3, 1] : tensor<2x3x4x5xf32> -> tensor<2x4x5x3xf32>
  %1 = graph.transpose %x perm [3, 2, 1, 0] : tensor<2x3x4x5xf32> -> tensor<5x4x3x2xf32>
  %2 = graph.transpose %x perm [0, 2, 1, 3] : tensor<2x3x4x5xf32> -> tensor<2x4x3x5xf32>
  return %0, %1, %2 : tensor<2x4x5x3xf32>, tensor<5x4x3x2xf32>, tensor<2x4x3x5xf32>
}
// EVAL @permute(random[2, 3, 4, 5])
// Extents of 1 that move take nothing with them.
func.func @move_ones(%x: tensor<?x1x?xf32>) -> (tensor<1x?x?xf32>, tensor<?x?x1xf32>, tensor<?x1x?xf32>) {
  %0 = graph.transpose %x perm [1, 0, 2] : tensor<?x1x?xf32> -> tensor<1x?x?xf32>
  %1 = graph.unary<neg> %0 : tensor<1x?x?xf32> -> tensor<1x?x?xf32>
  %2 = graph.transpose %1 perm [1, 2, 0] : tensor<1x?x?xf32> -> tensor<?x?x1xf32>
  %3 = graph.transpose %0 perm [2, 0, 1] : tensor<1x?x?xf32> -> tensor<?x1x?xf32>
  return %0, %2, %3 : tensor<1x?x?xf32>, tensor<?x?x1xf32>, tensor<?x1x?xf32>
}
// EVAL @move_ones([[[1, 2, 3]], [[4, 5, 6]]]) -> [[[1, 2, 3], [4, 5, 6]]], [[[-1], [-2], [-3]], [[-4], [-5], [-6]]],
//   [[[1, 4]], [[2, 5]], [[3, 6]]]
func.func @large_transpose(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.transpose %x perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// EVAL @large_transpose(random[67, 35])
// EVAL @large_transpose(splat[0, 3] 0) -> splat[3, 0] 0
func.func @reshape(%x: tensor<?x6xf32>, %shape: tensor<3xi64>) -> tensor<?x?x?xf32> {
  %0 = graph.reshape %x, %shape : tensor<?x6xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
// EVAL @reshape([[1, 2, 3, 4, 5, 6]], [3, -1, 1]) -> [[[1], [2]], [[3], [4]], [[5], [6]]]
// EVAL @reshape(splat[0, 6] 0, [0, 2, 5]) -> splat[0, 2, 5] 0
// EVAL @reshape(iota[2, 6], [2, 2, 3]) -> [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]
func.func @broadcast(%x: tensor<?x1xf32>, %shape: tensor<3xi64>) -> tensor<?x?x?xf32> {
  %0 = graph.broadcast %x, %shape : tensor<?x1xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
// EVAL @broadcast([[1], [2]], [2, 2, 3]) -> [[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]
// EVAL @broadcast([[1]], [1, 2, 0]) -> splat[1, 2, 0] 0
// Sizes that are outputs as well, and views of them.
func.func @stored_sizes(%x: tensor<?x?xf32>, %r: tensor<f32>, %to: tensor<2xi64>) -> (tensor<2xi64>, tensor<?x?xf32>, tensor<?x?xi64>) {
  %two = graph.constant dense<2> : tensor<i64>
  %0 = graph.shape %x : tensor<?x?xf32> -> tensor<2xi64>
  %1 = graph.binary<div> %0, %two : tensor<2xi64>, tensor<i64> -> tensor<2xi64>
  %2 = graph.broadcast %r, %1 : tensor<f32>, tensor<2xi64> -> tensor<?x?xf32>
  %3 = graph.reshape %1, %to : tensor<2xi64>, tensor<2xi64> -> tensor<?x?xi64>
  %4 = graph.unary<neg> %3 : tensor<?x?xi64> -> tensor<?x?xi64>
  return %0, %2, %4 : tensor<2xi64>, tensor<?x?xf32>, tensor<?x?xi64>
}
// EVAL @stored_sizes(random[5, 2], 3, [2, 1]) -> [5, 2], [[3], [3]], [[-2], [-1]]
// Sizes in types that wrap.
func.func @wrapped_sizes(%n: tensor<1xui8>, %m: tensor<1xi16>, %r: tensor<f32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %five = graph.constant dense<5> : tensor<1xui8>
  %many = graph.constant dense<4096> : tensor<1xi16>
  %0 = graph.binary<sub> %n, %five : tensor<1xui8>, tensor<1xui8> -> tensor<1xui8>
  %1 = graph.cast %0 to i64 : tensor<1xui8> -> tensor<1xi64>
  %2 = graph.binary<mul> %n, %n : tensor<1xui8>, tensor<1xui8> -> tensor<1xui8>
  %3 = graph.cast %2 to i64 : tensor<1xui8> -> tensor<1xi64>
  %4 = graph.concat %1, %3 dim 0 : tensor<1xi64>, tensor<1xi64> -> tensor<2xi64>
  %5 = graph.broadcast %r, %4 : tensor<f32>, tensor<2xi64> -> tensor<?x?xf32>
  %6 = graph.binary<mul> %m, %many : tensor<1xi16>, tensor<1xi16> -> tensor<1xi16>
  %7 = graph.cast %6 to i64 : tensor<1xi16> -> tensor<1xi64>
  %8 = graph.broadcast %r, %7 : tensor<f32>, tensor<1xi64> -> tensor<?xf32>
  return %5, %8 : tensor<?x?xf32>, tensor<?xf32>
}
// EVAL @wrapped_sizes([4], [33], 1) -> splat[255, 16] 1, splat[4096] 1
func.func @slice(%x: tensor<?x?xf32>, %b: tensor<2xi64>, %e: tensor<2xi64>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = graph.slice %x[%b, %e, %s] dims [0, 1] : tensor<?x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// EVAL @slice(iota[3, 4], [1, -3], [100, -1], [1, 1]) -> [[5, 6], [9, 10]]
// EVAL @slice(iota[3, 4], [-1, 3], [-100, -100], [-1, -3]) -> [[11, 8], [7, 4], [3, 0]]
// EVAL @slice(iota[3, 4], [2, 0], [1, 4], [1, 1]) -> splat[0, 4] 0
func.func @pads(%x: tensor<2x3xf32>, %p: tensor<4xi64>, %v: tensor<f32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = graph.pad<constant> %x, %p, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<?x?xf32>
  %1 = graph.pad<edge> %x, %p, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<?x?xf32>
  %2 = graph.pad<reflect> %x, %p, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<?x?xf32>
  %3 = graph.pad<wrap> %x, %p, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<?x?xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
// EVAL @pads([[1, 2, 3], [4, 5, 6]], [0, 1, 1, 0], 9) -> [[9, 1, 2, 3], [9, 4, 5, 6], [9, 9, 9, 9]],
//   [[1, 1, 2, 3], [4, 4, 5, 6], [4, 4, 5, 6]], [[2, 1, 2, 3], [5, 4, 5, 6], [2, 1, 2, 3]], [[3, 1, 2, 3], [6, 4, 5, 6], [3, 1, 2, 3]]
func.func @crop(%x: tensor<2x3xf32>, %p: tensor<4xi64>, %v: tensor<f32>) -> tensor<?x?xf32> {
  %0 = graph.pad<constant> %x, %p, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// EVAL @crop([[1, 2, 3], [4, 5, 6]], [-1, 1, 0, -1], 9) -> [[9, 4, 5]]
func.func @joined(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>, %c: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %0 = graph.concat %a, %b, %c dim 0 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x2xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// EVAL @joined([[1, 2]], splat[0, 2] 0, [[3, 4], [5, 6], [7, 8]]) -> [[1, 2], [3, 4], [5, 6], [7, 8]]
func.func @shapes(%x: tensor<2x?x3x?xf32>) -> tensor<4xi64> {
  %0 = graph.shape %x : tensor<2x?x3x?xf32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
// EVAL @shapes(splat[2, 5, 3, 0] 0) -> [2, 5, 3, 0]

// -----

// FOR T in i64, i32
func.func @range(%a: tensor<$T>, %b: tensor<$T>, %d: tensor<$T>) -> tensor<?x$T> {
  %0 = graph.range %a, %b, %d : tensor<$T> -> tensor<?x$T>
  return %0 : tensor<?x$T>
}
// EVAL @range(1, 10, 3) -> [1, 4, 7]
// EVAL @range(5, 0, -2) -> [5, 3, 1]
// EVAL @range(5, 0, 1) -> []

// -----

// FOR T in f64, f32
func.func @float_range() -> tensor<4x$T> {
  %a = graph.constant dense<1.0> : tensor<$T>
  %b = graph.constant dense<2.0> : tensor<$T>
  %d = graph.constant dense<0.25> : tensor<$T>
  %0 = graph.range %a, %b, %d : tensor<$T> -> tensor<4x$T>
  return %0 : tensor<4x$T>
}
// EVAL @float_range() -> [1, 1.25, 1.5, 1.75]
