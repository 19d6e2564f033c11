// RUN: hone-opt %s --hone-cpu-kernel-abi --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @k(
//  CHECK-SAME:   %[[BUFFERS:.*]]: !llvm.ptr, %[[SCALARS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
//       CHECK:   %[[P0:.*]] = llvm.getelementptr %[[BUFFERS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
//       CHECK:   %[[X:.*]] = llvm.load %[[P0]] : !llvm.ptr -> !llvm.ptr
//       CHECK:   %[[P1:.*]] = llvm.getelementptr %[[BUFFERS]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
//       CHECK:   %[[Y:.*]] = llvm.load %[[P1]] : !llvm.ptr -> !llvm.ptr
//       CHECK:   %[[P2:.*]] = llvm.getelementptr %[[SCALARS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
//       CHECK:   %[[N:.*]] = llvm.load %[[P2]] : !llvm.ptr -> i64
//       CHECK:   call @k.body(%[[X]], %[[Y]], %[[N]], %[[BEGIN]], %[[END]])
//       CHECK:   return

// One extent of two buffers is one value.
// CHECK-LABEL: func.func private @k.body(
//  CHECK-SAME:   %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[Y:.*]]: !llvm.ptr {llvm.noalias}, %[[N:.*]]: i64, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
//  CHECK-SAME:     attributes {llvm.linkage = #llvm.linkage<internal>} {
//       CHECK:   llvm.insertvalue %[[X]], %{{.*}}[1]
//       CHECK:   llvm.insertvalue %[[N]], %{{.*}}[3, 0]
//       CHECK:   llvm.insertvalue %[[Y]], %{{.*}}[1]
//       CHECK:   llvm.insertvalue %[[N]], %{{.*}}[3, 0]
//   CHECK-DAG:   %[[FROM:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
//   CHECK-DAG:   %[[TO:.*]] = arith.index_cast %[[END]] : i64 to index
//       CHECK:   scf.for %{{.*}} = %[[FROM]] to %[[TO]]
func.func @k(%x: memref<?x4xf32> {graph.dims = ["n", 4]}, %y: memref<?x4xf32> {graph.dims = ["n", 4]}, %begin: index, %end: index)
    attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i, %c0] : memref<?x4xf32>
    memref.store %v, %y[%i, %c0] : memref<?x4xf32>
  }
  return
}

// -----

// Scratch memory is one more buffer.
// CHECK-LABEL: func.func @scratch(
//       CHECK:   call @scratch.body(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK-LABEL: func.func private @scratch.body(
//  CHECK-SAME:   %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64) attributes {llvm.linkage = #llvm.linkage<internal>} {
func.func @scratch(%x: memref<4xf32>, %scratch: memref<?xi8>, %begin: index, %end: index) {
  return
}

// -----

// Left alone: what computes the grid, declarations.
// CHECK-LABEL: func.func @k.launch(
//  CHECK-SAME:   %[[N:.*]]: index) -> (index, index)
//       CHECK:   return
func.func @k.launch(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %n, %c0 : index, index
}
// CHECK: func.func private @expf(f32) -> f32
func.func private @expf(f32) -> f32
