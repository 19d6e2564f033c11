//===- Passes.td - CUDA C++ --------------------------------*- tablegen -*-===//

#ifndef BACKENDS_CUDA_EMIT_PASSES
#define BACKENDS_CUDA_EMIT_PASSES

include "mlir/Pass/PassBase.td"

def PrintSourcePass : Pass<"hone-cuda-print-source", "::mlir::ModuleOp"> {
  let summary = "Prints kernels as CUDA C++.";
  let description = [{
    Writes to standard output what the backend gives to NVRTC: every function of the module, which must be in device form, and before
    them what they call; or the PTX that NVRTC makes of it. For looking at the code of kernels without a model.

    Before:
    ```mlir
    func.func @k(%x: memref<?xf32>, %y: memref<?xf32>) attributes {hone.workgroup_size = 128 : i32} {
      %i = gpu.thread_id x
      %0 = memref.load %x[%i] : memref<?xf32>
      %1 = math.exp %0 : f32
      memref.store %1, %y[%i] : memref<?xf32>
      return
    }
    ```
    After: the same, and on standard output
    ```
    using idx = long long;

    // k
    extern "C" __global__ void __launch_bounds__(128) k(const float *__restrict__ b0, float *__restrict__ b1) {
      const idx p0 = (idx)threadIdx.x;
      b1[p0] = expf(b0[p0]);
    }
    ```

    Left alone: everything.
  }];
  let options = [
    Option<"ptx", "ptx", "bool", "false", "Print PTX.">,
    Option<"architecture", "architecture", "std::string", "\"sm_80\"", "What NVRTC compiles for.">,
  ];
}

#endif // BACKENDS_CUDA_EMIT_PASSES
