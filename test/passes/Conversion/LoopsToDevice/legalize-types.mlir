// RUN: hone-opt %s --hone-legalize-types --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bool(
//  CHECK-SAME:   %[[X:.*]]: memref<?xi8>, %[[Y:.*]]: memref<?xi8>)
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : i8
//       CHECK:   %[[BYTE:.*]] = memref.load %[[X]]
//       CHECK:   %[[V:.*]] = arith.cmpi eq, %[[BYTE]], %[[C0]]
//       CHECK:   %[[STORED:.*]] = arith.extui %[[V]] : i1 to i8
//       CHECK:   memref.store %[[STORED]], %[[Y]]
func.func @bool(%x: memref<?xi1>, %y: memref<?xi1>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %v = memref.load %x[%c0] : memref<?xi1>
  %w = arith.xori %v, %true : i1
  memref.store %w, %y[%c0] : memref<?xi1>
  return
}

// -----

// CHECK-LABEL: func.func @bf16(
//  CHECK-SAME:   %[[X:.*]]: memref<?xi16>, %[[Y:.*]]: memref<?xi16>, %[[C:.*]]: index)
//       CHECK:   %[[BITS:.*]] = memref.load %[[X]]
//       CHECK:   %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
//       CHECK:   %[[HIGH:.*]] = arith.shli %[[WIDE]], %{{.*}} : i32
//       CHECK:   %[[V:.*]] = arith.bitcast %[[HIGH]] : i32 to f32
//       CHECK:   arith.mulf %[[V]], %[[V]]
//       CHECK:   %[[CHOICE:.*]] = arith.select %{{.*}}, %[[BITS]], %{{.*}} : i16
//       CHECK:   memref.store %[[CHOICE]], %[[Y]]
func.func @bf16(%x: memref<?xbf16>, %y: memref<?xbf16>, %c: index) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %v = memref.load %x[%c0] : memref<?xbf16>
  %f = arith.extf %v : bf16 to f32
  %g = arith.mulf %f, %f : f32
  %w = arith.truncf %g : f32 to bf16
  %is = arith.cmpi eq, %c, %c0 : index
  %r = scf.if %is -> bf16 {
    memref.store %one, %y[%c] : memref<?xbf16>
    scf.yield %v : bf16
  } else {
    scf.yield %w : bf16
  }
  memref.store %r, %y[%c0] : memref<?xbf16>
  return
}

// -----

// CHECK-LABEL: func.func @parts(
//       CHECK:   memref.view %{{.*}} : memref<?xi8> to memref<4xi64>
//       CHECK:   memref.alloca() : memref<4xi8>
//       CHECK:   %[[I:.*]] = memref.load %{{.*}} : memref<4xi64>
//       CHECK:   arith.index_cast %[[I]] : i64 to index
func.func @parts(%x: memref<?xi8>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = memref.view %x[%c0][] : memref<?xi8> to memref<4xindex>
  %own = memref.alloca() : memref<4xi1>
  %i = memref.load %v[%c0] : memref<4xindex>
  %b = memref.load %own[%i] : memref<4xi1>
  memref.store %b, %own[%c0] : memref<4xi1>
  return
}

// -----

// f16 stays where the target computes with it.
// CHECK-LABEL: func.func @f16(
//  CHECK-SAME:   memref<?xf16>
//       CHECK:   arith.extf %{{.*}} : f16 to f32
func.func @f16(%x: memref<?xf16>, %y: memref<?xf32>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf16>
  %f = arith.extf %v : f16 to f32
  memref.store %f, %y[%c0] : memref<?xf32>
  return
}

// -----

module attributes {graph.target = {native_types = ["f32", "i32", "i64"]}} {
  // CHECK-LABEL: func.func @no_f16(
  //  CHECK-SAME:   memref<?xi16>
  //   CHECK-NOT:   f16{{[^-]}}
  //       CHECK:   arith.uitofp %{{.*}} : i32 to f32
  //       CHECK:   arith.trunci %{{.*}} : i32 to i16
  //   CHECK-NOT:   f16{{[^-]}}
  //       CHECK:   return
  func.func @no_f16(%x: memref<?xf16>, %y: memref<?xf16>) attributes {hone.workgroup_size = 1 : i32} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf16>
    %f = arith.extf %v : f16 to f32
    %g = arith.addf %f, %f : f32
    %h = arith.truncf %g : f32 to f16
    memref.store %h, %y[%c0] : memref<?xf16>
    return
  }
}

