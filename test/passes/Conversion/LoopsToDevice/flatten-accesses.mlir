// RUN: hone-opt %s --hone-flatten-accesses --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @arguments(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
//  CHECK-SAME:   attributes {hone.workgroup_size = 1 : i32}
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C3:.*]] = arith.constant 3 : index
//       CHECK:   %[[MN:.*]] = arith.muli %[[N]], %[[M]]
//       CHECK:   %[[ROW:.*]] = arith.addi %[[MN]], %[[N]]
//       CHECK:   %[[AT:.*]] = arith.addi %[[ROW]], %[[C3]]
//       CHECK:   %[[V:.*]] = memref.load %[[X]][%[[AT]]] : memref<?xf32>
//       CHECK:   memref.store %[[V]], %[[Y]][%[[C0]]] : memref<?xf32>
func.func @arguments(%x: memref<4x?x?xf32> {graph.dims = [unit, "m", "n"]}, %y: memref<f32> {graph.dims = []}, %n: index, %m: index)
    attributes {graph.scalars = ["n", "m"], hone.workgroup_size = 1 : i32} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = memref.load %x[%c1, %c1, %c3] : memref<4x?x?xf32>
  memref.store %v, %y[] : memref<f32>
  return
}

// -----

// Views become arithmetic: element [2, 1] of every second row from row 3, seen as one row, then as three.
// CHECK-LABEL: func.func @views(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32>)
//   CHECK-DAG:   %[[AT:.*]] = arith.constant 75 : index
//   CHECK-DAG:   %[[TO:.*]] = arith.constant 8 : index
//       CHECK:   %[[V:.*]] = memref.load %[[X]][%[[AT]]]
//       CHECK:   memref.store %[[V]], %[[X]][%[[TO]]]
func.func @views(%x: memref<16x10xf32>) attributes {graph.scalars = [], hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = memref.subview %x[3, 4] [4, 5] [2, 1] : memref<16x10xf32> to memref<4x5xf32, strided<[20, 1], offset: 34>>
  %v = memref.load %rows[%c2, %c1] : memref<4x5xf32, strided<[20, 1], offset: 34>>
  %all = memref.collapse_shape %x [[0, 1]] : memref<16x10xf32> into memref<160xf32>
  %cube = memref.expand_shape %all [[0, 1, 2]] output_shape [8, 4, 5] : memref<160xf32> into memref<8x4x5xf32>
  %row = memref.subview %cube[0, 1, 0] [1, 1, 5] [1, 1, 1] : memref<8x4x5xf32> to memref<5xf32, strided<[1], offset: 5>>
  %c3 = arith.addi %c2, %c1 : index
  memref.store %v, %row[%c3] : memref<5xf32, strided<[1], offset: 5>>
  return
}

// -----

// Private, shared and scratch memory.
// CHECK-LABEL: func.func @memory(
//  CHECK-SAME:   %[[SCRATCH:.*]]: memref<?xi8>, %[[N:.*]]: index)
//   CHECK-DAG:   %[[OWN:.*]] = memref.alloca() : memref<6xf32>
//   CHECK-DAG:   %[[SHARED:.*]] = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
//   CHECK-DAG:   %[[SIZE:.*]] = arith.muli %[[N]], %{{.*}}
//       CHECK:   %[[PART:.*]] = memref.view %[[SCRATCH]][%{{.*}}][%[[SIZE]]] : memref<?xi8> to memref<?xf32>
//       CHECK:   memref.load %[[OWN]][%{{.*}}] : memref<6xf32>
//       CHECK:   memref.load %[[SHARED]][%{{.*}}]
//       CHECK:   %[[AT:.*]] = arith.addi %[[N]], %{{.*}}
//       CHECK:   memref.store %{{.*}}, %[[PART]][%[[AT]]] : memref<?xf32>
func.func @memory(%scratch: memref<?xi8>, %n: index) attributes {graph.scalars = ["n"], hone.workgroup_size = 1 : i32} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.alloca() : memref<2x3xf32>
  %shared = memref.alloca() : memref<4x2xf32, #gpu.address_space<workgroup>>
  %part = memref.view %scratch[%c64][%n] : memref<?xi8> to memref<3x?xf32>
  %v = memref.load %own[%c1, %c1] : memref<2x3xf32>
  %w = memref.load %shared[%c1, %c1] : memref<4x2xf32, #gpu.address_space<workgroup>>
  %s = arith.addf %v, %w : f32
  memref.store %s, %part[%c1, %c1] : memref<3x?xf32>
  return
}

// -----

