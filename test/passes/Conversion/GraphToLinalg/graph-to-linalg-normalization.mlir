// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK:           arith.maximumf
// CHECK:           %[[D:.*]] = arith.subf
// CHECK:           math.exp %[[D]]
// CHECK:           arith.addf
// CHECK:           arith.divf
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.softmax %x dim 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @log_softmax
// CHECK:           math.exp
// CHECK:           math.log
// CHECK:           arith.subf
// CHECK:           arith.subf
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.softmax %x dim 1 log : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// The variance is that of the differences to the mean, in a second pass.
// CHECK-LABEL: @layer
// CHECK:         %[[COUNT:.*]] = arith.constant 6.400000e+01 : f32
// CHECK:           arith.addf
// CHECK:           arith.divf %{{.*}}, %[[COUNT]]
// CHECK:           %[[C:.*]] = arith.subf
// CHECK:           arith.mulf %[[C]], %[[C]]
// CHECK:           math.sqrt
// CHECK:           arith.mulf
func.func @layer(%x: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %0 = graph.normalize<layer> %x dims [2] epsilon 1.0e-5 : tensor<2x8x64xf32> -> tensor<2x8x64xf32>
  return %0 : tensor<2x8x64xf32>
}

// -----

// The number of elements may be known at run time only; halves are computed in f32.
// CHECK-LABEL: @rms
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         arith.index_cast
// CHECK:         arith.sitofp
// CHECK-NOT:     arith.subf
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @rms(%x: tensor<2x?xf16>) -> tensor<2x?xf16> {
  %0 = graph.normalize<rms> %x dims [1] epsilon 1.0e-5 : tensor<2x?xf16> -> tensor<2x?xf16>
  return %0 : tensor<2x?xf16>
}
