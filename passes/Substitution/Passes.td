//===- Passes.td - Substitution passes ---------------------*- tablegen -*-===//

#ifndef PASSES_SUBSTITUTION_PASSES
#define PASSES_SUBSTITUTION_PASSES

include "mlir/Pass/PassBase.td"

def ConvTransposeToConvPass : Pass<"hone-conv-transpose-to-conv", "::mlir::func::FuncOp"> {
  let summary = "Computes non-overlapping transposed convolutions as 1x1 convolutions.";
  let description = [{
    When the windows of a 2-D transposed convolution do not overlap, every input pixel makes a block of output pixels of its own: a
    1x1 convolution with a channel per output channel and block position, and a shuffle of channels into space. The
    convolution runs on the fast kernels.

    Before:
    ```mlir
    %y = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
        : tensor<1x24x8x8xf32>, tensor<24x16x2x2xf32> -> tensor<1x16x16x16xf32>
    ```
    After:
    ```mlir
    %0 = graph.transpose %w perm [1, 2, 3, 0] : tensor<24x16x2x2xf32> -> tensor<16x2x2x24xf32>
    %1 = graph.reshape %0, %s0 : tensor<16x2x2x24xf32>, tensor<4xi64> -> tensor<64x24x1x1xf32>
    %2 = graph.conv %x, %1 strides [1, 1] ... : tensor<1x24x8x8xf32>, tensor<64x24x1x1xf32> -> tensor<1x64x8x8xf32>
    %3 = graph.reshape %2, %s1 : tensor<1x64x8x8xf32>, tensor<6xi64> -> tensor<1x16x2x2x8x8xf32>
    %4 = graph.transpose %3 perm [0, 1, 4, 2, 5, 3] : tensor<1x16x2x2x8x8xf32> -> tensor<1x16x8x2x8x2xf32>
    %y = graph.reshape %4, %s2 : tensor<1x16x8x2x8x2xf32>, tensor<4xi64> -> tensor<1x16x16x16xf32>
    ```

    Left alone: windows that differ from the strides, dilations, pads, output padding, groups, weights that are not constant and
    ranks other than 4.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

def ScaleWeightsPass : Pass<"hone-scale-weights", "::mlir::func::FuncOp"> {
  let summary = "Moves constant scales of products into their weights.";
  let description = [{
    A matrix product or convolution with constant weights that is scaled along dimensions of the weights, as by a batch
    normalization behind it, gets scaled weights instead; a constant bias in between is scaled by itself. Constant folding
    computes both.

    Before:
    ```mlir
    %0 = graph.conv %x, %w ... : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x6x6xf32>
    %y = graph.binary<mul> %0, %s : tensor<1x16x6x6xf32>, tensor<16x1x1xf32> -> tensor<1x16x6x6xf32>
    ```
    After:
    ```mlir
    %0 = graph.reshape %s, %e : tensor<16x1x1xf32>, tensor<4xi64> -> tensor<16x1x1x1xf32>
    %1 = graph.binary<mul> %w, %0 : tensor<16x3x3x3xf32>, tensor<16x1x1x1xf32> -> tensor<16x3x3x3xf32>
    %y = graph.conv %x, %1 ... : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x6x6xf32>
    ```

    Left alone: products or weights with other uses, half types (their weights would be rounded once more), scales that
    differ along dimensions of the activations.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

#endif // PASSES_SUBSTITUTION_PASSES
