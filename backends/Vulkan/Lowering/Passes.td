//===- Passes.td - Vulkan lowering -------------------------*- tablegen -*-===//

#ifndef BACKENDS_VULKAN_LOWERING_PASSES
#define BACKENDS_VULKAN_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def TypeBuffersPass : Pass<"hone-vulkan-type-buffers", "::mlir::func::FuncOp"> {
  let summary = "Gives every buffer one argument per element type.";
  let description = [{
    SPIR-V variables have one type. A buffer that is seen as several gets an argument for each; `hone.binding` says which buffer it is, and
    `hone.aliased` that there are others.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32>, %scratch: memref<?xi8>) {
      %c64 = arith.constant 64 : index
      %t = memref.view %scratch[%c64][] : memref<?xi8> to memref<8xf32>
      %v = memref.load %t[%i] : memref<8xf32>
    ```
    After:
    ```mlir
    func.func @k(%x: memref<?xf32> {hone.binding = 0 : i32}, %scratch: memref<?xf32> {hone.binding = 1 : i32}) {
      %c16 = arith.constant 16 : index
      %0 = arith.addi %c16, %i : index
      %v = memref.load %scratch[%0] : memref<?xf32>
    ```

    Left alone: nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandFunctionsPass : Pass<"hone-vulkan-expand-functions", "::mlir::func::FuncOp"> {
  let summary = "Computes functions that devices lack, or are not exact enough in, by arithmetic.";
  let description = [{
    Exponential, logarithm, powers, angles, erf and the remainder of f32 and f64, rounding to even of f64. Those of f16 are computed in f32.
    A quotient of f32, which devices may be some units off, takes one step towards the exact one.
    Divisions of integers that round up or down and signed comparisons of booleans are written in other terms.

    Before:
    ```mlir
    %y = math.exp %x : f64
    ```
    After:
    ```mlir
    %k = arith.subf %1, %2 : f64   // x = k ln2 + r
    %p = arith.addf %q, %c5 : f64
    ...
    ```

    Left alone: what devices compute exactly, as square roots and rounding.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def NarrowIndicesPass : Pass<"hone-vulkan-narrow-indices", "::mlir::func::FuncOp"> {
  let summary = "Makes indices that fit into 32 bits visible as such.";
  let description = [{
    Scalars are numbers of 31 bits, ids have bounds, loops whose bounds fit count in 32 bits. Addresses are computed modulo 2^32: the
    elements of a buffer that a device can bind have indices of 31 bits, unless they are single bytes.
    Upstream's `arith-int-range-narrowing` does the rest.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
      %t = gpu.thread_id x
      %i = arith.addi %t, %n : index
      %v = memref.load %x[%i] : memref<?xf32>
    ```
    After:
    ```mlir
    func.func @k(%x: memref<?xf32>, %n: i32) attributes {hone.workgroup_size = 64 : i32} {
      %t = gpu.thread_id x upper_bound 64
      %t32 = arith.index_cast %t : index to i32
      %n31 = arith.andi %n, %mask : i32
      %i = arith.addi %t32, %n31 : i32
      %at = arith.index_cast %i : i32 to index
      %v = memref.load %x[%at] : memref<?xf32>
    ```

    Left alone: addresses of single bytes, loops whose bounds may not fit, functions that are no kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KernelsToSPIRVPass : Pass<"hone-vulkan-kernels-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Makes a SPIR-V module of every kernel.";
  let description = [{
    Buffers become storage buffers, scalars push constants (or a storage buffer of their own when there are many), private and shared arrays
    variables. The grid is two-dimensional: workgroup (x, y) has the number 32768 * y + x.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32>) attributes {hone.workgroup_size = 64 : i32} {
      %b = gpu.block_id x
      %v = memref.load %x[%b] : memref<?xf32>
    ```
    After:
    ```mlir
    spirv.module @k Logical GLSL450 attributes {hone.buffers = 1 : i32, hone.scalars = 0 : i32} {
      spirv.GlobalVariable @buffer0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
      spirv.func @main() "None" { ... }
      spirv.EntryPoint "GLCompute" @main, @__builtin__WorkgroupId__
      spirv.ExecutionMode @main "LocalSize", 64, 1, 1
    }
    ```

    Left alone: launch functions.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // BACKENDS_VULKAN_LOWERING_PASSES
