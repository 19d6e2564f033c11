//===- Options.h - Command-line options of the driver -----------*- C++ -*-===//
//
// A small parser of our own: LLVM's would show every option LLVM has, and CLI11 needs exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_HONE_OPTIONS_H
#define TOOLS_HONE_OPTIONS_H

#include "tools/hone-run/Run.h"
#include "tools/hone/Commands.h"

#include <functional>

namespace hone::driver {

/// Options of one verb. `--name=VALUE` and `--name VALUE` are the same; an option may be repeated.
class OptionParser {
public:
  explicit OptionParser(llvm::StringRef usage) : usage(usage) {}

  /// `set` returns what is wrong with a value; empty when nothing. Without a placeholder the option is a flag,
  /// whose value is "1"; with one in brackets the value may be left out, and else follows a '='.
  using SetFn = std::function<std::string(llvm::StringRef)>;
  void add(llvm::StringRef name, llvm::StringRef placeholder, llvm::StringRef help, SetFn set);
  void add(llvm::StringRef name, llvm::StringRef placeholder, llvm::StringRef help, std::string &value);
  void add(llvm::StringRef name, llvm::StringRef placeholder, llvm::StringRef help, int &value);
  /// --json[=FILE]: "-" for standard output, also without a file.
  void addJson(std::string &where);
  void addFlag(llvm::StringRef name, llvm::StringRef help, bool &value);

  /// Reads the arguments; an exit code when the verb is to end here (help, usage error).
  std::optional<int> parse(llvm::ArrayRef<std::string> arguments, size_t positional);
  llvm::StringRef positional(size_t i) const { return positionals[i]; }

private:
  struct Option {
    std::string name, placeholder, help;
    SetFn set;
    bool hasOptionalValue() const { return !placeholder.empty() && placeholder.front() == '['; }
  };
  int fail(const llvm::Twine &message);
  void printHelp();

  std::string usage;
  std::vector<Option> options;
  std::vector<std::string> positionals;
};

/// --target, --dim, --precision: what every verb that compiles takes.
void addModelOptions(OptionParser &parser, CompileOptions &options);
/// The above and what concerns the work: --emit, --to, --disable-pass, -O0..-O3, ...
void addCompileOptions(OptionParser &parser, CompileOptions &options);

/// --calibrate=DIR.
void addCalibration(OptionParser &parser, CompileOptions &options);

/// Some of them, by name.
void addOptions(OptionParser &parser, CompileOptions &options, llvm::ArrayRef<llvm::StringRef> names);

/// Writes a result to a file, '-' being standard output; an exit code when that fails.
std::optional<int> writeResult(llvm::StringRef path, llvm::StringRef bytes);

/// Exit code of a failed compilation; tells where a reproducer is.
int failureCode(const CompileReport &report);

} // namespace hone::driver

#endif // TOOLS_HONE_OPTIONS_H
