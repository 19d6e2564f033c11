//===- Arguments.h - The command line of hone-run -*- C++ -*-===//
//
// One table of options serves parsing and --help. (A library for this would be larger than the runtime.)
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONERUN_ARGUMENTS_H
#define HONE_TOOLS_HONERUN_ARGUMENTS_H

#include "tools/hone-run/Run.h"

namespace hone::tools {

enum class Command { Help, Version, Run, Bench, Inspect };

struct Arguments {
  Command command = Command::Help;
  RunRequest run;
  BenchRequest bench;
  InspectRequest inspect;
};

/// False with `error` set when the command line cannot be understood.
bool parseArguments(int count, const char *const *words, Arguments &arguments, std::string &error);

std::string helpText();

} // namespace hone::tools

#endif // HONE_TOOLS_HONERUN_ARGUMENTS_H
