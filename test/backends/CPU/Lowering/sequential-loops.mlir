// RUN: hone-opt %s --hone-cpu-sequential-loops | FileCheck %s

// CHECK: #[[KEEP:.*]] = #llvm.loop_annotation<unroll = {{.*}}>

// The innermost loop is left to LLVM.
// CHECK-LABEL: @long
//       CHECK:   scf.for
//  CHECK-NEXT:     scf.for
//  CHECK-NEXT:       memref.store
//  CHECK-NEXT:     }
//  CHECK-NEXT:   } {loop_annotation = #[[KEEP]]}
func.func @long(%x: memref<8x64xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c64) step (%c1, %c1) {
    memref.store %zero, %x[%i, %j] : memref<8x64xf32>
    scf.reduce
  }
  return
}

// CHECK-LABEL: @unknown
//       CHECK:     }
//  CHECK-NEXT:   } {loop_annotation = #[[KEEP]]}
func.func @unknown(%x: memref<8x?xf32>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %n) step (%c1, %c1) {
    memref.store %zero, %x[%i, %j] : memref<8x?xf32>
    scf.reduce
  }
  return
}

// Too little for a loop around it.
// CHECK-LABEL: @short
//   CHECK-NOT:   loop_annotation
func.func @short(%x: memref<8x3xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c3) step (%c1, %c1) {
    memref.store %zero, %x[%i, %j] : memref<8x3xf32>
    scf.reduce
  }
  return
}
