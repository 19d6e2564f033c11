// Functions of floats: known values, special values, every type.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in f64, f32, f16, bf16
func.func @arithmetic(%a: tensor<2x3x$T>, %b: tensor<3x$T>)
    -> (tensor<2x3x$T>, tensor<2x3x$T>, tensor<2x3x$T>, tensor<2x3x$T>) {
  %0 = graph.binary<add> %a, %b : tensor<2x3x$T>, tensor<3x$T> -> tensor<2x3x$T>
  %1 = graph.binary<sub> %a, %b : tensor<2x3x$T>, tensor<3x$T> -> tensor<2x3x$T>
  %2 = graph.binary<mul> %a, %b : tensor<2x3x$T>, tensor<3x$T> -> tensor<2x3x$T>
  %3 = graph.binary<div> %a, %b : tensor<2x3x$T>, tensor<3x$T> -> tensor<2x3x$T>
  return %0, %1, %2, %3 : tensor<2x3x$T>, tensor<2x3x$T>, tensor<2x3x$T>, tensor<2x3x$T>
}
// EVAL @arithmetic([[1, -2, 3], [4, 5, -6]], [2, 4, -0.5]) -> [[3, 2, 2.5], [6, 9, -6.5]],
//   [[-1, -6, 3.5], [2, 1, -5.5]], [[2, -8, -1.5], [8, 20, 3]], [[0.5, -0.5, -6], [2, 1.25, 12]]
// EVAL @arithmetic([[inf, -inf, nan], [0, 1, -1]], [inf, 2, 0]) -> [[inf, -inf, nan], [inf, 3, -1]],
//   [[nan, -inf, nan], [-inf, -1, -1]], [[inf, -inf, nan], [nan, 2, 0]], [[nan, -inf, nan], [0, 0.5, -inf]]
// EVAL @arithmetic(random[2, 3], random[3](1, 2))

func.func @select_of_two(%a: tensor<8x$T>, %b: tensor<8x$T>) -> (tensor<8x$T>, tensor<8x$T>, tensor<8x$T>, tensor<8x$T>) {
  %0 = graph.binary<min> %a, %b : tensor<8x$T>, tensor<8x$T> -> tensor<8x$T>
  %1 = graph.binary<max> %a, %b : tensor<8x$T>, tensor<8x$T> -> tensor<8x$T>
  %2 = graph.binary<mod> %a, %b : tensor<8x$T>, tensor<8x$T> -> tensor<8x$T>
  %3 = graph.binary<rem> %a, %b : tensor<8x$T>, tensor<8x$T> -> tensor<8x$T>
  return %0, %1, %2, %3 : tensor<8x$T>, tensor<8x$T>, tensor<8x$T>, tensor<8x$T>
}
// EVAL @select_of_two([5, -5, 5, -5, nan, 1, inf, 0], [3, 3, -3, -3, 1, nan, 2, 4]) ->
//   [3, -5, -3, -5, nan, nan, 2, 0], [5, 3, 5, -3, nan, nan, inf, 4],
//   [2, 1, -1, -2, nan, nan, nan, 0], [2, -2, 2, -2, nan, nan, nan, 0]

func.func @exact(%x: tensor<9x$T>) -> (tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>) {
  %0 = graph.unary<abs> %x : tensor<9x$T> -> tensor<9x$T>
  %1 = graph.unary<neg> %x : tensor<9x$T> -> tensor<9x$T>
  %2 = graph.unary<sign> %x : tensor<9x$T> -> tensor<9x$T>
  %3 = graph.unary<ceil> %x : tensor<9x$T> -> tensor<9x$T>
  %4 = graph.unary<floor> %x : tensor<9x$T> -> tensor<9x$T>
  %5 = graph.unary<round_even> %x : tensor<9x$T> -> tensor<9x$T>
  return %0, %1, %2, %3, %4, %5 : tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9x$T>
}
// EVAL @exact([-1.5, -0.5, 0, 0.5, 1.5, 2.5, inf, -inf, nan]) -> [1.5, 0.5, 0, 0.5, 1.5, 2.5, inf, inf, nan],
//   [1.5, 0.5, 0, -0.5, -1.5, -2.5, -inf, inf, nan], [-1, -1, 0, 1, 1, 1, 1, -1, nan],
//   [-1, 0, 0, 1, 2, 3, inf, -inf, nan], [-2, -1, 0, 0, 1, 2, inf, -inf, nan], [-2, 0, 0, 0, 2, 2, inf, -inf, nan]

