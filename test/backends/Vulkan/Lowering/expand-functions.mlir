// RUN: hone-opt %s --hone-vulkan-expand-functions | FileCheck %s

// CHECK-LABEL: func.func @exponential(
// CHECK-SAME:    %[[X:.*]]: f64)
// CHECK:         math.absf
// CHECK:         %[[K:.*]] = arith.select
// CHECK:         arith.fptosi %[[K]] : f64 to i32
// CHECK-NOT:     math.exp
func.func @exponential(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// Half precision is computed in single precision.
// CHECK-LABEL: func.func @half(
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[R:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK:         return %[[R]]
func.func @half(%x: f16, %y: f16) -> f16 {
  %r = math.powf %x, %y : f16
  return %r : f16
}

// CHECK-LABEL: func.func @remainder(
// CHECK:         scf.while
// CHECK-NOT:     arith.remf
func.func @remainder(%x: f32, %y: f32) -> f32 {
  %r = arith.remf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @vector(
// CHECK:         math.roundeven %{{.*}} : vector<4xf32>
func.func @vector(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.sin %x : vector<4xf32>
  return %y : vector<4xf32>
}

// What devices compute exactly stays.
// CHECK-LABEL: func.func @negative_exact(
// CHECK:         math.sqrt
// CHECK:         math.floor
func.func @negative_exact(%x: f16) -> f16 {
  %y = math.sqrt %x : f16
  %z = math.floor %y : f16
  return %z : f16
}

// The sum with 2^52 is an integer.
// CHECK-LABEL: func.func @round(
// CHECK-DAG:     %[[LARGE:.*]] = arith.constant 0x4330000000000000 : f64
// CHECK:         %[[ABS:.*]] = math.absf %[[X:.*]] : f64
// CHECK:         %[[SUM:.*]] = arith.addf %[[ABS]], %[[LARGE]]
// CHECK:         arith.subf %[[SUM]], %[[LARGE]]
// CHECK:         math.roundeven %{{.*}} : f32
func.func @round(%x: f64, %y: f32) -> (f64, f32) {
  %0 = math.roundeven %x : f64
  %1 = math.roundeven %y : f32
  return %0, %1 : f64, f32
}

// CHECK-LABEL: func.func @booleans(
// CHECK:         arith.cmpi ugt, %{{.*}}, %{{.*}} : i1
func.func @booleans(%x: i1, %y: i1) -> i1 {
  %r = arith.cmpi slt, %x, %y : i1
  return %r : i1
}

// CHECK-LABEL: func.func @divisions(
// CHECK-NOT:     arith.ceildivsi
func.func @divisions(%x: index, %y: index) -> index {
  %r = arith.ceildivsi %x, %y : index
  return %r : index
}

// Devices may be some units off a quotient of f32.
// CHECK-LABEL: func.func @quotient(
//  CHECK-SAME:     %[[X:.*]]: f32, %[[Y:.*]]: f32)
//       CHECK:   %[[START:.*]] = arith.divf %[[X]], %[[Y]]
//       CHECK:   arith.mulf %[[START]], %[[Y]]
//       CHECK:   %[[STEP:.*]] = arith.divf %{{.*}}, %[[Y]]
//       CHECK:   %[[BETTER:.*]] = arith.addf %[[START]], %[[STEP]]
//       CHECK:   %[[RESULT:.*]] = arith.select %{{.*}}, %[[BETTER]], %[[START]]
//       CHECK:   return %[[RESULT]]
func.func @quotient(%x: f32, %y: f32) -> f32 {
  %0 = arith.divf %x, %y : f32
  return %0 : f32
}
