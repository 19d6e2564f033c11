//===- PhaseRunner.h - Phases with what belongs to each ---------*- C++ -*-===//
//
// Verification and timing, the IR behind a phase for --dump-to, and when one fails: whose mistake it is, and a
// reproducer where it is ours.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_PIPELINE_PHASERUNNER_H
#define LIB_PIPELINE_PHASERUNNER_H

#include "lib/Pipeline/Compiler.h"
#include "lib/Pipeline/Targets.h"
#include "lib/Support/UserError.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"

namespace hone {

class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, CompileReport &report, mlir::MLIRContext *context);

  /// `target` is null for phases that all targets share. The IR goes to `folder` of the dumps.
  mlir::LogicalResult run(Phase phase, mlir::ModuleOp module, const ResolvedTarget *target,
                          llvm::StringRef folder = "");
  /// Counts as that phase for --timing while it lives.
  mlir::TimingScope time(Phase phase, const ResolvedTarget *target) { return total.nest(describe(phase, target)); }
  /// Does the same for work that is no list of passes: emission.
  mlir::LogicalResult run(Phase phase, mlir::ModuleOp module, const ResolvedTarget *target,
                          llvm::function_ref<mlir::LogicalResult()> work);
  mlir::LogicalResult dump(Phase phase, mlir::ModuleOp module, llvm::StringRef folder = "");

  /// Whether the compiler is to blame for a failure: not when the user is, or left out a pass that may be needed,
  /// which is said.
  bool isOurMistake(const ErrorWatcher &watcher);

  /// A phase as progress calls it: "lower for cpu:avx2".
  static std::string describe(Phase phase, const ResolvedTarget *target);

  /// The module as it is printed and dumped: without the bytes of large constants.
  static void print(mlir::ModuleOp module, llvm::raw_ostream &os);

private:
  mlir::LogicalResult guard(Phase phase, mlir::ModuleOp module, const ResolvedTarget *target, llvm::StringRef pipeline,
                            llvm::function_ref<mlir::LogicalResult()> work);
  /// The path of the file, or "".
  std::string writeReproducer(Phase phase, mlir::ModuleOp before, const ResolvedTarget *target,
                              llvm::StringRef pipeline);

  const CompileOptions &options;
  CompileReport &report;
  mlir::MLIRContext *context;
  mlir::DefaultTimingManager timing; ///< prints one report at its end
  mlir::TimingScope total;
};

} // namespace hone

#endif // LIB_PIPELINE_PHASERUNNER_H
