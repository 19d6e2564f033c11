// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// The heap lives in the result: its slices are filled, made a heap, offered the rest, sorted.
// CHECK-LABEL: @topk
// CHECK:         %[[VALUES:.*]] = tensor.empty() : tensor<2x3xf32>
// CHECK:         %[[INDICES:.*]] = tensor.empty() : tensor<2x3xi64>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[VALUES]], %{{.*}} = %[[INDICES]])
// CHECK:           tensor.extract_slice %{{.*}} : tensor<2x3xf32> to tensor<3xf32>
// CHECK:           tensor.extract_slice %{{.*}} : tensor<2x3xi64> to tensor<3xi64>
// CHECK:           scf.for
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               scf.while
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:           tensor.insert_slice
// CHECK:           tensor.insert_slice
func.func @topk(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %k = graph.constant dense<3> : tensor<1xi64>
  %0, %1 = graph.topk %x, %k dim 1 largest : tensor<2x5xf32>, tensor<1xi64> -> tensor<2x3xf32>, tensor<2x3xi64>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// -----

// CHECK-LABEL: @topk_of_nothing
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @topk_of_nothing(%x: tensor<3x4xf32>) -> (tensor<3x0xf32>, tensor<3x0xi64>) {
  %k = graph.constant dense<0> : tensor<1xi64>
  %0, %1 = graph.topk %x, %k dim 1 : tensor<3x4xf32>, tensor<1xi64> -> tensor<3x0xf32>, tensor<3x0xi64>
  return %0, %1 : tensor<3x0xf32>, tensor<3x0xi64>
}

// -----

// More may be asked for than there is.
// CHECK-LABEL: @topk_by_data
// CHECK:         arith.minsi
// CHECK:         linalg.fill
// CHECK:         linalg.fill
// CHECK:         scf.for
func.func @topk_by_data(%x: tensor<?xui8>, %k: tensor<1xi64>) -> (tensor<?xui8>, tensor<?xi64>) {
  %0, %1 = graph.topk %x, %k dim 0 largest : tensor<?xui8>, tensor<1xi64> -> tensor<?xui8>, tensor<?xi64>
  return %0, %1 : tensor<?xui8>, tensor<?xi64>
}

// -----

// CHECK-LABEL: @nonzero
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]], %{{.*}} = %{{.*}})
// CHECK:           scf.for
// CHECK:             arith.cmpf une
// CHECK:             scf.if
// CHECK-COUNT-2:       tensor.insert
// CHECK:         tensor.from_elements %{{.*}} : tensor<1xi64>
func.func @nonzero(%x: tensor<2x3xf32>) -> (tensor<2x6xi64>, tensor<1xi64>) {
  %0, %1 = graph.nonzero %x : tensor<2x3xf32> -> tensor<2x6xi64>, tensor<1xi64>
  return %0, %1 : tensor<2x6xi64>, tensor<1xi64>
}

// -----

// Candidates into a heap; what is taken off it is compared with the rows of the result.
// CHECK-LABEL: @nms
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               arith.cmpf ogt
// CHECK:               scf.if
// CHECK:             scf.while
// CHECK:             scf.for
// CHECK:               scf.if
// CHECK:                 scf.while
// CHECK:                 scf.for
// CHECK:                   arith.divf
// CHECK:                 scf.if
// CHECK-COUNT-3:           tensor.insert
func.func @nms(%boxes: tensor<1x6x4xf32>, %scores: tensor<1x1x6xf32>, %iou: tensor<f32>, %score: tensor<f32>)
    -> (tensor<3x3xi64>, tensor<1xi64>) {
  %limit = graph.constant dense<3> : tensor<1xi64>
  %0, %1 = graph.nms %boxes, %scores, %limit, %iou, %score
      : tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> tensor<3x3xi64>, tensor<1xi64>
  return %0, %1 : tensor<3x3xi64>, tensor<1xi64>
}
