// RUN: hone-opt %s --hone-cpu-keep-accumulators | FileCheck %s

// Through both loops.
// CHECK-LABEL: @sum
//       CHECK:   %[[SUMS:.*]] = memref.alloc
//       CHECK:   %[[FIRST:.*]] = memref.load %[[SUMS]][%[[I:.*]]]
//  CHECK-NEXT:   %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[FIRST]]) -> (f32) {
//  CHECK-NEXT:     %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (f32) {
//  CHECK-NEXT:       %[[X:.*]] = memref.load %arg0
//  CHECK-NEXT:       %[[NEXT:.*]] = arith.addf %[[B]], %[[X]]
//  CHECK-NEXT:       scf.yield %[[NEXT]]
//       CHECK:     scf.yield %[[INNER]]
//       CHECK:   memref.store %[[OUTER]], %[[SUMS]][%[[I]]]
func.func @sum(%x: memref<8x64xf32>, %count: index, %i: index, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %sums = memref.alloc(%count) : memref<?xf32>
  scf.for %j = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c64 step %c1 {
      %0 = memref.load %x[%j, %k] : memref<8x64xf32>
      %1 = memref.load %sums[%i] : memref<?xf32>
      %2 = arith.addf %1, %0 : f32
      memref.store %2, %sums[%i] : memref<?xf32>
    }
  }
  %3 = memref.load %sums[%i] : memref<?xf32>
  memref.store %3, %y[] : memref<f32>
  return
}

// An element that moves along; one of which another is read as well; a view.
// CHECK-LABEL: @negative
//   CHECK-NOT:   iter_args
func.func @negative(%x: memref<64xf32>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %moving = memref.alloc() : memref<64xf32>
  %pair = memref.alloc() : memref<64xf32>
  %whole = memref.alloc() : memref<64xf32>
  %view = memref.subview %whole[4] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 4>>
  scf.for %k = %c0 to %c64 step %c1 {
    %0 = memref.load %moving[%k] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %moving[%k] : memref<64xf32>
    %2 = memref.load %pair[%i] : memref<64xf32>
    %3 = memref.load %pair[%j] : memref<64xf32>
    %4 = arith.addf %2, %3 : f32
    memref.store %4, %pair[%i] : memref<64xf32>
    %5 = memref.load %whole[%i] : memref<64xf32>
    %6 = memref.load %view[%j] : memref<8xf32, strided<[1], offset: 4>>
    %7 = arith.addf %5, %6 : f32
    memref.store %7, %whole[%i] : memref<64xf32>
  }
  return
}

// Written in some iterations only; read behind the write.
// CHECK-LABEL: @negative_order
//   CHECK-NOT:   iter_args
func.func @negative_order(%x: memref<64xf32>, %i: index, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %some = memref.alloc() : memref<64xf32>
  %behind = memref.alloc() : memref<64xf32>
  scf.for %k = %c0 to %c64 step %c1 {
    %0 = memref.load %some[%i] : memref<64xf32>
    scf.if %if {
      memref.store %0, %some[%i] : memref<64xf32>
    }
    memref.store %0, %behind[%i] : memref<64xf32>
    %1 = memref.load %behind[%i] : memref<64xf32>
    memref.store %1, %x[%k] : memref<64xf32>
  }
  return
}
