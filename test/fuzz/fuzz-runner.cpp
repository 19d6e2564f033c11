//===- fuzz-runner.cpp - Graphs through interpreter and compiler ----------===//
//
// Takes cases as test/onnx has them. The interpreter's outputs must be the expected ones, where the data has any, and
// those of the compiled modules the interpreter's. Prints name, status and reason of every case, one a line.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/CaseFile.h"
#include "test/onnx/RunCase.h"
#include "test/onnx/Workers.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone::conformance;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options");
static cl::opt<std::string> casesFolder(cl::Positional, cl::Required, cl::desc("CASES"), cl::cat(category));
static cl::opt<std::string> target("target", cl::init("cpu"), cl::cat(category), cl::desc("What to compile for"));
static cl::opt<std::string> device("device", cl::init("cpu"), cl::cat(category), cl::desc("Where to run"));
static cl::opt<unsigned> workers("workers", cl::init(2), cl::cat(category), cl::desc("Processes at a time"));
static cl::opt<double> limit("limit", cl::init(60), cl::cat(category), cl::desc("Seconds a case may take"));

namespace {

/// Compares one case's evaluations.
class Judge {
public:
  Judge() : runners{CompiledRunner(optionsFor(0)), CompiledRunner(optionsFor(3))} {}

  Outcome run(const Case &testCase) {
    auto data = readDataSet(testCase, 0);
    if (!data)
      return {Status::RunError, toString(data.takeError())};
    Outputs reference;
    Outcome outcome = evaluateReference(testCase, /*dynamic=*/false, reference);
    if (outcome.status == Status::Pass && !data->outputs.empty())
      outcome = compareRuns(testCase, reference);
    if (outcome.status != Status::Pass)
      return {outcome.status, "interpreter: " + outcome.reason};
    for (auto [level, runner] : {std::pair("-O0: ", &runners[0]), std::pair("-O3: ", &runners[1])}) {
      Outputs outputs;
      outcome = runner->evaluate(testCase, outputs);
      if (outcome.status == Status::Pass)
        outcome = compareOutputs(testCase, outputs.front(), reference.front());
      if (outcome.status != Status::Pass)
        return {outcome.status, level + outcome.reason};
    }
    return {Status::Pass, ""};
  }

private:
  static CompiledOptions optionsFor(int level) {
    CompiledOptions options;
    options.target = target;
    options.device = device;
    options.optLevel = level;
    return options;
  }

  CompiledRunner runners[2];
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compares evaluations of models\n");
  llvm::SmallString<128> folder(casesFolder);
  llvm::sys::fs::make_absolute(folder);
  auto cases = readManifest(folder);
  if (!cases) {
    llvm::errs() << "fuzz-runner: error: " << toString(cases.takeError()) << "\n";
    return 2;
  }
  // A failed compilation leaves its reproducer where it runs.
  if (llvm::sys::fs::set_current_path(folder)) {
    llvm::errs() << "fuzz-runner: error: cannot run in " << folder << "\n";
    return 2;
  }
  std::vector<Job> jobs;
  for (unsigned i = 0; i < cases->size(); ++i)
    jobs.push_back({i, limit});
  std::vector<Outcome> outcomes(cases->size());
  Judge judge;
  runJobs(
      jobs, workers, [&](unsigned id) { return judge.run((*cases)[id]); },
      [&](unsigned id, const Outcome &outcome) { outcomes[id] = outcome; });
  bool passed = true;
  for (auto [testCase, outcome] : llvm::zip_equal(*cases, outcomes)) {
    passed &= outcome.status == Status::Pass;
    llvm::outs() << testCase.name << "\t" << statusName(outcome.status) << "\t" << outcome.reason << "\n";
  }
  return passed ? 0 : 1;
}
