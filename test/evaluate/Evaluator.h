//===- Evaluator.h - Graph functions on targets -----------------*- C++ -*-===//

#ifndef TEST_EVALUATE_EVALUATOR_H
#define TEST_EVALUATE_EVALUATOR_H

#include "lib/Pipeline/Compiler.h"
#include "test/evaluate/Compare.h"
#include "test/runner/JobRunner.h"
#include "test/runner/RemoteRunner.h"

namespace hone::evaluate {

/// Where functions are evaluated; by default by the reference and on the processors that a file names and this
/// machine has.
struct Options {
  std::vector<std::string> targets;
  int optLevel = 3;
  std::string runner;  ///< command line of a module-runner
  std::string jobs;    ///< folder to leave jobs in instead
  std::string replies; ///< folder with the replies to these
};

/// Evaluates files; prints what differs, naming line, function and target.
class Evaluator {
public:
  Evaluator(Options options, llvm::raw_ostream &os);
  /// False when anything differs.
  bool evaluate(const File &file);

private:
  /// A function with its cases, ready to be compared.
  struct Checked {
    const Case *one;
    llvm::SmallVector<reference::Tensor> arguments, results;
    Bound bound;
  };
  struct Function {
    mlir::func::FuncOp op;
    std::vector<Checked> cases;
  };

  bool evaluateSection(const File &file, const Section &section, size_t number, llvm::ArrayRef<std::string> targets);
  bool prepare(const File &file, const Section &section, mlir::ModuleOp module, std::vector<Function> &functions,
               bool checkReference);
  bool prepareCase(mlir::func::FuncOp function, const Case &one, Checked &checked);
  bool evaluateOn(const std::string &target, Function &function, const std::string &name);
  std::optional<runner::Reply> execute(const std::string &target, const runner::Job &job, const std::string &name);
  bool compareAll(const std::string &target, const Checked &checked, llvm::ArrayRef<reference::Tensor> results);

  /// The targets to compile for; those that cannot run here are named once.
  std::vector<std::string> targetsOf(const File &file);
  std::string whyNot(const std::string &target);

  bool fail(const Case &one, const std::string &target, const llvm::Twine &message);

  Options options;
  llvm::raw_ostream &os;
  std::unique_ptr<mlir::MLIRContext> context;
  std::string diagnostics;
  llvm::StringMap<std::string> skipped;
  llvm::StringMap<std::unique_ptr<runner::JobRunner>> devices;
  runner::RemoteRunner remote;
  std::string path, types; ///< of what is being evaluated
};

} // namespace hone::evaluate

#endif // TEST_EVALUATE_EVALUATOR_H
