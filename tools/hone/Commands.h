//===- Commands.h - The verbs of the hone driver ----------------*- C++ -*-===//
//
// Exit codes: 0 done; 1 the model, data or options are at fault; 2 usage; 70 a mistake of ours.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_HONE_COMMANDS_H
#define TOOLS_HONE_COMMANDS_H

#include "lib/Pipeline/Compiler.h"

namespace hone::driver {

enum ExitCode { kDone = 0, kFault = 1, kUsage = 2, kInternal = 70 };

/// The whole program; returns its exit code.
int runHone(int argc, char **argv);

/// `arguments` are what follows the verb.
int runCompile(llvm::ArrayRef<std::string> arguments);
int runCheck(llvm::ArrayRef<std::string> arguments);
int runExplain(llvm::ArrayRef<std::string> arguments);
int runRun(llvm::ArrayRef<std::string> arguments);
int runBench(llvm::ArrayRef<std::string> arguments);
int runInspect(llvm::ArrayRef<std::string> arguments);
int runVerify(llvm::ArrayRef<std::string> arguments);

} // namespace hone::driver

#endif // TOOLS_HONE_COMMANDS_H
