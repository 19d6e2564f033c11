//===- Conformance.cpp - The command line of the conformance program ------===//
//
// Runs the cases that generate_cases.py wrote in this process's children, and compares the failures with the target's
// expectation file.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/Conformance.h"
#include "test/onnx/CaseFile.h"
#include "test/onnx/Expectations.h"
#include "test/onnx/RunCase.h"
#include "test/onnx/Workers.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace hone::conformance;
namespace cl = llvm::cl;

namespace {
/// Made when the command line is read: a program may have other commands with options of the same names.
struct Flags {
  CompiledOptions compiled;
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> casesFolder{cl::Positional, cl::Required, cl::desc("CASES"), cl::cat(category)};
  cl::opt<std::string, true> target{"target", cl::location(compiled.target), cl::init("cpu"), cl::cat(category),
                                    cl::desc("What to compile for")};
  cl::opt<std::string, true> device{"device", cl::location(compiled.device), cl::init("cpu"), cl::cat(category),
                                    cl::desc("Where to run")};
  cl::opt<std::string, true> runnerCommand{"runner", cl::location(compiled.runner), cl::cat(category),
                                           cl::value_desc("command"),
                                           cl::desc("Run in this module-runner instead of this process")};
  cl::opt<bool, true> compileOnly{"compile-only", cl::location(compiled.compileOnly), cl::cat(category),
                                  cl::desc("Run nothing: a case passes when it compiles")};
  cl::opt<std::string, true> jobsFolder{"write-jobs", cl::location(compiled.jobs), cl::cat(category),
                                        cl::value_desc("folder"),
                                        cl::desc("Only compile, for a module-runner elsewhere")};
  cl::opt<std::string, true> repliesFolder{"read-replies", cl::location(compiled.replies), cl::cat(category),
                                           cl::value_desc("folder"),
                                           cl::desc("Only compare what a module-runner made of the jobs")};
  cl::opt<bool> reference{"reference", cl::cat(category), cl::desc("Run the reference interpreter")};
  cl::opt<int, true> optLevel{"opt-level", cl::location(compiled.optLevel), cl::init(3), cl::cat(category),
                              cl::desc("Optimization level, 0 to 3")};
  cl::opt<bool, true> dynamic{"dynamic", cl::location(compiled.dynamic), cl::cat(category),
                              cl::desc("Compile for inputs of any extents")};
  cl::list<std::string> expectationPaths{"expectations", cl::cat(category), cl::value_desc("file"),
                                         cl::desc("Cases that are known to fail, with reasons (repeatable)")};
  cl::opt<bool> update{"update", cl::cat(category), cl::desc("Rewrite the last expectation file")};
  cl::list<std::string> filters{"filter", cl::cat(category), cl::value_desc("glob"),
                                cl::desc("Only cases whose SUITE/NAME or NAME matches")};
  cl::opt<unsigned> oneIn{"one-in", cl::init(1), cl::cat(category), cl::value_desc("n"),
                          cl::desc("Only one case in n, always the same ones")};
  cl::opt<unsigned> workers{"workers", cl::init(2), cl::cat(category), cl::desc("Processes at a time")};
  cl::opt<double> limit{"limit", cl::init(30), cl::cat(category), cl::desc("Seconds a case may take (light: x10)")};
  cl::opt<bool> listFailures{"list-failures", cl::cat(category), cl::desc("Print every failure, expected too")};
  cl::opt<bool> verbose{"verbose", cl::cat(category), cl::desc("Print every case as it finishes")};
};
} // namespace

static llvm::ManagedStatic<Flags> flags;

namespace {

struct Tally {
  unsigned passed = 0, expectedFailures = 0, surprises = 0, total = 0;

  void operator+=(const Tally &other) {
    passed += other.passed;
    expectedFailures += other.expectedFailures;
    surprises += other.surprises;
    total += other.total;
  }
};

} // namespace

static int fail(llvm::Error error) {
  llvm::errs() << "onnx-conformance: error: " << toString(std::move(error)) << "\n";
  return 2;
}

namespace {
/// A folder to run in, gone with its content at the end: a failed compilation leaves a reproducer where it runs. Paths
/// from the command line are made absolute before.
class ScratchFolder {
public:
  llvm::Error enter(llvm::SmallVectorImpl<std::string *> &paths) {
    for (std::string *relative : paths) {
      llvm::SmallString<128> path(*relative);
      llvm::sys::fs::make_absolute(path);
      *relative = path.str().str();
    }
    std::error_code code = llvm::sys::fs::createUniqueDirectory("onnx-conformance", folder);
    if (!code)
      code = llvm::sys::fs::set_current_path(folder);
    return code ? llvm::createStringError(code, "cannot make a folder to run in") : llvm::Error::success();
  }
  ~ScratchFolder() {
    if (!folder.empty())
      llvm::sys::fs::remove_directories(folder);
  }

private:
  llvm::SmallString<128> folder;
};
} // namespace

