//===- Passes.td - CPU kernel families ---------------------*- tablegen -*-===//

#ifndef BACKENDS_CPU_KERNELS_PASSES
#define BACKENDS_CPU_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def EmitPanelKernelsPass : Pass<"hone-cpu-emit-panel-kernels", "::mlir::ModuleOp"> {
  let summary = "Writes register-tiled code for contractions.";
  let description = [{
    A kernel whose contraction reads packed weights, or two computed matrices, becomes loops over vectors: a tile of rows (pixels) and columns (channels) is kept in
    registers while the sum runs, then the kernel's elementwise ops are applied and the tile is stored.

    Before:
    ```mlir
    func.func @k(%x: tensor<8x32xf32>, %w: tensor<32x64xf32, #graph.layout<[1, 0] panels 16 of 1>>) -> tensor<8x64xf32> {
      %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] ...
      return %0 : tensor<8x64xf32>
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<8x32xf32>, %w: memref<4x32x16xf32>, %y: memref<8x64xf32>, %begin: index, %end: index) {
      scf.for %item = %begin to %end step %c1 {
        %acc:12 = scf.for %k = %c0 to %c32 step %c4 iter_args(...) -> (vector<8xf32>, ...) { vector.fma ... }
        ...
      }
      return
    }
    func.func @k.launch() -> (index, index) attributes {stages = ["k"]} { ... }
    ```

    Left alone: kernels without a contraction, and contractions of other types or with more than one dimension summed over.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def EmitTransposeKernelsPass : Pass<"hone-cpu-emit-transpose-kernels", "::mlir::ModuleOp"> {
  let summary = "Writes permutations as squares that are turned in registers.";
  let description = [{
    A kernel that only permutes (`graph.transpose`, `graph.relayout`) reads rows of squares as vectors, turns them by shuffles and writes
    rows. Dimensions that stay neighbours are one.

    Before:
    ```mlir
    func.func @k(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
      %0 = graph.transpose %x perm [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
      return %0 : tensor<128x64xf32>
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<64x128xf32>, %y: memref<128x64xf32>, %begin: index, %end: index) {
      scf.for %item = %begin to %end step %c1 {
        scf.for %j = ... step %c8 {
          %0 = vector.load ... // 8 rows
          %8 = vector.shuffle %0, %1 ...
          vector.store ...     // 8 rows
        }
      }
      return
    }
    func.func @k.launch() -> (index, index) { ... }
    ```

    Left alone: permutations that keep the innermost dimension, which copy runs; panels; unsigned and narrower types.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // BACKENDS_CPU_KERNELS_PASSES
