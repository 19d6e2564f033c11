// RUN: hone-opt %s --hone-distribute-threads --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// One iteration per thread of the grid; divisions have 32 bits where the count allows it.
// CHECK-LABEL: func.func @grid(
//   CHECK-NOT:   hone.grid
//   CHECK-DAG:   %[[C40:.*]] = arith.constant 40 : i32
//   CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
//   CHECK-DAG:   %[[C400:.*]] = arith.constant 400 : index
//       CHECK:   %[[B:.*]] = gpu.block_id x
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[FIRST:.*]] = arith.muli %[[B]], %[[C64]]
//       CHECK:   %[[N:.*]] = arith.addi %[[FIRST]], %[[T]]
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[N]], %[[C400]]
//       CHECK:   scf.if %[[INSIDE]] {
//       CHECK:     %[[N32:.*]] = arith.index_cast %[[N]] : index to i32
//       CHECK:     %[[Q:.*]] = arith.divui %[[N32]], %[[C40]]
//       CHECK:     %[[QX:.*]] = arith.muli %[[Q]], %[[C40]]
//       CHECK:     %[[R:.*]] = arith.subi %[[N32]], %[[QX]]
//       CHECK:     %[[J:.*]] = arith.index_cast %[[R]]
//       CHECK:     %[[I:.*]] = arith.index_cast %[[Q]]
//       CHECK:     memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @grid(%x: memref<10x40xf32>) attributes {hone.grid, hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c40 = arith.constant 40 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c10, %c40) step (%c1, %c1) {
    memref.store %f, %x[%i, %j] : memref<10x40xf32>
    scf.reduce
  }
  return
}

// -----

// Loops inside of an iteration are the thread's own.
// CHECK-LABEL: func.func @nested(
//   CHECK-NOT:   scf.parallel
//       CHECK:   scf.if
//       CHECK:     scf.for
//       CHECK:       memref.store
func.func @nested(%x: memref<?x?xf32>, %n: index, %m: index) attributes {hone.grid, hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%m) step (%c1) {
      memref.store %f, %x[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// All threads follow the loop; each trip waits for the last one, and the second loop for the first.
// CHECK-LABEL: func.func @recurrent(
//   CHECK-DAG:   %[[C32:.*]] = arith.constant 32 : index
//   CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   scf.for
//  CHECK-NEXT:     gpu.barrier
//  CHECK-NEXT:     scf.for %{{.*}} = %[[T]] to %[[C64]] step %[[C32]] {
//       CHECK:     gpu.barrier
//  CHECK-NEXT:     scf.for %{{.*}} = %[[T]] to %[[C64]] step %[[C32]] {
func.func @recurrent(%x: memref<9x64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) attributes {hone.workgroup_size = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %c9 step %c1 {
    scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
      %v = memref.load %y[%i] : memref<64xf32>
      memref.store %v, %z[%i] : memref<64xf32>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
      %v = memref.load %z[%i] : memref<64xf32>
      %w = memref.load %x[%t, %i] : memref<9x64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i] : memref<64xf32>
      scf.reduce
    }
  }
  return
}

// -----

// The first thread stores, between barriers; what all threads need of its work it tells them.
// CHECK-LABEL: func.func @first(
//  CHECK-SAME:   %[[X:.*]]: memref<64xf32>, %[[Y:.*]]: memref<64xf32>)
//       CHECK:   %[[SLOT:.*]] = memref.alloca() : memref<1xf32, #gpu.address_space<workgroup>>
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %{{.*}}
//       CHECK:   scf.for %{{.*}} = %[[T]]
//       CHECK:   gpu.barrier
//  CHECK-NEXT:   scf.if %[[FIRST]] {
//  CHECK-NEXT:     %[[SUM:.*]] = scf.for
//       CHECK:       memref.store
//       CHECK:     memref.store %[[SUM]], %[[SLOT]]
//  CHECK-NEXT:   }
//  CHECK-NEXT:   gpu.barrier
//  CHECK-NEXT:   %[[ALL:.*]] = memref.load %[[SLOT]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.if %[[FIRST]] {
//  CHECK-NEXT:     memref.store %[[ALL]], %[[Y]][%{{.*}}]
//  CHECK-NEXT:     memref.store %[[ALL]], %[[Y]][%{{.*}}]
//  CHECK-NEXT:   }
//  CHECK-NEXT:   gpu.barrier
//  CHECK-NEXT:   scf.for %{{.*}} = %[[T]]
func.func @first(%x: memref<64xf32>, %y: memref<64xf32>) attributes {hone.workgroup_size = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %f, %y[%i] : memref<64xf32>
    scf.reduce
  }
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %f) -> f32 {
    %v = memref.load %y[%i] : memref<64xf32>
    %next = arith.addf %s, %v : f32
    memref.store %next, %y[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  memref.store %sum, %y[%c0] : memref<64xf32>
  %c2 = arith.addi %c1, %c1 : index
  memref.store %sum, %y[%c2] : memref<64xf32>
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %v = memref.load %y[%i] : memref<64xf32>
    %w = memref.load %x[%i] : memref<64xf32>
    %s = arith.mulf %v, %w : f32
    memref.store %s, %y[%i] : memref<64xf32>
    scf.reduce
  }
  return
}

// -----

// Reads of what nobody writes need no barrier; all threads read, and follow the same branch.
// CHECK-LABEL: func.func @branch(
//       CHECK:   %[[T:.*]] = gpu.thread_id x
//       CHECK:   %[[V:.*]] = memref.load
//       CHECK:   %[[POSITIVE:.*]] = arith.cmpf
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.if %[[POSITIVE]] {
//  CHECK-NEXT:     gpu.barrier
//  CHECK-NEXT:     scf.for %{{.*}} = %[[T]]
func.func @branch(%x: memref<64xf32>, %y: memref<64xf32>) attributes {hone.workgroup_size = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 0.0 : f32
  %v = memref.load %x[%c1] : memref<64xf32>
  %positive = arith.cmpf ogt, %v, %f : f32
  scf.if %positive {
    scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
      memref.store %f, %y[%i] : memref<64xf32>
      scf.reduce
    }
  }
  return
}

// -----

// One thread needs no company.
// CHECK-LABEL: func.func @one(
//   CHECK-NOT:   gpu.
//       CHECK:   memref.store
func.func @one(%x: memref<64xf32>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  memref.store %f, %x[%c0] : memref<64xf32>
  return
}

// -----

// expected-error @+1 {{is a grid, but not one parallel loop}}
func.func @no_loop(%x: memref<64xf32>) attributes {hone.grid, hone.workgroup_size = 32 : i32} {
  return
}

// -----

func.func @reduction(%x: memref<64xf32>, %y: memref<1xf32>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 0.0 : f32
  // expected-error @+1 {{has results; no stage can have such a loop}}
  %sum = scf.parallel (%i) = (%c0) to (%c64) step (%c1) init (%f) -> f32 {
    %v = memref.load %x[%i] : memref<64xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  memref.store %sum, %y[%c0] : memref<1xf32>
  return
}

// -----

// Left alone: no workgroup.
// CHECK-LABEL: func.func @left_alone(
//       CHECK:   scf.parallel
func.func @left_alone(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %f, %x[%i] : memref<64xf32>
    scf.reduce
  }
  return
}
