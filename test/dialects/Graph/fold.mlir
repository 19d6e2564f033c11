// RUN: hone-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @cast_to_itself
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>
//  CHECK-NEXT:   return %[[X]]
func.func @cast_to_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.cast %x to f32 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @idempotent
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xi1>
//  CHECK-NEXT:   return %[[X]], %[[X]], %[[C]]
func.func @idempotent(%x: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = graph.binary<max> %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary<min> %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary<and> %c, %c : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @reshape_to_itself
//  CHECK-SAME:   %[[X:.*]]: tensor<2x3xf32>
//  CHECK-NEXT:   return %[[X]]
func.func @reshape_to_itself(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = graph.constant dense<[2, -1]> : tensor<2xi64>
  %0 = graph.reshape %x, %s : tensor<2x3xf32>, tensor<2xi64> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @reshape_of_reshape
//  CHECK-SAME:   %[[X:.*]]: tensor<2x6xf32>
//       CHECK:   %[[Y:.*]] = graph.reshape %[[X]], %{{.*}} : tensor<2x6xf32>, tensor<2xi64> -> tensor<3x4xf32>
//  CHECK-NEXT:   return %[[Y]]
func.func @reshape_of_reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %s = graph.constant dense<12> : tensor<1xi64>
  %t = graph.constant dense<[3, 4]> : tensor<2xi64>
  %0 = graph.reshape %x, %s : tensor<2x6xf32>, tensor<1xi64> -> tensor<12xf32>
  %1 = graph.reshape %0, %t : tensor<12xf32>, tensor<2xi64> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: @nothing_moves
//  CHECK-SAME:   %[[X:.*]]: tensor<2x3xf32>, %{{.*}}: tensor<f32>
//  CHECK-NEXT:   return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @nothing_moves(%x: tensor<2x3xf32>, %v: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %shape = graph.constant dense<[2, 3]> : tensor<2xi64>
  %zeros = graph.constant dense<0> : tensor<4xi64>
  %zero = graph.constant dense<0> : tensor<1xi64>
  %nine = graph.constant dense<9> : tensor<1xi64>
  %one = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.transpose %x perm [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.broadcast %x, %shape : tensor<2x3xf32>, tensor<2xi64> -> tensor<2x3xf32>
  %2 = graph.slice %x[%zero, %nine, %one] dims [1] : tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x3xf32>
  %3 = graph.pad<constant> %x, %zeros, %v : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<2x3xf32>
  %4 = graph.concat %x dim 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @relayout_and_back
//  CHECK-SAME:   %[[X:.*]]: tensor<1x8x4x4xf32>
//  CHECK-NEXT:   return %[[X]], %[[X]]
func.func @relayout_and_back(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
  %0 = graph.relayout %x : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  %1 = graph.relayout %0 : tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<1x8x4x4xf32>
  %2 = graph.relayout %x : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
  return %1, %2 : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
}

// Equal constants are one.
// CHECK-LABEL: @constants
//  CHECK-NEXT:   %[[C:.*]] = graph.constant dense<1.000000e+00> : tensor<3xf32>
//  CHECK-NEXT:   return %[[C]], %[[C]]
func.func @constants() -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.constant dense<1.0> : tensor<3xf32>
  %1 = graph.constant dense<1.0> : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Left alone: a symmetric transpose that is no identity, a dynamic broadcast, a slice that runs backwards, sums.
// CHECK-LABEL: @left_alone
//       CHECK:   graph.transpose
//       CHECK:   graph.broadcast
//       CHECK:   graph.slice
//       CHECK:   graph.binary<add>
//       CHECK:   graph.cast
func.func @left_alone(%x: tensor<3x3xf32>, %d: tensor<?xf32>, %n: tensor<1xi64>)
    -> (tensor<3x3xf32>, tensor<?xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf16>) {
  %last = graph.constant dense<-1> : tensor<1xi64>
  %before = graph.constant dense<-9> : tensor<1xi64>
  %0 = graph.transpose %x perm [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.broadcast %d, %n : tensor<?xf32>, tensor<1xi64> -> tensor<?xf32>
  %2 = graph.slice %x[%last, %before, %last] dims [0] : tensor<3x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<3x3xf32>
  %3 = graph.binary<add> %x, %x : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %4 = graph.cast %x to f16 : tensor<3x3xf32> -> tensor<3x3xf16>
  return %0, %1, %2, %3, %4 : tensor<3x3xf32>, tensor<?xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf16>
}
