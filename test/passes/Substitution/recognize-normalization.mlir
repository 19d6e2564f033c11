// RUN: hone-opt %s --hone-recognize-normalization | FileCheck %s

// CHECK-LABEL: @layer
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<layer> %arg0 dims [1] epsilon {{0.5|5.0+e-01}} : tensor<?x48xf32> -> tensor<?x48xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @layer(%x: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %count = graph.constant dense<48.0> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.reduce<sum> %x dims [1] keep : tensor<?x48xf32> -> tensor<?x1xf32>
  %1 = graph.binary<div> %0, %count : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<?x48xf32>, tensor<?x1xf32> -> tensor<?x48xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<?x48xf32>, tensor<?x48xf32> -> tensor<?x48xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<?x48xf32> -> tensor<?x1xf32>
  %5 = graph.binary<div> %4, %count : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %6 = graph.binary<add> %5, %epsilon : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %7 = graph.unary<sqrt> %6 : tensor<?x1xf32> -> tensor<?x1xf32>
  %8 = graph.binary<div> %2, %7 : tensor<?x48xf32>, tensor<?x1xf32> -> tensor<?x48xf32>
  return %8 : tensor<?x48xf32>
}

// Two dimensions in another order, counts as factors, operands turned around, a constant with several elements.
// CHECK-LABEL: @turned
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<layer> %arg0 dims [1, 2] epsilon {{.*}} : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @turned(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %count = graph.constant dense<0.03125> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<2x1x1xf32>
  %0 = graph.reduce<sum> %x dims [2, 1] keep : tensor<2x4x8xf32> -> tensor<2x1x1xf32>
  %1 = graph.binary<mul> %count, %0 : tensor<f32>, tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<2x4x8xf32>, tensor<2x1x1xf32> -> tensor<2x4x8xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %4 = graph.reduce<sum> %3 dims [1, 2] keep : tensor<2x4x8xf32> -> tensor<2x1x1xf32>
  %5 = graph.binary<mul> %4, %count : tensor<2x1x1xf32>, tensor<f32> -> tensor<2x1x1xf32>
  %6 = graph.binary<add> %epsilon, %5 : tensor<2x1x1xf32>, tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %7 = graph.unary<rsqrt> %6 : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %8 = graph.binary<mul> %7, %2 : tensor<2x1x1xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %8 : tensor<2x4x8xf32>
}

// An extent that a run knows, as the importer writes the mean; no epsilon.
// CHECK-LABEL: @dynamic
// CHECK:         %[[Y:.*]] = graph.normalize<layer> %arg0 dims [1] epsilon 0.{{0+(e\+00)?}} : tensor<4x?xf32> -> tensor<4x?xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @dynamic(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %one = graph.constant dense<1> : tensor<i64>
  %shape = graph.shape %x : tensor<4x?xf32> -> tensor<2xi64>
  %extent = graph.gather %shape, %one dim 0 : tensor<2xi64>, tensor<i64> -> tensor<i64>
  %count = graph.cast %extent to f32 : tensor<i64> -> tensor<f32>
  %0 = graph.reduce<sum> %x dims [1] keep : tensor<4x?xf32> -> tensor<4x1xf32>
  %1 = graph.binary<div> %0, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<4x?xf32>, tensor<4x1xf32> -> tensor<4x?xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4x?xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<4x?xf32> -> tensor<4x1xf32>
  %5 = graph.binary<div> %4, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %6 = graph.unary<sqrt> %5 : tensor<4x1xf32> -> tensor<4x1xf32>
  %7 = graph.binary<div> %2, %6 : tensor<4x?xf32>, tensor<4x1xf32> -> tensor<4x?xf32>
  return %7 : tensor<4x?xf32>
}

