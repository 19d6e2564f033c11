// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// Whole factors repeat elements: no arithmetic.
// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
// CHECK-LABEL: @nearest_by_two
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3], [4, 5]] output_shape [1, 8, 4, 2, 4, 2]
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #{{.*}}]
// CHECK-NOT:       arith
// CHECK:         tensor.collapse_shape
func.func @nearest_by_two(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32> {
  %sizes = graph.constant dense<[1, 8, 8, 8]> : tensor<4xi64>
  %scales = graph.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>
  %0 = graph.resize<nearest> %x, %sizes, %scales coordinate <half_pixel> nearest <round_prefer_floor>
      : tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// -----

// Storage is copied whatever the type.
// CHECK-LABEL: @nearest
// CHECK:         linalg.generic
// CHECK:           arith.divf
// CHECK:           math.floor
// CHECK:           arith.fptosi
// CHECK:           tensor.extract %{{.*}} : tensor<4x4xi8>
// CHECK-NEXT:      linalg.yield
func.func @nearest(%x: tensor<4x4xui8>) -> tensor<4x7xui8> {
  %sizes = graph.constant dense<[4, 7]> : tensor<2xi64>
  %scales = graph.constant dense<[1.0, 1.75]> : tensor<2xf32>
  %0 = graph.resize<nearest> %x, %sizes, %scales coordinate <asymmetric> nearest <floor>
      : tensor<4x4xui8>, tensor<2xi64>, tensor<2xf32> -> tensor<4x7xui8>
  return %0 : tensor<4x7xui8>
}

// -----

// Two neighbours along each of two dimensions, in one body; the other dimensions are read as they are.
// CHECK-LABEL: @linear
// CHECK:         linalg.generic
// CHECK:           %[[N:.*]] = linalg.index 0
// CHECK:           %[[C:.*]] = linalg.index 1
// CHECK-COUNT-4:   tensor.extract %{{.*}}[%[[N]], %[[C]],
// CHECK-NOT:       tensor.extract
// CHECK-NOT:     linalg.generic
func.func @linear(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x7x9xf16> {
  %sizes = graph.constant dense<[1, 8, 7, 9]> : tensor<4xi64>
  %scales = graph.constant dense<[1.0, 1.0, 1.75, 2.25]> : tensor<4xf32>
  %0 = graph.resize<linear> %x, %sizes, %scales coordinate <align_corners> nearest <floor>
      : tensor<1x8x4x4xf16>, tensor<4xi64>, tensor<4xf32> -> tensor<1x8x7x9xf16>
  return %0 : tensor<1x8x7x9xf16>
}

// -----

// Three dimensions of four neighbours: two at a time, f32 in between.
// CHECK-LABEL: @cubic
// CHECK:         linalg.generic
// CHECK-COUNT-16:  tensor.extract
// CHECK:         -> tensor<6x7x5xf32>
// CHECK:         linalg.generic
// CHECK-COUNT-4:   tensor.extract
// CHECK:         -> tensor<6x7x9xf16>
func.func @cubic(%x: tensor<3x4x5xf16>) -> tensor<6x7x9xf16> {
  %sizes = graph.constant dense<[6, 7, 9]> : tensor<3xi64>
  %scales = graph.constant dense<[2.0, 1.75, 1.8]> : tensor<3xf32>
  %0 = graph.resize<cubic> %x, %sizes, %scales coordinate <half_pixel> nearest <floor>
      : tensor<3x4x5xf16>, tensor<3xi64>, tensor<3xf32> -> tensor<6x7x9xf16>
  return %0 : tensor<6x7x9xf16>
}

// -----

// A kernel as wide as the scale asks for is a loop, dimension by dimension.
// CHECK-LABEL: @antialias
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
func.func @antialias(%x: tensor<8x9xf32>) -> tensor<3x4xf32> {
  %sizes = graph.constant dense<[3, 4]> : tensor<2xi64>
  %scales = graph.constant dense<[0.375, 0.44444444]> : tensor<2xf32>
  %0 = graph.resize<linear> %x, %sizes, %scales coordinate <half_pixel> nearest <floor> {antialias = true}
      : tensor<8x9xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @crop
// CHECK:         linalg.generic
// CHECK:           arith.cmpf olt
// CHECK:           arith.cmpf ogt
// CHECK:           arith.constant 7.5
// CHECK:           arith.select
func.func @crop(%x: tensor<8xf32>, %roi: tensor<2xf32>) -> tensor<4xf32> {
  %sizes = graph.constant dense<4> : tensor<1xi64>
  %scales = graph.constant dense<0.5> : tensor<1xf32>
  %0 = graph.resize<linear> %x, %sizes, %scales roi %roi coordinate <tf_crop_and_resize> nearest <floor> {extrapolation = 7.5 : f64}
      : tensor<8xf32>, tensor<1xi64>, tensor<1xf32>, tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @unchanged
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x4xf32>
// CHECK:         return %[[X]]
func.func @unchanged(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %sizes = graph.constant dense<4> : tensor<2xi64>
  %scales = graph.constant dense<1.0> : tensor<2xf32>
  %0 = graph.resize<cubic> %x, %sizes, %scales coordinate <half_pixel> nearest <floor>
      : tensor<4x4xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
