// RUN: hone-opt %s --pass-pipeline='builtin.module(func.func(hone-vulkan-narrow-indices,arith-int-range-narrowing{int-bitwidths-supported=32},canonicalize))' \
// RUN:   | FileCheck %s

// Scalars and ids have bounds; what is computed from them is narrow.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: i32)
// CHECK-DAG:     %[[MASK:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG:     gpu.block_id x upper_bound 33554432
// CHECK-DAG:     gpu.thread_id x upper_bound 64
// CHECK-DAG:     %[[BITS:.*]] = arith.andi %[[N]], %[[MASK]] : i32
// CHECK:         arith.muli %{{.*}}, %{{.*}} : i32
// CHECK:         %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[DIVISOR:.*]] = arith.maxui %[[BITS]], %{{.*}} : i32
// CHECK:         %[[AT:.*]] = arith.divui %[[I]], %[[DIVISOR]] : i32
// CHECK:         %[[INDEX:.*]] = arith.index_cast{{.*}} %[[AT]] : i32 to index
// CHECK:         memref.load %[[X]][%[[INDEX]]]
func.func @scalars(%x: memref<?xf32>, %n: index) -> f32 attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %b = gpu.block_id x
  %t = gpu.thread_id x
  %base = arith.muli %b, %c64 : index
  %i = arith.addi %base, %t : index
  %at = arith.divui %i, %n : index
  %v = memref.load %x[%at] : memref<?xf32>
  return %v : f32
}

// Products of scalars may be large, but not what a buffer is indexed with.
// CHECK-LABEL: func.func @addresses(
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK:           %[[A:.*]] = arith.muli %[[K]], %{{.*}} : i32
// CHECK:           %[[B:.*]] = arith.addi %[[A]], %{{.*}} : i32
// CHECK:           %[[AT:.*]] = arith.index_cast %[[B]] : i32 to index
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[AT]]] : memref<?xf32>
func.func @addresses(%x: memref<?xf32>, %n: index, %m: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %n step %c1 {
    %a = arith.muli %k, %m : index
    %b = arith.addi %a, %n : index
    memref.store %zero, %x[%b] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @negative_bytes(
// CHECK:         %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:         memref.load %{{.*}}[%[[P]]] : memref<?xi8>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[P]] step %{{.*}} {
func.func @negative_bytes(%x: memref<?xi8>, %n: index, %m: index) -> i8 attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.muli %n, %m : index
  %v = memref.load %x[%p] : memref<?xi8>
  scf.for %k = %c0 to %p step %c1 {
    memref.store %v, %x[%k] : memref<?xi8>
  }
  return %v : i8
}
