// RUN: hone-opt %s --hone-kernel-destinations --split-input-file | FileCheck %s

// The names of extents stay with arguments and move from results to the new arguments.
// CHECK-LABEL: func.func @exp(
//  CHECK-SAME:   %[[X:.*]]: memref<?x4xf32> {graph.dims = ["n", 4]}, %[[Y:.*]]: memref<?x4xf32> {graph.dims = ["n", 4]})
//  CHECK-SAME:   attributes {graph.scalars = ["n"]}
//       CHECK:   %[[T:.*]] = bufferization.to_tensor %[[X]] restrict : memref<?x4xf32> to tensor<?x4xf32>
//       CHECK:   tensor.dim %[[T]]
//       CHECK:   %[[R:.*]] = linalg.exp ins(%[[T]] : tensor<?x4xf32>)
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
//  CHECK-NEXT:   return{{$}}
func.func @exp(%x: tensor<?x4xf32> {graph.dims = ["n", 4]}) -> (tensor<?x4xf32> {graph.dims = ["n", 4]})
    attributes {graph.scalars = ["n"]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = tensor.empty(%n) : tensor<?x4xf32>
  %1 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// What is computed before a reshape at the end is written to its place at once.
// CHECK-LABEL: func.func @expanded(
//  CHECK-SAME:   %{{.*}}: memref<8xf32>, %[[Y:.*]]: memref<2x4xf32>)
//       CHECK:   %[[FLAT:.*]] = memref.collapse_shape %[[Y]] {{\[\[}}0, 1]] : memref<2x4xf32> into memref<8xf32>
//       CHECK:   %[[R:.*]] = linalg.exp
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[FLAT]]
func.func @expanded(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @collapsed(
//  CHECK-SAME:   %{{.*}}: memref<2x4xf32>, %[[Y:.*]]: memref<8xf32>)
//       CHECK:   %[[CUT:.*]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
//       CHECK:   %[[R:.*]] = linalg.exp
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[CUT]]
func.func @collapsed(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<2x4xf32>
  %1 = linalg.exp ins(%x : tensor<2x4xf32>) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A reshape whose extents are known at run time alone stays where it is.
// CHECK-LABEL: func.func @dynamic_reshape(
//  CHECK-SAME:   %{{.*}}: memref<?x4xf32>, %[[Y:.*]]: memref<?xf32>)
//       CHECK:   %[[R:.*]] = tensor.collapse_shape
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
func.func @dynamic_reshape(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @two_results(
//  CHECK-SAME:   %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xf32>)
//       CHECK:   %[[T:.*]] = bufferization.to_tensor %[[X]]
//       CHECK:   %[[R:.*]] = linalg.exp
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
//       CHECK:   bufferization.materialize_in_destination %[[T]] in restrict writable %[[Z]]
func.func @two_results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

// The extents of a result are read from its buffer, though the kernel could compute them from data.
// CHECK-LABEL: func.func @extent_of_data(
//  CHECK-SAME:   %{{.*}}: memref<1xi64>, %[[Y:.*]]: memref<?xf32>)
//       CHECK:   %[[N:.*]] = memref.dim %[[Y]], %{{.*}} : memref<?xf32>
//       CHECK:   tensor.empty(%[[N]]) : tensor<?xf64>
//       CHECK:   tensor.empty(%[[N]]) : tensor<?xf32>
func.func @extent_of_data(%n: tensor<1xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %element = tensor.extract %n[%c0] : tensor<1xi64>
  %extent = arith.index_cast %element : i64 to index
  %0 = tensor.empty(%extent) : tensor<?xf64>
  %1 = linalg.fill ins(%one : f64) outs(%0 : tensor<?xf64>) -> tensor<?xf64>
  %2 = tensor.empty(%extent) : tensor<?xf32>
  %3 = linalg.copy ins(%1 : tensor<?xf64>) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// What two ops write gets two places.
// CHECK-LABEL: func.func @shared_empty(
//       CHECK:   %[[A:.*]] = tensor.empty() : tensor<8xf32>
//       CHECK:   %[[B:.*]] = tensor.empty() : tensor<8xf32>
//       CHECK:   linalg.exp {{.*}} outs(%[[A]] : tensor<8xf32>)
//       CHECK:   linalg.log {{.*}} outs(%[[B]] : tensor<8xf32>)
func.func @shared_empty(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.log ins(%1 : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Two results in one empty tensor get one each, so that both are computed in place.
// CHECK-LABEL: func.func @shared_empty(
//   CHECK-DAG:   %[[E:.*]] = tensor.empty
//   CHECK-DAG:   %[[F:.*]] = tensor.empty
//   CHECK-DAG:   linalg.exp {{.*}} outs(%[[E]] :
//   CHECK-DAG:   linalg.negf {{.*}} outs(%[[F]] :
func.func @shared_empty(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.negf ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The buffer of a result knows an extent that is computed from data.
// CHECK-LABEL: func.func @extent_from_data(
//  CHECK-SAME:   %{{.*}}: memref<1xindex>, %{{.*}}: memref<f32>, %[[Y:.*]]: memref<?xf32>)
//       CHECK:   %[[N:.*]] = memref.dim %[[Y]], %{{.*}} : memref<?xf32>
//       CHECK:   tensor.empty(%[[N]]) : tensor<?xf32>
func.func @extent_from_data(%x: tensor<1xindex>, %v: tensor<f32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %x[%c0] : tensor<1xindex>
  %s = tensor.extract %v[] : tensor<f32>
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.fill ins(%s : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Left alone: no tensors in the signature; no body.
// CHECK-LABEL: func.func @k.launch(
//  CHECK-SAME:   %[[N:.*]]: index) -> index
//  CHECK-NEXT:   return %[[N]] : index
func.func @k.launch(%n: index) -> index {
  return %n : index
}

// CHECK: func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

// -----

// A reshape at the end is one of the buffer, run-time extents or not.
// CHECK-LABEL: func.func @reshaped(
//  CHECK-SAME:   %{{.*}}: memref<?xf32>, %[[Y:.*]]: memref<?x4xf32>)
//       CHECK:   %[[FLAT:.*]] = memref.collapse_shape %[[Y]] {{\[\[}}0, 1]] : memref<?x4xf32> into memref<?xf32>
//       CHECK:   %[[R:.*]] = linalg.exp
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[FLAT]]
func.func @reshaped(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.divui %size, %c4 : index
  %0 = tensor.empty(%size) : tensor<?xf32>
  %1 = linalg.exp ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}
