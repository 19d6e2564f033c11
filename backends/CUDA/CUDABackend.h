//===- CUDABackend.h - NVIDIA GPUs ------------------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_CUDABACKEND_H
#define BACKENDS_CUDA_CUDABACKEND_H

#include "lib/Target/TargetBackend.h"

namespace hone {

std::unique_ptr<TargetBackend> createCUDABackend();

namespace cuda {
void registerPasses();
void registerDialects(mlir::DialectRegistry &registry);
} // namespace cuda

} // namespace hone

#endif // BACKENDS_CUDA_CUDABACKEND_H
