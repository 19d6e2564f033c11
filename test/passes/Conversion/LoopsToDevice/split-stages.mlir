// RUN: hone-opt %s --hone-split-stages --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Two loops, of which the second reads what other iterations of the first wrote: two launches and one scratch buffer.
// CHECK-LABEL: func.func @two_loops_0(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32> {graph.dims = ["n"]}, %[[SCRATCH:.*]]: memref<?xi8>, %[[N:.*]]: index)
//  CHECK-SAME:   hone.accessed_buffers = array<i64: 0, 2>, hone.grid, hone.workgroup_size = 256 : i32, hone.written_buffers = array<i64: 2>
//       CHECK:   %[[T:.*]] = memref.view %[[SCRATCH]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?xf32>
//       CHECK:   scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[N]])
//  CHECK-NEXT:     %[[V:.*]] = memref.load %[[X]][%[[I]]]
//  CHECK-NEXT:     memref.store %[[V]], %[[T]][%[[I]]]
//   CHECK-NOT:   scf.parallel
// CHECK-LABEL: func.func @two_loops_1(
//  CHECK-SAME:   hone.accessed_buffers = array<i64: 1, 2>, {{.*}}hone.written_buffers = array<i64: 1>
//       CHECK:   %[[T:.*]] = memref.view
//       CHECK:   scf.parallel
//       CHECK:     memref.load %[[T]]
//   CHECK-NOT:   scf.parallel
// CHECK-LABEL: func.func @two_loops.launch(
//  CHECK-SAME:   %[[N:.*]]: index) -> (index, index, index) attributes {stages = ["two_loops_0", "two_loops_1"]}
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
//   CHECK-DAG:   %[[C256:.*]] = arith.constant 256 : index
//       CHECK:   %[[USED:.*]] = arith.muli %[[N]], %[[C4]]
//       CHECK:   %[[LINES:.*]] = arith.ceildivsi %[[USED]], %[[C64]]
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[LINES]], %[[C64]]
//       CHECK:   %[[GRID:.*]] = arith.ceildivsi %{{.*}}, %[[C256]]
//       CHECK:   return %[[BYTES]], %[[GRID]], %{{.*}}
func.func @two_loops(%x: memref<?xf32> {graph.dims = ["n"]}, %y: memref<?xf32> {graph.dims = ["n"]}) attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %t[%i] : memref<?xf32>
    scf.reduce
  }
  %last = arith.subi %n, %c1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %j = arith.subi %last, %i : index
    %v = memref.load %t[%j] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
    scf.reduce
  }
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

// A known number of iterations decides the workgroup's size: all of the device is better than full workgroups.
// CHECK-LABEL: func.func @few(
//  CHECK-SAME:   hone.grid, hone.workgroup_size = 64 : i32
// CHECK-LABEL: func.func @few.launch()
//   CHECK-DAG:   %[[C7:.*]] = arith.constant 7 : index
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   return %[[C0]], %[[C7]]
module attributes {graph.target = {compute_units = 10 : i64, workgroup_size = 256 : i64, subgroup_size = 32 : i64}} {
  func.func @few(%x: memref<10x40xf32>) attributes {graph.scalars = []} {
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
}

// -----

// Scalars that only an earlier stage can know go through memory; what nobody writes is read again.
// CHECK-LABEL: func.func @scalars_0(
//  CHECK-SAME:   %[[X:.*]]: memref<8xi64>, %[[T:.*]]: memref<1xi64>, %[[SCRATCH:.*]]: memref<?xi8>)
//  CHECK-SAME:   hone.accessed_buffers = array<i64: 0, 1, 3>, hone.family = "loops, one thread", hone.workgroup_size = 1 : i32, hone.written_buffers = array<i64: 1, 3>
//       CHECK:   %[[SLOT:.*]] = memref.view %[[SCRATCH]]
//       CHECK:   %[[A:.*]] = memref.load %[[X]]
//       CHECK:   %[[BEFORE:.*]] = memref.load %[[T]]
//       CHECK:   %[[NEXT:.*]] = arith.addi %[[BEFORE]], %[[A]]
//       CHECK:   memref.store %[[NEXT]], %[[T]]
//       CHECK:   memref.store %[[BEFORE]], %[[SLOT]]
//  CHECK-NEXT:   return
// CHECK-LABEL: func.func @scalars_1(
//       CHECK:   %[[SLOT:.*]] = memref.view
//       CHECK:   %[[A:.*]] = memref.load %arg0
//       CHECK:   %[[BEFORE:.*]] = memref.load %[[SLOT]]
//       CHECK:   %[[NEXT:.*]] = arith.addi %[[BEFORE]], %[[A]]
//   CHECK-NOT:   memref.store
//       CHECK:   scf.parallel
func.func @scalars(%x: memref<8xi64>, %t: memref<1xi64>, %y: memref<8xi64>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.load %x[%c1] : memref<8xi64>
  %before = memref.load %t[%c0] : memref<1xi64>
  %next = arith.addi %before, %a : i64
  %at = arith.index_cast %next : i64 to index
  memref.store %next, %t[%c0] : memref<1xi64>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %k = arith.addi %i, %at : index
    %v = memref.load %x[%k] : memref<8xi64>
    %w = arith.addi %v, %a : i64
    memref.store %w, %y[%i] : memref<8xi64>
    scf.reduce
  }
  return
}

