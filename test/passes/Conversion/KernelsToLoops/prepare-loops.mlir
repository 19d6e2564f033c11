// RUN: hone-opt %s --hone-prepare-loops --split-input-file | FileCheck %s

#id3 = affine_map<(i, j, k) -> (i, j, k)>
#scalar = affine_map<(i, j, k) -> ()>

// Scalars are in nobody's way.
// CHECK-LABEL: func.func @flat(
//  CHECK-SAME:   %[[X:.*]]: tensor<2x3x4xf32>, %[[S:.*]]: tensor<f32>, %[[Y:.*]]: tensor<2x3x4xf32>)
//       CHECK:   %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
//       CHECK:   %[[FY:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]}
//  CHECK-SAME:     ins(%[[FX]], %[[S]] : tensor<24xf32>, tensor<f32>) outs(%[[FY]] : tensor<24xf32>)
//       CHECK:     arith.addf %{{.*}}, %{{.*}} : f32
//       CHECK:   tensor.expand_shape %[[R]] {{.*}} : tensor<24xf32> into tensor<2x3x4xf32>
func.func @flat(%x: tensor<2x3x4xf32>, %s: tensor<f32>, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = linalg.generic {indexing_maps = [#id3, #scalar, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<2x3x4xf32>, tensor<f32>) outs(%y : tensor<2x3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @flat_dynamic(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>)
//       CHECK:   tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%{{.*}}, 4] : tensor<?xf32> into tensor<?x4xf32>
func.func @flat_dynamic(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%y : tensor<?x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
#outer = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @sum(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
//       CHECK:     arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
//       CHECK:     arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
func.func @sum(%x: tensor<8x64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id2, #outer], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
#outer = affine_map<(i, j) -> (i)>

// Left alone: reductions keep their loops, and only sums and products are reordered.
// CHECK-LABEL: func.func @maximum(
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
//       CHECK:     arith.maximumf %{{.*}}, %{{.*}} : f32
func.func @maximum(%x: tensor<8x64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id2, #outer], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.maximumf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Left alone: a broadcast operand.
// CHECK-LABEL: func.func @broadcast(
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<4xf32>)
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<3x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>

// Left alone: a permuted operand.
// CHECK-LABEL: func.func @permuted(
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<4x3xf32>)
func.func @permuted(%x: tensor<4x3xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = linalg.generic {indexing_maps = [#swapped, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x3xf32>) outs(%y : tensor<3x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>

// Left alone: a loop that asks where it is.
// CHECK-LABEL: func.func @indexed(
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
func.func @indexed(%y: tensor<3x4xindex>) -> tensor<3x4xindex> {
  %0 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%y : tensor<3x4xindex>) {
  ^bb0(%c: index):
    %i = linalg.index 1 : index
    linalg.yield %i : index
  } -> tensor<3x4xindex>
  return %0 : tensor<3x4xindex>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>

// What is written is made in the flat shape.
// CHECK-LABEL: func.func @made_flat(
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<12xf32>
//       CHECK:   linalg.generic {{.*}} outs(%[[E]] : tensor<12xf32>)
func.func @made_flat(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
