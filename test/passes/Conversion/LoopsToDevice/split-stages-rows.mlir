// RUN: hone-opt %s --hone-split-stages --hone-distribute-threads --canonicalize --cse | FileCheck %s

module attributes {graph.target = {workgroup_size = 256, compute_units = 8}} {

// A row is whole work of one workgroup: what a maximum is subtracted from, and the maximum, stay in it. Without subgroups
// pairs of shares are combined in memory.
// CHECK-LABEL: func.func @softmax_like(
//  CHECK-SAME:   hone.workgroup_size = 64 : i32
//       CHECK:   %[[SHARES:.*]] = memref.alloca() : memref<64xf16
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[ROW:.*]] = gpu.block_id x
//       CHECK:   scf.for %{{.*}} = %[[T]] to %c100 step %c64
//       CHECK:     memref.load %{{.*}}[%[[ROW]], %{{.*}}]
//       CHECK:   gpu.barrier
//       CHECK:   %[[LAST:.*]] = arith.cmpi ult, %[[T]], %c1 :
//       CHECK:   scf.if %[[LAST]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//  CHECK-NEXT:     memref.store %{{.*}}, %[[MOST:.*]][%[[ROW]]]
//       CHECK:     memref.store %{{.*}}, %[[MOST]][%[[ROW]]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.for %[[K:.*]] = %[[T]] to %c100 step %c64
//       CHECK:     memref.load %[[MOST]][%[[ROW]]]
//       CHECK:     arith.subf
//       CHECK:     memref.store %{{.*}}[%[[ROW]], %[[K]]]
//       CHECK:   return
// CHECK-LABEL: func.func @softmax_like.launch() -> (index, index) attributes {stages = ["softmax_like"]}
//       CHECK:   return %{{.*}}, %c300
func.func @softmax_like(%x: memref<300x100xf16>, %y: memref<300x100xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c300 = arith.constant 300 : index
  %low = arith.constant 0xFC00 : f16
  %most = memref.alloc() : memref<300xf16>
  scf.parallel (%i) = (%c0) to (%c300) step (%c1) {
    memref.store %low, %most[%i] : memref<300xf16>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c300) step (%c1) {
    scf.for %k = %c0 to %c100 step %c1 {
      %0 = memref.load %x[%i, %k] : memref<300x100xf16>
      %1 = memref.load %most[%i] : memref<300xf16>
      %2 = arith.maximumf %1, %0 : f16
      memref.store %2, %most[%i] : memref<300xf16>
    }
    scf.reduce
  }
  scf.parallel (%i, %k) = (%c0, %c0) to (%c300, %c100) step (%c1, %c1) {
    %0 = memref.load %x[%i, %k] : memref<300x100xf16>
    %1 = memref.load %most[%i] : memref<300xf16>
    %2 = arith.subf %0, %1 : f16
    memref.store %2, %y[%i, %k] : memref<300x100xf16>
    scf.reduce
  }
  return
}

// A thread each: rows are short, or there is nothing in a row but its elements.
// CHECK-LABEL: func.func @pairs(
//  CHECK-SAME:   hone.workgroup_size = 256 : i32
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.for
// CHECK-LABEL: func.func @pairs.launch() {{.*}}stages = ["pairs"]
// CHECK-LABEL: func.func @elements(
//   CHECK-NOT:   gpu.barrier
//       CHECK:   memref.store
//       CHECK:   memref.store
// CHECK-LABEL: func.func @elements.launch() {{.*}}stages = ["elements"]
func.func @pairs(%x: memref<3000x2xf32>, %y: memref<3000x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3000 = arith.constant 3000 : index
  %t = memref.alloc() : memref<3000xf32>
  scf.parallel (%i) = (%c0) to (%c3000) step (%c1) {
    %0 = memref.load %x[%i, %c0] : memref<3000x2xf32>
    memref.store %0, %t[%i] : memref<3000xf32>
    scf.reduce
  }
  scf.parallel (%i, %k) = (%c0, %c0) to (%c3000, %c2) step (%c1, %c1) {
    %0 = memref.load %t[%i] : memref<3000xf32>
    memref.store %0, %y[%i, %k] : memref<3000x2xf32>
    scf.reduce
  }
  return
}
func.func @elements(%x: memref<3000xf32>, %y: memref<3000xf32>, %z: memref<3000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3000 = arith.constant 3000 : index
  scf.parallel (%i) = (%c0) to (%c3000) step (%c1) {
    %0 = memref.load %x[%i] : memref<3000xf32>
    memref.store %0, %y[%i] : memref<3000xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c3000) step (%c1) {
    %0 = memref.load %y[%i] : memref<3000xf32>
    memref.store %0, %z[%i] : memref<3000xf32>
    scf.reduce
  }
  return
}

// Two launches: another row's element is read; the rows are long and few.
// CHECK-LABEL: func.func @shifted.launch() {{.*}}stages = ["shifted_0", "shifted_1"]
// CHECK-LABEL: func.func @long.launch() {{.*}}stages = ["long_0", "long_1"]
func.func @shifted(%x: memref<300xf32>, %y: memref<300xf32>, %z: memref<299xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  scf.parallel (%i) = (%c0) to (%c300) step (%c1) {
    %0 = memref.load %x[%i] : memref<300xf32>
    memref.store %0, %y[%i] : memref<300xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c300) step (%c1) {
    %j = arith.addi %i, %c1 : index
    %0 = memref.load %y[%j] : memref<300xf32>
    memref.store %0, %z[%i] : memref<299xf32>
    scf.reduce
  }
  return
}
func.func @long(%x: memref<2x100000xf32>, %y: memref<2x100000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c100000 = arith.constant 100000 : index
  %t = memref.alloc() : memref<2xf32>
  scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
    %0 = memref.load %x[%i, %c0] : memref<2x100000xf32>
    memref.store %0, %t[%i] : memref<2xf32>
    scf.reduce
  }
  scf.parallel (%i, %k) = (%c0, %c0) to (%c2, %c100000) step (%c1, %c1) {
    %0 = memref.load %t[%i] : memref<2xf32>
    memref.store %0, %y[%i, %k] : memref<2x100000xf32>
    scf.reduce
  }
  return
}
}
