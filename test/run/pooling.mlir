// Windows that slide: maximum, average, p-norm, positions; borders, NaN, integers.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, bf16
func.func @max(%x: tensor<1x1x3x4x$T>) -> tensor<1x1x2x2x$T> {
  %0 = graph.pool<max> %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 1, 0] : tensor<1x1x3x4x$T> -> tensor<1x1x2x2x$T>
  return %0 : tensor<1x1x2x2x$T>
}
// EVAL @max([[[[1, 2, 3, nan], [4, -5, 6, 7], [-8, -9, -inf, -inf]]]]) -> [[[[4, nan], [-8, -inf]]]]
func.func @avg(%x: tensor<1x1x3x4x$T>) -> (tensor<1x1x2x2x$T>, tensor<1x1x2x2x$T>) {
  %0 = graph.pool<avg> %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 1, 0] : tensor<1x1x3x4x$T> -> tensor<1x1x2x2x$T>
  %1 = graph.pool<avg> %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 1, 0] {countPad = true}
      : tensor<1x1x3x4x$T> -> tensor<1x1x2x2x$T>
  return %0, %1 : tensor<1x1x2x2x$T>, tensor<1x1x2x2x$T>
}
// EVAL @avg([[[[1, 2, 3, 4], [5, 4, 6, 3], [-8, -4, 10, 2]]]]) -> [[[[3, 4], [-6, 6]]]], [[[[3, 4], [-3, 3]]]]

// -----

// FOR T in i8, ui8, i32
func.func @integers(%x: tensor<1x1x4x$T>) -> tensor<1x1x3x$T> {
  %0 = graph.pool<max> %x window [2] strides [1] dilations [1] pads [0, 0] : tensor<1x1x4x$T> -> tensor<1x1x3x$T>
  return %0 : tensor<1x1x3x$T>
}
// EVAL @integers([[[1, 3, 2, 100]]]) -> [[[3, 3, 100]]]

// -----

func.func @ceil(%x: tensor<1x1x1x5xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>) {
  %0 = graph.pool<max> %x window [1, 2] strides [1, 2] dilations [1, 1] pads [0, 0, 0, 0] {ceilMode = true}
      : tensor<1x1x1x5xf32> -> tensor<1x1x1x3xf32>
  %1 = graph.pool<max> %x window [1, 2] strides [1, 2] dilations [1, 2] pads [0, 0, 0, 0] : tensor<1x1x1x5xf32> -> tensor<1x1x1x2xf32>
  return %0, %1 : tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>
}
// EVAL @ceil([[[[1, 5, 2, 4, 3]]]]) -> [[[[5, 4, 3]]]], [[[[2, 3]]]]
func.func @norms(%x: tensor<1x1x1x4xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) {
  %0 = graph.pool<lp> %x window [1, 2] strides [1, 2] dilations [1, 1] pads [0, 0, 0, 0] : tensor<1x1x1x4xf32> -> tensor<1x1x1x2xf32>
  %1 = graph.pool<lp> %x window [1, 2] strides [1, 2] dilations [1, 1] pads [0, 0, 0, 0] {p = 1 : i64}
      : tensor<1x1x1x4xf32> -> tensor<1x1x1x2xf32>
  return %0, %1 : tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>
}
// EVAL within 2 ulp @norms([[[[3, -4, 5, 12]]]]) -> [[[[5, 13]]]], [[[[7, 17]]]]
func.func @positions(%x: tensor<1x2x2x4xf32>) -> (tensor<1x2x1x2xi64>, tensor<1x2x1x2xi64>) {
  %0 = graph.max_pool_indices %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
      : tensor<1x2x2x4xf32> -> tensor<1x2x1x2xi64>
  %1 = graph.max_pool_indices %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] {columnMajor = true}
      : tensor<1x2x2x4xf32> -> tensor<1x2x1x2xi64>
  return %0, %1 : tensor<1x2x1x2xi64>, tensor<1x2x1x2xi64>
}
// EVAL @positions([[[[1, 9, 3, 3], [2, 4, 3, 3]], [[1, 2, 3, 4], [8, 7, 6, 5]]]]) -> [[[[1, 2]], [[12, 14]]]], [[[[2, 4]], [[9, 13]]]]
func.func @image(%x: tensor<?x17x?x?xf32>) -> (tensor<?x17x?x?xf32>, tensor<?x17x?x?xf32>) {
  %0 = graph.pool<max> %x window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] : tensor<?x17x?x?xf32> -> tensor<?x17x?x?xf32>
  %1 = graph.pool<avg> %x window [3, 3] strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] : tensor<?x17x?x?xf32> -> tensor<?x17x?x?xf32>
  return %0, %1 : tensor<?x17x?x?xf32>, tensor<?x17x?x?xf32>
}
// EVAL within 1e-6 @image(random[2, 17, 7, 9])
// EVAL @image(splat[0, 17, 4, 4] 0)
func.func @volume(%x: tensor<1x2x3x4x5xf32>) -> tensor<1x2x2x3x4xf32> {
  %0 = graph.pool<avg> %x window [2, 2, 2] strides [1, 1, 1] dilations [1, 1, 1] pads [0, 0, 0, 0, 0, 0]
      : tensor<1x2x3x4x5xf32> -> tensor<1x2x2x3x4xf32>
  return %0 : tensor<1x2x2x3x4xf32>
}
// EVAL within 1e-6 @volume(random[1, 2, 3, 4, 5])
