//===- PassBisection.h - The pass that makes the difference -----*- C++ -*-===//
//
// Three searches, each where its passes can be told apart: in the graph by running it behind every pass, in a
// kernel's lowering and in the plan by leaving passes out one at a time.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_HONE_PASSBISECTION_H
#define TOOLS_HONE_PASSBISECTION_H

#include "lib/Pipeline/Compiler.h"
#include "tools/hone-run/Run.h"
#include "tools/hone/Comparison.h"
#include "tools/hone/LargeValues.h"
#include "tools/hone/LaunchTrace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::driver {

using Tensors = llvm::SmallVector<reference::Tensor>;

/// A model and inputs for the reference interpreter.
class GraphRun {
public:
  GraphRun(std::string path, const CompileOptions &options, const std::vector<tools::HostTensor> &inputs)
      : path(std::move(path)), options(options), inputs(inputs) {}

  /// Of the model as it was imported.
  mlir::FailureOr<Tensors> outputs(mlir::MLIRContext *context, LargeValues *large = nullptr) const;
  /// Of `main`, which takes the model's inputs.
  mlir::FailureOr<Tensors> outputs(mlir::func::FuncOp main, LargeValues *large = nullptr) const;

  const std::string path;
  const CompileOptions &options;

private:
  const std::vector<tools::HostTensor> &inputs;
};

/// The first pass behind which the graph's outputs diverge from `expected`; empty when none does.
std::string findGraphPass(const GraphRun &graph, const Tensors &expected, const Tolerance &tolerance);

/// The pass of the lowering without which the kernel makes `expected` of the launch's inputs.
std::string findLoweringPass(mlir::func::FuncOp kernel, const Launch &launch, const Tensors &expected,
                             const CompileOptions &options, const tools::Request &request, const Tolerance &tolerance);

/// The pass of the plan without which the model's outputs are those expected.
std::string findPlanPass(const tools::Request &request, const CompileOptions &options,
                         std::vector<tools::HostTensor> &inputs, const Tensors &expected, const Tolerance &tolerance);

} // namespace hone::driver

#endif // TOOLS_HONE_PASSBISECTION_H
