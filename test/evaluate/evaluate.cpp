//===- evaluate.cpp - Runs graph functions and compares their results -----===//
//
// The tests of test/run: every op with expected values, on targets that this machine has. See Cases.h for what a file
// says.
//
//===----------------------------------------------------------------------===//

#include "test/evaluate/Evaluator.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace hone::evaluate;
namespace cl = llvm::cl;

static Options options;
static cl::OptionCategory category("Options");
static cl::list<std::string> files(cl::Positional, cl::OneOrMore, cl::desc("FILE..."), cl::cat(category));
static cl::list<std::string> targets("target", cl::CommaSeparated, cl::cat(category),
                                     cl::desc("Only on these; by default reference and processors"));
static cl::opt<int, true> optLevel("opt-level", cl::location(options.optLevel), cl::init(3), cl::cat(category),
                                   cl::desc("Optimization level, 0 to 3"));
static cl::opt<std::string, true> runner("runner", cl::location(options.runner), cl::cat(category),
                                         cl::value_desc("command"), cl::desc("Run in this module-runner"));
static cl::opt<std::string, true> jobs("write-jobs", cl::location(options.jobs), cl::cat(category),
                                       cl::value_desc("folder"),
                                       cl::desc("Only compile, for a module-runner elsewhere"));
static cl::opt<std::string, true> replies("read-replies", cl::location(options.replies), cl::cat(category),
                                          cl::value_desc("folder"),
                                          cl::desc("Only compare what a module-runner made of the jobs"));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Graph functions and their results\n");
  options.targets.assign(targets.begin(), targets.end());
  // The linker inside the compiler resets all options.
  const std::vector<std::string> paths(files.begin(), files.end());
  Evaluator evaluator(options, llvm::outs());
  bool good = true;
  for (const std::string &path : paths) {
    llvm::Expected<File> file = readFile(path);
    if (!file) {
      llvm::errs() << "evaluate: error: " << toString(file.takeError()) << "\n";
      return 2;
    }
    good &= evaluator.evaluate(*file);
  }
  return good ? 0 : 1;
}
