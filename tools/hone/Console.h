//===- Console.h - Standard error during long work --------------*- C++ -*-===//

#ifndef TOOLS_HONE_CONSOLE_H
#define TOOLS_HONE_CONSOLE_H

#include "lib/Pipeline/Compiler.h"

#include "llvm/ADT/StringSet.h"

namespace hone::driver {

/// Progress on one line of a terminal, which makes way for diagnostics and is gone at the end.
class Console {
public:
  /// Lets a compilation show its progress. The console must outlive it.
  void watch(CompileOptions &options);
  void show(llvm::StringRef what) { line.show(what); }
  /// For diagnostics: verbs that import a model several times show each once.
  DiagnosticSink sink();
  /// Before results are printed.
  void clear() { line.clear(); }

private:
  ProgressLine line;
  llvm::StringSet<> shown;
};

} // namespace hone::driver

#endif // TOOLS_HONE_CONSOLE_H
