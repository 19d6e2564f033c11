//===- KernelAction.h - Kernels on their way to code ------------*- C++ -*-===//
//
// An action of the context (mlir/IR/Action.h) that backends execute while they compile kernels, for those
// who watch: compiling is most of the time that a model takes.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_TARGET_KERNELACTION_H
#define LIB_TARGET_KERNELACTION_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace hone {

/// `done` of `total` kernels are compiled. Executed on the thread of the compilation.
struct KernelAction : mlir::tracing::ActionImpl<KernelAction> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelAction)
  static constexpr llvm::StringLiteral tag = "hone-kernel";

  KernelAction(llvm::ArrayRef<mlir::IRUnit> units, size_t done, size_t total)
      : ActionImpl(units), done(done), total(total) {}

  size_t done, total;
};

/// Tells those who watch `context`.
inline void tellKernels(mlir::MLIRContext *context, size_t done, size_t total) {
  context->executeAction<KernelAction>([] {}, {}, done, total);
}

} // namespace hone

#endif // LIB_TARGET_KERNELACTION_H
