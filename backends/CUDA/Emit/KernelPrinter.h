//===- KernelPrinter.h - Kernels as CUDA C++ --------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_KERNELPRINTER_H
#define BACKENDS_CUDA_EMIT_KERNELPRINTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace hone::cuda {

/// Threads of a workgroup, an i32 attribute of kernels.
inline constexpr llvm::StringLiteral kWorkgroupSize = "hone.workgroup_size";

/// The CUDA C++ of `kernel`, which is in device form: flat buffers, structured control flow, scalars. A
/// comment above it names its nodes. Fails with a diagnostic on what has no C++.
mlir::FailureOr<std::string> printKernel(mlir::func::FuncOp kernel);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_KERNELPRINTER_H
