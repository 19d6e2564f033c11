//===- Explain.h - The report of hone explain -------------------*- C++ -*-===//

#ifndef TOOLS_HONE_EXPLAIN_H
#define TOOLS_HONE_EXPLAIN_H

#include "lib/Pipeline/Compiler.h"

namespace hone::driver {

/// For people: what the model holds, and per target kernels, memory, remarks, nodes without kernels.
void printExplanation(llvm::StringRef file, const CompileReport &report, llvm::raw_ostream &os);

/// The same for machines. Keys stay; new ones may come.
void printExplanationJson(llvm::StringRef file, const CompileReport &report, llvm::raw_ostream &os);

} // namespace hone::driver

#endif // TOOLS_HONE_EXPLAIN_H
