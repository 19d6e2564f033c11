// RUN: hone-opt %s --hone-vulkan-type-buffers --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @scratch(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32> {hone.binding = 0 : i32},
// CHECK-SAME:    %{{.*}}: memref<?xi8> {hone.binding = 1 : i32},
// CHECK-SAME:    %[[I:.*]]: index,
// CHECK-SAME:    %[[F:.*]]: memref<?xf32> {hone.aliased, hone.binding = 1 : i32},
// CHECK-SAME:    %[[L:.*]]: memref<?xi64> {hone.aliased, hone.binding = 1 : i32})
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK:         %[[V:.*]] = memref.load %[[X]][%[[I]]]
// CHECK:         %[[AT:.*]] = arith.addi %[[I]], %[[C16]]
// CHECK:         memref.store %[[V]], %[[F]][%[[AT]]] : memref<?xf32>
// CHECK:         %[[AT:.*]] = arith.addi %[[I]], %[[C32]]
// CHECK:         memref.load %[[L]][%[[AT]]] : memref<?xi64>
// CHECK-NOT:     memref.view
func.func @scratch(%x: memref<?xf32>, %scratch: memref<?xi8>, %i: index) -> i64 {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %floats = memref.view %scratch[%c64][] : memref<?xi8> to memref<8xf32>
  %longs = memref.view %scratch[%c256][] : memref<?xi8> to memref<8xi64>
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %floats[%i] : memref<8xf32>
  %r = memref.load %longs[%i] : memref<8xi64>
  return %r : i64
}

// Bytes are the buffer itself; offsets may be known at run time only.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:    %[[S:.*]]: memref<?xi8> {hone.aliased, hone.binding = 0 : i32}, %[[O:.*]]: index,
// CHECK-SAME:    %[[F:.*]]: memref<?xf64> {hone.aliased, hone.binding = 0 : i32})
// CHECK:         %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[FIRST:.*]] = arith.divui %[[O]], %[[C8]]
// CHECK:         %[[AT:.*]] = arith.addi %[[FIRST]], %[[O]]
// CHECK:         memref.load %[[F]][%[[AT]]]
// CHECK:         memref.store %{{.*}}, %[[S]][%{{.*}}]
func.func @bytes(%scratch: memref<?xi8>, %o: index) -> f64 {
  %c0 = arith.constant 0 : index
  %byte = arith.constant 1 : i8
  %doubles = memref.view %scratch[%o][%o] : memref<?xi8> to memref<?xf64>
  %bytes = memref.view %scratch[%c0][] : memref<?xi8> to memref<16xi8>
  %r = memref.load %doubles[%o] : memref<?xf64>
  memref.store %byte, %bytes[%c0] : memref<16xi8>
  return %r : f64
}

// -----

func.func @negative_escapes(%scratch: memref<?xi8>) -> index {
  %c0 = arith.constant 0 : index
  %doubles = memref.view %scratch[%c0][%c0] : memref<?xi8> to memref<?xf64>
  // expected-error @below {{'memref.dim' op uses a part of a buffer in an unknown way}}
  %n = memref.dim %doubles, %c0 : memref<?xf64>
  return %n : index
}
