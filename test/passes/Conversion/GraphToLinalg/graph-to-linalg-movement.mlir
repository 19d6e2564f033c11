// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @range
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK:           arith.muli
// CHECK:           arith.addi
func.func @range(%start: tensor<i64>, %limit: tensor<i64>, %delta: tensor<i64>) -> tensor<?xi64> {
  %0 = graph.range %start, %limit, %delta : tensor<i64> -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// CHECK-LABEL: @shape
// CHECK:         tensor.dim
// CHECK:         tensor.from_elements %{{.*}}, %{{.*}} : tensor<2xi64>
func.func @shape(%x: tensor<2x?xf32>) -> tensor<2xi64> {
  %0 = graph.shape %x : tensor<2x?xf32> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// Dimensions that keep their elements stay apart.
// CHECK-LABEL: @reshape_in_groups
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK-NOT:     linalg
func.func @reshape_in_groups(%x: tensor<2x3x4xf32>) -> tensor<6x2x2xf32> {
  %s = graph.constant dense<[6, 2, 2]> : tensor<3xi64>
  %0 = graph.reshape %x, %s : tensor<2x3x4xf32>, tensor<3xi64> -> tensor<6x2x2xf32>
  return %0 : tensor<6x2x2xf32>
}

// -----

// CHECK-LABEL: @reshape_of_an_open_dimension
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x12xf32>
// CHECK:         tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 3, 4]
func.func @reshape_of_an_open_dimension(%x: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %s = graph.constant dense<[-1, 3, 4]> : tensor<3xi64>
  %0 = graph.reshape %x, %s : tensor<?x12xf32>, tensor<3xi64> -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// -----

// CHECK-LABEL: @reshape_to_what_the_run_says
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]]
// CHECK:         tensor.reshape
func.func @reshape_to_what_the_run_says(%x: tensor<4x6xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = graph.reshape %x, %s : tensor<4x6xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @transpose
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #{{.*}}]
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Nothing moves when only dimensions of extent 1 do.
// CHECK-LABEL: @transpose_of_ones
// CHECK-NOT:     linalg
// CHECK:         tensor.collapse_shape
// CHECK-NOT:     linalg
// CHECK:         return
func.func @transpose_of_ones(%x: tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32> {
  %0 = graph.transpose %x perm [1, 0, 3, 2] : tensor<1x3x1x4xf32> -> tensor<3x1x4x1xf32>
  return %0 : tensor<3x1x4x1xf32>
}

// -----

// A permutation that the layouts already have is no movement either.
// CHECK-LABEL: @transpose_between_layouts
// CHECK-NOT:     linalg
// CHECK:         return
func.func @transpose_between_layouts(%x: tensor<1x8x4x6xf32, #graph.layout<[0, 2, 3, 1]>>) -> tensor<1x4x6x8xf32> {
  %0 = graph.transpose %x perm [0, 2, 3, 1] : tensor<1x8x4x6xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<1x4x6x8xf32>
  return %0 : tensor<1x4x6x8xf32>
}

// -----

// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>
// CHECK-LABEL: @broadcast
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #{{.*}}]
func.func @broadcast(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %s = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = graph.broadcast %x, %s : tensor<3x1xf32>, tensor<3xi64> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Whether the dimension is stretched is known when it runs: positions are clamped.
// CHECK-LABEL: @broadcast_perhaps
// CHECK:         linalg.generic
// CHECK:           scf.if
// CHECK:             arith.minsi
// CHECK:             tensor.extract
// CHECK:           } else {
func.func @broadcast_perhaps(%x: tensor<?xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
  %0 = graph.broadcast %x, %s : tensor<?xf32>, tensor<1xi64> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Repetition and element are loops of their own.
// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: @tile
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [3, 2, 4]
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #{{.*}}]
// CHECK:         tensor.collapse_shape
func.func @tile(%x: tensor<2x4xi8>) -> tensor<6x4xi8> {
  %r = graph.constant dense<[3, 1]> : tensor<2xi64>
  %0 = graph.tile %x, %r : tensor<2x4xi8>, tensor<2xi64> -> tensor<6x4xi8>
  return %0 : tensor<6x4xi8>
}

// -----

// CHECK-LABEL: @tile_by_data
// CHECK:         linalg.generic
// CHECK:           arith.remsi
// CHECK:           tensor.extract
func.func @tile_by_data(%x: tensor<4xi8>, %r: tensor<1xi64>) -> tensor<?xi8> {
  %0 = graph.tile %x, %r : tensor<4xi8>, tensor<1xi64> -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
