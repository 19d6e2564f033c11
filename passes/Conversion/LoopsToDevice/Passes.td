//===- Passes.td - Loops over buffers to device form -------*- tablegen -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_PASSES
#define PASSES_CONVERSION_LOOPSTODEVICE_PASSES

include "mlir/Pass/PassBase.td"

def WidenAccessesPass : Pass<"hone-widen-accesses", "::mlir::func::FuncOp"> {
  let summary = "Moves several elements with one access.";
  let description = [{
    An iteration of a kernel's loop takes as many neighbouring elements as one access can move of the largest of them, as far as enough
    iterations are left for the device. What is loaded at one place for all of them is loaded once: a scalar, a bias along rows.

    Before:
    ```mlir
    scf.parallel (%i) = (%c0) to (%c1024) step (%c1) {
      %v = memref.load %x[%i] : memref<1024xf32>
      %w = math.absf %v : f32
      memref.store %w, %y[%i] : memref<1024xf32>
    }
    ```
    After:
    ```mlir
    scf.parallel (%i) = (%c0) to (%c1024) step (%c2) {
      %v = vector.load %x[%i] : memref<1024xf32>, vector<2xf32>
      %v0 = vector.extract %v[0] : f32 from vector<2xf32>
      %v1 = vector.extract %v[1] : f32 from vector<2xf32>
      %w0 = math.absf %v0 : f32
      %w1 = math.absf %v1 : f32
      %w = vector.from_elements %w0, %w1 : vector<2xf32>
      vector.store %w, %y[%i] : memref<1024xf32>, vector<2xf32>
    }
    ```

    Left alone: kernels of several loops; loops with anything but straight code; accesses elsewhere than along memory; extents and places of
    views that are not known to be multiples of what one access would move.
  }];
  let options = [Option<"bytes", "bytes", "int64_t", "16", "How many one access moves at most.">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitStagesPass : Pass<"hone-split-stages", "::mlir::ModuleOp"> {
  let summary = "Makes every kernel a sequence of launches.";
  let description = [{
    An outer parallel loop whose bounds follow from the kernel's scalars is a stage of its own, whose iterations will be the grid; what stands
    between such loops is a stage that one workgroup runs, or one thread where there is nothing to share. A stage is a function of those of the
    kernel's buffers that it needs, the scratch buffer the last of them, and its scalars; `hone.accessed_buffers` has the positions of these
    buffers, `hone.written_buffers` of those that it writes. The function `<kernel>.launch` returns how many bytes of scratch memory all stages
    share and the grid of each.

    Scalar arithmetic is repeated in every stage that needs it, as are loads of what no stage writes; other scalars reach later stages through
    scratch memory. Allocations outside of parallel loops are parts of scratch memory. Those inside are on the stack of a thread, or, when
    they are large, slices of scratch memory, and then the loop runs on as many threads as there are slices.

    Loops that follow one another and share their leading dimensions become one where all that one writes and another accesses lies in the same
    row: a softmax or a normalization is one launch. Where an iteration folds many values into one element in an order that is free, or has a
    parallel loop inside, a workgroup does it together: such stages are marked `hone.team`.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32> {graph.dims = ["n"]}, %y: memref<?xf32> {graph.dims = ["n"]}) attributes {graph.scalars = ["n"]} {
      %n = memref.dim %x, %c0 : memref<?xf32>
      %t = memref.alloc(%n) : memref<?xf32>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... %x ... %t ... }
      scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... %t, all of it ... %y ... }
      return
    }
    ```
    After:
    ```mlir
    func.func @k_0(%x: memref<?xf32>, %scratch: memref<?xi8>, %n: index)
        attributes {hone.accessed_buffers = array<i64: 0, 2>, hone.grid, hone.workgroup_size = 256 : i32, hone.written_buffers = array<i64: 2>} {
      %t = memref.view %scratch[%c0][%n] : memref<?xi8> to memref<?xf32>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... %x ... %t ... }
      return
    }
    func.func @k_1(%y: memref<?xf32>, %scratch: memref<?xi8>, %n: index)
        attributes {hone.accessed_buffers = array<i64: 1, 2>, hone.grid, hone.workgroup_size = 256 : i32, hone.written_buffers = array<i64: 1>} { ... }
    func.func @k.launch(%n: index) -> (index, index, index) attributes {stages = ["k_0", "k_1"]} {
      ...
      return %bytes, %workgroups, %workgroups : index, index, index
    }
    ```

    Left alone: functions that have a launch function or a workgroup size already, and private ones, which are parts of such kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def DistributeThreadsPass : Pass<"hone-distribute-threads", "::mlir::func::FuncOp"> {
  let summary = "Makes stages the code of one thread.";
  let description = [{
    The outer loop of a grid stage becomes one iteration per thread of the grid, neighbours in memory to neighbouring threads; or, for teams, one per
    workgroup. There, and in other stages, all threads of the workgroup follow the same control flow: they share the iterations of parallel loops,
    fold a share each of many values and combine the shares by shuffles and in shared memory, always in the same order; the first one does what
    else writes memory, and barriers stand between.

    Before:
    ```mlir
    func.func @k(%x: memref<64xf32>) attributes {hone.workgroup_size = 32 : i32} {
      scf.for %t = %c0 to %c9 step %c1 {
        scf.parallel (%i) = (%c0) to (%c64) step (%c1) { ... }
      }
      return
    }
    ```
    After:
    ```mlir
    func.func @k(%x: memref<64xf32>) attributes {hone.workgroup_size = 32 : i32} {
      %thread = gpu.thread_id x
      scf.for %t = %c0 to %c9 step %c1 {
        gpu.barrier
        scf.for %i = %thread to %c64 step %c32 { ... }
      }
      return
    }
    ```

    Left alone: functions without a workgroup size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def FlattenAccessesPass : Pass<"hone-flatten-accesses", "::mlir::func::FuncOp"> {
  let summary = "Gives every access one index into a flat buffer.";
  let description = [{
    Arguments and allocations become one-dimensional; subviews, reshapes and casts become index arithmetic. Extents of arguments are the scalars
    that `graph.dims` names. Elements of small constants are chosen by comparing the index.

    Before:
    ```mlir
    func.func @k(%x: memref<8x?xf32> {graph.dims = [unit, "n"]}, %n: index) attributes {graph.scalars = ["n"], hone.workgroup_size = 32 : i32} {
      %v = memref.load %x[%i, %j] : memref<8x?xf32>
    ```
    After:
    ```mlir
    func.func @k(%x: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 32 : i32} {
      %0 = arith.muli %i, %n : index
      %1 = arith.addi %0, %j : index
      %v = memref.load %x[%1] : memref<?xf32>
    ```

    Left alone: functions without a workgroup size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LegalizeTypesPass : Pass<"hone-legalize-types", "::mlir::func::FuncOp"> {
  let summary = "Leaves element types that devices have.";
  let description = [{
    In memory booleans are bytes, bf16 its bits and indices 64 bits. bf16, and f16 where the target does not compute with it (`native_types` of
    `graph.target`), are integers everywhere and their conversions integer arithmetic. 64-bit numbers on a target without them are an error.

    Before:
    ```mlir
    %v = memref.load %x[%i] : memref<?xbf16>
    %w = arith.extf %v : bf16 to f32
    ```
    After:
    ```mlir
    %v = memref.load %x[%i] : memref<?xi16>
    %0 = arith.extui %v : i16 to i32
    %1 = arith.shli %0, %c16 : i32
    %w = arith.bitcast %1 : i32 to f32
    ```

    Left alone: functions without a workgroup size, and empty ones, which stand for a text of the backend; arithmetic on types that are none of the device's, which `hone-verify-device-form` reports.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def VerifyDeviceFormPass : Pass<"hone-verify-device-form", "::mlir::func::FuncOp"> {
  let summary = "Refuses what is not part of device form.";
  let description = [{
    Backends of devices translate what passes here: scalar arith and math, scf.for, scf.while and scf.if, loads and stores of flat buffers (arguments,
    parts of one, private and workgroup allocations), and the position and barriers of a thread; of vectors, loads and stores of as many elements, and how they are taken apart and put together.

    Before:
    ```mlir
    memref.store %v, %x[%i, %j] : memref<4x4xf32>
    ```
    After: an error at the node of the store.

    Left alone: functions without a workgroup size; bf16 in the signature of empty ones, which stand for a text of the backend.
  }];
}

#endif // PASSES_CONVERSION_LOOPSTODEVICE_PASSES
