// RUN: hone-opt %s --hone-copies-to-loops --split-input-file | FileCheck %s
// RUN: hone-opt %s --hone-kernels-to-loops --split-input-file | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @strided(
//  CHECK-SAME:   %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32, strided<[16, 2]>>)
//  CHECK-NEXT:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
//  CHECK-SAME:     ins(%[[X]] : memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32, strided<[16, 2]>>)
//  CHECK-NEXT:   ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:     linalg.yield %[[IN]] : f32
//       CHECK:   return
func.func @strided(%x: memref<4x8xf32>, %y: memref<4x8xf32, strided<[16, 2]>>) {
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32, strided<[16, 2]>>
  return
}

// -----

// Copies in loops, of run-time extents and of one element are no exception.
// CHECK-LABEL: func.func @nested(
//   CHECK-NOT:   memref.copy
//       CHECK:   scf.for
//       CHECK:     linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}} : memref<?xi8>)
//       CHECK:     linalg.generic {{.*}} iterator_types = []} ins(%{{.*}} : memref<i64>)
func.func @nested(%x: memref<?xi8>, %y: memref<?xi8>, %a: memref<i64>, %b: memref<i64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %y : memref<?xi8> to memref<?xi8>
    memref.copy %a, %b : memref<i64> to memref<i64>
  }
  return
}

// -----

// Left alone: everything that is no copy.
// CHECK-LABEL: func.func @store(
//  CHECK-NEXT:   memref.store
//  CHECK-NEXT:   return
func.func @store(%v: f32, %y: memref<f32>) {
  memref.store %v, %y[] : memref<f32>
  return
}

// -----

// A copy to itself is nothing.
// CHECK-LABEL: func.func @same(
//  CHECK-NEXT:   return
func.func @same(%x: memref<4xf32>) {
  memref.copy %x, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// What a loop computes where it belongs is not copied there once more behind the loop.
// WHOLE-LABEL: func.func @running(
//       WHOLE:   scf.for
//       WHOLE: {{^ *}}memref.store %{{.*}} : memref<4x1xf32, strided
//   WHOLE-NOT:   scf.parallel
//       WHOLE:   return
func.func @running(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = graph.scan<add> %x dim 1 : tensor<4x100xf32> -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}
