//===- Localize.h - Which kernel and which pass is wrong --------*- C++ -*-===//

#ifndef TOOLS_HONE_LOCALIZE_H
#define TOOLS_HONE_LOCALIZE_H

#include "lib/Pipeline/Compiler.h"
#include "tools/hone-run/Run.h"
#include "tools/hone/Comparison.h"
#include "tools/hone/LargeValues.h"

namespace hone::driver {

/// How one launch compares with what the reference interpreter makes of the same kernel.
struct LaunchFinding {
  size_t number; ///< in the order of the run
  std::string kernel;
  std::vector<std::string> nodes;
  unsigned output;       ///< the worst one
  Deviation own;         ///< on the inputs that the kernel was given
  Deviation accumulated; ///< on the inputs that it should have been given
};

struct Localization {
  std::vector<LaunchFinding> launches;
  unsigned uncompared = 0; ///< launches that the interpreter cannot run
  /// Outputs of the model, by the plan with reference kernels, against the imported graph: what passes changed.
  std::vector<std::pair<std::string, Deviation>> outputs;
  LargeValues large; ///< in the model as it is written, whatever its precision
  /// The pass that, left out, makes the first divergent kernel right; empty when none does or none diverges.
  std::string loweringPass;
  /// The pass behind which the graph computes something else; empty when none is.
  std::string graphPass;
  /// The pass of the plan that, left out, makes the outputs right.
  std::string planPass;

  const LaunchFinding *firstDivergent() const;
  const LaunchFinding *worst() const;
  bool passesDiverge() const;
};

/// Runs the compiled module beside the reference interpreter, kernel by kernel, and looks for the pass where
/// something diverges. Diagnostics go to `sink`.
mlir::FailureOr<Localization> localize(const tools::Request &request, const CompileOptions &options,
                                       std::vector<tools::HostTensor> &inputs, const Tolerance &tolerance,
                                       DiagnosticSink sink);

void printLocalization(const Localization &found, llvm::raw_ostream &os);

} // namespace hone::driver

#endif // TOOLS_HONE_LOCALIZE_H
