//===- Passes.h - CUDA kernel families --------------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_PASSES_H
#define BACKENDS_CUDA_KERNELS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::cuda {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/CUDA/Kernels/Passes.h.inc"

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_PASSES_H
