// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-cpu-emit-transpose-kernels,canonicalize)' --split-input-file | FileCheck %s

module attributes {graph.target = {vector_bytes = 16, vector_registers = 32}} {
  // Squares of 4 x 4: two rounds of shuffles; two squares side by side.
  // CHECK-LABEL: func.func @matrix(
  //  CHECK-SAME:   memref<64x128xf32>, %{{.*}}: memref<128x64xf32>
  //       CHECK:   scf.for
  //       CHECK:     scf.for
  // CHECK-COUNT-4:     vector.load
  //       CHECK:       %[[A:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 4, 2, 6] : vector<4xf32>, vector<4xf32>
  //       CHECK:       %[[B:.*]] = vector.shuffle %{{.*}}, %{{.*}} [1, 5, 3, 7]
  //       CHECK:       vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
  //       CHECK:       vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
  // CHECK-COUNT-4:     vector.store
  // CHECK-COUNT-4:     vector.load
  // CHECK-COUNT-4:     vector.store
  // CHECK-LABEL: func.func @matrix.launch() -> (index, index)
  func.func @matrix(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
    %0 = graph.transpose %x perm [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
    return %0 : tensor<128x64xf32>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Height and width stay neighbours: images of one row. Items: images x blocks of 16 channels x blocks of 1024 pixels.
  // CHECK-LABEL: func.func @channels_last(
  //       CHECK:   vector.shuffle
  // CHECK-LABEL: func.func @channels_last.launch(
  //  CHECK-SAME:   %[[N:.*]]: index, %[[H:.*]]: index, %[[W:.*]]: index) -> (index, index)
  //   CHECK-DAG:   %[[PIXELS:.*]] = arith.muli %[[W]], %[[H]]
  //       CHECK:   arith.ceildivsi %[[PIXELS]], %{{.*}}
  func.func @channels_last(%x: tensor<?x64x?x?xf32> {graph.dims = ["n", unit, "h", "w"]})
      -> (tensor<?x64x?x?xf32, #graph.layout<[0, 2, 3, 1]>> {graph.dims = ["n", unit, "h", "w"]})
      attributes {graph.scalars = ["n", "h", "w"]} {
    %0 = graph.relayout %x : tensor<?x64x?x?xf32> -> tensor<?x64x?x?xf32, #graph.layout<[0, 2, 3, 1]>>
    return %0 : tensor<?x64x?x?xf32, #graph.layout<[0, 2, 3, 1]>>
  }
}

// -----

module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Left alone: the innermost dimension stays, so that runs are copied.
  // CHECK-LABEL: func.func @runs(%{{.*}}: tensor<4x8x16xf32>
  func.func @runs(%x: tensor<4x8x16xf32>) -> tensor<8x4x16xf32> {
    %0 = graph.transpose %x perm [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
    return %0 : tensor<8x4x16xf32>
  }

  // Left alone: something else is computed too.
  // CHECK-LABEL: func.func @more(%{{.*}}: tensor<4x8xf32>
  func.func @more(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
    %0 = graph.transpose %x perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %1 = graph.unary<exp> %0 : tensor<8x4xf32> -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
