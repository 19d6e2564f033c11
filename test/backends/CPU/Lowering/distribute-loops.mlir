// RUN: hone-opt %s --hone-cpu-distribute-loops --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// An item is as many iterations of the outer loop as make 4096 elements.
// CHECK-LABEL: func.func @grid(
//  CHECK-SAME:   %[[X:.*]]: memref<64x1024xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
//   CHECK-DAG:   %[[C1024:.*]] = arith.constant 1024 : index
//       CHECK:   %[[FIRST:.*]] = arith.muli %[[BEGIN]], %[[C4]] : index
//       CHECK:   %[[BOUND:.*]] = arith.muli %[[END]], %[[C4]] : index
//       CHECK:   %[[LAST:.*]] = arith.minsi %[[BOUND]], %[[C64]] : index
//       CHECK:   scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]] step %[[C1]] {
//  CHECK-NEXT:     scf.for %[[J:.*]] = %[[C0]] to %[[C1024]] step %[[C1]] {
//  CHECK-NEXT:       memref.store %{{.*}}, %[[X]][%[[I]], %[[J]]]
// CHECK-LABEL: func.func @grid.launch() -> (index, index) attributes {stages = ["grid"]} {
//   CHECK-DAG:   %[[SCRATCH:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[ITEMS:.*]] = arith.constant 16 : index
//       CHECK:   return %[[SCRATCH]], %[[ITEMS]]
func.func @grid(%x: memref<64x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c64, %c1024) step (%c1, %c1) {
    memref.store %f, %x[%i, %j] : memref<64x1024xf32>
    scf.reduce
  }
  return
}

// -----

// Positions of all loops but the innermost are found from one number.
// CHECK-LABEL: func.func @three_loops(
//       CHECK:   scf.for %[[FLAT:.*]] =
//   CHECK-DAG:     %[[J:.*]] = arith.remui %[[FLAT]], %[[C32:.*]] : index
//   CHECK-DAG:     %[[I:.*]] = arith.divui %[[FLAT]], %{{.*}} : index
//       CHECK:     scf.for %[[K:.*]] =
//       CHECK:       memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[K]]]
// CHECK-LABEL: func.func @three_loops.launch()
func.func @three_loops(%x: memref<16x32x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c16, %c32, %c4096) step (%c1, %c1, %c1) {
    memref.store %f, %x[%i, %j, %k] : memref<16x32x4096xf32>
    scf.reduce
  }
  return
}

// -----

// The number of items follows from the kernel's scalars.
// CHECK-LABEL: func.func @dynamic(
//  CHECK-SAME:   %{{.*}}: memref<?xf32> {graph.dims = ["n"]}, %{{.*}}: index, %{{.*}}: index)
//   CHECK-NOT:   scf.parallel
// CHECK-LABEL: func.func @dynamic.launch(
//  CHECK-SAME:   %[[N:.*]]: index) -> (index, index)
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C4096:.*]] = arith.constant 4096 : index
//       CHECK:   %[[ITEMS:.*]] = arith.ceildivsi %[[N]], %[[C4096]] : index
//       CHECK:   return %[[C0]], %[[ITEMS]]
func.func @dynamic(%x: memref<?xf32> {graph.dims = ["n"]}) attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %f, %x[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Two loops are one work item. Memory whose size is known and small is on the stack, the rest is scratch memory in whole
// cache lines.
// CHECK-LABEL: func.func @two_loops(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32> {graph.dims = ["n"]}, %[[Y:.*]]: memref<?xf32> {graph.dims = ["n"]},
//  CHECK-SAME:   %[[SCRATCH:[^:]*]]: memref<?xi8>, %{{.*}}: index, %{{.*}}: index)
//   CHECK-DAG:   memref.alloca() {alignment = 64 : i64} : memref<16xf32>
//   CHECK-DAG:   %[[N:.*]] = memref.dim %[[X]]
//   CHECK-DAG:   memref.view %[[SCRATCH]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?xf32>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   scf.parallel
//       CHECK:   scf.parallel
// CHECK-LABEL: func.func @two_loops.launch(
//  CHECK-SAME:   %[[N:.*]]: index) -> (index, index)
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
//       CHECK:   %[[USED:.*]] = arith.muli %[[N]], %[[C4]]
//       CHECK:   %[[LINES:.*]] = arith.ceildivsi %[[USED]], %[[C64]]
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[LINES]], %[[C64]]
//       CHECK:   return %[[BYTES]], %[[C1]]
func.func @two_loops(%x: memref<?xf32> {graph.dims = ["n"]}, %y: memref<?xf32> {graph.dims = ["n"]}) attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %small = memref.alloc() : memref<16xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %f, %t[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %t[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
    memref.store %v, %small[%c0] : memref<16xf32>
    %w = memref.load %small[%c0] : memref<16xf32>
    memref.store %w, %y[%i] : memref<?xf32>
    scf.reduce
  }
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

func.func @data_dependent(%x: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<4xindex>
  // expected-error @+1 {{needs memory whose size depends on data}}
  %t = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

// Left alone: a kernel that has a launch function.
// CHECK-LABEL: func.func @done(
//  CHECK-SAME:   %{{.*}}: memref<4xf32>)
//  CHECK-NEXT:   return
// CHECK-LABEL: func.func @done.launch()
//       CHECK:   %[[C3:.*]] = arith.constant 3 : index
//       CHECK:   return %[[C3]], %[[C3]]
func.func @done(%x: memref<4xf32>) {
  return
}
func.func @done.launch() -> (index, index) {
  %c3 = arith.constant 3 : index
  return %c3, %c3 : index, index
}

// -----

// The extent of a flattened buffer is the product of its extents, of all that were joined.
// CHECK-LABEL: func.func @flattened(
// CHECK-LABEL: func.func @flattened.launch(
//  CHECK-SAME:   %[[S0:.*]]: index) -> (index, index) attributes {stages = ["flattened"]} {
//   CHECK-DAG:   %[[C320:.*]] = arith.constant 320 : index
//       CHECK:   arith.muli %[[S0]], %[[C320]] : index
//   CHECK-NOT:   memref.dim
//       CHECK:   return
func.func @flattened(%x: memref<?x1x1x320xf32> {graph.dims = ["s0", unit, unit, unit]}) attributes {graph.scalars = ["s0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %flat = memref.collapse_shape %x [[0, 1, 2, 3]] : memref<?x1x1x320xf32> into memref<?xf32>
  %size = memref.dim %flat, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%size) step (%c1) {
    memref.store %f, %flat[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
