//===- CompileOptions.h - The options of a compilation by name --*- C++ -*-===//
//
// One table for everybody who gives options as text: the command line, the C API, test programs.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_PIPELINE_COMPILEOPTIONS_H
#define LIB_PIPELINE_COMPILEOPTIONS_H

#include "lib/Pipeline/Compiler.h"

#include <functional>

namespace hone {

struct CompileOption {
  std::string name;        ///< as on the command line: "--target", "-O"
  std::string placeholder; ///< of the value; empty: a flag, whose value is "1" or "0"
  std::string help;
  /// Sets the option, or adds to it where it may be repeated; what is wrong with the value, or nothing.
  std::function<std::string(CompileOptions &, llvm::StringRef)> set;
};

/// What every verb that compiles takes: target, dimensions, precision.
std::vector<CompileOption> modelOptions();
/// What concerns the compiler's work: result, phases, passes, effort.
std::vector<CompileOption> workOptions();

/// Sets an option by its name without leading dashes; what is wrong with name or value, or nothing.
std::string setOption(CompileOptions &options, llvm::StringRef name, llvm::StringRef value);

} // namespace hone

#endif // LIB_PIPELINE_COMPILEOPTIONS_H
