//===- Passes.td - Graph ops to structured ops ------------*- tablegen -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_PASSES
#define PASSES_CONVERSION_GRAPHTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def GraphToLinalgPass : Pass<"hone-graph-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Expresses graph ops as loops over elements.";
  let description = [{
    Every graph op becomes linalg, tensor, scf, arith and math on tensors of storage types: unsigned
    integers lose their sign, sub-byte and f8 elements take a byte each, and a layout becomes the
    order of the dimensions. Arithmetic on f16, bf16 and f8 is done in f32.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
      %0 = graph.binary<max> %x, %y : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
      return %0 : tensor<4xui8>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
      %0 = tensor.empty() : tensor<4xi8>
      %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<4xi8>, tensor<4xi8>) outs(%0 : tensor<4xi8>) {
      ^bb0(%a: i8, %b: i8, %out: i8):
        %2 = arith.maxui %a, %b : i8
        linalg.yield %2 : i8
      } -> tensor<4xi8>
      return %1 : tensor<4xi8>
    }
    ```

    Left alone: ops of other dialects. Regions of graph ops (kernel, if, loop) are an error: they are
    outlined before.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // PASSES_CONVERSION_GRAPHTOLINALG_PASSES
