// RUN: hone-opt %s --split-input-file --hone-widen-contractions | FileCheck %s

module attributes {graph.target = {native_types = ["f32"], vector_registers = 16}} {
  // Activations are converted by an op that their producer's kernel takes, weights by the kernel that reads them.
  // CHECK-LABEL: @product
  //  CHECK-SAME:   %[[X:.*]]: tensor<4x8xf16>)
  //       CHECK:   %[[W:.*]] = graph.constant
  //       CHECK:   %[[A:.*]] = graph.cast %[[X]] to f32
  //       CHECK:   %[[S:.*]] = graph.contract %[[A]][0, 2], %[[W]][2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x16xf16> -> tensor<4x16xf32>
  //       CHECK:   %[[Y:.*]] = graph.cast %[[S]] to f16
  //       CHECK:   return %[[Y]]
  func.func @product(%x: tensor<4x8xf16>) -> tensor<4x16xf16> {
    %w = graph.constant dense<0.5> : tensor<8x16xf16>
    %y = graph.contract %x[0, 2], %w[2, 1] to f16 [0, 1] : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<4x16xf16>
    return %y : tensor<4x16xf16>
  }

  // CHECK-LABEL: @computed
  //       CHECK:   graph.contract {{.*}} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  func.func @computed(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
    %y = graph.contract %x[0, 2], %w[2, 1] to bf16 [0, 1] : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xbf16>
    return %y : tensor<4x16xbf16>
  }

  // CHECK-LABEL: @negative_types
  //   CHECK-NOT:   graph.cast
  func.func @negative_types(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
    %y = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    return %y : tensor<4x16xf32>
  }
}

// -----

module attributes {graph.target = {native_types = ["f32", "f16"], vector_registers = 32}} {
  // CHECK-LABEL: @negative_native
  //   CHECK-NOT:   graph.cast
  func.func @negative_native(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>) -> tensor<4x16xf16> {
    %y = graph.contract %x[0, 2], %w[2, 1] to f16 [0, 1] : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<4x16xf16>
    return %y : tensor<4x16xf16>
  }
}

// -----

module attributes {graph.target = {native_types = ["f32"]}} {
  // CHECK-LABEL: @negative_loops
  //   CHECK-NOT:   graph.cast
  func.func @negative_loops(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>) -> tensor<4x16xf16> {
    %y = graph.contract %x[0, 2], %w[2, 1] to f16 [0, 1] : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<4x16xf16>
    return %y : tensor<4x16xf16>
  }
}