// Times one over the root; the scale stays.
// CHECK-LABEL: @rms
// CHECK-NEXT:    %[[SCALE:.*]] = graph.constant
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<rms> %arg0 dims [1] epsilon
// CHECK-NEXT:    graph.binary<mul> %[[SCALE]], %[[Y]]
func.func @rms(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %count = graph.constant dense<0.125> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary<mul> %1, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %3 = graph.binary<add> %2, %epsilon : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %4 = graph.unary<sqrt> %3 : tensor<4x1xf32> -> tensor<4x1xf32>
  %5 = graph.binary<div> %one, %4 : tensor<f32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %6 = graph.binary<mul> %5, %x : tensor<4x1xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %7 = graph.binary<mul> %scale, %6 : tensor<8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Everything in f32 but input and result.
// CHECK-LABEL: @between_casts
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<rms> %arg0 dims [1] epsilon {{.*}} : tensor<4x8xf16> -> tensor<4x8xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @between_casts(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %count = graph.constant dense<0.125> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<f32>
  %wide = graph.cast %x to f32 : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = graph.binary<mul> %wide, %wide : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary<mul> %1, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %3 = graph.binary<add> %2, %epsilon : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %4 = graph.unary<rsqrt> %3 : tensor<4x1xf32> -> tensor<4x1xf32>
  %5 = graph.binary<mul> %wide, %4 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %6 = graph.cast %5 to f16 : tensor<4x8xf32> -> tensor<4x8xf16>
  return %6 : tensor<4x8xf16>
}

// Halves throughout but the means, the square and the root: a value without its mean is cast for that.
// CHECK-LABEL: @halves
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<layer> %arg0 dims [1] epsilon {{.*}} : tensor<4x8xf16> -> tensor<4x8xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @halves(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %count = graph.constant dense<0.125> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<f32>
  %wide = graph.cast %x to f32 : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = graph.reduce<sum> %wide dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.binary<mul> %0, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %2 = graph.cast %1 to f16 : tensor<4x1xf32> -> tensor<4x1xf16>
  %3 = graph.binary<sub> %x, %2 : tensor<4x8xf16>, tensor<4x1xf16> -> tensor<4x8xf16>
  %4 = graph.cast %3 to f32 : tensor<4x8xf16> -> tensor<4x8xf32>
  %5 = graph.binary<mul> %4, %4 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %6 = graph.reduce<sum> %5 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %7 = graph.binary<mul> %6, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %8 = graph.binary<add> %7, %epsilon : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %9 = graph.unary<sqrt> %8 : tensor<4x1xf32> -> tensor<4x1xf32>
  %10 = graph.cast %9 to f16 : tensor<4x1xf32> -> tensor<4x1xf16>
  %11 = graph.binary<div> %3, %10 : tensor<4x8xf16>, tensor<4x1xf16> -> tensor<4x8xf16>
  return %11 : tensor<4x8xf16>
}

// The value without its mean is a result: it is kept, and normalized.
// CHECK-LABEL: @centered_kept
// CHECK:         %[[CENTERED:.*]] = graph.binary<sub>
// CHECK-NEXT:    %[[Y:.*]] = graph.normalize<rms> %[[CENTERED]]
// CHECK-NEXT:    return %[[Y]], %[[CENTERED]]
func.func @centered_kept(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %count = graph.constant dense<0.125> : tensor<f32>
  %0 = graph.reduce<sum> %x dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.binary<mul> %0, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %5 = graph.binary<mul> %4, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %6 = graph.unary<rsqrt> %5 : tensor<4x1xf32> -> tensor<4x1xf32>
  %7 = graph.binary<mul> %2, %6 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %7, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// The mean of columns off, then the root of rows.
// CHECK-LABEL: @negative_dims_differ
// CHECK:         graph.binary<sub>
// CHECK:         graph.normalize<rms>
func.func @negative_dims_differ(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %count = graph.constant dense<0.125> : tensor<f32>
  %0 = graph.reduce<sum> %x dims [0] keep : tensor<8x8xf32> -> tensor<1x8xf32>
  %1 = graph.binary<mul> %0, %count : tensor<1x8xf32>, tensor<f32> -> tensor<1x8xf32>
  %2 = graph.binary<sub> %x, %1 : tensor<8x8xf32>, tensor<1x8xf32> -> tensor<8x8xf32>
  %3 = graph.binary<mul> %2, %2 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<8x8xf32> -> tensor<8x1xf32>
  %5 = graph.binary<mul> %4, %count : tensor<8x1xf32>, tensor<f32> -> tensor<8x1xf32>
  %6 = graph.unary<rsqrt> %5 : tensor<8x1xf32> -> tensor<8x1xf32>
  %7 = graph.binary<mul> %2, %6 : tensor<8x8xf32>, tensor<8x1xf32> -> tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// The variance is a result.
// CHECK-LABEL: @negative_used_elsewhere
// CHECK-NOT:     graph.normalize
func.func @negative_used_elsewhere(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %count = graph.constant dense<0.125> : tensor<f32>
  %0 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary<mul> %1, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %3 = graph.unary<rsqrt> %2 : tensor<4x1xf32> -> tensor<4x1xf32>
  %4 = graph.binary<mul> %x, %3 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %4, %2 : tensor<4x8xf32>, tensor<4x1xf32>
}

// Of one less, as the sample variance; a negative epsilon; one behind the root; the square of something else; an
// epsilon that makes more rows.
// CHECK-LABEL: @negative_formula
// CHECK-NOT:     graph.normalize
func.func @negative_formula(%x: tensor<4x8xf32>, %other: tensor<4x8xf32>, %row: tensor<?x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>) {
  %seventh = graph.constant dense<7.0> : tensor<f32>
  %count = graph.constant dense<0.125> : tensor<f32>
  %negative = graph.constant dense<-1.0> : tensor<f32>
  %epsilon = graph.constant dense<0.5> : tensor<f32>
  %rows = graph.constant dense<0.5> : tensor<4x1xf32>
  %0 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary<div> %1, %seventh : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %3 = graph.unary<rsqrt> %2 : tensor<4x1xf32> -> tensor<4x1xf32>
  %4 = graph.binary<mul> %x, %3 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %10 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %11 = graph.reduce<sum> %10 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %12 = graph.binary<mul> %11, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %13 = graph.binary<add> %12, %negative : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %14 = graph.unary<rsqrt> %13 : tensor<4x1xf32> -> tensor<4x1xf32>
  %15 = graph.binary<mul> %x, %14 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %20 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %21 = graph.reduce<sum> %20 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %22 = graph.binary<mul> %21, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %23 = graph.unary<sqrt> %22 : tensor<4x1xf32> -> tensor<4x1xf32>
  %24 = graph.binary<add> %23, %epsilon : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %25 = graph.binary<div> %x, %24 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %30 = graph.binary<mul> %other, %other : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %31 = graph.reduce<sum> %30 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %32 = graph.binary<mul> %31, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %33 = graph.unary<rsqrt> %32 : tensor<4x1xf32> -> tensor<4x1xf32>
  %34 = graph.binary<mul> %x, %33 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %40 = graph.binary<mul> %row, %row : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %41 = graph.reduce<sum> %40 dims [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
  %42 = graph.binary<mul> %41, %count : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %43 = graph.binary<add> %42, %rows : tensor<?x1xf32>, tensor<4x1xf32> -> tensor<?x1xf32>
  %44 = graph.unary<rsqrt> %43 : tensor<?x1xf32> -> tensor<?x1xf32>
  %45 = graph.binary<mul> %row, %44 : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
  return %4, %15, %25, %34, %45 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>
}

// The mean of doubles is more precise than that of f32.
// CHECK-LABEL: @negative_less_precise
// CHECK-NOT:     graph.normalize
func.func @negative_less_precise(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %count = graph.constant dense<0.125> : tensor<f64>
  %wide = graph.cast %x to f64 : tensor<4x8xf32> -> tensor<4x8xf64>
  %0 = graph.binary<mul> %wide, %wide : tensor<4x8xf64>, tensor<4x8xf64> -> tensor<4x8xf64>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf64> -> tensor<4x1xf64>
  %2 = graph.binary<mul> %1, %count : tensor<4x1xf64>, tensor<f64> -> tensor<4x1xf64>
  %3 = graph.unary<rsqrt> %2 : tensor<4x1xf64> -> tensor<4x1xf64>
  %4 = graph.cast %3 to f32 : tensor<4x1xf64> -> tensor<4x1xf32>
  %5 = graph.binary<mul> %x, %4 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
