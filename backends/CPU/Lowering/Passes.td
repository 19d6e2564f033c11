//===- Passes.td - CPU lowering ----------------------------*- tablegen -*-===//

#ifndef BACKENDS_CPU_LOWERING_PASSES
#define BACKENDS_CPU_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def DistributeLoopsPass : Pass<"hone-cpu-distribute-loops", "::mlir::ModuleOp"> {
  let summary = "Makes the outer parallel loops of a kernel its grid.";
  let description = [{
    The function takes the first and the end of a range of work items. If its work is one `scf.parallel`, work items are iterations of its
    outer loops (all but the innermost when there are several), as many in one as make 4096 elements; otherwise the kernel is one work
    item. A function `<kernel>.launch` computes from the kernel's scalars how many bytes of scratch memory it allocates and how
    many items there are.

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
    func.func @k.launch() -> (index, index) attributes {stages = ["k"]} { return %c0, %c1 : index, index }
    ```

    Left alone: functions that have a launch function already.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def KeepAccumulatorsPass : Pass<"hone-cpu-keep-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Hands elements that a loop adds up from iteration to iteration.";
  let description = [{
    A loop that reads and writes one element of an allocation in each iteration gets it as a value: it is read in front of
    the loop and written behind it.

    Before:
    ```mlir
    func.func @k(%x: memref<64xf32>, %sums: index, %i: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %sum = memref.alloc(%sums) : memref<?xf32>
      scf.for %j = %c0 to %c64 step %c1 {
        %0 = memref.load %x[%j] : memref<64xf32>
        %1 = memref.load %sum[%i] : memref<?xf32>
        %2 = arith.addf %1, %0 : f32
        memref.store %2, %sum[%i] : memref<?xf32>
      }
      return
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<64xf32>, %sums: index, %i: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %sum = memref.alloc(%sums) : memref<?xf32>
      %first = memref.load %sum[%i] : memref<?xf32>
      %last = scf.for %j = %c0 to %c64 step %c1 iter_args(%1 = %first) -> (f32) {
        %0 = memref.load %x[%j] : memref<64xf32>
        %2 = arith.addf %1, %0 : f32
        scf.yield %2 : f32
      }
      memref.store %last, %sum[%i] : memref<?xf32>
      return
    }
    ```

    Left alone: elements that move with the loop; allocations that have views or are touched elsewhere in the loop; buffers
    of the caller, of which LLVM knows that they do not overlap.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def SequentialLoopsPass : Pass<"hone-cpu-sequential-loops", "::mlir::func::FuncOp"> {
  let summary = "Runs the parallel loops of a work item one iteration after the other.";
  let description = [{
    `scf.parallel` becomes nested `scf.for`. LLVM is told not to unroll the outer ones where the innermost has at least 16
    iterations, or how many is not known: that would make code and compile time grow and gain nothing.

    Before:
    ```mlir
    func.func @k(%x: memref<8x64xf32>, %zero: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c64) step (%c1, %c1) {
        memref.store %zero, %x[%i, %j] : memref<8x64xf32>
        scf.reduce
      }
      return
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<8x64xf32>, %zero: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      scf.for %i = %c0 to %c8 step %c1 {
        scf.for %j = %c0 to %c64 step %c1 {
          memref.store %zero, %x[%i, %j] : memref<8x64xf32>
        }
      } {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
      return
    }
    ```

    Left alone: other loops.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect"];
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
    func.func private @k.body(%x: !llvm.ptr {llvm.noalias}, %s0: i64, %begin: i64, %end: i64) attributes {llvm.linkage = internal} { ... }
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
