// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-cpu-emit-panel-kernels,canonicalize)' \
// RUN:   --split-input-file --verify-diagnostics | FileCheck %s

#panels = #graph.layout<[1, 0] panels 16 of 1>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Tiles of 6 rows and 2 vectors of columns; the last tile begins early enough to be whole. The bias is added before the tile is stored.
  // CHECK-LABEL: func.func @matmul(
  //  CHECK-SAME:   %[[X:.*]]: memref<8x32xf32>, %[[W:.*]]: memref<4x32x16xf32>, %[[B:.*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<8x64xf32>,
  //  CHECK-SAME:   %[[BEGIN:.*]]: index, %[[END:.*]]: index)
  //   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
  //   CHECK-DAG:   %[[C6:.*]] = arith.constant 6 : index
  //       CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
  //       CHECK:     scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %[[C6]] {
  //       CHECK:       arith.minsi %[[ROW]], %[[C2]] : index
  //       CHECK:       %[[ACC:.*]]:12 = scf.for
  // CHECK-COUNT-48:      vector.fma
  //       CHECK:         scf.yield
  //       CHECK:       %[[SUM:.*]] = arith.addf %[[ACC]]#0, %{{.*}} : vector<8xf32>
  //       CHECK:       vector.store
  // CHECK-LABEL: func.func @matmul.launch() -> (index, index) attributes {stages = ["matmul"]}
  //   CHECK-DAG:   %[[NONE:.*]] = arith.constant 0 : index
  //   CHECK-DAG:   %[[ITEMS:.*]] = arith.constant 4 : index
  //       CHECK:   return %[[NONE]], %[[ITEMS]]
  func.func @matmul(%x: tensor<8x32xf32>, %w: tensor<32x64xf32, #panels>, %b: tensor<64xf32>) -> tensor<8x64xf32> {
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32, #panels> -> tensor<8x64xf32>
    %1 = graph.binary<add> %0, %b : tensor<8x64xf32>, tensor<64xf32> -> tensor<8x64xf32>
    return %1 : tensor<8x64xf32>
  }
}

// -----

