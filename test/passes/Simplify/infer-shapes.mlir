// RUN: hone-opt %s --hone-infer-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: @through_ops_and_result
//  CHECK-SAME:   -> tensor<3x4xf32>
//       CHECK:   graph.reshape {{.*}} -> tensor<3x4xf32>
//       CHECK:   graph.unary<exp> {{.*}} -> tensor<3x4xf32>
func.func @through_ops_and_result(%x: tensor<2x6xf32>) -> tensor<?x?xf32> {
  %s = graph.constant dense<[3, -1]> : tensor<2xi64>
  %0 = graph.reshape %x, %s : tensor<2x6xf32>, tensor<2xi64> -> tensor<?x?xf32>
  %1 = graph.unary<exp> %0 : tensor<?x?xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @through_shape_arithmetic
//       CHECK:   graph.broadcast {{.*}} -> tensor<?x8xf32>
func.func @through_shape_arithmetic(%x: tensor<?x8xf32>, %y: tensor<8xf32>) -> tensor<?x?xf32> {
  %s = graph.shape %x : tensor<?x8xf32> -> tensor<2xi64>
  %0 = graph.broadcast %y, %s : tensor<8xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @if_keeps_what_both_regions_give
//  CHECK-SAME:   -> tensor<?x4xf32>
//       CHECK:   graph.if {{.*}} -> tensor<?x4xf32>
func.func @if_keeps_what_both_regions_give(%c: tensor<i1>, %a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<?x?xf32> {
  %y = graph.if %c : tensor<i1> -> tensor<?x?xf32> {
    graph.yield %a : tensor<2x4xf32>
  } else {
    graph.yield %b : tensor<3x4xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @loop_with_constant_extents
//       CHECK:   graph.loop {{.*}} -> tensor<4xf32>, tensor<?x4xf32>
//       CHECK:   ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<4xf32>):
//       CHECK:   graph.unary<exp> {{.*}} -> tensor<4xf32>
func.func @loop_with_constant_extents(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %s, %all = graph.loop %n, %go init(%x) : tensor<i64>, tensor<i1>, tensor<4xf32> -> tensor<?xf32>, tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %acc: tensor<?xf32>):
    %0 = graph.unary<exp> %acc : tensor<?xf32> -> tensor<?xf32>
    graph.yield %go, %0, %acc : tensor<i1>, tensor<?xf32>, tensor<?xf32>
  }
  return %s, %all : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// The first dimension grows from trip to trip.
// CHECK-LABEL: @loop_with_growing_extent
//       CHECK:   graph.loop {{.*}} -> tensor<?x2xf32>
//       CHECK:   ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<?x2xf32>):
//       CHECK:   graph.concat {{.*}} -> tensor<?x2xf32>
func.func @loop_with_growing_extent(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<1x2xf32>) -> tensor<?x?xf32> {
  %s = graph.loop %n, %go init(%x) : tensor<i64>, tensor<i1>, tensor<1x2xf32> -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %acc: tensor<?x?xf32>):
    %0 = graph.concat %acc, %x dim 0 : tensor<?x?xf32>, tensor<1x2xf32> -> tensor<?x?xf32>
    graph.yield %go, %0 : tensor<i1>, tensor<?x?xf32>
  }
  return %s : tensor<?x?xf32>
}

// -----

// Somebody else relies on the type of the function.
// CHECK-LABEL: @negative_called_function
//  CHECK-SAME:   -> tensor<?xf32>
//       CHECK:   tensor.cast {{.*}} : tensor<4xf32> to tensor<?xf32>
func.func private @negative_called_function(%x: tensor<4xf32>) -> tensor<?xf32> {
  %s = graph.constant dense<[-1]> : tensor<1xi64>
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<1xi64> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = call @negative_called_function(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
