//===- CompileCommand.cpp - hone compile and check ----------------------===//

#include "tools/hone/Commands.h"
#include "tools/hone/Console.h"
#include "tools/hone/Options.h"

#include "lib/Frontend/Import.h"
#include "lib/Support/Files.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hone;
using namespace hone::driver;

int hone::driver::failureCode(const CompileReport &report) {
  if (!report.internalError)
    return kFault;
  llvm::errs() << "hone: this is a mistake of the compiler, not of the model";
  if (!report.reproducer.empty())
    llvm::errs() << "; the failing program is in '" << report.reproducer
                 << "' (try hone-opt --run-reproducer and hone-reduce on it)";
  llvm::errs() << "\n";
  return kInternal;
}

std::optional<int> hone::driver::writeResult(StringRef path, StringRef bytes) {
  std::string error;
  auto writeBytes = [&](llvm::raw_ostream &os) {
    os << bytes;
    return success();
  };
  if (succeeded(writeFile(path, writeBytes, error)))
    return std::nullopt;
  llvm::errs() << "hone: error: " << error << "\n";
  return kFault;
}

/// A C identifier out of the name of a file.
static std::string prefixOf(StringRef path) {
  std::string result;
  for (char c : llvm::sys::path::stem(path))
    result += llvm::isAlnum(c) ? c : '_';
  return result.empty() || llvm::isDigit(result.front()) ? "m" + result : result;
}

int hone::driver::runCompile(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone compile MODEL.onnx [-o OUT]");
  CompileOptions options;
  std::string output;
  addCompileOptions(parser, options);
  addCalibration(parser, options);
  parser.add("-o", "FILE", "where the result goes; by default beside the model, '-' for standard output", output);
  if (auto code = parser.parse(arguments, /*positional=*/1))
    return *code;
  StringRef model = parser.positional(0);
  bool textual = options.emit.extension.empty();
  if (options.stopAfter && *options.stopAfter != Phase::Emit)
    textual = true;
  if (output.empty()) {
    SmallString<128> path(model);
    llvm::sys::path::replace_extension(path, options.emit.extension);
    output = textual ? "-" : path.str().str();
  }
  if (options.prefix.empty())
    options.prefix = prefixOf(output);
  llvm::SmallVector<char, 0> bytes;
  CompileReport report;
  Console console;
  console.watch(options);
  LogicalResult compiled = compileModel(model, options, bytes, console.sink(), &report);
  console.clear();
  if (failed(compiled))
    return failureCode(report);
  if (!report.header.empty() && output != "-") {
    SmallString<128> header(output);
    llvm::sys::path::replace_extension(header, "h");
    if (auto code = writeResult(header, report.header))
      return *code;
  }
  return writeResult(output, StringRef(bytes.data(), bytes.size())).value_or(kDone);
}

int hone::driver::runCheck(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone check MODEL.onnx, or hone check --ops");
  CompileOptions options;
  bool listOps = false;
  addModelOptions(parser, options);
  parser.addFlag("--ops", "list the ONNX operators that are supported, instead of a model", listOps);
  if (auto code = parser.parse(arguments, llvm::is_contained(arguments, "--ops") ? 0 : 1))
    return *code;
  if (listOps) {
    frontend::printSupportTable(llvm::outs());
    return kDone;
  }
  CompileReport report;
  Console console;
  console.watch(options);
  LogicalResult checked = checkModel(parser.positional(0), options, console.sink(), &report);
  console.clear();
  if (failed(checked))
    return failureCode(report);
  llvm::outs() << "every node is supported on " << options.target << "\n";
  return kDone;
}
