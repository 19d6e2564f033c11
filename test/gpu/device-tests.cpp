//===- device-tests.cpp - The compiler and its tests as one program -------===//
//
// Each of them is the whole of LLVM once more where no library is shared.
//
//===----------------------------------------------------------------------===//

#include "test/evaluate/CommandLine.h"
#include "test/onnx/Conformance.h"
#include "tools/hone/Commands.h"

#include "llvm/Support/raw_ostream.h"

namespace {
struct Program {
  const char *name;
  int (*run)(int argc, char **argv);
};

const Program kPrograms[] = {
    {"hone", hone::driver::runHone},
    {"evaluate", hone::evaluate::runEvaluate},
    {"onnx-conformance", hone::conformance::runConformance},
};
} // namespace

int main(int argc, char **argv) {
  for (const Program &program : kPrograms)
    if (argc > 1 && llvm::StringRef(argv[1]) == program.name)
      return program.run(argc - 1, argv + 1);
  llvm::errs() << "usage: device-tests hone|evaluate|onnx-conformance ...\n";
  return 2;
}
