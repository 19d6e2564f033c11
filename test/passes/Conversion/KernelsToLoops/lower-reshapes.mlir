// RUN: hone-opt %s --hone-lower-reshapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @collapse(
//  CHECK-SAME:   %[[X:.*]]: memref<2x3x4xf32>)
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [6, 4], strides: [4, 1] : memref<2x3x4xf32> to memref<6x4xf32>
func.func @collapse(%x: memref<2x3x4xf32>) -> memref<6x4xf32> {
  %0 = memref.collapse_shape %x [[0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
  return %0 : memref<6x4xf32>
}

// -----

// CHECK-LABEL: func.func @expand(
//  CHECK-SAME:   %[[X:.*]]: memref<24xf32>)
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [2, 3, 4], strides: [12, 4, 1] : memref<24xf32> to memref<2x3x4xf32>
func.func @expand(%x: memref<24xf32>) -> memref<2x3x4xf32> {
  %0 = memref.expand_shape %x [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf32> into memref<2x3x4xf32>
  return %0 : memref<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @collapse_dynamic(
//  CHECK-SAME:   %[[X:.*]]: memref<?x4x?xf32>)
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[A:.*]] = memref.dim %[[X]], %c0
//   CHECK-DAG:   %[[B:.*]] = memref.dim %[[X]], %c2
//   CHECK-DAG:   %[[AB:.*]] = arith.muli %[[A]], %[[B]] : index
//       CHECK:   %[[ALL:.*]] = arith.muli %[[AB]], %[[C4]] : index
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[ALL]]], strides: [1] : memref<?x4x?xf32> to memref<?xf32>
func.func @collapse_dynamic(%x: memref<?x4x?xf32>) -> memref<?xf32> {
  %0 = memref.collapse_shape %x [[0, 1, 2]] : memref<?x4x?xf32> into memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// Several run-time extents at once.
// CHECK-LABEL: func.func @expand_dynamic(
//  CHECK-SAME:   %[[X:.*]]: memref<?xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
//       CHECK:   %[[STRIDE:.*]] = arith.muli %[[B]], %{{.*}} : index
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[A]], %[[B]], 4], strides: [%[[STRIDE]], 4, 1]
func.func @expand_dynamic(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?x4xf32> {
  %0 = memref.expand_shape %x [[0, 1, 2]] output_shape [%a, %b, 4] : memref<?xf32> into memref<?x?x4xf32>
  return %0 : memref<?x?x4xf32>
}

// -----

// To rank 0 an offset may stay.
// CHECK-LABEL: func.func @scalar(
//  CHECK-SAME:   %[[X:.*]]: memref<1xi64, strided<[1], offset: 3>>)
//       CHECK:   %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[X]]
//       CHECK:   memref.reinterpret_cast %[[BASE]] to offset: [3], sizes: [], strides: []
func.func @scalar(%x: memref<1xi64, strided<[1], offset: 3>>) -> memref<i64, strided<[], offset: 3>> {
  %0 = memref.collapse_shape %x [] : memref<1xi64, strided<[1], offset: 3>> into memref<i64, strided<[], offset: 3>>
  return %0 : memref<i64, strided<[], offset: 3>>
}

// -----

// Left alone: a strided buffer.
// CHECK-LABEL: func.func @strided(
//  CHECK-NEXT:   memref.expand_shape
//  CHECK-NEXT:   return
func.func @strided(%x: memref<8xf32, strided<[2]>>) -> memref<2x4xf32, strided<[8, 2]>> {
  %0 = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xf32, strided<[2]>> into memref<2x4xf32, strided<[8, 2]>>
  return %0 : memref<2x4xf32, strided<[8, 2]>>
}
