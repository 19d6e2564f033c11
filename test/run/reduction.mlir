// Reductions along any dimensions, positions, running sums, softmax, normalization.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, bf16
func.func @float(%x: tensor<2x3x$T>) -> (tensor<$T>, tensor<2x$T>, tensor<1x3x$T>, tensor<2x1x$T>) {
  %0 = graph.reduce<sum> %x dims [0, 1] : tensor<2x3x$T> -> tensor<$T>
  %1 = graph.reduce<prod> %x dims [1] : tensor<2x3x$T> -> tensor<2x$T>
  %2 = graph.reduce<min> %x dims [0] keep : tensor<2x3x$T> -> tensor<1x3x$T>
  %3 = graph.reduce<max> %x dims [1] keep : tensor<2x3x$T> -> tensor<2x1x$T>
  return %0, %1, %2, %3 : tensor<$T>, tensor<2x$T>, tensor<1x3x$T>, tensor<2x1x$T>
}
// EVAL @float([[1, -2, 3], [4, 0.5, -6]]) -> 0.5, [-6, -12], [[1, -2, -6]], [[3], [4]]
// EVAL @float([[1, nan, inf], [-inf, 2, 3]]) -> nan, [nan, -inf], [[-inf, nan, 3]], [[nan], [3]]
func.func @large(%x: tensor<3x70x$T>) -> (tensor<3x$T>, tensor<70x$T>) {
  %0 = graph.reduce<sum> %x dims [1] : tensor<3x70x$T> -> tensor<3x$T>
  %1 = graph.reduce<sum> %x dims [0] : tensor<3x70x$T> -> tensor<70x$T>
  return %0, %1 : tensor<3x$T>, tensor<70x$T>
}
// EVAL within 8 ulp @large(random[3, 70](1, 2))
func.func @planes(%x: tensor<3x7x50x$T>) -> (tensor<3x$T>, tensor<3x$T>, tensor<7x50x$T>) {
  %0 = graph.reduce<sum> %x dims [1, 2] : tensor<3x7x50x$T> -> tensor<3x$T>
  %1 = graph.reduce<max> %x dims [1, 2] : tensor<3x7x50x$T> -> tensor<3x$T>
  %2 = graph.reduce<min> %x dims [0] : tensor<3x7x50x$T> -> tensor<7x50x$T>
  return %0, %1, %2 : tensor<3x$T>, tensor<3x$T>, tensor<7x50x$T>
}
// EVAL within 8 ulp @planes(random[3, 7, 50](1, 2))
// Everything, the first dimensions, and one in the middle.
func.func @whole(%x: tensor<8x16x24x$T>) -> (tensor<$T>, tensor<$T>, tensor<1x1x1x$T>, tensor<24x$T>, tensor<8x24x$T>, tensor<16x$T>) {
  %0 = graph.reduce<sum> %x dims [0, 1, 2] : tensor<8x16x24x$T> -> tensor<$T>
  %1 = graph.reduce<max> %x dims [0, 1, 2] : tensor<8x16x24x$T> -> tensor<$T>
  %2 = graph.reduce<min> %x dims [0, 1, 2] keep : tensor<8x16x24x$T> -> tensor<1x1x1x$T>
  %3 = graph.reduce<sum> %x dims [0, 1] : tensor<8x16x24x$T> -> tensor<24x$T>
  %4 = graph.reduce<sum> %x dims [1] : tensor<8x16x24x$T> -> tensor<8x24x$T>
  %5 = graph.reduce<sum> %x dims [0, 2] : tensor<8x16x24x$T> -> tensor<16x$T>
  return %0, %1, %2, %3, %4, %5 : tensor<$T>, tensor<$T>, tensor<1x1x1x$T>, tensor<24x$T>, tensor<8x24x$T>, tensor<16x$T>
}
// EVAL within 64 ulp @whole(random[8, 16, 24](1, 2))
func.func @empty(%x: tensor<2x0x$T>) -> (tensor<2x$T>, tensor<2x$T>, tensor<2x$T>, tensor<2x$T>) {
  %0 = graph.reduce<sum> %x dims [1] : tensor<2x0x$T> -> tensor<2x$T>
  %1 = graph.reduce<prod> %x dims [1] : tensor<2x0x$T> -> tensor<2x$T>
  %2 = graph.reduce<min> %x dims [1] : tensor<2x0x$T> -> tensor<2x$T>
  %3 = graph.reduce<max> %x dims [1] : tensor<2x0x$T> -> tensor<2x$T>
  return %0, %1, %2, %3 : tensor<2x$T>, tensor<2x$T>, tensor<2x$T>, tensor<2x$T>
}
// EVAL @empty([]) -> [0, 0], [1, 1], [inf, inf], [-inf, -inf]