#panels = #graph.layout<[1, 0] panels 16 of 1>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Too few rows for a tile of 6: one of 3, or row by row.
  // CHECK-LABEL: func.func @rows(
  //       CHECK:   scf.for
  //       CHECK:     scf.if
  //       CHECK:       %{{.*}}:12 = scf.for
  //       CHECK:       %{{.*}}:6 = scf.for
  //       CHECK:       %{{.*}}:2 = scf.for
  // CHECK-LABEL: func.func @rows.launch(
  //  CHECK-SAME:   %[[N:.*]]: index) -> (index, index)
  func.func @rows(%x: tensor<?x32xf32> {graph.dims = ["n", unit]}, %w: tensor<32x64xf32, #panels>)
      -> (tensor<?x64xf32> {graph.dims = ["n", unit]}) attributes {graph.scalars = ["n"]} {
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<?x32xf32>, tensor<32x64xf32, #panels> -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}

// -----

#panels = #graph.layout<[1, 0] panels 24 of 1>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // 24 columns fill three vectors: tiles of 4 rows, where 6 rows of two vectors would leave a quarter of the lanes idle.
  // CHECK-LABEL: func.func @three(
  //       CHECK:   %[[C4:.*]] = arith.constant 4 : index
  //       CHECK:   scf.for %{{.*}} step %[[C4]] {
  //       CHECK:     %{{.*}}:12 = scf.for
  func.func @three(%x: tensor<8x32xf32>, %w: tensor<32x24xf32, #panels>) -> tensor<8x24xf32> {
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x24xf32, #panels> -> tensor<8x24xf32>
    return %0 : tensor<8x24xf32>
  }
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
#panels = #graph.layout<[0, 2, 3, 1] panels 16 of 0>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Pixels of run-time images are counted through: the item's number is taken apart, the pixel's is not, though a residual of
  // full size is read. Where a tile begins is opaque, lest LLVM compute it again at every access.
  // CHECK-LABEL: func.func @pixels(
  //       CHECK:   scf.for
  //       CHECK:     arith.divui
  //       CHECK:     scf.if
  //   CHECK-NOT:     arith.divui
  //   CHECK-NOT:     arith.remui
  //       CHECK:       llvm.inline_asm "", "=r,0"
  //   CHECK-NOT:     arith.divui
  //   CHECK-NOT:     arith.remui
  //       CHECK:       %{{.*}}:12 = scf.for
  //   CHECK-NOT:     arith.divui
  //   CHECK-NOT:     arith.remui
  // CHECK-LABEL: func.func @pixels.launch(
  func.func @pixels(%x: tensor<?x32x?x?xf32, #nhwc> {graph.dims = ["n", unit, "h", "w"]}, %k: tensor<64x32x1x1xf32, #panels>,
                    %r: tensor<?x64x?x?xf32, #nhwc> {graph.dims = ["n", unit, "h", "w"]})
      -> (tensor<?x64x?x?xf32, #nhwc> {graph.dims = ["n", unit, "h", "w"]}) attributes {graph.scalars = ["n", "h", "w"]} {
    %0 = graph.conv %x, %k strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
        : tensor<?x32x?x?xf32, #nhwc>, tensor<64x32x1x1xf32, #panels> -> tensor<?x64x?x?xf32, #nhwc>
    %1 = graph.binary<add> %0, %r : tensor<?x64x?x?xf32, #nhwc>, tensor<?x64x?x?xf32, #nhwc> -> tensor<?x64x?x?xf32, #nhwc>
    return %1 : tensor<?x64x?x?xf32, #nhwc>
  }
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
#panels = #graph.layout<[0, 2, 3, 1] panels 16 of 0>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Channels last in memory. The first and last pixel of a row miss a part of the window, the 6 between are one tile.
  // CHECK-LABEL: func.func @conv(
  //  CHECK-SAME:   %{{.*}}: memref<1x8x8x32xf32>, %{{.*}}: memref<4x3x3x32x16xf32>, %{{.*}}: memref<1x8x8x64xf32>, %{{.*}}: index, %{{.*}}: index)
  //       CHECK:   %{{.*}}:2 = scf.for
  //       CHECK:     vector.fma
  //       CHECK:   %{{.*}}:12 = scf.for
  //       CHECK:     vector.fma
  //       CHECK:   %{{.*}}:2 = scf.for
  //       CHECK:     vector.fma
  // CHECK-LABEL: func.func @conv.launch()
  func.func @conv(%x: tensor<1x32x8x8xf32, #nhwc>, %w: tensor<64x32x3x3xf32, #panels>) -> tensor<1x64x8x8xf32, #nhwc> {
    %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
        : tensor<1x32x8x8xf32, #nhwc>, tensor<64x32x3x3xf32, #panels> -> tensor<1x64x8x8xf32, #nhwc>
    return %0 : tensor<1x64x8x8xf32, #nhwc>
  }
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
#window = #graph.layout<[2, 3, 0, 1]>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // One work item per row of pixels.
  // CHECK-LABEL: func.func @depthwise(
  //  CHECK-SAME:   %{{.*}}: memref<1x8x8x32xf32>, %{{.*}}: memref<3x3x32x1xf32>, %{{.*}}: memref<1x8x8x32xf32>, %{{.*}}: index, %{{.*}}: index)
  //       CHECK:     vector.fma
  // CHECK-LABEL: func.func @depthwise.launch()
  //   CHECK-DAG:   %[[NONE:.*]] = arith.constant 0 : index
  //   CHECK-DAG:   %[[ROWS:.*]] = arith.constant 8 : index
  //       CHECK:   return %[[NONE]], %[[ROWS]]
  func.func @depthwise(%x: tensor<1x32x8x8xf32, #nhwc>, %w: tensor<32x1x3x3xf32, #window>) -> tensor<1x32x8x8xf32, #nhwc> {
    %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 32 to f32
        : tensor<1x32x8x8xf32, #nhwc>, tensor<32x1x3x3xf32, #window> -> tensor<1x32x8x8xf32, #nhwc>
    return %0 : tensor<1x32x8x8xf32, #nhwc>
  }
}

// -----

#panels = #graph.layout<[1, 0] panels 16 of 1>
func.func @double(%x: tensor<8x32xf64>, %w: tensor<32x64xf64, #panels>) -> tensor<8x64xf64> {
  // expected-error @+1 {{has packed weights but no kernel that reads them}}
  %0 = graph.contract %x[0, 2], %w[2, 1] to f64 [0, 1] : tensor<8x32xf64>, tensor<32x64xf64, #panels> -> tensor<8x64xf64>
  return %0 : tensor<8x64xf64>
}

// -----

// Left alone: an operand that is no buffer.
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // CHECK-LABEL: func.func @splat(
  //  CHECK-SAME:   -> tensor<8x64xf32>
  //       CHECK:   graph.contract
  func.func @splat(%x: tensor<8x32xf32>) -> tensor<8x64xf32> {
    %w = graph.constant dense<1.0> : tensor<32x64xf32>
    %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32> -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}

// -----

// Left alone: weights that are not packed.
// CHECK-LABEL: func.func @plain(
//  CHECK-SAME:   -> tensor<8x64xf32>
//  CHECK-NEXT:   graph.contract
//  CHECK-NEXT:   return
//   CHECK-NOT: func.func
func.func @plain(%x: tensor<8x32xf32>, %w: tensor<32x64xf32>) -> tensor<8x64xf32> {
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32> -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

#swapped = #graph.layout<[0, 1, 3, 2]>
module attributes {graph.target = {vector_bytes = 32, vector_registers = 16}} {
  // Two computed operands, the right one with its columns innermost; one of the heads' masks serves all. Run-time columns leave a masked tile.
  // CHECK-LABEL: func.func @attention(
  //  CHECK-SAME:   memref<?x12x?x64xf32>{{.*}}, %{{.*}}: memref<?x12x64x?xf32>{{.*}}, %{{.*}}: memref<?x1x?x?xf32>{{.*}}, %{{.*}}: memref<?x12x?x?xf32>
  //       CHECK:   scf.if
  //       CHECK:     %{{.*}}:12 = scf.for
  // CHECK-COUNT-48:    vector.fma
  //   CHECK-NOT:   vector.maskedload
  //       CHECK:   } else {
  //       CHECK:     vector.maskedload
  //       CHECK:     vector.maskedstore
  // CHECK-LABEL: func.func @attention.launch(
  func.func @attention(%q: tensor<?x12x?x64xf32> {graph.dims = ["b", unit, "s", unit]},
                       %k: tensor<?x12x?x64xf32, #swapped> {graph.dims = ["b", unit, "t", unit]},
                       %mask: tensor<?x1x?x?xf32> {graph.dims = ["b", unit, "s", "t"]})
      -> (tensor<?x12x?x?xf32> {graph.dims = ["b", unit, "s", "t"]}) attributes {graph.scalars = ["b", "s", "t"]} {
    %0 = graph.contract %q[0, 1, 2, 4], %k[0, 1, 3, 4] to f32 [0, 1, 2, 3]
        : tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32, #swapped> -> tensor<?x12x?x?xf32>
    %1 = graph.binary<add> %0, %mask : tensor<?x12x?x?xf32>, tensor<?x1x?x?xf32> -> tensor<?x12x?x?xf32>
    return %1 : tensor<?x12x?x?xf32>
  }
}
