//===- Passes.td - Fusion passes ---------------------------*- tablegen -*-===//

#ifndef PASSES_FUSION_PASSES
#define PASSES_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"hone-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Groups ops into kernels, one launch each.";
  let description = [{
    Every op that computes becomes part of a `graph.kernel`. An op joins the kernel of its users when all of them are in
    that one kernel and the value would otherwise go through memory: elementwise ops of the same extents, at most one
    contraction per kernel (the elementwise ops behind it become its epilogue), elementwise ops in front of a reduction. Small
    constants and shape arithmetic are copied into the kernels that read them.

    Before:
    ```mlir
    %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32> -> tensor<8x64xf32>
    %1 = graph.unary<tanh> %0 : tensor<8x64xf32> -> tensor<8x64xf32>
    ```
    After:
    ```mlir
    %1 = graph.kernel -> tensor<8x64xf32> {
      %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32> -> tensor<8x64xf32>
      %2 = graph.unary<tanh> %0 : tensor<8x64xf32> -> tensor<8x64xf32>
      graph.yield %2 : tensor<8x64xf32>
    }
    ```

    Left alone: constants, views (planned aliases), control flow (its regions are formed on their own); elementwise ops whose extents
    cannot be shown to be their user's, because the kernel would compute elements twice or read outside; what would give a kernel more
    buffers than the target has.
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true", "Join ops; without it every op is a kernel of its own.">,
  ];
}

#endif // PASSES_FUSION_PASSES