// -----

// FOR T in i64, i32, i16, i8, ui64, ui32, ui16, ui8
func.func @integer(%x: tensor<2x3x$T>) -> (tensor<2x$T>, tensor<2x$T>, tensor<3x$T>, tensor<3x$T>) {
  %0 = graph.reduce<sum> %x dims [1] : tensor<2x3x$T> -> tensor<2x$T>
  %1 = graph.reduce<prod> %x dims [1] : tensor<2x3x$T> -> tensor<2x$T>
  %2 = graph.reduce<min> %x dims [0] : tensor<2x3x$T> -> tensor<3x$T>
  %3 = graph.reduce<max> %x dims [0] : tensor<2x3x$T> -> tensor<3x$T>
  return %0, %1, %2, %3 : tensor<2x$T>, tensor<2x$T>, tensor<3x$T>, tensor<3x$T>
}
// EVAL @integer([[1, 2, 3], [100, 100, 100]]) -> [6, 300], [6, 1000000], [1, 2, 3], [100, 100, 100]

// -----

func.func @boolean(%x: tensor<3x2xi1>) -> (tensor<3xi1>, tensor<3xi1>) {
  %0 = graph.reduce<all> %x dims [1] : tensor<3x2xi1> -> tensor<3xi1>
  %1 = graph.reduce<any> %x dims [1] : tensor<3x2xi1> -> tensor<3xi1>
  return %0, %1 : tensor<3xi1>, tensor<3xi1>
}
// EVAL @boolean([[0, 0], [0, 1], [1, 1]]) -> [0, 0, 1], [0, 1, 1]

// -----

// FOR T in f32, f16, i32, ui8
func.func @positions(%x: tensor<2x4x$T>) -> (tensor<2xi64>, tensor<2x1xi64>, tensor<4xi64>, tensor<2xi64>) {
  %0 = graph.arg_reduce<max> %x dim 1 : tensor<2x4x$T> -> tensor<2xi64>
  %1 = graph.arg_reduce<min> %x dim 1 keep : tensor<2x4x$T> -> tensor<2x1xi64>
  %2 = graph.arg_reduce<max> %x dim 0 : tensor<2x4x$T> -> tensor<4xi64>
  %3 = graph.arg_reduce<max> %x dim 1 last : tensor<2x4x$T> -> tensor<2xi64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<2x1xi64>, tensor<4xi64>, tensor<2xi64>
}
// EVAL @positions([[1, 9, 9, 0], [5, 5, 5, 5]]) -> [1, 0], [[3], [0]], [1, 0, 0, 1], [2, 3]
func.func @running(%x: tensor<5x$T>) -> (tensor<5x$T>, tensor<5x$T>, tensor<5x$T>, tensor<5x$T>, tensor<5x$T>) {
  %0 = graph.scan<add> %x dim 0 : tensor<5x$T> -> tensor<5x$T>
  %1 = graph.scan<add> %x dim 0 exclusive : tensor<5x$T> -> tensor<5x$T>
  %2 = graph.scan<add> %x dim 0 reverse : tensor<5x$T> -> tensor<5x$T>
  %3 = graph.scan<add> %x dim 0 exclusive reverse : tensor<5x$T> -> tensor<5x$T>
  %4 = graph.scan<mul> %x dim 0 : tensor<5x$T> -> tensor<5x$T>
  return %0, %1, %2, %3, %4 : tensor<5x$T>, tensor<5x$T>, tensor<5x$T>, tensor<5x$T>, tensor<5x$T>
}
// EVAL @running([1, 2, 3, 4, 5]) -> [1, 3, 6, 10, 15], [0, 1, 3, 6, 10], [15, 14, 12, 9, 5], [14, 12, 9, 5, 0], [1, 2, 6, 24, 120]