/// Files among the words of the runner's command line are given from where the user stands.
static void makeWordsAbsolute(std::string &command) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(command).split(words, ' ', -1, /*KeepEmpty=*/false);
  std::string result;
  for (llvm::StringRef word : words) {
    llvm::SmallString<128> path(word);
    if (llvm::sys::fs::exists(path))
      llvm::sys::fs::make_absolute(path);
    result += (result.empty() ? "" : " ") + path.str().str();
  }
  command = result;
}

/// Keeps the cases that one of the --filter globs names and that --one-in takes.
static llvm::Error applyFilters(std::vector<Case> &cases) {
  if (flags->oneIn > 1)
    llvm::erase_if(cases,
                   [](const Case &testCase) { return llvm::xxh3_64bits(testCase.fullName()) % flags->oneIn != 0; });
  if (flags->filters.empty())
    return llvm::Error::success();
  std::vector<llvm::GlobPattern> globs;
  for (const std::string &filter : flags->filters) {
    auto glob = llvm::GlobPattern::create(filter);
    if (!glob)
      return glob.takeError();
    globs.push_back(std::move(*glob));
  }
  llvm::erase_if(cases, [&](const Case &testCase) {
    return llvm::none_of(globs, [&](const llvm::GlobPattern &glob) {
      return glob.match(testCase.name) || glob.match(testCase.fullName());
    });
  });
  if (cases.empty())
    return llvm::createStringError("no case matches the filter");
  return llvm::Error::success();
}

/// Why there is nothing to run on here, if so. A child asks, as drivers start threads.
static std::string findLackOfDevice() {
  std::string lack;
  auto open = [](unsigned) -> Outcome {
    auto device = hone::Device::create(flags->compiled.device.c_str());
    return device ? Outcome{Status::Pass, ""} : Outcome{Status::RunError, device.message()};
  };
  const CompiledOptions &compiled = flags->compiled;
  if (!flags->reference && compiled.runner.empty() && compiled.jobs.empty() && compiled.replies.empty())
    runJobs({{0, flags->limit}}, /*numWorkers=*/1, open, [&](unsigned, const Outcome &outcome) {
      if (outcome.status == Status::RunError)
        lack = outcome.reason;
    });
  return lack;
}

static std::vector<Outcome> runAll(const std::vector<Case> &cases) {
  std::vector<Job> jobs;
  for (unsigned i = 0; i < cases.size(); ++i)
    jobs.push_back({i, cases[i].suite == "light" ? flags->limit * 10 : flags->limit});
  // Long cases first, so that no worker ends alone with one of them.
  llvm::sort(jobs, [](const Job &a, const Job &b) {
    return a.limitSeconds != b.limitSeconds ? a.limitSeconds > b.limitSeconds : a.id < b.id;
  });
  std::vector<Outcome> outcomes(cases.size());
  unsigned finished = 0;
  CompiledRunner runner(flags->compiled);
  runJobs(
      jobs, flags->workers,
      [&](unsigned id) {
        return flags->reference ? runReference(cases[id], flags->compiled.dynamic) : runner.run(cases[id]);
      },
      [&](unsigned id, const Outcome &outcome) {
        outcomes[id] = outcome;
        ++finished;
        if (flags->verbose)
          llvm::outs() << llvm::formatv("[{0}/{1}] {2,-8} {3,6:f2} s {4} {5}\n", finished, cases.size(),
                                        statusName(outcome.status), outcome.seconds, cases[id].fullName(),
                                        outcome.reason);
      });
  return outcomes;
}

/// Returns the sum of all suites.
static Tally printTable(const std::map<std::string, Tally> &suites, llvm::raw_ostream &out) {
  const char *row = "{0,-20} {1,8} {2,18} {3,10} {4,7}\n";
  out << llvm::formatv(row, "suite", "passed", "expected failures", "surprises", "total");
  Tally sum;
  for (const auto &[name, tally] : suites) {
    out << llvm::formatv(row, name, tally.passed, tally.expectedFailures, tally.surprises, tally.total);
    sum += tally;
  }
  out << llvm::formatv(row, "all", sum.passed, sum.expectedFailures, sum.surprises, sum.total);
  return sum;
}

