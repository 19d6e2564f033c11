// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// Indices are an input of the loops; negative ones count from the end, others are clamped.
// CHECK-DAG:   #[[INDEX:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: @gather
// CHECK-SAME:    %[[X:[^:]*]]: tensor<9x4xf32>, %[[I:[^:]*]]: tensor<2x3xi64>
// CHECK:         linalg.generic {indexing_maps = [#[[INDEX]], #{{.*}}]{{.*}} ins(%[[I]]
// CHECK:           arith.index_cast
// CHECK:           arith.select
// CHECK:           arith.minsi
// CHECK:           arith.maxsi
// CHECK:           tensor.extract %[[X]]
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %0 = graph.gather %x, %i dim 0 : tensor<9x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A tensor that may have no elements is not read without a look.
// CHECK-LABEL: @gather_from_what_may_be_empty
// CHECK:         linalg.generic
// CHECK:           scf.if
// CHECK:             tensor.extract
// CHECK:           } else {
// CHECK:             arith.constant 0.0
func.func @gather_from_what_may_be_empty(%x: tensor<?x4xf32>, %i: tensor<3xi32>) -> tensor<3x4xf32> {
  %0 = graph.gather %x, %i dim 0 : tensor<?x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @gather_elements
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x4xbf16>
// CHECK:         linalg.generic
// CHECK:           %[[AT:.*]] = arith.maxsi
// CHECK:           %[[COLUMN:.*]] = linalg.index 1
// CHECK:           tensor.extract %[[X]][%[[AT]], %[[COLUMN]]]
func.func @gather_elements(%x: tensor<3x4xbf16>, %i: tensor<2x4xi64>) -> tensor<2x4xbf16> {
  %0 = graph.gather_elements %x, %i dim 0 : tensor<3x4xbf16>, tensor<2x4xi64> -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}

// -----

// CHECK-LABEL: @gather_nd
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x4xf32>, %[[I:[^:]*]]: tensor<2x1xi64>
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[I]]
// CHECK:           tensor.extract %[[X]]
func.func @gather_nd(%x: tensor<2x3x4xf32>, %i: tensor<2x1xi64>) -> tensor<2x4xf32> {
  %0 = graph.gather_nd %x, %i batch 1 : tensor<2x3x4xf32>, tensor<2x1xi64> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Updates are applied one after the other, to a copy.
// CHECK-LABEL: @scatter_elements
// CHECK:         %[[COPY:.*]] = bufferization.materialize_in_destination
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK:           scf.for
// CHECK:             tensor.extract
// CHECK:             arith.addf
// CHECK:             tensor.insert
func.func @scatter_elements(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.scatter_elements<add> %x, %i, %u dim 0 : tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// f16 meets in f32, whole slices at a time.
// CHECK-LABEL: @scatter_nd
// CHECK:         scf.for
// CHECK:           tensor.extract_slice
// CHECK:           linalg.generic
// CHECK:             arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK:             arith.truncf
// CHECK:           tensor.insert_slice
func.func @scatter_nd(%x: tensor<3x4xf16>, %i: tensor<5x1xi64>, %u: tensor<5x4xf16>) -> tensor<3x4xf16> {
  %0 = graph.scatter_nd<max> %x, %i, %u : tensor<3x4xf16>, tensor<5x1xi64>, tensor<5x4xf16> -> tensor<3x4xf16>
  return %0 : tensor<3x4xf16>
}

// -----

// CHECK-LABEL: @scatter_nd_of_elements
// CHECK:         scf.for
// CHECK:           tensor.extract
// CHECK:           tensor.insert
// CHECK-NOT:       linalg
func.func @scatter_nd_of_elements(%x: tensor<8xf32>, %i: tensor<4x1xi64>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %0 = graph.scatter_nd<assign> %x, %i, %u : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
