// RUN: hone-opt %s --hone-choose-layouts --split-input-file | FileCheck %s

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // CHECK-LABEL: @conv
  //  CHECK-SAME:   %[[X:.*]]: tensor<1x32x8x8xf32>
  //   CHECK-DAG:   %[[IN:.*]] = graph.relayout %[[X]] : tensor<1x32x8x8xf32> -> tensor<1x32x8x8xf32, #graph.layout<[0, 2, 3, 1]>>
  //   CHECK-DAG:   %[[W:.*]] = graph.constant
  //       CHECK:   %[[PACKED:.*]] = graph.relayout %[[W]] : tensor<64x32x3x3xf32> -> tensor<64x32x3x3xf32, #graph.layout<[0, 2, 3, 1] panels 16 of
  //       CHECK:   %[[OUT:.*]] = graph.conv %[[IN]], %[[PACKED]]
  //  CHECK-SAME:     -> tensor<1x64x8x8xf32, #graph.layout<[0, 2, 3, 1]>>
  //       CHECK:   %[[Y:.*]] = graph.relayout %[[OUT]] : tensor<1x64x8x8xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<1x64x8x8xf32>
  //       CHECK:   return %[[Y]]
  func.func @conv(%x: tensor<1x32x8x8xf32>) -> tensor<1x64x8x8xf32> {
    %w = graph.constant dense<1.0> : tensor<64x32x3x3xf32>
    %y = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
        : tensor<1x32x8x8xf32>, tensor<64x32x3x3xf32> -> tensor<1x64x8x8xf32>
    return %y : tensor<1x64x8x8xf32>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Elementwise ops, depthwise convolutions, pools and reductions follow: one relayout at either end.
  // CHECK-LABEL: @spread
  //       CHECK:   graph.relayout %{{.*}} : tensor<1x32x8x8xf32> ->
  //       CHECK:   graph.conv {{.*}} groups 1 to f32
  //   CHECK-NOT:   graph.relayout %{{.*}} : tensor<1x64x8x8xf32
  //       CHECK:   graph.binary<mul> {{.*}} tensor<f32> -> tensor<1x64x8x8xf32, #graph.layout<[0, 2, 3, 1]>>
  //       CHECK:   graph.relayout %{{.*}} : tensor<64x1x3x3xf32> -> tensor<64x1x3x3xf32, #graph.layout<[2, 3, 0, 1]>>
  //       CHECK:   graph.conv {{.*}} groups 64 to f32
  //       CHECK:   graph.pool<max> {{.*}} -> tensor<1x64x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  //       CHECK:   %[[SUM:.*]] = graph.reduce<sum> {{.*}} -> tensor<1x64x1x1xf32, #graph.layout<[0, 2, 3, 1]>>
  //  CHECK-NEXT:   %[[Y:.*]] = graph.relayout %[[SUM]]
  //  CHECK-NEXT:   return %[[Y]]
  func.func @spread(%x: tensor<1x32x8x8xf32>) -> tensor<1x64x1x1xf32> {
    %w = graph.constant dense<1.0> : tensor<64x32x1x1xf32>
    %d = graph.constant dense<1.0> : tensor<64x1x3x3xf32>
    %s = graph.constant dense<2.0> : tensor<f32>
    %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
        : tensor<1x32x8x8xf32>, tensor<64x32x1x1xf32> -> tensor<1x64x8x8xf32>
    %1 = graph.binary<mul> %0, %s : tensor<1x64x8x8xf32>, tensor<f32> -> tensor<1x64x8x8xf32>
    %2 = graph.conv %1, %d strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 64 to f32
        : tensor<1x64x8x8xf32>, tensor<64x1x3x3xf32> -> tensor<1x64x8x8xf32>
    %3 = graph.pool<max> %2 window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
        : tensor<1x64x8x8xf32> -> tensor<1x64x4x4xf32>
    %4 = graph.reduce<sum> %3 dims [2, 3] keep : tensor<1x64x4x4xf32> -> tensor<1x64x1x1xf32>
    return %4 : tensor<1x64x1x1xf32>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Matrix products read packed weights; rows stay as they are.
  // CHECK-LABEL: @matmul
  //  CHECK-SAME:   %[[X:.*]]: tensor<?x32xf32>
  //       CHECK:   %[[PACKED:.*]] = graph.relayout %{{.*}} : tensor<32x64xf32> -> tensor<32x64xf32, #graph.layout<[1, 0] panels 16 of 1>>
  //       CHECK:   %[[Y:.*]] = graph.contract %[[X]][0, 2], %[[PACKED]][2, 1] {{.*}} -> tensor<?x64xf32>{{$}}
  //       CHECK:   return %[[Y]]
  func.func @matmul(%x: tensor<?x32xf32>) -> tensor<?x64xf32> {
    %w = graph.constant dense<1.0> : tensor<32x64xf32>
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<?x32xf32>, tensor<32x64xf32> -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Few columns fill one vector only.
  // CHECK-LABEL: @narrow
  //       CHECK:   graph.relayout %{{.*}} : tensor<32x8xf32> -> tensor<32x8xf32, #graph.layout<[1, 0] panels 8 of 1>>
  func.func @narrow(%x: tensor<4x32xf32>) -> tensor<4x8xf32> {
    %w = graph.constant dense<1.0> : tensor<32x8xf32>
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// Left alone: weights that are not constant.
// CHECK-LABEL: @variable_weights
//   CHECK-NOT:   graph.relayout
//       CHECK:   return
func.func @variable_weights(%x: tensor<1x32x8x8xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x8x8xf32> {
  %y = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x32x8x8xf32>, tensor<64x32x3x3xf32> -> tensor<1x64x8x8xf32>
  return %y : tensor<1x64x8x8xf32>
}

// -----

// Left alone: groups of several channels, and the op behind.
// CHECK-LABEL: @grouped
//   CHECK-NOT:   graph.relayout
//       CHECK:   return
func.func @grouped(%x: tensor<1x32x8x8xf32>) -> tensor<1x64x8x8xf32> {
  %w = graph.constant dense<1.0> : tensor<64x16x3x3xf32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 2 to f32
      : tensor<1x32x8x8xf32>, tensor<64x16x3x3xf32> -> tensor<1x64x8x8xf32>
  %y = graph.unary<tanh> %0 : tensor<1x64x8x8xf32> -> tensor<1x64x8x8xf32>
  return %y : tensor<1x64x8x8xf32>
}

// -----

// Left alone: another element type.
// CHECK-LABEL: @double
//   CHECK-NOT:   graph.relayout
//       CHECK:   return
func.func @double(%x: tensor<4x32xf64>) -> tensor<4x8xf64> {
  %w = graph.constant dense<1.0> : tensor<32x8xf64>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f64 [0, 1] : tensor<4x32xf64>, tensor<32x8xf64> -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Extents do not depend on the layout: nothing is laid back for an op that only asks for them.
  // CHECK-LABEL: @extents
  //       CHECK:   %[[Y:.*]] = graph.conv
  //       CHECK:   graph.shape %[[Y]] : tensor<?x64x?x?xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<4xi64>
  func.func @extents(%x: tensor<?x32x?x?xf32>) -> (tensor<?x64x?x?xf32>, tensor<4xi64>) {
    %w = graph.constant dense<1.0> : tensor<64x32x3x3xf32>
    %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
        : tensor<?x32x?x?xf32>, tensor<64x32x3x3xf32> -> tensor<?x64x?x?xf32>
    %1 = graph.shape %0 : tensor<?x64x?x?xf32> -> tensor<4xi64>
    return %0, %1 : tensor<?x64x?x?xf32>, tensor<4xi64>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // The right operand of a product gets its columns innermost.
  // CHECK-LABEL: @product
  //       CHECK:   %[[K:.*]] = graph.relayout %{{.*}} : tensor<12x?x64xf32> -> tensor<12x?x64xf32, #graph.layout<[0, 2, 1]>>
  //       CHECK:   graph.contract %{{.*}}[0, 1, 3], %[[K]][0, 2, 3]
  func.func @product(%q: tensor<12x?x64xf32>, %k: tensor<12x?x64xf32>) -> tensor<12x?x?xf32> {
    %0 = graph.contract %q[0, 1, 3], %k[0, 2, 3] to f32 [0, 1, 2] : tensor<12x?x64xf32>, tensor<12x?x64xf32> -> tensor<12x?x?xf32>
    return %0 : tensor<12x?x?xf32>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Left alone: columns that are innermost already, and two dimensions summed over.
  // CHECK-LABEL: @arranged
  //   CHECK-NOT:   graph.relayout
  //       CHECK:   return
  func.func @arranged(%q: tensor<12x?x64xf32>, %k: tensor<12x64x?xf32>, %x: tensor<4x5x6xf32>, %y: tensor<8x5x6xf32>)
      -> (tensor<12x?x?xf32>, tensor<4x8xf32>) {
    %0 = graph.contract %q[0, 1, 3], %k[0, 3, 2] to f32 [0, 1, 2] : tensor<12x?x64xf32>, tensor<12x64x?xf32> -> tensor<12x?x?xf32>
    %1 = graph.contract %x[0, 2, 3], %y[1, 2, 3] to f32 [0, 1] : tensor<4x5x6xf32>, tensor<8x5x6xf32> -> tensor<4x8xf32>
    return %0, %1 : tensor<12x?x?xf32>, tensor<4x8xf32>
  }
}
