// RUN: hone-opt %s --hone-widen-accesses --split-input-file | FileCheck %s
// RUN: hone-opt %s --hone-widen-accesses=bytes=8 --split-input-file | FileCheck %s --check-prefix=EIGHT

// CHECK-LABEL: func.func @along(
//  CHECK-SAME:   %{{.*}}: memref<32x32xf32>, %[[S:.*]]: memref<f32>, %{{.*}}: memref<32x32xf32>)
//       CHECK:   %[[STEP:.*]] = arith.constant 4 : index
//       CHECK:   scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step (%[[STEP]])
//       CHECK:     %[[V:.*]] = vector.load %{{.*}}[%[[I]]] : memref<1024xf32>, vector<4xf32>
//       CHECK:     %[[V0:.*]] = vector.extract %[[V]][0]
//       CHECK:     %[[V3:.*]] = vector.extract %[[V]][3]
//       CHECK:     %[[F:.*]] = memref.load %[[S]][] : memref<f32>
//   CHECK-NOT:     memref.load
//       CHECK:     %[[W0:.*]] = arith.mulf %[[V0]], %[[F]]
//       CHECK:     %[[W3:.*]] = arith.mulf %[[V3]], %[[F]]
//       CHECK:     %[[W:.*]] = vector.from_elements %[[W0]], %{{.*}}, %{{.*}}, %[[W3]] : vector<4xf32>
//       CHECK:     vector.store %[[W]], %{{.*}}[%[[I]]] : memref<1024xf32>, vector<4xf32>
// EIGHT-LABEL: func.func @along(
//       EIGHT:   vector.load %{{.*}} : memref<1024xf32>, vector<2xf32>
func.func @along(%x: memref<32x32xf32>, %s: memref<f32>, %y: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %from = memref.collapse_shape %x [[0, 1]] : memref<32x32xf32> into memref<1024xf32>
  %to = memref.collapse_shape %y [[0, 1]] : memref<32x32xf32> into memref<1024xf32>
  scf.parallel (%i) = (%c0) to (%c1024) step (%c1) {
    %v = memref.load %from[%i] : memref<1024xf32>
    %f = memref.load %s[] : memref<f32>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %to[%i] : memref<1024xf32>
    scf.reduce
  }
  return
}

// -----

// The largest element decides; what every row adds lies along memory as well; any number of rows.
// CHECK-LABEL: func.func @rows(
//  CHECK-SAME:   %[[X:.*]]: memref<?x24xf16>, %[[B:.*]]: memref<24xf16>, %[[Y:.*]]: memref<?x24xf32>
//       CHECK:   scf.parallel (%[[I:.*]], %[[J:.*]]) =
//       CHECK:     vector.load %[[X]][%[[I]], %[[J]]] : memref<?x24xf16>, vector<4xf16>
//       CHECK:     vector.load %[[B]][%[[J]]] : memref<24xf16>, vector<4xf16>
//       CHECK:     vector.store %{{.*}}, %[[Y]][%[[I]], %[[J]]] : memref<?x24xf32>, vector<4xf32>
func.func @rows(%x: memref<?x24xf16>, %b: memref<24xf16>, %y: memref<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %n = memref.dim %x, %c0 : memref<?x24xf16>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c24) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<?x24xf16>
    %w = memref.load %b[%j] : memref<24xf16>
    %sum = arith.addf %v, %w : f16
    %wide = arith.extf %sum : f16 to f32
    memref.store %wide, %y[%i, %j] : memref<?x24xf32>
    scf.reduce
  }
  return
}

// -----

// Dimensions seen as one: that of 6 makes pairs of any number. The position itself counts on; one value is for all.
// CHECK-LABEL: func.func @positions(
//       CHECK:   scf.parallel (%[[I:.*]]) =
//       CHECK:     %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
//       CHECK:     %[[A:.*]] = arith.index_cast %[[I]]
//       CHECK:     %[[B:.*]] = arith.index_cast %[[NEXT]]
//       CHECK:     %[[P:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xi32>
//       CHECK:     vector.store %[[P]], %{{.*}}[%[[I]]] : memref<?xi32>, vector<2xi32>
//       CHECK:     %[[ALL:.*]] = vector.broadcast %{{.*}} : i1 to vector<2xi1>
//       CHECK:     vector.store %[[ALL]], %{{.*}}[%[[I]]] : memref<?xi1>, vector<2xi1>
func.func @positions(%x: memref<?x6xi32>, %y: memref<?x6xi1>, %truth: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %to = memref.collapse_shape %x [[0, 1]] : memref<?x6xi32> into memref<?xi32>
  %flags = memref.collapse_shape %y [[0, 1]] : memref<?x6xi1> into memref<?xi1>
  %n = memref.dim %to, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %to[%i] : memref<?xi32>
    memref.store %truth, %flags[%i] : memref<?xi1>
    scf.reduce
  }
  return
}

// -----

// A part of a buffer that starts and whose rows lie at multiples of two elements.
// CHECK-LABEL: func.func @part(
//       CHECK:   vector.load %{{.*}} : memref<8x8xf32, strided<[18, 1], offset: 2>>, vector<2xf32>
func.func @part(%x: memref<8x18xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %part = memref.subview %x[0, 2] [8, 8] [1, 1] : memref<8x18xf32> to memref<8x8xf32, strided<[18, 1], offset: 2>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    %v = memref.load %part[%i, %j] : memref<8x8xf32, strided<[18, 1], offset: 2>>
    memref.store %v, %y[%i, %j] : memref<8x8xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @negative_odd_place(
//   CHECK-NOT:   vector
func.func @negative_odd_place(%x: memref<8x18xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %part = memref.subview %x[0, 1] [8, 8] [1, 1] : memref<8x18xf32> to memref<8x8xf32, strided<[18, 1], offset: 1>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    %v = memref.load %part[%i, %j] : memref<8x8xf32, strided<[18, 1], offset: 1>>
    memref.store %v, %y[%i, %j] : memref<8x8xf32>
    scf.reduce
  }
  return
}

// -----

// A number of elements that is not known, and one that is odd.
// CHECK-LABEL: func.func @negative_extents(
//   CHECK-NOT:   vector
func.func @negative_extents(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
// CHECK-LABEL: func.func @negative_odd_extent(
//   CHECK-NOT:   vector
func.func @negative_odd_extent(%x: memref<4x7xf32>, %y: memref<4x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c7) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<4x7xf32>
    memref.store %v, %y[%i, %j] : memref<4x7xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @negative_across_memory(
//   CHECK-NOT:   vector
func.func @negative_across_memory(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    %v = memref.load %x[%j, %i] : memref<8x8xf32>
    memref.store %v, %y[%i, %j] : memref<8x8xf32>
    scf.reduce
  }
  return
}

// -----

// Loops that may become one over rows.
// CHECK-LABEL: func.func @negative_two_loops(
//   CHECK-NOT:   vector
func.func @negative_two_loops(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = memref.load %y[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    scf.reduce
  }
  return
}

// -----

// Threads come first: 1024 of four elements would leave half of the device idle, 2048 of two do not.
module attributes {graph.target = {compute_units = 8 : i32, workgroup_size = 256 : i32}} {
// CHECK-LABEL: func.func @threads(
//       CHECK:   vector.load %{{.*}} : memref<4096xf32>, vector<2xf32>
func.func @threads(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
    %v = memref.load %x[%i] : memref<4096xf32>
    memref.store %v, %y[%i] : memref<4096xf32>
    scf.reduce
  }
  return
}
}