// -----

// Loops in control flow are for one workgroup, and so are stores between loops.
// CHECK-LABEL: func.func @recurrent_0(
//  CHECK-SAME:   hone.grid
//       CHECK:   scf.parallel
//   CHECK-NOT:   scf.for
// CHECK-LABEL: func.func @recurrent_1(
//   CHECK-NOT:   hone.grid
//  CHECK-SAME:   hone.family = "loops, one workgroup", hone.workgroup_size = 256 : i32
//       CHECK:   scf.for
//  CHECK-NEXT:     scf.parallel
//       CHECK:   memref.store
// CHECK-LABEL: func.func @recurrent.launch()
func.func @recurrent(%x: memref<9x8xf32>, %y: memref<8xf32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %f = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %y[%i] : memref<8xf32>
    scf.reduce
  }
  scf.for %t = %c0 to %c9 step %c1 {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      %h = memref.load %y[%i] : memref<8xf32>
      %v = memref.load %x[%t, %i] : memref<9x8xf32>
      %s = arith.addf %h, %v : f32
      memref.store %s, %y[%i] : memref<8xf32>
      scf.reduce
    }
  }
  memref.store %f, %y[%c0] : memref<8xf32>
  return
}

// -----

// Without a parallel loop or a fold one thread is enough.
// CHECK-LABEL: func.func @one_thread(
//  CHECK-SAME:   hone.workgroup_size = 1 : i32
func.func @one_thread(%x: memref<8xf32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %f, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// A fold of many values into one element is for a workgroup, also without a parallel loop.
// CHECK-LABEL: func.func @all(
//   CHECK-NOT:   hone.grid
//  CHECK-SAME:   hone.workgroup_size = 256 : i32
// CHECK-LABEL: func.func @all_of_few(
//  CHECK-SAME:   hone.workgroup_size = 1 : i32
func.func @all(%x: memref<64x64xf32>, %y: memref<f32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x64xf32>
      %most = memref.load %y[] : memref<f32>
      %next = arith.maximumf %most, %v : f32
      memref.store %next, %y[] : memref<f32>
    }
  }
  return
}
func.func @all_of_few(%x: memref<8xf32>, %y: memref<f32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    %most = memref.load %y[] : memref<f32>
    %next = arith.maximumf %most, %v : f32
    memref.store %next, %y[] : memref<f32>
  }
  return
}

// -----

