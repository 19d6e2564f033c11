// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[KEPT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: @sum
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[KEPT]]]
// CHECK-SAME:      iterator_types = ["reduction", "parallel", "reduction"]
// CHECK:         tensor.expand_shape %[[S]] {{\[}}[0, 1, 2]] {{.*}} into tensor<1x3x1xf32>
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<1x3x1xf32> {
  %0 = graph.reduce<sum> %x dims [0, 2] keep : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

// -----

// Sums of halves run in f32; maxima are exact in f16.
// CHECK-LABEL: @halves
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<2xf32>)
// CHECK:         linalg.generic
// CHECK:           arith.truncf
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<2xf16>)
func.func @halves(%x: tensor<2x3xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %0 = graph.reduce<sum> %x dims [1] : tensor<2x3xf16> -> tensor<2xf16>
  %1 = graph.reduce<max> %x dims [1] : tensor<2x3xf16> -> tensor<2xf16>
  return %0, %1 : tensor<2xf16>, tensor<2xf16>
}

// -----

// CHECK-LABEL: @unsigned_minimum
// CHECK:         %[[START:.*]] = arith.constant -1 : i8
// CHECK:         linalg.fill ins(%[[START]] : i8)
// CHECK:           arith.minui
func.func @unsigned_minimum(%x: tensor<2x3xui8>) -> tensor<2xui8> {
  %0 = graph.reduce<min> %x dims [1] : tensor<2x3xui8> -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// NaN is the largest and the smallest number; the first of equals wins.
// CHECK-LABEL: @position
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xi64>)
// CHECK:           linalg.index 1
// CHECK:           arith.cmpf ogt
// CHECK:           arith.cmpf uno
// CHECK:           arith.cmpf ord
func.func @position(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %0 = graph.arg_reduce<max> %x dim 1 : tensor<2x3xf32> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// CHECK-LABEL: @scan
// CHECK:         scf.for
// CHECK:           tensor.extract_slice
// CHECK:           arith.addf
// CHECK:           tensor.insert_slice
func.func @scan(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = graph.scan<add> %x dim 0 : tensor<5x2xf32> -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// The sum so far is copied before it grows in place.
// CHECK-LABEL: @exclusive_scan
// CHECK:         scf.for {{.*}} iter_args(%[[RESULT:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK:           %[[PART:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<1x2xf32>)
// CHECK:           %[[NEXT:.*]] = tensor.insert_slice %[[PART]] into %[[RESULT]]
// CHECK:           %[[GROWN:.*]] = linalg.generic {{.*}} outs(%[[SUM]] : tensor<1x2xf32>)
// CHECK:           scf.yield %[[NEXT]], %[[GROWN]]
func.func @exclusive_scan(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = graph.scan<add> %x dim 0 exclusive : tensor<5x2xf32> -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
