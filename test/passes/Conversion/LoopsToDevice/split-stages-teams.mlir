// RUN: hone-opt %s --hone-split-stages --hone-distribute-threads --canonicalize --cse | FileCheck %s

module attributes {graph.target = {workgroup_size = 256, subgroup_size = 32, compute_units = 8}} {

// Few sums of many values: a workgroup each, whose subgroups exchange registers. The loop that sets the sums joins them.
// CHECK-LABEL: func.func @sums(
//  CHECK-SAME:   hone.workgroup_size = 256 : i32
//       CHECK:   %[[SHARES:.*]] = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0
//       CHECK:   %[[ROW:.*]] = gpu.block_id x
//       CHECK:   %[[SHARE:.*]] = scf.for %[[K:.*]] = %[[T]] to %c1000 step %c256 iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32) {
//       CHECK:     %[[X:.*]] = memref.load %{{.*}}[%[[ROW]], %[[K]]]
//       CHECK:     arith.addf %[[SUM]], %[[X]] fastmath<reassoc,contract>
//       CHECK:   %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[SHARE]], %c16_i32, %c32_i32 : f32
//       CHECK:   arith.addf %[[SHARE]], %[[OTHER]] fastmath<reassoc,contract>
//       CHECK:   gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
//       CHECK:   %[[OF32:.*]] = arith.addf
//       CHECK:   %[[NUMBER:.*]] = arith.divui %[[T]], %c32
//       CHECK:   scf.if
//  CHECK-NEXT:     memref.store %[[OF32]], %[[SHARES]][%[[NUMBER]]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.if %[[FIRST]]
//  CHECK-NEXT:     memref.store %{{.*}}, %{{.*}}[%[[ROW]]] : memref<4xf32>
//       CHECK:     memref.load %[[SHARES]][%c7]
//       CHECK:     memref.store %{{.*}}, %{{.*}}[%[[ROW]]] : memref<4xf32>
// CHECK-LABEL: func.func @sums.launch() -> (index, index)
//       CHECK:   return %c0, %c4
func.func @sums(%x: memref<4x1000xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %zero, %y[%i] : memref<4xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.for %k = %c0 to %c1000 step %c1 {
      %0 = memref.load %x[%i, %k] : memref<4x1000xf32>
      %1 = memref.load %y[%i] : memref<4xf32>
      %2 = arith.addf %1, %0 fastmath<reassoc,contract> : f32
      memref.store %2, %y[%i] : memref<4xf32>
    }
    scf.reduce
  }
  return
}

// One sum of everything: all threads of one workgroup add, and the first one sets the sum and adds what they have.
// CHECK-LABEL: func.func @sum_of_all(
//  CHECK-SAME:   hone.workgroup_size = 256 : i32
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0
//       CHECK:   scf.for %{{.*}} = %[[T]] to %c1000 step %c256 iter_args
//       CHECK:   gpu.shuffle xor
//       CHECK:   gpu.barrier
//       CHECK:   scf.if %[[FIRST]]
//  CHECK-NEXT:     memref.store %{{.*}}, %{{.*}}[] : memref<f32>
//       CHECK:     memref.store %{{.*}}, %{{.*}}[] : memref<f32>
// CHECK-LABEL: func.func @sum_of_all.launch() {{.*}}stages = ["sum_of_all"]
func.func @sum_of_all(%x: memref<1000xf32>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %y[] : memref<f32>
  scf.for %k = %c0 to %c1000 step %c1 {
    %0 = memref.load %x[%k] : memref<1000xf32>
    %1 = memref.load %y[] : memref<f32>
    %2 = arith.addf %1, %0 fastmath<reassoc,contract> : f32
    memref.store %2, %y[] : memref<f32>
  }
  return
}

// Rows that only the device counts: workgroups take them in turn. What follows a maximum is the first thread's.
// CHECK-LABEL: func.func @rows(
//  CHECK-SAME:   hone.workgroup_size = 64 : i32
//       CHECK:   scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c65535 {
//       CHECK:     scf.for %[[N:.*]] = %{{.*}} to %c100 step %c64
//       CHECK:       %[[J:.*]] = arith.remui %[[N]], %c10
//       CHECK:       %[[I:.*]] = arith.divui %[[N]], %c10
//       CHECK:       memref.load %{{.*}}[%[[ROW]], %[[I]], %[[J]]]
//       CHECK:       arith.maximumf
//       CHECK:     math.exp
//       CHECK:     memref.store
func.func @rows(%x: memref<?x10x10xf32> {graph.dims = ["n", unit, unit]}, %y: memref<?xf32> {graph.dims = ["n"]})
    attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %n = memref.dim %x, %c0 : memref<?x10x10xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %c10 step %c1 {
      scf.for %k = %c0 to %c10 step %c1 {
        %0 = memref.load %x[%i, %j, %k] : memref<?x10x10xf32>
        %1 = memref.load %y[%i] : memref<?xf32>
        %2 = arith.maximumf %1, %0 : f32
        memref.store %2, %y[%i] : memref<?xf32>
      }
    }
    %3 = memref.load %y[%i] : memref<?xf32>
    %4 = math.exp %3 : f32
    memref.store %4, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// A thread each: few values; an order that counts; a step of many neighbours.
// CHECK-LABEL: func.func @short(
//   CHECK-NOT:   gpu.barrier
// CHECK-LABEL: func.func @ordered(
//   CHECK-NOT:   gpu.barrier
// CHECK-LABEL: func.func @columns(
//   CHECK-NOT:   gpu.barrier
func.func @short(%x: memref<4x8xi32>, %y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.for %k = %c0 to %c8 step %c1 {
      %0 = memref.load %x[%i, %k] : memref<4x8xi32>
      %1 = memref.load %y[%i] : memref<4xi32>
      %2 = arith.addi %1, %0 : i32
      memref.store %2, %y[%i] : memref<4xi32>
    }
    scf.reduce
  }
  return
}
func.func @ordered(%x: memref<4x1000xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.for %k = %c0 to %c1000 step %c1 {
      %0 = memref.load %x[%i, %k] : memref<4x1000xf32>
      %1 = memref.load %y[%i] : memref<4xf32>
      %2 = arith.addf %1, %0 : f32
      memref.store %2, %y[%i] : memref<4xf32>
    }
    scf.reduce
  }
  return
}
func.func @columns(%x: memref<64x1000xi32>, %y: memref<1000xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    scf.for %k = %c0 to %c64 step %c1 {
      %0 = memref.load %x[%k, %i] : memref<64x1000xi32>
      %1 = memref.load %y[%i] : memref<1000xi32>
      %2 = arith.addi %1, %0 : i32
      memref.store %2, %y[%i] : memref<1000xi32>
    }
    scf.reduce
  }
  return
}

}
