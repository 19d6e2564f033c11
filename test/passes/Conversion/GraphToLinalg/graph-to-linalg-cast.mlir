// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// What changes only the meaning of the bits is nothing.
// CHECK-LABEL: @same_bits
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi8>)
// CHECK-NEXT:    return %[[X]]
func.func @same_bits(%x: tensor<4xi8>) -> tensor<4xui8> {
  %0 = graph.cast %x to ui8 : tensor<4xi8> -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// Out of range there is some integer, not undefined behaviour.
// CHECK-LABEL: @float_to_integer
// CHECK-DAG:       %[[ABOVE:.*]] = arith.cmpf oge
// CHECK-DAG:       %[[BELOW:.*]] = arith.cmpf olt
// CHECK:           %[[FITS:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK:           %[[SAFE:.*]] = arith.select %[[FITS]]
// CHECK:           %[[I:.*]] = arith.fptosi %[[SAFE]] : f32 to i32
// CHECK:           arith.trunci %[[I]] : i32 to i8
func.func @float_to_integer(%x: tensor<4xf32>) -> tensor<4xui8> {
  %0 = graph.cast %x to ui8 : tensor<4xf32> -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// CHECK-LABEL: @unsigned_to_float
// CHECK:           arith.uitofp %{{.*}} : i64 to f32
func.func @unsigned_to_float(%x: tensor<4xui64>) -> tensor<4xf32> {
  %0 = graph.cast %x to f32 : tensor<4xui64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @to_bool
// CHECK:           arith.cmpf une
func.func @to_bool(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = graph.cast %x to i1 : tensor<4xf32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// f64 reaches f16 through an f32 that is rounded to odd, and so is rounded once.
// CHECK-LABEL: @double_to_half
// CHECK:           %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:           arith.extf %[[N]] : f32 to f64
// CHECK:           arith.ori
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @double_to_half(%x: tensor<4xf64>) -> tensor<4xf16> {
  %0 = graph.cast %x to f16 : tensor<4xf64> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// f8 is bits: saturating clamps the code at that of 448, otherwise there is NaN.
// CHECK-LABEL: @saturating
// CHECK:           %[[MAX:.*]] = arith.constant 126 : i32
// CHECK:           arith.cmpi sgt, %{{.*}}, %[[MAX]]
// CHECK:           arith.trunci %{{.*}} : i32 to i8
// CHECK-LABEL: @not_saturating
// CHECK:           %[[NAN:.*]] = arith.constant 127 : i32
// CHECK:           arith.trunci %{{.*}} : i32 to i8
func.func @saturating(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  %0 = graph.cast %x to f8E4M3FN : tensor<4xf32> -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}
func.func @not_saturating(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  %0 = graph.cast %x to f8E4M3FN {saturate = false} : tensor<4xf32> -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}
