//===- KernelPrinter.h - Kernels as CUDA C++ --------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_KERNELPRINTER_H
#define BACKENDS_CUDA_EMIT_KERNELPRINTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace hone::cuda {

// Attributes of functions that the printer knows.
/// Threads of a workgroup, an i32.
inline constexpr llvm::StringLiteral kWorkgroupSize = "hone.workgroup_size";
/// 32 where every index of the function is known to fit into 32 bits.
inline constexpr llvm::StringLiteral kIndexBits = "hone.index_bits";
/// The statements of a kernel, in CUDA C++, instead of its body. They see the kernel's buffers as b0, b1, ...
/// and its scalars as s0, s1, ..., and may call what the prelude has.
inline constexpr llvm::StringLiteral kCudaText = "hone.cuda_text";
/// On buffers of such kernels that the text stores to.
inline constexpr llvm::StringLiteral kWritten = "hone.written";

/// The CUDA C++ of `kernel`, which is in device form: flat buffers, structured control flow, scalars. A
/// comment above it names its nodes. Private functions that it calls, or that have its name, a dot and one
/// of their own, come first, as __device__ functions. Fails with a diagnostic on what has no C++.
mlir::FailureOr<std::string> printKernel(mlir::func::FuncOp kernel);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_KERNELPRINTER_H
