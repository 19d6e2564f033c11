//===- CompileUnits.h - CUDA C++ to machine code ----------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_COMPILEUNITS_H
#define BACKENDS_CUDA_EMIT_COMPILEUNITS_H

#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::cuda {

/// A kernel and its CUDA C++, without what the prelude brings.
struct KernelText {
  mlir::func::FuncOp kernel;
  std::string text;
};

/// What became of the kernels of one unit.
struct CompiledUnit {
  std::string architecture; ///< sm_90 or, where a kernel needs it, sm_90a
  std::vector<char> cubin;
  std::vector<char> ptx; ///< with the zero byte at its end
};

/// An attribute of kernels that use what only the exact architecture has.
inline constexpr llvm::StringLiteral kExactArchitecture = "hone.exact_architecture";

/// The whole CUDA C++ of some kernels.
std::string sourceOf(llvm::ArrayRef<KernelText> kernels);

/// Compiles the kernels in units of a few, in parallel, or takes what an earlier compilation left in the
/// user's cache. An error names the kernel and its nodes. The units depend on the kernels alone.
mlir::FailureOr<std::vector<CompiledUnit>> compileUnits(llvm::ArrayRef<KernelText> kernels, const TargetInfo &info,
                                                        mlir::Location loc);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_COMPILEUNITS_H
