// RUN: hone-opt %s --hone-recognize-softmax | FileCheck %s

// CHECK-LABEL: @quotient
// CHECK-NEXT:    %[[Y:.*]] = graph.softmax %arg0 dim 1 : tensor<?x48xf32> -> tensor<?x48xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @quotient(%x: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %0 = graph.reduce<max> %x dims [1] keep : tensor<?x48xf32> -> tensor<?x1xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<?x48xf32>, tensor<?x1xf32> -> tensor<?x48xf32>
  %2 = graph.unary<exp> %1 : tensor<?x48xf32> -> tensor<?x48xf32>
  %3 = graph.reduce<sum> %2 dims [1] keep : tensor<?x48xf32> -> tensor<?x1xf32>
  %4 = graph.binary<div> %2, %3 : tensor<?x48xf32>, tensor<?x1xf32> -> tensor<?x48xf32>
  return %4 : tensor<?x48xf32>
}

// Times the reciprocal; the leading dimension, which broadcasting adds by itself.
// CHECK-LABEL: @reciprocal
// CHECK-NEXT:    %[[Y:.*]] = graph.softmax %arg0 dim 0 : tensor<8x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @reciprocal(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.reduce<max> %x dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>
  %2 = graph.unary<exp> %1 : tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = graph.reduce<sum> %2 dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  %4 = graph.unary<reciprocal> %3 : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.binary<mul> %4, %2 : tensor<4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// CHECK-LABEL: @logarithm
// CHECK-NEXT:    %[[Y:.*]] = graph.softmax %arg0 dim 1 log : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @logarithm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce<max> %x dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.unary<exp> %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.reduce<sum> %2 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = graph.unary<log> %3 : tensor<4x1xf32> -> tensor<4x1xf32>
  %5 = graph.binary<sub> %1, %4 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// Halves whose sum is one of f32.
// CHECK-LABEL: @halves
// CHECK-NEXT:    %[[Y:.*]] = graph.softmax %arg0 dim 1 : tensor<4x8xf16> -> tensor<4x8xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @halves(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = graph.reduce<max> %x dims [1] keep : tensor<4x8xf16> -> tensor<4x1xf16>
  %1 = graph.binary<sub> %x, %0 : tensor<4x8xf16>, tensor<4x1xf16> -> tensor<4x8xf16>
  %2 = graph.unary<exp> %1 : tensor<4x8xf16> -> tensor<4x8xf16>
  %3 = graph.cast %2 to f32 : tensor<4x8xf16> -> tensor<4x8xf32>
  %4 = graph.reduce<sum> %3 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %5 = graph.cast %4 to f16 : tensor<4x1xf32> -> tensor<4x1xf16>
  %6 = graph.binary<div> %2, %5 : tensor<4x8xf16>, tensor<4x1xf16> -> tensor<4x8xf16>
  return %6 : tensor<4x8xf16>
}

// What is one op already, but between casts.
// CHECK-LABEL: @between_casts
// CHECK-NEXT:    %[[Y:.*]] = graph.softmax %arg0 dim 1 log : tensor<4x8xbf16> -> tensor<4x8xbf16>
// CHECK-NEXT:    return %[[Y]]
func.func @between_casts(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = graph.cast %x to f32 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.softmax %0 dim 1 log : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.cast %1 to bf16 : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %2 : tensor<4x8xbf16>
}

// Of another half type, and with another use in f32.
// CHECK-LABEL: @negative_between_casts
// CHECK:         graph.softmax %{{.*}} : tensor<4x8xf32>
// CHECK:         graph.softmax %{{.*}} : tensor<4x8xf32>
func.func @negative_between_casts(%x: tensor<4x8xbf16>) -> (tensor<4x8xf16>, tensor<4x8xbf16>, tensor<4x8xf32>) {
  %0 = graph.cast %x to f32 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.softmax %0 dim 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.cast %1 to f16 : tensor<4x8xf32> -> tensor<4x8xf16>
  %3 = graph.softmax %0 dim 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = graph.cast %3 to bf16 : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %2, %4, %3 : tensor<4x8xf16>, tensor<4x8xbf16>, tensor<4x8xf32>
}

// Large elements overflow.
// CHECK-LABEL: @negative_no_maximum
// CHECK-NOT:     graph.softmax
func.func @negative_no_maximum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.unary<exp> %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce<sum> %0 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary<div> %0, %1 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: @negative_dims_differ
// CHECK-NOT:     graph.softmax
func.func @negative_dims_differ(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.reduce<max> %x dims [0] keep : tensor<8x8xf32> -> tensor<1x8xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<8x8xf32>, tensor<1x8xf32> -> tensor<8x8xf32>
  %2 = graph.unary<exp> %1 : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = graph.reduce<sum> %2 dims [1] keep : tensor<8x8xf32> -> tensor<8x1xf32>
  %4 = graph.binary<div> %2, %3 : tensor<8x8xf32>, tensor<8x1xf32> -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// The sums of rows meet columns.
// CHECK-LABEL: @negative_not_kept
// CHECK-NOT:     graph.softmax
func.func @negative_not_kept(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.reduce<max> %x dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<8x8xf32>, tensor<8xf32> -> tensor<8x8xf32>
  %2 = graph.unary<exp> %1 : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = graph.reduce<sum> %2 dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %4 = graph.binary<div> %2, %3 : tensor<8x8xf32>, tensor<8xf32> -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// CHECK-LABEL: @negative_two_dims
// CHECK-NOT:     graph.softmax
func.func @negative_two_dims(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce<max> %x dims [0, 1] keep : tensor<4x8xf32> -> tensor<1x1xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<4x8xf32>, tensor<1x1xf32> -> tensor<4x8xf32>
  %2 = graph.unary<exp> %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.reduce<sum> %2 dims [0, 1] keep : tensor<4x8xf32> -> tensor<1x1xf32>
  %4 = graph.binary<div> %2, %3 : tensor<4x8xf32>, tensor<1x1xf32> -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// The sum of exponentials is a result too.
// CHECK-LABEL: @negative_used_elsewhere
// CHECK-NOT:     graph.softmax
func.func @negative_used_elsewhere(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %0 = graph.reduce<max> %x dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.binary<sub> %x, %0 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.unary<exp> %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.reduce<sum> %2 dims [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = graph.binary<div> %2, %3 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %4, %3 : tensor<4x8xf32>, tensor<4x1xf32>
}
