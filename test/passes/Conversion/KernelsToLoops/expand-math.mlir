// RUN: hone-opt %s --hone-expand-math | FileCheck %s

// CHECK-LABEL: func.func @exp(
//   CHECK-NOT:   math.exp
//       CHECK:   math.floor
//       CHECK:   math.fma
//   CHECK-NOT:   math.exp
//       CHECK:   return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @lanes(
//   CHECK-NOT:   math.tanh
//       CHECK:   math.fma %{{.*}} : vector<8xf32>
//   CHECK-NOT:   math.tanh
//       CHECK:   return
func.func @lanes(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tanh %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @all(
//   CHECK-NOT:   math.{{(exp|expm1|log|log1p|log2|tanh|erf) }}
//       CHECK:   return
func.func @all(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.expm1 %x : f32
  %1 = math.log %x : f32
  %2 = math.log1p %x : f32
  %3 = math.log2 %x : f32
  %4 = math.erf %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// Left alone: other element types.
// CHECK-LABEL: func.func @double(
//  CHECK-NEXT:   math.exp %{{.*}} : f64
//  CHECK-NEXT:   return
func.func @double(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// Left alone: functions without a good polynomial, and instructions.
// CHECK-LABEL: func.func @calls(
//  CHECK-NEXT:   math.sin %
//  CHECK-NEXT:   math.cos %
//  CHECK-NEXT:   math.atan %
//  CHECK-NEXT:   math.tan %
//  CHECK-NEXT:   math.acos %
//  CHECK-NEXT:   math.asin %
//  CHECK-NEXT:   math.floor %
//  CHECK-NEXT:   math.sqrt %
//  CHECK-NEXT:   return
func.func @calls(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.sin %x : f32
  %1 = math.cos %x : f32
  %2 = math.atan %x : f32
  %3 = math.tan %x : f32
  %4 = math.acos %x : f32
  %5 = math.asin %x : f32
  %6 = math.floor %x : f32
  %7 = math.sqrt %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}
