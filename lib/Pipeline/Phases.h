//===- Phases.h - What each phase runs --------------------------*- C++ -*-===//

#ifndef LIB_PIPELINE_PHASES_H
#define LIB_PIPELINE_PHASES_H

#include "lib/Pipeline/Compiler.h"
#include "lib/Pipeline/Targets.h"

#include "llvm/ADT/StringSet.h"

namespace hone {

/// Whether the phase runs once for all targets: it knows none.
bool isShared(Phase phase);

/// Names of passes.
struct PassNames {
  llvm::StringSet<> all;
  llvm::StringSet<> needed; ///< every model needs these: they cannot be left out
};

/// Appends the passes of `phase` to a pipeline on the whole module, but for those the options disable; `known` collects
/// the names of all. Import and Emit have none. `target` is null in phases that are shared.
void buildPhase(Phase phase, mlir::OpPassManager &module, const CompileOptions &options, const ResolvedTarget *target,
                PassNames *known = nullptr);

/// Adds the names of the passes of a pipeline, which only its text tells where somebody else made it.
void collectPassNames(const mlir::OpPassManager &passes, llvm::StringSet<> &known);

/// Fails, listing the passes there are, when the options disable one that no phase of any target has, or one that
/// cannot be left out.
mlir::LogicalResult checkDisabledPasses(const CompileOptions &options, llvm::ArrayRef<ResolvedTarget> targets,
                                        mlir::MLIRContext *context);

} // namespace hone

#endif // LIB_PIPELINE_PHASES_H