// -----

module attributes {graph.target = {name = "small", native_types = ["f32", "i32"]}} {
  func.func @no_f64(%x: memref<?xf64>, %y: memref<?xf32>) attributes {hone.workgroup_size = 1 : i32} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{computes with 64-bit numbers, which target 'small' does not have}}
    %v = memref.load %x[%c0] : memref<?xf64>
    %f = arith.truncf %v : f64 to f32
    memref.store %f, %y[%c0] : memref<?xf32>
    return
  }
}

// -----

// Left alone: no workgroup.
// CHECK-LABEL: func.func @left_alone(
//  CHECK-SAME:   memref<?xi1>
func.func @left_alone(%x: memref<?xi1>) {
  return
}

// Left alone: an empty body, which stands for a text of the backend.
// CHECK-LABEL: func.func @text(
//  CHECK-SAME:   memref<?xbf16>
func.func @text(%x: memref<?xbf16>) attributes {hone.workgroup_size = 32 : i32} {
  return
}

// -----

// Several elements are as they lie in memory: what is taken out of them, or put into them, changes.
// CHECK-LABEL: func.func @several(
//  CHECK-SAME:   %[[X:.*]]: memref<?xi8>, %[[Y:.*]]: memref<?xi16>, %[[Z:.*]]: memref<?xi64>)
//   CHECK-DAG:   %[[ONES:.*]] = arith.constant dense<16256> : vector<2xi16>
//   CHECK-DAG:   %[[THREES:.*]] = arith.constant dense<3> : vector<2xi64>
//       CHECK:   %[[BYTES:.*]] = vector.load %[[X]]{{.*}} : memref<?xi8>, vector<2xi8>
//       CHECK:   %[[BYTE:.*]] = vector.extract %[[BYTES]][1] : i8 from vector<2xi8>
//       CHECK:   %[[V:.*]] = arith.cmpi eq, %[[BYTE]], %{{.*}} : i8
//       CHECK:   %[[STORED:.*]] = arith.extui %[[V]] : i1 to i8
//       CHECK:   %[[ALL:.*]] = vector.broadcast %[[STORED]] : i8 to vector<2xi8>
//       CHECK:   vector.store %[[ALL]], %[[X]]{{.*}} : memref<?xi8>, vector<2xi8>
//       CHECK:   vector.store %[[ONES]], %[[Y]]{{.*}} : memref<?xi16>, vector<2xi16>
//       CHECK:   vector.store %[[THREES]], %[[Z]]{{.*}} : memref<?xi64>, vector<2xi64>
//       CHECK:   %[[BITS:.*]] = vector.load %[[Y]]
//       CHECK:   %[[FIRST:.*]] = vector.extract %[[BITS]][0] : i16 from vector<2xi16>
//       CHECK:   %[[BOTH:.*]] = vector.from_elements %[[FIRST]], %{{.*}} : vector<2xi16>
//       CHECK:   vector.store %[[BOTH]], %[[Y]]
func.func @several(%x: memref<?xi1>, %y: memref<?xbf16>, %z: memref<?xindex>) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %one = arith.constant 1.0 : bf16
  %ones = arith.constant dense<1.0> : vector<2xbf16>
  %threes = arith.constant dense<3> : vector<2xindex>
  %v = vector.load %x[%c0] : memref<?xi1>, vector<2xi1>
  %v1 = vector.extract %v[1] : i1 from vector<2xi1>
  %w = arith.xori %v1, %true : i1
  %all = vector.broadcast %w : i1 to vector<2xi1>
  vector.store %all, %x[%c0] : memref<?xi1>, vector<2xi1>
  vector.store %ones, %y[%c0] : memref<?xbf16>, vector<2xbf16>
  vector.store %threes, %z[%c0] : memref<?xindex>, vector<2xindex>
  %b = vector.load %y[%c0] : memref<?xbf16>, vector<2xbf16>
  %b0 = vector.extract %b[0] : bf16 from vector<2xbf16>
  %both = vector.from_elements %b0, %one : vector<2xbf16>
  vector.store %both, %y[%c0] : memref<?xbf16>, vector<2xbf16>
  return
}