// -----

func.func @dynamic(%x: tensor<?x?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?x?xf32>) {
  %0 = graph.reduce<sum> %x dims [0, 2] : tensor<?x?x?xf32> -> tensor<?xf32>
  %1 = graph.reduce<max> %x dims [1] : tensor<?x?x?xf32> -> tensor<?x?xf32>
  %2 = graph.softmax %x dim 2 : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?x?xf32>, tensor<?x?x?xf32>
}
// EVAL within 2e-6 @dynamic(random[3, 5, 33])
// EVAL within 2e-6 @dynamic(random[1, 1, 1])
// EVAL @dynamic(splat[0, 2, 3] 0) -> [0, 0], splat[0, 3] 0, splat[0, 2, 3] 0
// Several extents of 1.
func.func @running_over_ones(%x: tensor<1x2x3x1x1xf32>, %y: tensor<1x?x1x?xf32>) -> (tensor<1x2x3x1x1xf32>, tensor<1x2x3x1x1xf32>, tensor<1x?x1x?xf32>, tensor<1x?x1x?xf32>) {
  %0 = graph.scan<add> %x dim 4 reverse : tensor<1x2x3x1x1xf32> -> tensor<1x2x3x1x1xf32>
  %1 = graph.scan<add> %x dim 1 : tensor<1x2x3x1x1xf32> -> tensor<1x2x3x1x1xf32>
  %2 = graph.scan<add> %y dim 2 exclusive : tensor<1x?x1x?xf32> -> tensor<1x?x1x?xf32>
  %3 = graph.scan<add> %y dim 1 : tensor<1x?x1x?xf32> -> tensor<1x?x1x?xf32>
  return %0, %1, %2, %3 : tensor<1x2x3x1x1xf32>, tensor<1x2x3x1x1xf32>, tensor<1x?x1x?xf32>, tensor<1x?x1x?xf32>
}
// EVAL @running_over_ones([[[[[1]], [[2]], [[3]]], [[[4]], [[5]], [[6]]]]], [[[[1]], [[2]]]]) ->
//   [[[[[1]], [[2]], [[3]]], [[[4]], [[5]], [[6]]]]], [[[[[1]], [[2]], [[3]]], [[[5]], [[7]], [[9]]]]], [[[[0]], [[0]]]], [[[[1]], [[3]]]]

