// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: @batched
// CHECK:         %[[ZERO:.*]] = linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]]
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME:      outs(%[[ZERO]] : tensor<2x4x16xf32>)
// CHECK:           %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK:           arith.addf %{{.*}}, %[[P]] fastmath<contract>
func.func @batched(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.contract %a[0, 1, 3], %b[0, 3, 2] to f32 [0, 1, 2]
      : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// -----

// Halves add up in f32 and round once.
// CHECK-LABEL: @half
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<4x16xf32>)
// CHECK-COUNT-2:   arith.extf
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[SUM]] : tensor<4x16xf32>)
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @half(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to f16 [0, 1] : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<4x16xf16>
  return %0 : tensor<4x16xf16>
}

// -----

// Each operand is extended by its own sign.
// CHECK-LABEL: @mixed_signs
// CHECK:           arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:           arith.muli
func.func @mixed_signs(%a: tensor<4x8xui8>, %b: tensor<8x16xi8>) -> tensor<4x16xi32> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to i32 [0, 1] : tensor<4x8xui8>, tensor<8x16xi8> -> tensor<4x16xi32>
  return %0 : tensor<4x16xi32>
}
