// RUN: hone-opt %s -split-input-file -verify-diagnostics

func.func @coordinates(%x: tensor<1x3x8x8xf32>, %grid: tensor<1x5x6x3xf32>) {
  // expected-error @+2 {{number of coordinates and of spatial dimensions differ: 3 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.grid_sample<linear> %x, %grid outside <zeros>
      : tensor<1x3x8x8xf32>, tensor<1x5x6x3xf32> -> tensor<1x3x5x6xf32>
  return
}

// -----

func.func @scores(%boxes: tensor<1x6x4xf32>, %scores: tensor<1x2x5xf32>, %limit: tensor<1xi64>, %t: tensor<f32>) {
  // expected-error @+2 {{numbers of boxes and scores differ: 6 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %s, %n = graph.nms %boxes, %scores, %limit, %t, %t
      : tensor<1x6x4xf32>, tensor<1x2x5xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> tensor<?x3xi64>, tensor<1xi64>
  return
}
