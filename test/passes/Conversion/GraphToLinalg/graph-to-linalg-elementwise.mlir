// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: @broadcast
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[ID]]]
// CHECK:           arith.subf
func.func @broadcast(%x: tensor<3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = graph.binary<sub> %x, %y : tensor<3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A splat is a number in the body; its tensor is gone.
// CHECK-LABEL: @splat
// CHECK-NOT:     arith.constant dense
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}} : tensor<4xf32>)
// CHECK:           arith.constant 2.0
// CHECK-NEXT:      arith.mulf
func.func @splat(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<2.0> : tensor<1xf32>
  %0 = graph.binary<mul> %x, %c : tensor<4xf32>, tensor<1xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Whether %x is stretched is known at run time only: it is read at a clamped index.
// CHECK-LABEL: @broadcast_at_run_time
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<3xf32>)
// CHECK:         %[[EXTENT:.*]] = tensor.dim %[[X]]
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[Y]] : tensor<3xf32>)
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           %[[LAST:.*]] = arith.subi %[[EXTENT]], %{{.*}}
// CHECK:           %[[AT:.*]] = arith.minsi %[[I]], %[[LAST]]
// CHECK:           tensor.extract %[[X]][%[[AT]]]
func.func @broadcast_at_run_time(%x: tensor<?xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.binary<add> %x, %y : tensor<?xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Loops run in the memory order of the result.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, 0, 0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
// CHECK-LABEL: @layouts
// CHECK:         linalg.generic {indexing_maps = [#[[ROWS]], #[[CHANNEL]], #[[ID]]]
func.func @layouts(%x: tensor<1x8x4x4xf32>, %b: tensor<8x1x1xf32>)
    -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>> {
  %0 = graph.binary<add> %x, %b
      : tensor<1x8x4x4xf32>, tensor<8x1x1xf32> -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  return %0 : tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
}

// -----

// f16 computes in f32; the root rounds once.
// CHECK-LABEL: @half
// CHECK:           %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:           %[[Y:.*]] = math.sqrt %[[X]] : f32
// CHECK:           arith.truncf %[[Y]] : f32 to f16
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = graph.unary<sqrt> %x : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// bf16 conversions are integer arithmetic: no target needs a library for them.
// CHECK-LABEL: @bfloat
// CHECK-NOT:       arith.extf
// CHECK-NOT:       arith.truncf
// CHECK:           arith.negf %{{.*}} : f32
// CHECK-NOT:       arith.truncf
// CHECK:           arith.bitcast %{{.*}} : i16 to bf16
func.func @bfloat(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.unary<neg> %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Neither a zero divisor nor the smallest number over -1 reaches the division.
// CHECK-LABEL: @safe_division
// CHECK:           %[[ZERO:.*]] = arith.cmpi eq, %[[B:.*]], %{{.*}} : i32
// CHECK:           %[[SMALLEST:.*]] = arith.cmpi eq
// CHECK:           %[[OVERFLOW:.*]] = arith.andi %[[SMALLEST]]
// CHECK:           %[[BAD:.*]] = arith.ori %[[ZERO]], %[[OVERFLOW]]
// CHECK:           %[[SAFE:.*]] = arith.select %[[BAD]]
// CHECK:           arith.divsi %{{.*}}, %[[SAFE]]
func.func @safe_division(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.binary<div> %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// i4 wraps within its byte.
// CHECK-LABEL: @int4
// CHECK:           %[[S:.*]] = arith.addi %{{.*}} : i8
// CHECK:           %[[L:.*]] = arith.shli %[[S]]
// CHECK:           arith.shrsi %[[L]]
func.func @int4(%x: tensor<4xi4>, %y: tensor<4xi4>) -> tensor<4xi4> {
  %0 = graph.binary<add> %x, %y : tensor<4xi4>, tensor<4xi4> -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

// CHECK-LABEL: @comparisons
// CHECK:           arith.cmpf une
// CHECK:           arith.cmpi ult
func.func @comparisons(%x: tensor<4xf32>, %i: tensor<4xui16>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.compare<ne> %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %1 = graph.compare<lt> %i, %i : tensor<4xui16>, tensor<4xui16> -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// -----

// Whole powers of integers stay whole.
// CHECK-LABEL: @power_of_integers
// CHECK:           arith.sitofp %{{.*}} : i64 to f64
// CHECK:           math.powf %{{.*}} : f64
// CHECK:           arith.fptosi %{{.*}} : f64 to i64
func.func @power_of_integers(%x: tensor<4xi64>, %y: tensor<4xf32>) -> tensor<4xi64> {
  %0 = graph.binary<pow> %x, %y : tensor<4xi64>, tensor<4xf32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
