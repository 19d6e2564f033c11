//===- hone.cpp - The user's driver ---------------------------------------===//

#include "hone/runtime.h"
#include "tools/hone-run/Run.h"
#include "tools/hone/Commands.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone::driver;

namespace {

struct Verb {
  const char *name, *summary;
  int (*run)(llvm::ArrayRef<std::string>);
};

const Verb kVerbs[] = {
    {"compile", "ONNX model to a .hone module (or graph, plan, llvm, asm, object)", runCompile},
    {"run", "runs a model once, on given or random inputs", runRun},
    {"verify", "compares a compiled model with the reference or expected outputs", runVerify},
    {"bench", "measures a model", runBench},
    {"check", "everything of a model that would not compile, by node", runCheck},
    {"explain", "what was fused, substituted and refused, and the memory plan", runExplain},
    {"inspect", "inputs, outputs, targets, sizes and plan of a .hone module", runInspect},
};

int usage(llvm::raw_ostream &os, int code) {
  os << "usage: hone VERB ...\n\n";
  for (const Verb &verb : kVerbs)
    os << "  " << llvm::left_justify(verb.name, 9) << verb.summary << "\n";
  os << "\n`hone VERB --help` lists a verb's options.\n";
  return code;
}

} // namespace

static int runVerb(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty())
    return usage(llvm::errs(), kUsage);
  if (arguments[0] == "--help" || arguments[0] == "-h")
    return usage(llvm::outs(), kDone);
  if (arguments[0] == "--version") {
    llvm::outs() << "hone " << hone_runtime_version() << "\n";
    return kDone;
  }
  for (const Verb &verb : kVerbs)
    if (arguments[0] == verb.name)
      return verb.run(llvm::ArrayRef<std::string>(arguments).drop_front());
  llvm::errs() << "hone: error: unknown verb '" << arguments[0] << "'\n";
  return usage(llvm::errs(), kUsage);
}

int hone::driver::runHone(int argc, char **argv) {
  int code = runVerb(argc, argv);
  // What is left to write must not fail behind the end of main, where LLVM takes that for a crash.
  llvm::outs().flush();
  bool complete = !llvm::outs().has_error();
  llvm::outs().clear_error();
  if (!complete)
    llvm::errs() << "hone: error: cannot write standard output\n";
  else
    complete = tools::flushOutput("hone");
  return complete || code != kDone ? code : kFault;
}
