//===- main.cpp - hone-run ------------------------------------------------===//
//
// Runs, measures and inspects .hone files; no compiler inside.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Arguments.h"

#include <cstdio>

using namespace hone::tools;

static int execute(const Arguments &arguments) {
  switch (arguments.command) {
  case Command::Help:
    fputs(helpText().c_str(), stdout);
    return ExitDone;
  case Command::Version:
    printf("hone-run %s\n", hone_runtime_version());
    return ExitDone;
  case Command::Run:
    return runCommand(arguments.run);
  case Command::Bench:
    return benchCommand(arguments.bench);
  case Command::Inspect:
    return inspectCommand(arguments.inspect);
  }
  return ExitBug;
}

int main(int count, char **words) {
  Arguments arguments;
  std::string error;
  if (!parseArguments(count, words, arguments, error)) {
    fprintf(stderr, "hone-run: error: %s\nSee hone-run --help.\n", error.c_str());
    return ExitUsage;
  }
  int code = execute(arguments);
  return flushOutput("hone-run") || code != ExitDone ? code : ExitFault;
}