func.func @inexact(%x: tensor<40x$T>) -> (tensor<40x$T>, tensor<40x$T>, tensor<40x$T>, tensor<40x$T>) {
  %0 = graph.unary<exp> %x : tensor<40x$T> -> tensor<40x$T>
  %1 = graph.unary<tanh> %x : tensor<40x$T> -> tensor<40x$T>
  %2 = graph.unary<sigmoid> %x : tensor<40x$T> -> tensor<40x$T>
  %3 = graph.unary<erf> %x : tensor<40x$T> -> tensor<40x$T>
  return %0, %1, %2, %3 : tensor<40x$T>, tensor<40x$T>, tensor<40x$T>, tensor<40x$T>
}
// EVAL @inexact(random[40](-6, 6))

// -----

// Everything else has one function a kind, so that a failure says which.
func.func @sqrt(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = graph.unary<sqrt> %x : tensor<37xf32> -> tensor<37xf32>
  return %0 : tensor<37xf32>
}
// EVAL @sqrt(random[37](0, 1e6))
func.func @special_roots(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = graph.unary<sqrt> %x : tensor<6xf32> -> tensor<6xf32>
  %1 = graph.unary<rsqrt> %x : tensor<6xf32> -> tensor<6xf32>
  %2 = graph.unary<reciprocal> %x : tensor<6xf32> -> tensor<6xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
// EVAL @special_roots([4, 0, -1, inf, nan, 0.25]) -> [2, 0, nan, inf, nan, 0.5], [0.5, inf, nan, 0, nan, 2],
//   [0.25, inf, -1, 0, nan, 4]
func.func @special_exponentials(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %0 = graph.unary<exp> %x : tensor<7xf32> -> tensor<7xf32>
  %1 = graph.unary<log> %x : tensor<7xf32> -> tensor<7xf32>
  %2 = graph.unary<log1p> %x : tensor<7xf32> -> tensor<7xf32>
  return %0, %1, %2 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
// EVAL @special_exponentials([0, 1, inf, -inf, nan, 1e-10, -1]) ->
//   [1, 2.71828183, inf, 0, nan, 1, 0.36787944], [-inf, 0, inf, nan, nan, -23.0258509, nan],
//   [0, 0.69314718, inf, nan, nan, 1e-10, -inf]
func.func @special_sigmoids(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = graph.unary<tanh> %x : tensor<6xf32> -> tensor<6xf32>
  %1 = graph.unary<sigmoid> %x : tensor<6xf32> -> tensor<6xf32>
  %2 = graph.unary<erf> %x : tensor<6xf32> -> tensor<6xf32>
  %3 = graph.unary<softplus> %x : tensor<6xf32> -> tensor<6xf32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
// EVAL @special_sigmoids([0, inf, -inf, nan, 200, -200]) -> [0, 1, -1, nan, 1, -1], [0.5, 1, 0, nan, 1, 0],
//   [0, 1, -1, nan, 1, -1], [0.69314718, inf, 0, nan, 200, 0]

// -----

// FOR K in exp, log1p, sin, cos, tan, atan, sinh, cosh, tanh, asinh, erf, sigmoid, softplus
func.func @of_any(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = graph.unary<$K> %x : tensor<37xf32> -> tensor<37xf32>
  return %0 : tensor<37xf32>
}
// EVAL @of_any(random[37](-0.99, 0.99))
// EVAL @of_any(random[37](0.01, 8))

// -----

// FOR K in asin, acos, atanh
func.func @of_small(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = graph.unary<$K> %x : tensor<37xf32> -> tensor<37xf32>
  return %0 : tensor<37xf32>
}
// EVAL @of_small(random[37](-0.99, 0.99))

// -----

// FOR K in log, sqrt, rsqrt, reciprocal, acosh
func.func @of_large(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = graph.unary<$K> %x : tensor<37xf32> -> tensor<37xf32>
  return %0 : tensor<37xf32>
}
// EVAL @of_large(random[37](1.1, 1000))

// -----

func.func @pow(%a: tensor<9xf32>, %b: tensor<9xf32>) -> tensor<9xf32> {
  %0 = graph.binary<pow> %a, %b : tensor<9xf32>, tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
// EVAL @pow([2, 9, -2, 0, 0, -8, 2, inf, 1], [10, 0.5, 3, 0, -1, 0.5, -inf, 2, nan]) ->
//   [1024, 3, -8, 1, inf, nan, 0, inf, 1]
// EVAL @pow(random[9](0.1, 4), random[9](-3, 3))
func.func @pow_of_integers(%a: tensor<5xf32>, %b: tensor<5xi64>) -> tensor<5xf32> {
  %0 = graph.binary<pow> %a, %b : tensor<5xf32>, tensor<5xi64> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// EVAL @pow_of_integers([2, -2, 1.5, 10, 0], [3, 3, 2, -1, 0]) -> [8, -8, 2.25, 0.1, 1]
