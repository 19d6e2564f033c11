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

namespace hone {

class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, CompileReport &report, mlir::MLIRContext *context)
      : options(options), report(report), context(context) {}

  /// `target` is null for phases that all targets share. The IR goes to `folder` of the dumps.
  mlir::LogicalResult run(Phase phase, mlir::ModuleOp module, const ResolvedTarget *target,
                          llvm::StringRef folder = "");
  mlir::LogicalResult dump(Phase phase, mlir::ModuleOp module, llvm::StringRef folder = "");

  /// Whether the compiler is to blame for a failure: not when the user is, or left out a pass that may be needed,
  /// which is said.
  bool isOurMistake(const ErrorWatcher &watcher);

  /// A phase as progress calls it: "lower for cpu:avx2".
  static std::string describe(Phase phase, const ResolvedTarget *target);

  /// The module as it is printed and dumped: without the bytes of large constants.
  static void print(mlir::ModuleOp module, llvm::raw_ostream &os);

private:
  void writeReproducer(Phase phase, mlir::ModuleOp module, const ResolvedTarget *target);

  const CompileOptions &options;
  CompileReport &report;
  mlir::MLIRContext *context;
};

} // namespace hone

#endif // LIB_PIPELINE_PHASERUNNER_H