func.func @dynamic_whole(%x: tensor<?x?xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>) {
  %0 = graph.reduce<sum> %x dims [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %1 = graph.reduce<min> %x dims [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %2 = graph.reduce<sum> %x dims [0] : tensor<?x?xf32> -> tensor<?xf32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<?xf32>
}
// EVAL within 64 ulp @dynamic_whole(random[70, 50](1, 2))
// EVAL @dynamic_whole(splat[0, 3] 0) -> 0, inf, [0, 0, 0]

func.func @softmax(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.softmax %x dim 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.softmax %x dim 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.softmax %x dim 1 log : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// EVAL within 1e-6 @softmax([[0, 0, 0], [1000, 1000, -1000]]) -> [[0.33333334, 0.33333334, 0.33333334], [0.5, 0.5, 0]],
//   [[0, 0, 1], [1, 1, 0]], [[-1.0986123, -1.0986123, -1.0986123], [-0.6931472, -0.6931472, -2000.6931]]
// EVAL @softmax([[nan, 0, 0], [0, -inf, 0]]) -> [[nan, nan, nan], [0.5, 0, 0.5]], [[nan, 1, 0.5], [nan, 0, 0.5]],
//   [[nan, nan, nan], [-0.6931472, -inf, -0.6931472]]

// -----

// FOR T in f64, f32
// FOR E in 2e-6
func.func @normalize(%x: tensor<2x48x$T>) -> (tensor<2x48x$T>, tensor<2x48x$T>, tensor<2x48x$T>) {
  %0 = graph.normalize<layer> %x dims [1] epsilon 1.0e-5 : tensor<2x48x$T> -> tensor<2x48x$T>
  %1 = graph.normalize<rms> %x dims [1] epsilon 1.0e-5 : tensor<2x48x$T> -> tensor<2x48x$T>
  %2 = graph.softmax %x dim 1 : tensor<2x48x$T> -> tensor<2x48x$T>
  return %0, %1, %2 : tensor<2x48x$T>, tensor<2x48x$T>, tensor<2x48x$T>
}
// EVAL within $E @normalize(random[2, 48](1, 3))
func.func @normalized(%x: tensor<1x4x$T>) -> (tensor<1x4x$T>, tensor<1x4x$T>) {
  %0 = graph.normalize<layer> %x dims [1] epsilon 0.0 : tensor<1x4x$T> -> tensor<1x4x$T>
  %1 = graph.normalize<rms> %x dims [1] epsilon 0.0 : tensor<1x4x$T> -> tensor<1x4x$T>
  return %0, %1 : tensor<1x4x$T>, tensor<1x4x$T>
}
// EVAL within 2 ulp @normalized([[1, -1, 1, -1]]) -> [[1, -1, 1, -1]], [[1, -1, 1, -1]]
// EVAL within 2 ulp @normalized([[5, 7, 5, 7]]) -> [[-1, 1, -1, 1]], [[0.82199493652678646, 1.1507929111375011, 0.82199493652678646, 1.1507929111375011]]

// -----

// FOR T in f16, bf16
// FOR E in 1 ulp
func.func @normalize(%x: tensor<2x48x$T>) -> (tensor<2x48x$T>, tensor<2x48x$T>, tensor<2x48x$T>) {
  %0 = graph.normalize<layer> %x dims [1] epsilon 1.0e-5 : tensor<2x48x$T> -> tensor<2x48x$T>
  %1 = graph.normalize<rms> %x dims [1] epsilon 1.0e-5 : tensor<2x48x$T> -> tensor<2x48x$T>
  %2 = graph.softmax %x dim 1 : tensor<2x48x$T> -> tensor<2x48x$T>
  return %0, %1, %2 : tensor<2x48x$T>, tensor<2x48x$T>, tensor<2x48x$T>
}
// EVAL within $E @normalize(random[2, 48](1, 3))
func.func @normalized(%x: tensor<1x4x$T>) -> (tensor<1x4x$T>, tensor<1x4x$T>) {
  %0 = graph.normalize<layer> %x dims [1] epsilon 0.0 : tensor<1x4x$T> -> tensor<1x4x$T>
  %1 = graph.normalize<rms> %x dims [1] epsilon 0.0 : tensor<1x4x$T> -> tensor<1x4x$T>
  return %0, %1 : tensor<1x4x$T>, tensor<1x4x$T>
}
// EVAL within 2 ulp @normalized([[1, -1, 1, -1]]) -> [[1, -1, 1, -1]], [[1, -1, 1, -1]]
// EVAL within 2 ulp @normalized([[5, 7, 5, 7]]) -> [[-1, 1, -1, 1]], [[0.82199494, 1.1507929, 0.82199494, 1.1507929]]
