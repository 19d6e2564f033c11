//===- Passes.td - CPU lowering ----------------------------*- tablegen -*-===//

#ifndef BACKENDS_CPU_LOWERING_PASSES
#define BACKENDS_CPU_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def KernelDestinationsPass : Pass<"hone-cpu-kernel-destinations", "::mlir::func::FuncOp"> {
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

def PrepareLoopsPass : Pass<"hone-cpu-prepare-loops", "::mlir::func::FuncOp"> {
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

def DistributeLoopsPass : Pass<"hone-cpu-distribute-loops", "::mlir::ModuleOp"> {
  let summary = "Makes the outer parallel loops of a kernel its grid.";
  let description = [{
    The function takes the first and the end of a range of work items. If its work is one `scf.parallel`, work items are iterations of its
    outer loops (all but the innermost when there are several), as many in one as make 4096 elements; otherwise the kernel is one work
    item. A function `<kernel>.launch` computes from the kernel's scalars how many items there are and how many bytes of scratch memory
    it allocates.

    Before:
    ```mlir
    func.func @k(%x: memref<8x64xf32>) {
      scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c64) step (%c1, %c1) { ... }
      return
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<8x64xf32>, %begin: index, %end: index) {
      %first = arith.muli %begin, %c64 : index
      %bound = arith.muli %end, %c64 : index
      %last = arith.minsi %bound, %c8 : index
      scf.for %i = %first to %last step %c1 {
        scf.for %j = %c0 to %c64 step %c1 { ... }
      }
      return
    }
    func.func @k.launch() -> (index, index) { return %c1, %c0 : index, index }
    ```

    Left alone: functions that have a launch function already.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandMathPass : Pass<"hone-cpu-expand-math", "::mlir::func::FuncOp"> {
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

def CopiesToLoopsPass : Pass<"hone-cpu-copies-to-loops", "::mlir::func::FuncOp"> {
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

def LowerReshapesPass : Pass<"hone-cpu-lower-reshapes", "::mlir::func::FuncOp"> {
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

def KernelABIPass : Pass<"hone-cpu-kernel-abi", "::mlir::ModuleOp"> {
  let summary = "Gives kernels the signature the runtime calls.";
  let description = [{
    `void kernel(uint8_t *const *buffers, const int64_t *scalars, int64_t begin, int64_t end)`. Buffers are loaded from the first
    array and passed to an inner function as pointers that do not alias; run-time extents are loaded from the second.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32> {graph.dims = ["s0"]}, %begin: index, %end: index) attributes {graph.scalars = ["s0"]} { ... }
    ```
    After:
    ```mlir
    func.func private @k.body(%x: !llvm.ptr {llvm.noalias}, %s0: i64, %begin: i64, %end: i64) { ... }
    func.func @k(%buffers: !llvm.ptr, %scalars: !llvm.ptr, %begin: i64, %end: i64) {
      %0 = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      %1 = llvm.load %scalars : !llvm.ptr -> i64
      call @k.body(%0, %1, %begin, %end) ...
      return
    }
    ```

    Left alone: `<kernel>.launch` functions.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

#endif // BACKENDS_CPU_LOWERING_PASSES
