//===- Targets.h - What a compilation is for --------------------*- C++ -*-===//

#ifndef LIB_PIPELINE_TARGETS_H
#define LIB_PIPELINE_TARGETS_H

#include "lib/Target/TargetBackend.h"

namespace hone {

struct ResolvedTarget {
  const TargetBackend *backend;
  TargetInfo info;
};

/// The targets of a list like "cpu:avx2,cuda:sm_90a", in its order and each once. Fails with a diagnostic that names
/// the part that is none.
mlir::FailureOr<llvm::SmallVector<ResolvedTarget>> resolveTargets(const BackendRegistry &backends, llvm::StringRef list,
                                                                  mlir::MLIRContext *context);

/// Adds to every error and remark, while alive, which target it is about.
class TargetLabel : public mlir::ScopedDiagnosticHandler {
public:
  TargetLabel(mlir::MLIRContext *context, llvm::StringRef target);
};

/// Compiles the kernels of `planned` and lets its executable hold the image in their place.
mlir::LogicalResult attachImage(const ResolvedTarget &target, mlir::ModuleOp planned, mlir::ModuleOp kernels);

/// Moves programs, kernels and executables of a planned module into another, under names that end in the target's.
/// Constants are attributes: equal ones are one.
void mergeTarget(mlir::ModuleOp into, mlir::OwningOpRef<mlir::ModuleOp> planned, llvm::StringRef target);

/// The target as a part of file names and symbols: "cpu-avx2".
std::string targetFileName(llvm::StringRef target);

} // namespace hone

#endif // LIB_PIPELINE_TARGETS_H
