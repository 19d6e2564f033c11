// RUN: hone-opt %s | hone-opt | FileCheck %s

// CHECK-LABEL: func.func @samples
func.func @samples(%x: tensor<1x3x8x8xf32>, %grid: tensor<1x5x6x2xf32>, %rois: tensor<?x4xf32>, %batch: tensor<?xi64>)
    -> (tensor<1x3x5x6xf32>, tensor<?x3x7x7xf32>) {
  // CHECK: graph.grid_sample<linear> %{{.*}}, %{{.*}} outside <zeros> : tensor<1x3x8x8xf32>, tensor<1x5x6x2xf32>
  %y = graph.grid_sample<linear> %x, %grid outside <zeros>
      : tensor<1x3x8x8xf32>, tensor<1x5x6x2xf32> -> tensor<1x3x5x6xf32>
  // CHECK: graph.roi_align<max> {{.*}} size [7, 7] sampling 0 scale 2.500000e-01 :
  %z = graph.roi_align<max> %x, %rois, %batch size [7, 7] sampling 0 scale 2.500000e-01
      : tensor<1x3x8x8xf32>, tensor<?x4xf32>, tensor<?xi64> -> tensor<?x3x7x7xf32>
  return %y, %z : tensor<1x3x5x6xf32>, tensor<?x3x7x7xf32>
}

// There is room for as many rows as can be taken.
// CHECK-LABEL: func.func @boxes
func.func @boxes(%boxes: tensor<1x6x4xf32>, %scores: tensor<1x2x6xf32>, %t: tensor<f32>) -> tensor<1xi64> {
  %limit = graph.constant dense<3> : tensor<1xi64>
  // CHECK: graph.nms {{.*}} centers {{.*}} -> tensor<6x3xi64>, tensor<1xi64>
  %s, %n = graph.nms %boxes, %scores, %limit, %t, %t centers
      : tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> tensor<6x3xi64>, tensor<1xi64>
  return %n : tensor<1xi64>
}
