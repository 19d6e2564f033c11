//===- RunCase.h - One conformance case, compiled or interpreted *- C++ -*-===//

#ifndef TEST_ONNX_RUNCASE_H
#define TEST_ONNX_RUNCASE_H

#include "test/onnx/CaseFile.h"
#include "test/onnx/Workers.h"
#include "test/runner/JobRunner.h"
#include "test/runner/RemoteRunner.h"

namespace hone::conformance {

/// What cases are compiled for, and where they run: by default in this process.
struct CompiledOptions {
  std::string target = "cpu";
  int optLevel = 3;
  bool dynamic = false; ///< no extent of an input is known to the compiler
  std::string device = "cpu";
  std::string runner; ///< command line of a module-runner to run them in
  bool compileOnly = false;
  std::string jobs;    ///< folder to leave them in as jobs, to be run elsewhere
  std::string replies; ///< folder with the replies to these: nothing is compiled
};

/// Makes a job of a case; what it returns when it cannot is the case's outcome.
Outcome makeJob(const Case &testCase, const CompiledOptions &options, runner::Job &job);

/// The outputs of every data set of a case, in the model's order.
using Outputs = std::vector<std::vector<Value>>;

/// Compiles cases, has them run, and compares the outputs. Device and runner stay open from case to case.
class CompiledRunner {
public:
  explicit CompiledRunner(CompiledOptions options);
  Outcome run(const Case &testCase);
  /// Compiles and runs only.
  Outcome evaluate(const Case &testCase, Outputs &outputs);

private:
  Outcome writeJob(const Case &testCase);
  Outcome readReply(const Case &testCase);

  CompiledOptions options;
  runner::JobRunner local;
  runner::RemoteRunner remote;
};

/// Runs the case with the reference interpreter in the compiler's place.
Outcome runReference(const Case &testCase, bool dynamic);
Outcome evaluateReference(const Case &testCase, bool dynamic, Outputs &outputs);

/// Compares the outputs of all data sets with what those say.
Outcome compareRuns(const Case &testCase, const Outputs &outputs);

/// Compares the outputs of one data set, which come in the model's order.
Outcome compareOutputs(const Case &testCase, llvm::ArrayRef<Value> actual, llvm::ArrayRef<Value> expected);

/// The first error of what was reported, which names the node, without the model's path.
std::string firstLine(const Case &testCase, llvm::StringRef diagnostics);

} // namespace hone::conformance

#endif // TEST_ONNX_RUNCASE_H
