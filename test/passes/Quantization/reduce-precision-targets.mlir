// The facts of a target say what pays.
// RUN: hone-opt %s --split-input-file --hone-reduce-precision | FileCheck %s
// RUN: hone-opt %s --split-input-file --hone-reduce-precision=type=tf32 | FileCheck %s --check-prefix=TF32
// RUN: not hone-opt %s --hone-reduce-precision=type=f8 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: 'f8' is not one of: f16, bf16, tf32

// Without arithmetic on halves: weights and tables alone.
module attributes {graph.target = {native_types = ["f32"]}} {
  // CHECK-LABEL: @weights
  //  CHECK-SAME:   %[[X:.*]]: tensor<4x8xf32>)
  //       CHECK:   %[[W:.*]] = graph.cast %{{.*}} to f16 : tensor<8x8xf32>
  //       CHECK:   %[[A:.*]] = graph.contract %[[X]]{{.*}}, %[[W]]{{.*}} : tensor<4x8xf32>, tensor<8x8xf16> -> tensor<4x8xf32>
  //  CHECK-NEXT:   %[[B:.*]] = graph.transpose %[[A]] perm [1, 0] : tensor<4x8xf32>
  //  CHECK-NEXT:   graph.contract %[[A]]{{.*}}, %[[B]]{{.*}} : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  // TF32-LABEL: module
  //   TF32-NOT:   graph.precision
  //       TF32: @weights
  func.func @weights(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
    %w = graph.constant dense<0.25> : tensor<8x8xf32>
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %1 = graph.transpose %0 perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %2 = graph.contract %0[0, 2], %1[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}

// -----

// Units that multiply matrices of the type are enough.
module attributes {graph.target = {native_types = ["f32"], matrix_types = ["f16", "tf32"]}} {
  // CHECK-LABEL: @units
  //       CHECK:   graph.contract {{.*}} : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf32>
  // TF32: module attributes {graph.precision = "tf32"
  // TF32: graph.contract {{.*}} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  func.func @units(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %w = graph.constant dense<0.25> : tensor<8x8xf32>
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
