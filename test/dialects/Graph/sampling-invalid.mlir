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

// -----

func.func @roi_align_kind(%x: tensor<1x1x4x4xf32>, %rois: tensor<3x4xf32>, %batch: tensor<3xi64>) {
  // expected-error @+2 {{pools regions by 'avg' or 'max' only}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.roi_align<lp> %x, %rois, %batch size [2, 2] sampling 0 scale 1.0
      : tensor<1x1x4x4xf32>, tensor<3x4xf32>, tensor<3xi64> -> tensor<3x1x2x2xf32>
  return
}

// -----

func.func @roi_align_size(%x: tensor<1x1x4x4xf32>, %rois: tensor<3x4xf32>, %batch: tensor<3xi64>) {
  // expected-error @+2 {{size needs two extents of at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.roi_align<max> %x, %rois, %batch size [2, 0] sampling 0 scale 1.0
      : tensor<1x1x4x4xf32>, tensor<3x4xf32>, tensor<3xi64> -> tensor<3x1x2x0xf32>
  return
}

// -----

func.func @roi_align_batch(%x: tensor<1x1x4x4xf32>, %rois: tensor<3x4xf32>, %batch: tensor<2xi64>) {
  // expected-error @+2 {{numbers of regions and of image indices differ: 3 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.roi_align<max> %x, %rois, %batch size [2, 2] sampling 0 scale 1.0
      : tensor<1x1x4x4xf32>, tensor<3x4xf32>, tensor<2xi64> -> tensor<3x1x2x2xf32>
  return
}
