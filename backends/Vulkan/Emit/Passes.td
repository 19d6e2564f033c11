//===- Passes.td - SPIR-V ----------------------------------*- tablegen -*-===//

#ifndef BACKENDS_VULKAN_EMIT_PASSES
#define BACKENDS_VULKAN_EMIT_PASSES

include "mlir/Pass/PassBase.td"

def PrintAssemblyPass : Pass<"hone-vulkan-print-assembly", "::mlir::ModuleOp"> {
  let summary = "Prints kernels as SPIR-V assembly.";
  let description = [{
    Lowers every function of the module, which must be in device form, to a SPIR-V module, checks it with SPIRV-Tools' validator, and
    writes its text to standard output. For looking at the code of kernels without a model.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32>) attributes {hone.workgroup_size = 64 : i32} {
      %i = gpu.thread_id x
      %0 = memref.load %x[%i] : memref<?xf32>
      %1 = arith.mulf %0, %0 : f32
      memref.store %1, %x[%i] : memref<?xf32>
      return
    }
    ```
    After: the same as SPIR-V modules, and on standard output
    ```
    ; kernel k
                   OpCapability Shader
                   OpCapability SignedZeroInfNanPreserve
    ...
             %20 = OpFMul %float %19 %19
                   OpStore %18 %20
    ```

    Left alone: launch functions.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // BACKENDS_VULKAN_EMIT_PASSES