// What iterations allocate: a little is on the stack, more is a slice of scratch memory for every thread.
// CHECK-LABEL: func.func @inside(
//  CHECK-SAME:   %{{.*}}: memref<?xf32> {{.*}}, %[[SCRATCH:.*]]: memref<?xi8>, %[[N:.*]]: index)
//   CHECK-DAG:   %[[C16384:.*]] = arith.constant 16384 : index
//   CHECK-DAG:   memref.alloca() : memref<4xf32>
//       CHECK:   scf.parallel (%[[SLOT:.*]]) = (%{{.*}}) to (%[[SLOTS:.*]]) step
//  CHECK-NEXT:     %[[OFFSET:.*]] = arith.muli %[[SLOT]], %[[C16384]]
//  CHECK-NEXT:     scf.for %[[I:.*]] = %[[SLOT]] to %{{.*}} step %[[SLOTS]] {
//       CHECK:       memref.view %[[SCRATCH]][%[[OFFSET]]][] : memref<?xi8> to memref<4096xf32>
// CHECK-LABEL: func.func @inside.launch(
//   CHECK-DAG:   %[[C4096:.*]] = arith.constant 4096 : index
//   CHECK-DAG:   %[[C16384:.*]] = arith.constant 16384 : index
//       CHECK:   arith.minsi %{{.*}}, %[[C4096]]
//       CHECK:   %[[SLOTS:.*]] = arith.maxsi
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[SLOTS]], %[[C16384]]
//       CHECK:   return %[[BYTES]]
func.func @inside(%y: memref<?xf32> {graph.dims = ["n"]}) attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %small = memref.alloc() : memref<4xf32>
    %large = memref.alloc() : memref<4096xf32>
    memref.store %f, %small[%c0] : memref<4xf32>
    memref.store %f, %large[%i] : memref<4096xf32>
    %v = memref.load %small[%c1] : memref<4xf32>
    %w = memref.load %large[%c1] : memref<4096xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// A loop whose bounds are data runs on a fixed number of threads.
// CHECK-LABEL: func.func @data(
//  CHECK-SAME:   hone.grid
//   CHECK-DAG:   %[[THREADS:.*]] = arith.constant 16384 : index
//       CHECK:   %[[NUMBER:.*]] = memref.load
//       CHECK:   %[[COUNT:.*]] = arith.maxsi
//       CHECK:   scf.parallel (%[[FIRST:.*]]) = (%{{.*}}) to (%[[THREADS]])
//       CHECK:     scf.for %{{.*}} = %[[FIRST]] to %[[COUNT]] step %[[THREADS]]
func.func @data(%n: memref<1xi64>, %y: memref<64xf32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %number = memref.load %n[%c0] : memref<1xi64>
  %end = arith.index_cast %number : i64 to index
  scf.parallel (%i) = (%c0) to (%end) step (%c1) {
    memref.store %f, %y[%i] : memref<64xf32>
    scf.reduce
  }
  return
}

// -----

// Nothing to do: nothing to launch.
// CHECK-LABEL: func.func @empty.launch() -> index attributes {stages = []}
func.func @empty(%x: memref<0xf32>) attributes {graph.scalars = []} {
  return
}

// -----

func.func @unknown_size(%x: memref<4xindex>, %y: memref<4xf32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %n = memref.load %x[%c0] : memref<4xindex>
  // expected-error @+1 {{needs memory whose size depends on data}}
  %t = memref.alloc(%n) : memref<?xf32>
  memref.store %f, %t[%c0] : memref<?xf32>
  return
}

// -----

func.func @nameless(%x: memref<?xf32>) attributes {graph.scalars = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  // expected-error @+1 {{is an extent that does not follow from those of the kernel's inputs and outputs}}
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %f, %x[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Left alone: a kernel that has a launch function.
// CHECK-LABEL: func.func @done(
//  CHECK-NEXT:   return
func.func @done(%x: memref<4xf32>) {
  return
}
func.func @done.launch() -> (index, index) attributes {stages = ["done"]} {
  %c3 = arith.constant 3 : index
  return %c3, %c3 : index, index
}

// -----

// Left alone: what kernels of other passes call.
// CHECK-LABEL: func.func private @part(
//  CHECK-SAME:   %{{.*}}: f32, %{{.*}}: memref<?x?xf32>)
//   CHECK-NOT:   .launch
func.func private @part(%v: f32, %x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  memref.store %v, %x[%c0, %c0] : memref<?x?xf32>
  return
}
