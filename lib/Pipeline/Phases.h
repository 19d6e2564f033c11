//===- Phases.h - What each phase runs --------------------------*- C++ -*-===//

#ifndef LIB_PIPELINE_PHASES_H
#define LIB_PIPELINE_PHASES_H

#include "lib/Pipeline/Compiler.h"

#include "llvm/ADT/StringSet.h"

namespace hone {

/// Appends the passes of `phase` to a pipeline on the whole module, but for those the options
/// disable; `known` collects the names of all. Import and Emit have none.
void buildPhase(Phase phase, mlir::OpPassManager &module, const CompileOptions &options, const TargetBackend &backend,
                const TargetInfo &info, llvm::StringSet<> *known = nullptr);

/// Fails, listing the passes there are, when the options disable one that no phase has.
mlir::LogicalResult checkDisabledPasses(const CompileOptions &options, const TargetBackend &backend,
                                        const TargetInfo &info, mlir::MLIRContext *context);

} // namespace hone

#endif // LIB_PIPELINE_PHASES_H
