//===- CommandLine.cpp - The program that evaluates -----------------------===//
//
// The tests of test/run: every op with expected values, on targets that this machine has. See Cases.h for what a file
// says.
//
//===----------------------------------------------------------------------===//

#include "test/evaluate/CommandLine.h"
#include "test/evaluate/Evaluator.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ManagedStatic.h"

using namespace hone::evaluate;
namespace cl = llvm::cl;

namespace {
/// Made when the command line is read: a program may have other commands with options of the same names.
struct Flags {
  Options options;
  cl::OptionCategory category{"Options"};
  cl::list<std::string> files{cl::Positional, cl::OneOrMore, cl::desc("FILE..."), cl::cat(category)};
  cl::list<std::string> targets{"target", cl::CommaSeparated, cl::cat(category),
                                cl::desc("Only on these; by default reference and processors")};
  cl::opt<int, true> optLevel{"opt-level", cl::location(options.optLevel), cl::init(3), cl::cat(category),
                              cl::desc("Optimization level, 0 to 3")};
  cl::opt<std::string, true> runner{"runner", cl::location(options.runner), cl::cat(category),
                                    cl::value_desc("command"), cl::desc("Run in this module-runner")};
  cl::opt<std::string, true> jobs{"write-jobs", cl::location(options.jobs), cl::cat(category), cl::value_desc("folder"),
                                  cl::desc("Only compile, for a module-runner elsewhere")};
  cl::opt<std::string, true> replies{"read-replies", cl::location(options.replies), cl::cat(category),
                                     cl::value_desc("folder"),
                                     cl::desc("Only compare what a module-runner made of the jobs")};
};
} // namespace

static llvm::ManagedStatic<Flags> flags;

int hone::evaluate::runEvaluate(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(flags->category);
  cl::ParseCommandLineOptions(argc, argv, "Graph functions and their results\n");
  flags->options.targets.assign(flags->targets.begin(), flags->targets.end());
  // The linker inside the compiler resets all options.
  const std::vector<std::string> paths(flags->files.begin(), flags->files.end());
  Evaluator evaluator(flags->options, llvm::outs());
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
