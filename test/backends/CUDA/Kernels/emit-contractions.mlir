// RUN: hone-opt %s --hone-cuda-emit-contractions --canonicalize --cse | FileCheck %s

#nhwc = #graph.layout<[0, 2, 3, 1]>

module attributes {graph.target = {compute_units = 132, subgroup_size = 32}} {

// A matrix product with a bias: each operand is read along its rows; the bias is added where sums end.
// CHECK-LABEL: func.func private @matmul_parts.left(
// CHECK-SAME:      %[[BATCH:.*]]: i32, %[[ROW:.*]]: i32, %[[TERM:.*]]: i32, %[[X:[^:]*]]: memref<?xf32>,
// CHECK-SAME:      -> f32 attributes {hone.index_bits = 32 : i32}
// CHECK-DAG:     %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[I:.*]] = arith.index_cast %[[ROW]]
// CHECK-DAG:     %[[K:.*]] = arith.index_cast %[[TERM]]
// CHECK:         %[[START:.*]] = arith.muli %[[I]], %[[C256]]
// CHECK:         %[[AT:.*]] = arith.addi %[[START]], %[[K]]
// CHECK:         memref.load %[[X]][%[[AT]]]
// CHECK-LABEL: func.func private @matmul_sums.store(
// CHECK:         %[[BIAS:.*]] = memref.load
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}}, %[[BIAS]]
// CHECK:         memref.store %[[SUM]]
// CHECK-LABEL: func.func @matmul_parts(
// CHECK-SAME:      %{{[^:]*}}: memref<?xf32> {hone.written}, %{{[^:]*}}: memref<?xi8> {hone.written})
// CHECK-SAME:      contraction<32, 32, 32, 2, 2, true, false, float>
// CHECK-SAME:      hone.workgroup_size = 256 : i32
// CHECK-LABEL: func.func @matmul.launch() -> (index, index, index) attributes {stages = ["matmul_parts", "matmul_sums"]}
func.func @matmul(%x: tensor<64x256xf32>, %w: tensor<256x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
  %1 = graph.binary<add> %0, %b : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Channels first: pixels run along the columns, padding is zero; one image needs no division by their number.
// CHECK-LABEL: func.func private @conv.right(
// CHECK-SAME:      %{{.*}}: i32, %[[TERM:.*]]: i32, %[[COLUMN:[^:]*]]: i32, %[[X:[^:]*]]: memref<?xf32>
// CHECK-DAG:     arith.divui %[[TERM]], %c9_i32
// CHECK-DAG:     %[[Y:.*]] = arith.divui %[[COLUMN]], %c56_i32
// CHECK-NOT:     remui %[[Y]]
// CHECK:         arith.cmpi ult
// CHECK:         arith.cmpi ult
// CHECK:         %[[INSIDE:.*]] = arith.andi
// CHECK:         scf.if %[[INSIDE]]
// CHECK-NEXT:      memref.load %[[X]]
// CHECK-LABEL: func.func @conv.launch() -> (index, index) attributes {stages = ["conv"]}
// CHECK-DAG:     %[[NONE:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[TILES:.*]] = arith.constant 196 : index
// CHECK:         return %[[NONE]], %[[TILES]]
func.func @conv(%x: tensor<1x16x56x56xf32>, %w: tensor<64x16x3x3xf32>) -> tensor<1x64x56x56xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x16x56x56xf32>, tensor<64x16x3x3xf32> -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// Channels last: they are the columns; the number of rows is computed, and counted with 64 bits.
// CHECK-LABEL: func.func private @conv_nhwc.left(
// CHECK-SAME:      %{{.*}}: i32, %{{.*}}: index, %{{.*}}: i32,
// CHECK-LABEL: func.func private @conv_nhwc.store(
// CHECK-LABEL: func.func @conv_nhwc(
// CHECK-SAME:      const idx rows = conv_nhwc_rows(b0, b1, b2, s0);
// CHECK-SAME:      contraction<32, 32, 32, 2, 2, true, true, float>
// CHECK-LABEL: func.func @conv_nhwc.launch(
// CHECK:         arith.ceildivsi
func.func @conv_nhwc(%x: tensor<?x64x28x28xf32, #nhwc> {graph.dims = ["s0", unit, unit, unit]}, %w: tensor<64x64x1x1xf32>)
    -> (tensor<?x64x28x28xf32, #nhwc> {graph.dims = ["s0", unit, unit, unit]}) attributes {graph.scalars = ["s0"]} {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<?x64x28x28xf32, #nhwc>, tensor<64x64x1x1xf32> -> tensor<?x64x28x28xf32, #nhwc>
  return %0 : tensor<?x64x28x28xf32, #nhwc>
}

// A long sum of a few elements is split: sixteen parts of four tiles, added one element a thread.
// CHECK-LABEL: func.func @split_sums(
// CHECK-SAME:      split < 16
// CHECK-LABEL: func.func @split.launch()
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 65536 : index
// CHECK-DAG:     %[[PARTS:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[SUMS:.*]] = arith.constant 4 : index
// CHECK:         return %[[BYTES]], %[[PARTS]], %[[SUMS]]
func.func @split(%x: tensor<16x4096xf32>, %w: tensor<4096x64xf32>) -> tensor<16x64xf32> {
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<16x4096xf32>, tensor<4096x64xf32> -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// Weights that are one number are no buffer; products of what the kernel computes are left alone.
// CHECK-LABEL: func.func private @splat.right(
// CHECK-NOT:     memref.load
// CHECK:         return %cst
// CHECK-LABEL: func.func @splat(%{{[^:]*}}: memref<?xf32>, %{{[^:]*}}: memref<?xf32> {hone.written})
func.func @splat(%x: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %w = graph.constant dense<0.5> : tensor<32x64xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// CHECK-LABEL: func.func @computed(
// CHECK:         graph.contract
func.func @computed(%x: tensor<64x512xf32>, %w: tensor<512x64xf32>) -> tensor<64x64xf32> {
  %e = graph.unary<exp> %x : tensor<64x512xf32> -> tensor<64x512xf32>
  %0 = graph.contract %e[0, 2], %w[2, 1] to f32 [0, 1] : tensor<64x512xf32>, tensor<512x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One filter a channel has nothing to share.
// CHECK-LABEL: func.func @depthwise(
// CHECK-NEXT:    graph.conv
func.func @depthwise(%x: tensor<1x64x8x8xf32>, %w: tensor<64x1x3x3xf32>) -> tensor<1x64x8x8xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 64 to f32
      : tensor<1x64x8x8xf32>, tensor<64x1x3x3xf32> -> tensor<1x64x8x8xf32>
  return %0 : tensor<1x64x8x8xf32>
}
}
