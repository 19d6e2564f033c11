//===- Console.cpp - Standard error during long work ----------------------===//

#include "tools/hone/Console.h"

using namespace hone;
using namespace hone::driver;

void Console::watch(CompileOptions &options) {
  options.progress = [this](llvm::StringRef what, size_t done, size_t total) { line.show(what, done, total); };
}

DiagnosticSink Console::sink() {
  return [this](const NodeDiagnostic &diagnostic) {
    if (!shown.insert(diagnostic.text).second)
      return;
    line.clear();
    llvm::errs() << diagnostic.text;
  };
}
