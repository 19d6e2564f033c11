//===- Passes.td - Kernels to loops ------------------------*- tablegen -*-===//

#ifndef PASSES_CONVERSION_KERNELSTOLOOPS_PASSES
#define PASSES_CONVERSION_KERNELSTOLOOPS_PASSES

include "mlir/Pass/PassBase.td"

def KernelDestinationsPass : Pass<"hone-kernel-destinations", "::mlir::func::FuncOp"> {
  let summary = "Gives kernels buffers to read from and write to.";
  let description = [{
    Tensor arguments become memrefs, results become further memref arguments. Extents of results that the kernel would compute from data are read
    from the result's buffer instead, and every tensor that is written gets a `tensor.empty` of its own.

    Before:
    ```mlir
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<4xf32>, %y: memref<4xf32>) {
      %t = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.exp ins(%t : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```

    Left alone: functions without tensors in their signature.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def PrepareLoopsPass : Pass<"hone-prepare-loops", "::mlir::func::FuncOp"> {
  let summary = "Makes elementwise loops one-dimensional and lets sums be reordered.";
  let description = [{
    A `linalg.generic` whose operands are all read in order runs over one flat dimension. Float additions and multiplications of reductions may be
    reassociated, so that they run in vector lanes.

    Before:
    ```mlir
    linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : tensor<2x3x4xf32>) outs(%y : tensor<2x3x4xf32>) { ... }
    ```
    After:
    ```mlir
    linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
        ins(%0 : tensor<24xf32>) outs(%1 : tensor<24xf32>) { ... }
    ```

    Left alone: loops with broadcast, permuted or indexed operands.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def CopiesToLoopsPass : Pass<"hone-copies-to-loops", "::mlir::func::FuncOp"> {
  let summary = "Turns copies of buffers into elementwise loops.";
  let description = [{
    Before:
    ```mlir
    memref.copy %x, %y : memref<4xf32> to memref<4xf32, strided<[2]>>
    ```
    After:
    ```mlir
    linalg.generic ins(%x : memref<4xf32>) outs(%y : memref<4xf32, strided<[2]>>) { ... }
    ```

    Left alone: nothing.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def OrderLoopsPass : Pass<"hone-order-loops", "::mlir::func::FuncOp"> {
  let summary = "Puts parallel loops in front of reductions.";
  let description = [{
    The loops of a reduction are ordered for devices: the parallel ones, which become the grid, stand first, and the last of them is one along which
    neighbours in memory are read, if there is one. The order in which values of one element are combined stays.

    Before:
    ```mlir
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : memref<1024x64xf32>) outs(%y : memref<64xf32>) { ... }
    ```
    After:
    ```mlir
    linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<1024x64xf32>) outs(%y : memref<64xf32>) { ... }
    ```

    Left alone: loops without reduction, and those in this order.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

def LowerReshapesPass : Pass<"hone-lower-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Lowers reshapes of contiguous buffers.";
  let description = [{
    Reshapes of contiguous buffers and to rank 0 become `reinterpret_cast`.

    Before:
    ```mlir
    %0 = memref.collapse_shape %x [] : memref<1xi64, strided<[1], offset: 3>> into memref<i64, strided<[], offset: 3>>
    ```
    After:
    ```mlir
    %base, %offset, %size, %stride = memref.extract_strided_metadata %x ...
    %0 = memref.reinterpret_cast %base to offset: [3], sizes: [], strides: [] ...
    ```

    Left alone: reshapes of strided buffers.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ExpandMathPass : Pass<"hone-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Computes f32 functions by polynomials.";
  let description = [{
    Before:
    ```mlir
    %y = math.exp %x : f32
    ```
    After:
    ```mlir
    %k = math.floor %0 : f32   // x = k ln2 + r
    %p = math.fma %r, %c5, %c4 : f32
    ...
    ```

    Left alone: other element types and functions without a good polynomial; they become calls of the C library.
  }];
  let dependentDialects = ["::mlir::math::MathDialect", "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif // PASSES_CONVERSION_KERNELSTOLOOPS_PASSES
