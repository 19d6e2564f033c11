// RUN: hone-opt %s --hone-fold-constants --split-input-file | FileCheck %s

// CHECK-LABEL: @chain_of_ops
//       CHECK:   %[[C:.*]] = graph.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
//  CHECK-NEXT:   return %[[C]]
func.func @chain_of_ops() -> tensor<2xf32> {
  %a = graph.constant dense<[4.0, 16.0]> : tensor<2xf32>
  %0 = graph.unary<sqrt> %a : tensor<2xf32> -> tensor<2xf32>
  %1 = graph.constant dense<[0.0, 0.0]> : tensor<2xf32>
  %2 = graph.binary<add> %0, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @shape_arithmetic
//       CHECK:   %[[SHAPE:.*]] = graph.constant dense<[6, 4]> : tensor<2xi64>
//       CHECK:   graph.reshape %{{.*}}, %[[SHAPE]]
func.func @shape_arithmetic(%x: tensor<2x12xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %four = graph.constant dense<4> : tensor<1xi64>
  %s = graph.shape %x : tensor<2x12xf32> -> tensor<2xi64>
  %n = graph.reduce<prod> %s dims [0] keep : tensor<2xi64> -> tensor<1xi64>
  %rows = graph.binary<div> %n, %four : tensor<1xi64>, tensor<1xi64> -> tensor<1xi64>
  %shape = graph.concat %rows, %four dim 0 : tensor<1xi64>, tensor<1xi64> -> tensor<2xi64>
  %r = graph.reshape %y, %shape : tensor<?xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// One extent is known although the tensor is dynamic.
// CHECK-LABEL: @known_extent_of_dynamic_tensor
//       CHECK:   %[[C:.*]] = graph.constant dense<8> : tensor<i64>
//       CHECK:   return %[[C]]
func.func @known_extent_of_dynamic_tensor(%x: tensor<?x8xf32>) -> tensor<i64> {
  %one = graph.constant dense<1> : tensor<i64>
  %s = graph.shape %x : tensor<?x8xf32> -> tensor<2xi64>
  %d = graph.gather %s, %one dim 0 : tensor<2xi64>, tensor<i64> -> tensor<i64>
  return %d : tensor<i64>
}

// -----

// Splats of any size stay splats.
// CHECK-LABEL: @splats
//       CHECK:   graph.constant dense<3.000000e+00> : tensor<4096x4096xf32>
//  CHECK-NEXT:   return
func.func @splats() -> tensor<4096x4096xf32> {
  %a = graph.constant dense<1.0> : tensor<4096xf32>
  %b = graph.constant dense<2.0> : tensor<f32>
  %shape = graph.constant dense<4096> : tensor<2xi64>
  %0 = graph.binary<add> %a, %b : tensor<4096xf32>, tensor<f32> -> tensor<4096xf32>
  %1 = graph.broadcast %0, %shape : tensor<4096xf32>, tensor<2xi64> -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}

// -----

// The type of a folded value may be more static than the op's.
// CHECK-LABEL: @range
//  CHECK-SAME:   -> tensor<4xi64>
//       CHECK:   graph.constant dense<[0, 2, 4, 6]> : tensor<4xi64>
func.func @range() -> tensor<?xi64> {
  %a = graph.constant dense<0> : tensor<i64>
  %b = graph.constant dense<7> : tensor<i64>
  %c = graph.constant dense<2> : tensor<i64>
  %r = graph.range %a, %b, %c : tensor<i64> -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// -----

// CHECK-LABEL: @taken_branch
//  CHECK-NEXT:   %[[Y:.*]] = graph.unary<exp>
//  CHECK-NEXT:   return %[[Y]]
func.func @taken_branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = graph.constant dense<true> : tensor<i1>
  %y = graph.if %true : tensor<i1> -> tensor<4xf32> {
    %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: @loop_of_constants
//   CHECK-NOT:   graph.loop
//       CHECK:   graph.constant dense<8.000000e+00> : tensor<f32>
func.func @loop_of_constants() -> tensor<f32> {
  %three = graph.constant dense<3> : tensor<i64>
  %true = graph.constant dense<true> : tensor<i1>
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %r = graph.loop %three, %true init(%one) : tensor<i64>, tensor<i1>, tensor<f32> -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %acc: tensor<f32>):
    %0 = graph.binary<mul> %acc, %two : tensor<f32>, tensor<f32> -> tensor<f32>
    graph.yield %true, %0 : tensor<i1>, tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// CHECK-LABEL: @negative_large_growth
//       CHECK:   graph.broadcast
func.func @negative_large_growth() -> tensor<1024x1024x2xf32> {
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = graph.constant dense<[1024, 1024, 2]> : tensor<3xi64>
  %1 = graph.broadcast %a, %shape : tensor<2xf32>, tensor<3xi64> -> tensor<1024x1024x2xf32>
  return %1 : tensor<1024x1024x2xf32>
}

// -----

// CHECK-LABEL: @negative_dequantize
//       CHECK:   graph.dequantize
func.func @negative_dequantize() -> tensor<2xf32> {
  %q = graph.constant dense<[1, 2]> : tensor<2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %x = graph.dequantize %q, %s to f32 axis(0) block(0) : tensor<2xi8>, tensor<f32> -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

// An error is for the run to report.
// CHECK-LABEL: @negative_failing_op
//       CHECK:   graph.gather
func.func @negative_failing_op() -> tensor<f32> {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = graph.constant dense<7> : tensor<i64>
  %r = graph.gather %x, %i dim 0 : tensor<2xf32>, tensor<i64> -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// CHECK-LABEL: @negative_inside_kernel
//       CHECK:   graph.unary<exp>
func.func @negative_inside_kernel() -> tensor<2xf32> {
  %y = graph.kernel -> tensor<2xf32> {
    %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = graph.unary<exp> %x : tensor<2xf32> -> tensor<2xf32>
    graph.yield %0 : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