// Constants are code.
// CHECK-LABEL: func.func @constants(
//  CHECK-SAME:   %[[X:.*]]: memref<?xi64>, %[[I:.*]]: index)
//   CHECK-DAG:   %[[C7:.*]] = arith.constant 7 : i64
//   CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : i64
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C3:.*]] = arith.constant 3 : i64
//       CHECK:   memref.store %[[C3]], %[[X]]
//       CHECK:   %[[IS1:.*]] = arith.cmpi eq, %[[I]], %[[C1]]
//       CHECK:   %[[V:.*]] = arith.select %[[IS1]], %[[C7]], %[[C5]] : i64
//       CHECK:   memref.store %[[V]], %[[X]]
memref.global "private" constant @threes : memref<100xi64> = dense<3>
memref.global "private" constant @pair : memref<2xi64> = dense<[5, 7]>
func.func @constants(%x: memref<4xi64>, %i: index) attributes {graph.scalars = ["i"], hone.workgroup_size = 1 : i32} {
  %threes = memref.get_global @threes : memref<100xi64>
  %pair = memref.get_global @pair : memref<2xi64>
  %a = memref.load %threes[%i] : memref<100xi64>
  memref.store %a, %x[%i] : memref<4xi64>
  %b = memref.load %pair[%i] : memref<2xi64>
  memref.store %b, %x[%i] : memref<4xi64>
  return
}

// -----

// One of two buffers.
// CHECK-LABEL: func.func @choice(
//  CHECK-SAME:   %[[C:.*]]: index)
//       CHECK:   %[[A:.*]] = memref.alloca() : memref<8xf32>
//       CHECK:   %[[B:.*]] = memref.alloca() : memref<8xf32>
//       CHECK:   scf.if %{{.*}} {
//       CHECK:     %[[VA:.*]] = memref.load %[[A]]
//       CHECK:     memref.store %[[VA]], %[[A]]
//       CHECK:   } else {
//       CHECK:     %[[VB:.*]] = memref.load %[[B]]
//       CHECK:     memref.store %[[VB]], %[[B]]
func.func @choice(%n: index) attributes {graph.scalars = ["n"], hone.workgroup_size = 1 : i32} {
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %a = memref.alloca() : memref<2x4xf32>
  %b = memref.alloca() : memref<2x4xf32>
  %one = arith.select %is, %a, %b : memref<2x4xf32>
  %flat = memref.collapse_shape %one [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %v = memref.load %one[%c1, %c1] : memref<2x4xf32>
  memref.store %v, %flat[%n] : memref<8xf32>
  return
}

// -----

memref.global "private" constant @many : memref<65xi8> = dense<"0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40">
func.func @large_constant(%x: memref<4xi8>, %i: index) attributes {graph.scalars = ["i"], hone.workgroup_size = 1 : i32} {
  %many = memref.get_global @many : memref<65xi8>
  // expected-error @+1 {{accesses a constant that is too large to be code}}
  %a = memref.load %many[%i] : memref<65xi8>
  memref.store %a, %x[%i] : memref<4xi8>
  return
}

// -----

func.func @nameless(%x: memref<?x?xf32>) attributes {graph.scalars = [], hone.workgroup_size = 1 : i32} {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{accesses memory whose place is only known when it runs}}
  %v = memref.load %x[%c1, %c1] : memref<?x?xf32>
  memref.store %v, %x[%c1, %c1] : memref<?x?xf32>
  return
}

// -----

// Left alone: no workgroup.
// CHECK-LABEL: func.func @left_alone(
//       CHECK:   memref.load %{{.*}}[%{{.*}}, %{{.*}}]
func.func @left_alone(%x: memref<4x4xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c1, %c1] : memref<4x4xf32>
  return %v : f32
}

// -----

// Several elements in a row.
// CHECK-LABEL: func.func @several(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32>, %[[I:.*]]: index)
//       CHECK:   %[[ROW:.*]] = arith.muli %[[I]], %{{.*}} : index
//       CHECK:   %[[V:.*]] = vector.load %[[X]][%[[ROW]]] : memref<?xf32>, vector<4xf32>
//       CHECK:   vector.store %[[V]], %[[X]][%{{.*}}] : memref<?xf32>, vector<4xf32>
func.func @several(%x: memref<4x8xf32>, %i: index) attributes {graph.scalars = ["n"], hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %v = vector.load %x[%i, %c0] : memref<4x8xf32>, vector<4xf32>
  vector.store %v, %x[%i, %c4] : memref<4x8xf32>, vector<4xf32>
  return
}
