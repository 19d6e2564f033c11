//===- Passes.td - Layout passes ---------------------------*- tablegen -*-===//

#ifndef PASSES_LAYOUT_PASSES
#define PASSES_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def ChooseLayoutsPass : Pass<"hone-choose-layouts", "::mlir::func::FuncOp"> {
  let summary = "Puts channels last around convolutions and packs constant weights.";
  let description = [{
    2-D convolutions want channels last: the innermost loop then reads channels in a row. The wish spreads over ops that
    work in any layout (elementwise, windows, concatenation, ...); `relayout` stands where it ends. Constant weights of
    convolutions and matrix products are laid out in the panels their kernels read.

    Before:
    ```mlir
    %y = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
        : tensor<1x32x8x8xf32>, tensor<64x32x3x3xf32> -> tensor<1x64x8x8xf32>
    ```
    After:
    ```mlir
    %0 = graph.relayout %x : tensor<1x32x8x8xf32> -> tensor<1x32x8x8xf32, #nhwc>
    %1 = graph.relayout %w : tensor<64x32x3x3xf32> -> tensor<64x32x3x3xf32, #graph.layout<[0, 2, 3, 1] panels 16 of 0>>
    %2 = graph.conv %0, %1 ... -> tensor<1x64x8x8xf32, #nhwc>
    %y = graph.relayout %2 : tensor<1x64x8x8xf32, #nhwc> -> tensor<1x64x8x8xf32>
    ```

    Left alone: convolutions that no packed kernel computes (other element types, grouped but not depthwise, weights that are not
    constant) and everything that no such convolution reaches; everything on machines whose kernels keep no tiles in vector registers.
  }];
}

#endif // PASSES_LAYOUT_PASSES
