//===- Request.h - What verbs that run a model share ------------*- C++ -*-===//

#ifndef TOOLS_HONE_REQUEST_H
#define TOOLS_HONE_REQUEST_H

#include "tools/hone-run/Run.h"
#include "tools/hone/Console.h"
#include "tools/hone/Options.h"

namespace hone::driver {

/// A parser of an option's value that is an unsigned number.
template <typename Number> auto unsignedOption(Number &number) {
  return [&number](llvm::StringRef text) {
    return text.getAsInteger(10, number) ? "'" + text.str() + "' is not a number" : std::string();
  };
}

/// --dim, --seed and --device.
void addRunOptions(OptionParser &parser, tools::Request &request);

/// Compiles the request's model into `bytes`, which the request refers to from then on; an exit code on failure.
std::optional<int> compileRequest(tools::Request &request, CompileOptions &options, llvm::SmallVectorImpl<char> &bytes,
                                  Console &console);

} // namespace hone::driver

#endif // TOOLS_HONE_REQUEST_H