/// What was not made unknown, for honest counts.
static void printKept(const std::vector<Case> &cases, llvm::raw_ostream &out) {
  if (flags->compiled.dynamic)
    out << llvm::formatv("extents of an input stay known in {0} of {1} cases\n",
                         llvm::count_if(cases, [](const Case &testCase) { return !testCase.keptInputs.empty(); }),
                         cases.size());
}

static const std::string *reasonFor(llvm::ArrayRef<Expectations> lists, llvm::StringRef fullName) {
  for (const Expectations &list : lists)
    if (const std::string *reason = list.reasonFor(fullName))
      return reason;
  return nullptr;
}

/// Rewrites the last list; what the others name is not its business.
static llvm::Error writeExpectations(llvm::ArrayRef<Expectations> lists, const std::vector<Case> &cases,
                                     const std::vector<Outcome> &outcomes) {
  if (lists.empty())
    return llvm::createStringError("--update needs an expectation file");
  llvm::StringMap<std::string> failures;
  llvm::StringMap<char> seen;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (reasonFor(lists.drop_back(), cases[i].fullName()))
      continue;
    seen[cases[i].fullName()] = 0;
    if (outcomes[i].status != Status::Pass)
      failures[cases[i].fullName()] = (statusName(outcomes[i].status) + ": " + outcomes[i].reason).str();
  }
  const std::string &path = flags->expectationPaths[flags->expectationPaths.size() - 1];
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return llvm::createStringError(code, "cannot write " + path);
  out << lists.back().updated(failures, seen);
  return llvm::Error::success();
}

/// Prints every surprise (with --list-failures every failure) and counts.
static std::map<std::string, Tally> judge(llvm::ArrayRef<Expectations> lists, const std::vector<Case> &cases,
                                          const std::vector<Outcome> &outcomes) {
  std::map<std::string, Tally> suites;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case &testCase = cases[i];
    const Outcome &outcome = outcomes[i];
    const std::string *reason = reasonFor(lists, testCase.fullName());
    bool passed = outcome.status == Status::Pass;
    // What is expected of a run says little about compiling.
    bool surprise = passed ? reason && !flags->compiled.compileOnly : !reason;
    suites[testCase.suite] += {passed, !passed && reason, surprise, 1};
    if (surprise && passed)
      llvm::outs() << "UNEXPECTED PASS " << testCase.fullName() << ": listed as: " << *reason << "\n";
    else if (surprise || (flags->listFailures && !passed))
      llvm::outs() << (surprise ? "FAIL " : "expected ") << testCase.fullName() << ": " << statusName(outcome.status)
                   << ": " << outcome.reason << "\n";
  }
  return suites;
}

int hone::conformance::runConformance(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(flags->category);
  cl::ParseCommandLineOptions(argc, argv, "ONNX conformance\n");
  ScratchFolder scratch;
  llvm::SmallVector<std::string *> paths = {&flags->casesFolder};
  for (std::string *path : {&flags->compiled.jobs, &flags->compiled.replies})
    if (!path->empty())
      paths.push_back(path);
  for (std::string &path : flags->expectationPaths)
    paths.push_back(&path);
  makeWordsAbsolute(flags->compiled.runner);
  if (llvm::Error error = scratch.enter(paths))
    return fail(std::move(error));
  auto cases = readManifest(flags->casesFolder);
  if (!cases)
    return fail(cases.takeError());
  if (llvm::Error error = applyFilters(*cases))
    return fail(std::move(error));
  std::vector<Expectations> lists;
  for (const std::string &path : flags->expectationPaths) {
    auto list = Expectations::read(path);
    if (!list)
      return fail(list.takeError());
    lists.push_back(std::move(*list));
  }
  for (Case &testCase : *cases)
    for (const Expectations &list : lists)
      llvm::append_range(testCase.keptInputs, list.inputsKept(testCase.fullName()));

  if (std::string lack = findLackOfDevice(); !lack.empty()) {
    llvm::outs() << "skipped: no device " << flags->compiled.device << ": " << lack << "\n";
    return 0;
  }
  std::vector<Outcome> outcomes = runAll(*cases);
  std::map<std::string, Tally> suites = judge(lists, *cases, outcomes);
  Tally sum = printTable(suites, llvm::outs());
  printKept(*cases, llvm::outs());
  if (flags->update) {
    if (llvm::Error error = writeExpectations(lists, *cases, outcomes))
      return fail(std::move(error));
    return 0;
  }
  return sum.surprises ? 1 : 0;
}
