//===- Passes.td - CUDA kernel families --------------------*- tablegen -*-===//

#ifndef BACKENDS_CUDA_KERNELS_PASSES
#define BACKENDS_CUDA_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def EmitContractionsPass : Pass<"hone-cuda-emit-contractions", "::mlir::ModuleOp"> {
  let summary = "Writes tiled kernels for matrix products and convolutions.";
  let description = [{
    A kernel of one contraction and elementwise ops behind it becomes a kernel whose workgroups each compute one tile: operands go through
    shared memory, sums stay in registers. The tile, and into how many parts long sums are split, follow from the shape and the target. How
    elements are read (any layout, groups, windows, padding) and what becomes of a sum are private functions; the loops are CUDA C++
    (`backends/CUDA/Emit/Library/contraction.cuh`). Parts of sums are added, in order, by a second launch.

    Before:
    ```mlir
    func.func @k(%x: tensor<64x256xf32>, %w: tensor<256x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
      %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
      %1 = graph.binary<add> %0, %b : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
      return %1 : tensor<64x64xf32>
    }
    ```
    After:
    ```mlir
    func.func private @k.left(%batch: i32, %row: i32, %term: i32, %x: memref<?xf32>, ...) -> f32 { ... }
    func.func private @k.right(%batch: i32, %term: i32, %column: i32, ...) -> f32 { ... }
    func.func private @k.store(%batch: i32, %row: i32, %column: i32, %sum: f32, ...) { ... }
    func.func @k(%x: memref<?xf32>, %w: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32> {hone.written})
        attributes {hone.workgroup_size = 256 : i32, hone.cuda_text = "... contraction<32, 32, 32, 2, 2, ...>(...);"} { return }
    func.func @k.launch() -> (index, index) attributes {stages = ["k"]} { ... }
    ```

    Left alone: kernels with other ops, or whose products are too small for tiles (one filter a channel): loops do as well.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // BACKENDS_CUDA_KERNELS_PASSES
