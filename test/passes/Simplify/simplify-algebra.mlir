// RUN: hone-opt %s --hone-simplify-algebra --split-input-file | FileCheck %s

// CHECK-LABEL: @neutral_operands
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>
//  CHECK-NEXT:   return %[[X]]
func.func @neutral_operands(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %0 = graph.binary<add> %zero, %x : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary<mul> %0, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary<div> %1, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary<sub> %2, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @negative_neutral_operands
//       CHECK:   graph.binary<mul> {{.*}} -> tensor<3x4xf32>
//       CHECK:   graph.binary<sub>
func.func @negative_neutral_operands(%x: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %ones = graph.constant dense<1.0> : tensor<3x4xf32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.binary<mul> %x, %ones : tensor<4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  %1 = graph.binary<sub> %zero, %x : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @integers
//  CHECK-SAME:   %[[X:.*]]: tensor<4xui8>
//       CHECK:   %[[ZERO:.*]] = graph.constant dense<0> : tensor<4xui8>
//       CHECK:   return %[[X]], %[[ZERO]]
func.func @integers(%x: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>) {
  %ones = graph.constant dense<255> : tensor<ui8>
  %zero = graph.constant dense<0> : tensor<ui8>
  %0 = graph.binary<and> %x, %ones : tensor<4xui8>, tensor<ui8> -> tensor<4xui8>
  %1 = graph.binary<mul> %zero, %x : tensor<ui8>, tensor<4xui8> -> tensor<4xui8>
  return %0, %1 : tensor<4xui8>, tensor<4xui8>
}

// -----

// CHECK-LABEL: @powers
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>
//   CHECK-DAG:   graph.binary<mul> %[[X]], %[[X]]
//   CHECK-DAG:   graph.unary<sqrt> %[[X]]
//   CHECK-DAG:   graph.unary<reciprocal> %[[X]]
//   CHECK-DAG:   graph.unary<rsqrt> %[[X]]
//   CHECK-NOT:   graph.binary<pow>
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = graph.constant dense<2> : tensor<i64>
  %half = graph.constant dense<0.5> : tensor<f32>
  %minus = graph.constant dense<-1.0> : tensor<f32>
  %minus_half = graph.constant dense<-0.5> : tensor<f32>
  %0 = graph.binary<pow> %x, %two : tensor<4xf32>, tensor<i64> -> tensor<4xf32>
  %1 = graph.binary<pow> %x, %half : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = graph.binary<pow> %x, %minus : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %3 = graph.binary<pow> %x, %minus_half : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @quotients
//   CHECK-DAG:   %[[QUARTER:.*]] = graph.constant dense<2.500000e-01> : tensor<f32>
//   CHECK-DAG:   graph.binary<mul> %{{.*}}, %[[QUARTER]]
//   CHECK-DAG:   graph.binary<div>
func.func @quotients(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %four = graph.constant dense<4.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.binary<div> %x, %four : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = graph.binary<div> %x, %three : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @pairs
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>
//       CHECK:   %[[A:.*]] = graph.unary<abs> %[[X]]
//       CHECK:   return %[[X]], %[[A]]
func.func @pairs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.unary<neg> %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary<neg> %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.unary<abs> %0 : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.unary<abs> %2 : tensor<4xf32> -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @negated_comparisons
//       CHECK:   graph.compare<ne>
//       CHECK:   graph.compare<lt>
//  CHECK-NEXT:   graph.unary<not>
//       CHECK:   graph.compare<ge>
func.func @negated_comparisons(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.compare<eq> %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %1 = graph.unary<not> %0 : tensor<4xi1> -> tensor<4xi1>
  %2 = graph.compare<lt> %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %3 = graph.unary<not> %2 : tensor<4xi1> -> tensor<4xi1>
  %4 = graph.compare<lt> %i, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %5 = graph.unary<not> %4 : tensor<4xi1> -> tensor<4xi1>
  return %1, %3, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// Two clamps become one.
// CHECK-LABEL: @bounds
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>
//       CHECK:   %[[LOW:.*]] = graph.binary<max> %[[X]], %{{.*}} : tensor<4xf32>, tensor<f32>
//       CHECK:   %[[HIGH:.*]] = graph.binary<min> %[[LOW]], %{{.*}} : tensor<4xf32>, tensor<f32>
//       CHECK:   return %[[HIGH]]
func.func @bounds(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %nine = graph.constant dense<9.0> : tensor<f32>
  %0 = graph.binary<max> %x, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = graph.binary<min> %0, %six : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = graph.binary<max> %1, %one : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %3 = graph.binary<min> %2, %nine : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @negative_float_sums
// CHECK-COUNT-2: graph.binary<add>
func.func @negative_float_sums(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.constant dense<0.1> : tensor<f32>
  %b = graph.constant dense<0.2> : tensor<f32>
  %0 = graph.binary<add> %x, %a : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = graph.binary<add> %0, %b : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @selections
//  CHECK-SAME:   %[[C:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
//       CHECK:   %[[S:.*]] = graph.select %[[C]], %[[B]], %[[A]]
//       CHECK:   return %[[A]], %[[B]], %[[S]]
func.func @selections(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = graph.constant dense<true> : tensor<i1>
  %0 = graph.select %true, %a, %b : tensor<i1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.select %c, %b, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %n = graph.unary<not> %c : tensor<4xi1> -> tensor<4xi1>
  %2 = graph.select %n, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @casts
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
//       CHECK:   %[[H:.*]] = graph.cast %[[Y]] to f16
//       CHECK:   %[[F:.*]] = graph.cast %[[H]] to f32
//       CHECK:   return %[[X]], %[[F]]
func.func @casts(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  %0 = graph.cast %x to f32 : tensor<4xf16> -> tensor<4xf32>
  %1 = graph.cast %0 to f16 : tensor<4xf32> -> tensor<4xf16>
  %2 = graph.cast %y to f16 : tensor<4xf32> -> tensor<4xf16>
  %3 = graph.cast %2 to f32 : tensor<4xf16> -> tensor<4xf32>
  return %1, %3 : tensor<4xf16>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @transposes
//  CHECK-SAME:   %[[X:.*]]: tensor<2x3x4xf32>
//       CHECK:   %[[T:.*]] = graph.transpose %[[X]] perm [2, 1, 0]
//       CHECK:   return %[[X]], %[[T]]
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x3x2xf32>) {
  %0 = graph.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = graph.transpose %0 perm [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %2 = graph.transpose %0 perm [0, 2, 1] : tensor<4x2x3xf32> -> tensor<4x3x2xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<4x3x2xf32>
}

// -----

// CHECK-LABEL: @transpose_of_ones
//       CHECK:   graph.reshape {{.*}} -> tensor<4x1x3xf32>
func.func @transpose_of_ones(%x: tensor<1x4x3xf32>) -> tensor<4x1x3xf32> {
  %0 = graph.transpose %x perm [1, 0, 2] : tensor<1x4x3xf32> -> tensor<4x1x3xf32>
  return %0 : tensor<4x1x3xf32>
}

// -----

// Extents are compared as expressions.
// CHECK-LABEL: @identities_of_dynamic_tensors
//  CHECK-SAME:   %[[X:.*]]: tensor<?x8xf32>
//       CHECK:   return %[[X]], %[[X]]
func.func @identities_of_dynamic_tensors(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %s = graph.shape %x : tensor<?x8xf32> -> tensor<2xi64>
  %0 = graph.reshape %x, %s : tensor<?x8xf32>, tensor<2xi64> -> tensor<?x8xf32>
  %1 = graph.broadcast %x, %s : tensor<?x8xf32>, tensor<2xi64> -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @negative_reshape_to_other_extents
//       CHECK:   graph.reshape
func.func @negative_reshape_to_other_extents(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = graph.reshape %x, %s : tensor<?x?xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @concats
//  CHECK-SAME:   %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>
//       CHECK:   %[[R:.*]] = graph.concat %[[A]], %[[B]], %[[A]] dim 0
//       CHECK:   return %[[R]], %[[A]]
func.func @concats(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<7xf32>, tensor<2xf32>) {
  %none = graph.constant dense<> : tensor<0xf32>
  %0 = graph.concat %a, %b dim 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = graph.concat %0, %none, %a dim 0 : tensor<5xf32>, tensor<0xf32>, tensor<2xf32> -> tensor<7xf32>
  %2 = graph.concat %a dim 0 : tensor<2xf32> -> tensor<2xf32>
  return %1, %2 : tensor<7xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @broadcast_of_operand
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<3x4xf32>
//       CHECK:   graph.binary<add> %[[X]], %[[Y]]
func.func @broadcast_of_operand(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %shape = graph.constant dense<[3, 4]> : tensor<2xi64>
  %0 = graph.broadcast %x, %shape : tensor<4xf32>, tensor<2xi64> -> tensor<3x4xf32>
  %1 = graph.binary<add> %0, %y : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @trivial_reductions
//  CHECK-SAME:   %[[X:.*]]: tensor<3x1xf32>
//       CHECK:   %[[R:.*]] = graph.reshape %[[X]]
//       CHECK:   return %[[R]], %[[X]]
func.func @trivial_reductions(%x: tensor<3x1xf32>) -> (tensor<3xf32>, tensor<3x1xf32>) {
  %0 = graph.reduce<sum> %x dims [1] : tensor<3x1xf32> -> tensor<3xf32>
  %1 = graph.reduce<max> %x dims [1] keep : tensor<3x1xf32> -> tensor<3x1xf32>
  return %0, %1 : tensor<3xf32>, tensor<3x1xf32>
}

// -----

// CHECK-LABEL: @resize_to_same_size
//  CHECK-SAME:   %[[X:.*]]: tensor<1x2x4x4xf32>
//       CHECK:   return %[[X]]
func.func @resize_to_same_size(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %sizes = graph.constant dense<[1, 2, 4, 4]> : tensor<4xi64>
  %scales = graph.constant dense<1.0> : tensor<4xf32>
  %0 = graph.resize<linear> %x, %sizes, %scales coordinate <half_pixel> nearest <floor>
      : tensor<1x2x4x4xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}
