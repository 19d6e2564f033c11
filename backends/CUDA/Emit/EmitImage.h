//===- EmitImage.h - Kernels to an image of cubins and PTX ------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_EMITIMAGE_H
#define BACKENDS_CUDA_EMIT_EMITIMAGE_H

#include "lib/Target/TargetBackend.h"

namespace hone::cuda {

/// Whether NVRTC is there and compiles for the target, where `output` needs it.
mlir::LogicalResult checkHost(const TargetInfo &info, TargetBackend::Output output, mlir::Location loc);

/// Translates kernels in device form to CUDA C++, PTX, or an image (runtime/format/CudaImage.h).
mlir::FailureOr<EmittedCode> emitImage(mlir::ModuleOp kernels, const TargetInfo &info, TargetBackend::Output output);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_EMITIMAGE_H
