// Images on other grids: resize, grid_sample, roi_align.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @nearest(%x: tensor<1x1x2x2xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>) -> tensor<?x?x?x?xf32> {
  %0 = graph.resize<nearest> %x, %sizes, %scales coordinate <asymmetric> nearest <floor>
      : tensor<1x1x2x2xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
// EVAL @nearest([[[[1, 2], [3, 4]]]], [1, 1, 4, 3], [1, 1, 2, 1.5]) -> [[[[1, 1, 2], [1, 1, 2], [3, 3, 4], [3, 3, 4]]]]
func.func @linear(%x: tensor<1x1x2x2xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %0 = graph.resize<linear> %x, %sizes, %scales coordinate <half_pixel> nearest <floor>
      : tensor<1x1x2x2xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  %1 = graph.resize<linear> %x, %sizes, %scales coordinate <align_corners> nearest <floor>
      : tensor<1x1x2x2xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  return %0, %1 : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
// EVAL within 1e-6 @linear([[[[1, 2], [3, 4]]]], [1, 1, 2, 4], [1, 1, 1, 2]) -> [[[[1, 1.25, 1.75, 2], [3, 3.25, 3.75, 4]]]],
//   [[[[1, 1.3333334, 1.6666666, 2], [3, 3.3333333, 3.6666667, 4]]]]

// -----

// The middle of 11 is that of 7: exactly element 3.
func.func @symmetric(%x: tensor<7xf32>, %sizes: tensor<1xi64>, %scales: tensor<1xf32>) -> (tensor<?xf32>, tensor<11xf32>) {
  %0 = graph.resize<nearest> %x, %sizes, %scales coordinate <half_pixel_symmetric> nearest <ceil>
      : tensor<7xf32>, tensor<1xi64>, tensor<1xf32> -> tensor<?xf32>
  %eleven = graph.constant dense<11> : tensor<1xi64>
  %scale = graph.constant dense<1.7> : tensor<1xf32>
  %1 = graph.resize<nearest> %x, %eleven, %scale coordinate <half_pixel_symmetric> nearest <ceil>
      : tensor<7xf32>, tensor<1xi64>, tensor<1xf32> -> tensor<11xf32>
  return %0, %1 : tensor<?xf32>, tensor<11xf32>
}
// EVAL @symmetric([0, 1, 2, 3, 4, 5, 6], [11], [1.7]) -> [1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6], [1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6]

// -----

// FOR M in nearest, linear, cubic
// FOR C in half_pixel, pytorch_half_pixel, align_corners, asymmetric
func.func @resize(%x: tensor<1x2x5x6xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>) -> tensor<?x?x?x?xf32> {
  %0 = graph.resize<$M> %x, %sizes, %scales coordinate <$C> nearest <round_prefer_floor>
      : tensor<1x2x5x6xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
// EVAL within 1e-5 @resize(random[1, 2, 5, 6], [1, 2, 8, 3], [1, 1, 1.6, 0.5])
// EVAL within 1e-5 @resize(random[1, 2, 5, 6], [1, 2, 1, 11], [1, 1, 0.2, 1.8333334])

// -----

func.func @antialias(%x: tensor<1x1x8x8xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %0 = graph.resize<linear> %x, %sizes, %scales coordinate <half_pixel> nearest <floor> {antialias = true}
      : tensor<1x1x8x8xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  %1 = graph.resize<cubic> %x, %sizes, %scales coordinate <half_pixel> nearest <floor> {antialias = true, excludeOutside = true}
      : tensor<1x1x8x8xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  return %0, %1 : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
// EVAL within 1e-5 @antialias(random[1, 1, 8, 8], [1, 1, 3, 5], [1, 1, 0.375, 0.625])
func.func @crop(%x: tensor<1x1x4x4xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>, %roi: tensor<8xf32>) -> tensor<?x?x?x?xf32> {
  %0 = graph.resize<linear> %x, %sizes, %scales roi %roi coordinate <tf_crop_and_resize> nearest <floor> {extrapolation = 10.0}
      : tensor<1x1x4x4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<8xf32> -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
// EVAL within 1e-5 @crop(iota[1, 1, 4, 4], [1, 1, 3, 3], [1, 1, 0.75, 0.75], [0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7])

// -----

// FOR M in nearest, linear, cubic
// FOR O in zeros, border, reflection
func.func @grid(%x: tensor<1x2x4x5xf32>, %g: tensor<1x3x3x2xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
  %0 = graph.grid_sample<$M> %x, %g outside <$O> : tensor<1x2x4x5xf32>, tensor<1x3x3x2xf32> -> tensor<1x2x3x3xf32>
  %1 = graph.grid_sample<$M> %x, %g outside <$O> align_corners : tensor<1x2x4x5xf32>, tensor<1x3x3x2xf32> -> tensor<1x2x3x3xf32>
  return %0, %1 : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
}
// EVAL within 1e-5 @grid(random[1, 2, 4, 5], random[1, 3, 3, 2](-1.3, 5.4))

// -----

func.func @regions(%x: tensor<2x2x6x6xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>) {
  %0 = graph.roi_align<avg> %x, %r, %b size [2, 2] sampling 2 scale 0.5 half_pixel
      : tensor<2x2x6x6xf32>, tensor<3x4xf32>, tensor<3xi64> -> tensor<3x2x2x2xf32>
  %1 = graph.roi_align<max> %x, %r, %b size [2, 2] sampling 0 scale 0.5
      : tensor<2x2x6x6xf32>, tensor<3x4xf32>, tensor<3xi64> -> tensor<3x2x2x2xf32>
  return %0, %1 : tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>
}
// EVAL within 1e-5 @regions(random[2, 2, 6, 6], [[0, 0, 11, 11], [2, 3, 8, 9], [-4, 1, 3, 20]], [0, 1, 0])
