// Functions of integers of every width, signed and unsigned: what overflows wraps around.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

// FOR T in i64, i32, i16, i8
func.func @signed(%a: tensor<6x$T>, %b: tensor<6x$T>)
    -> (tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>) {
  %0 = graph.binary<add> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %1 = graph.binary<sub> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %2 = graph.binary<mul> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %3 = graph.binary<div> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %4 = graph.binary<mod> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %5 = graph.binary<rem> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %6 = graph.binary<min> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  %7 = graph.binary<max> %a, %b : tensor<6x$T>, tensor<6x$T> -> tensor<6x$T>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>, tensor<6x$T>
}
// EVAL @signed([7, -7, 7, -7, 0, 100], [3, 3, -3, -3, 5, 1]) -> [10, -4, 4, -10, 5, 101], [4, -10, 10, -4, -5, 99],
//   [21, -21, -21, 21, 0, 100], [2, -2, -2, 2, 0, 100], [1, 2, -2, -1, 0, 0], [1, -1, 1, -1, 0, 0],
//   [3, -7, -3, -7, 0, 1], [7, 3, 7, -3, 5, 100]

func.func @signed_unary(%a: tensor<4x$T>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) {
  %0 = graph.unary<abs> %a : tensor<4x$T> -> tensor<4x$T>
  %1 = graph.unary<neg> %a : tensor<4x$T> -> tensor<4x$T>
  %2 = graph.unary<sign> %a : tensor<4x$T> -> tensor<4x$T>
  %3 = graph.unary<not> %a : tensor<4x$T> -> tensor<4x$T>
  return %0, %1, %2, %3 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
}
// EVAL @signed_unary([5, -5, 0, -1]) -> [5, 5, 0, 1], [-5, 5, 0, 1], [1, -1, 0, -1], [-6, 4, -1, 0]

// -----

// FOR T in ui64, ui32, ui16, ui8
func.func @unsigned(%a: tensor<4x$T>, %b: tensor<4x$T>)
    -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) {
  %0 = graph.binary<add> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  %1 = graph.binary<mul> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  %2 = graph.binary<div> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  %3 = graph.binary<mod> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  %4 = graph.binary<min> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  %5 = graph.binary<max> %a, %b : tensor<4x$T>, tensor<4x$T> -> tensor<4x$T>
  return %0, %1, %2, %3, %4, %5 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
}
// EVAL @unsigned([200, 7, 0, 15], [3, 9, 5, 16]) -> [203, 16, 5, 31], [600, 63, 0, 240], [66, 0, 0, 0], [2, 7, 0, 15],
//   [3, 7, 0, 15], [200, 9, 5, 16]

func.func @bits(%a: tensor<3x$T>, %b: tensor<3x$T>) -> (tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>) {
  %0 = graph.binary<and> %a, %b : tensor<3x$T>, tensor<3x$T> -> tensor<3x$T>
  %1 = graph.binary<or> %a, %b : tensor<3x$T>, tensor<3x$T> -> tensor<3x$T>
  %2 = graph.binary<xor> %a, %b : tensor<3x$T>, tensor<3x$T> -> tensor<3x$T>
  %3 = graph.binary<shl> %a, %b : tensor<3x$T>, tensor<3x$T> -> tensor<3x$T>
  %4 = graph.binary<shr> %a, %b : tensor<3x$T>, tensor<3x$T> -> tensor<3x$T>
  return %0, %1, %2, %3, %4 : tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>
}
// EVAL @bits([12, 255, 1], [2, 1, 7]) -> [0, 1, 1], [14, 255, 7], [14, 254, 6], [48, 510, 128], [3, 127, 0]

// -----

// The ends of the ranges.
func.func @wrap8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %0 = graph.binary<add> %a, %b : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  %1 = graph.binary<sub> %a, %b : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  %2 = graph.binary<mul> %a, %b : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
// EVAL @wrap8([127, -128, 100, -1], [1, 1, 100, -128]) -> [-128, -127, -56, 127], [126, 127, 0, 127], [127, -128, 16, -128]
func.func @wrap64(%a: tensor<2xi64>, %b: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) {
  %0 = graph.binary<add> %a, %b : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
  %1 = graph.unary<neg> %a : tensor<2xi64> -> tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}
// EVAL @wrap64([9223372036854775807, -9223372036854775808], [1, -1]) ->
//   [-9223372036854775808, 9223372036854775807], [-9223372036854775807, -9223372036854775808]
func.func @large_unsigned(%a: tensor<2xui64>, %b: tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>, tensor<2xi1>) {
  %0 = graph.binary<div> %a, %b : tensor<2xui64>, tensor<2xui64> -> tensor<2xui64>
  %1 = graph.binary<max> %a, %b : tensor<2xui64>, tensor<2xui64> -> tensor<2xui64>
  %2 = graph.compare<lt> %a, %b : tensor<2xui64>, tensor<2xui64> -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xui64>, tensor<2xui64>, tensor<2xi1>
}
// EVAL @large_unsigned([18446744073709551615, 1], [2, 18446744073709551615]) -> [9223372036854775807, 0],
//   [18446744073709551615, 18446744073709551615], [false, true]
func.func @pow(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.binary<pow> %a, %b : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// EVAL @pow([2, -3, 7, 0], [10, 3, 0, 0]) -> [1024, -27, 1, 1]

// -----

// Elements of less than a byte, and booleans.
// FOR T in i4, ui4, i2, ui2
func.func @narrow(%a: tensor<9x$T>, %b: tensor<9x$T>) -> (tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9xi32>) {
  %0 = graph.binary<add> %a, %b : tensor<9x$T>, tensor<9x$T> -> tensor<9x$T>
  %1 = graph.binary<mul> %a, %b : tensor<9x$T>, tensor<9x$T> -> tensor<9x$T>
  %2 = graph.binary<max> %a, %b : tensor<9x$T>, tensor<9x$T> -> tensor<9x$T>
  %3 = graph.cast %0 to i32 : tensor<9x$T> -> tensor<9xi32>
  return %0, %1, %2, %3 : tensor<9x$T>, tensor<9x$T>, tensor<9x$T>, tensor<9xi32>
}
// EVAL @narrow(random[9], random[9])

// -----

func.func @booleans(%a: tensor<4xi1>, %b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.binary<and> %a, %b : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %1 = graph.binary<or> %a, %b : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %2 = graph.binary<xor> %a, %b : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %3 = graph.unary<not> %a : tensor<4xi1> -> tensor<4xi1>
  %4 = graph.compare<eq> %a, %b : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// EVAL @booleans([true, true, false, false], [true, false, true, false]) -> [true, false, false, false],
//   [true, true, true, false], [false, true, true, false], [false, false, true, true], [true, false, false, true]
