// RUN: hone-opt %s --hone-order-loops --split-input-file | FileCheck %s

#all = affine_map<(i, j, k) -> (i, j, k)>
#sums = affine_map<(i, j, k) -> (i, k)>

// A sum over a dimension in the middle: what is summed, and the positions that the body asks for, stay.
//   CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
//   CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @middle(
//       CHECK:   linalg.generic {indexing_maps = [#[[ALL]], #[[SUMS]]], iterator_types = ["parallel", "parallel", "reduction"]}
//       CHECK:     linalg.index 2
func.func @middle(%x: memref<4x1024x64xindex>, %y: memref<4x64xindex>) {
  linalg.generic {indexing_maps = [#all, #sums], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : memref<4x1024x64xindex>) outs(%y : memref<4x64xindex>) {
  ^bb0(%a: index, %c: index):
    %j = linalg.index 1 : index
    %0 = arith.muli %a, %j : index
    %1 = arith.addi %0, %c : index
    linalg.yield %1 : index
  }
  return
}

// -----

#all = affine_map<(i, j, k, l) -> (i, j, k, l)>
#sums = affine_map<(i, j, k, l) -> (j)>

// Reductions keep their order.
//   CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>
//   CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-LABEL: func.func @channels(
//       CHECK:   linalg.generic {indexing_maps = [#[[ALL]], #[[SUMS]]], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
func.func @channels(%x: memref<?x?x?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#all, #sums], iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : memref<?x?x?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#all = affine_map<(i, j, k) -> (k, j, i)>
#sums = affine_map<(i, j, k) -> (i, j)>

// The last parallel loop is along what is read.
//   CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
//   CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func.func @transposed(
//       CHECK:   linalg.generic {indexing_maps = [#[[ALL]], #[[SUMS]]], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @transposed(%x: memref<8x16x32xf32>, %y: memref<32x16xf32>) {
  linalg.generic {indexing_maps = [#all, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<8x16x32xf32>) outs(%y : memref<32x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// Left alone: loops without reduction, however they read, and rows, which are in order.
//   CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
//   CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
//   CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @alone(
//       CHECK:   linalg.generic {indexing_maps = [#[[SWAPPED]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
//       CHECK:   linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]}
func.func @alone(%x: memref<8x16xf32>, %y: memref<16x8xf32>, %z: memref<16xf32>) {
  linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%y : memref<16x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<16x8xf32>) outs(%z : memref<16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  }
  return
}
