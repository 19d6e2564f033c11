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

def RecognizeNormalizationPass : Pass<"hone-recognize-normalization", "::mlir::func::FuncOp"> {
  let summary = "Finds layer and RMS normalizations that are written out.";
  let description = [{
    A value that is divided by the root of its mean square is an RMS normalization; one of a value without its mean is a
    layer normalization. The means may be quotients or products with a constant, the extents known only when run; the
    division may be a product with a reciprocal; halves may be cast to f32 and back on the way. The op computes in f32
    what the chain rounded. Scale and shift stay behind it.

    Before:
    ```mlir
    func.func @f(%x: tensor<4x48xf32>) -> tensor<4x48xf32> {
      %count = graph.constant dense<48.0> : tensor<f32>
      %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
      %0 = graph.reduce<sum> %x dims [1] keep : tensor<4x48xf32> -> tensor<4x1xf32>
      %1 = graph.binary<div> %0, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
      %2 = graph.binary<sub> %x, %1 : tensor<4x48xf32>, tensor<4x1xf32> -> tensor<4x48xf32>
      %3 = graph.binary<mul> %2, %2 : tensor<4x48xf32>, tensor<4x48xf32> -> tensor<4x48xf32>
      %4 = graph.reduce<sum> %3 dims [1] keep : tensor<4x48xf32> -> tensor<4x1xf32>
      %5 = graph.binary<div> %4, %count : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
      %6 = graph.binary<add> %5, %epsilon : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
      %7 = graph.unary<sqrt> %6 : tensor<4x1xf32> -> tensor<4x1xf32>
      %8 = graph.binary<div> %2, %7 : tensor<4x48xf32>, tensor<4x1xf32> -> tensor<4x48xf32>
      return %8 : tensor<4x48xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4x48xf32>) -> tensor<4x48xf32> {
      %0 = graph.normalize<layer> %x dims [1] epsilon 1.0e-5 : tensor<4x48xf32> -> tensor<4x48xf32>
      return %0 : tensor<4x48xf32>
    }
    ```

    Left alone: chains of which a value is also used elsewhere, as it would be computed twice (the RMS normalization of a
    value without its mean is found though that value has other uses); means along different dimensions; reductions
    whose results would meet other dimensions of the operand; values that are added inside and out of the root, as
    `sqrt(variance) + epsilon`; negative epsilons.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

def RecognizeSoftmaxPass : Pass<"hone-recognize-softmax", "::mlir::func::FuncOp"> {
  let summary = "Finds softmaxes that are written out.";
  let description = [{
    `exp(x - max(x))` over its sum along one dimension is a softmax, `x - max(x)` without the logarithm of that sum the
    logarithm of one. A softmax of halves that is cast to f32 and back is one of halves.

    Before:
    ```mlir
    func.func @f(%x: tensor<4x48xf32>) -> tensor<4x48xf32> {
      %0 = graph.reduce<max> %x dims [1] keep : tensor<4x48xf32> -> tensor<4x1xf32>
      %1 = graph.binary<sub> %x, %0 : tensor<4x48xf32>, tensor<4x1xf32> -> tensor<4x48xf32>
      %2 = graph.unary<exp> %1 : tensor<4x48xf32> -> tensor<4x48xf32>
      %3 = graph.reduce<sum> %2 dims [1] keep : tensor<4x48xf32> -> tensor<4x1xf32>
      %4 = graph.binary<div> %2, %3 : tensor<4x48xf32>, tensor<4x1xf32> -> tensor<4x48xf32>
      return %4 : tensor<4x48xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4x48xf32>) -> tensor<4x48xf32> {
      %0 = graph.softmax %x dim 1 : tensor<4x48xf32> -> tensor<4x48xf32>
      return %0 : tensor<4x48xf32>
    }
    ```

    Left alone: exponentials of which no maximum is taken off, which overflow where a softmax does not; several
    dimensions; chains of which a value is also used elsewhere.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

def ScaleWeightsPass : Pass<"hone-scale-weights", "::mlir::func::FuncOp"> {
  let summary = "Moves constant scales of products into their weights.";
  let description = [{
    A matrix product or convolution with constant weights that is scaled along dimensions of the weights, as by a batch
    normalization behind it, gets scaled weights instead; a constant bias in between is scaled by itself. Two constants
    in a row that are added or multiplied behind a product become one. Constant folding computes all of them.

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

    Left alone: products or weights with other uses, half types (their constants would be rounded once more), scales that
    differ along dimensions of the activations, two constants that together are larger than each.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

#endif // PASSES_SUBSTITUTION_PASSES
