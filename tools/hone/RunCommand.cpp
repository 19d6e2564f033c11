//===- RunCommand.cpp - hone run, bench, inspect --------------------------===//
//
// The verbs of hone-run, which also take ONNX models: these are compiled in memory first.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Request.h"

using namespace hone;
using namespace hone::driver;

namespace {

/// Options that run and bench share.
void addRequestOptions(OptionParser &parser, tools::Request &request, CompileOptions &options) {
  parser.add("--target", "T[,T]...",
             "what to compile an ONNX model for (the one that fits the device best is run), or the program of a module",
             [&](llvm::StringRef text) {
               request.target = text.str();
               return std::string();
             });
  parser.add("--input", "NAME=FILE", "an input from a .npy or .pb file; without any, random values",
             [&](llvm::StringRef text) {
               std::string name, file;
               if (!tools::splitAssignment(text.str(), name, file))
                 return std::string("expected NAME=FILE");
               request.inputs.emplace_back(name, file);
               return std::string();
             });
  addRunOptions(parser, request);
  parser.add("--threads", "N", "threads of the run; 0: all processors", unsignedOption(request.threads));
  parser.addJson(request.json);
  addOptions(parser, options, {"--precision", "--disable-pass", "-O"});
}

/// Reads the command line, and compiles the model into `bytes` when it is no module yet; an exit code on failure.
std::optional<int> prepare(OptionParser &parser, llvm::ArrayRef<std::string> arguments, tools::Request &request,
                           CompileOptions &options, llvm::SmallVectorImpl<char> &bytes) {
  if (auto code = parser.parse(arguments, 1))
    return *code;
  request.modelPath = parser.positional(0).str();
  request.program = "hone";
  if (llvm::StringRef(request.modelPath).ends_with(".hone"))
    return std::nullopt;
  Console console;
  return compileRequest(request, options, bytes, console);
}

} // namespace

int hone::driver::runRun(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone run MODEL.{onnx,hone} [--input NAME=FILE]... [--output-dir DIR]");
  tools::RunRequest request;
  CompileOptions options;
  addRequestOptions(parser, request, options);
  parser.add("--output-dir", "DIR", "one file an output, and outputs.json", request.outputDir);
  parser.addFlag("--synchronous", "wait after every kernel, so that a failing one is named", request.synchronous);
  llvm::SmallVector<char, 0> bytes;
  if (auto code = prepare(parser, arguments, request, options, bytes))
    return *code;
  return tools::runCommand(request);
}

int hone::driver::runBench(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone bench MODEL.{onnx,hone}");
  tools::BenchRequest request;
  CompileOptions options;
  addRequestOptions(parser, request, options);
  parser.add("--runs", "N", "measured runs", unsignedOption(request.runs));
  parser.addFlag("--profile", "time of every kernel, with its ONNX nodes", request.profile);
  parser.addFlag("--device-memory", "inputs and outputs stay in the device's memory", request.deviceMemory);
  llvm::SmallVector<char, 0> bytes;
  if (auto code = prepare(parser, arguments, request, options, bytes))
    return *code;
  return tools::benchCommand(request);
}

int hone::driver::runInspect(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone inspect FILE.hone");
  tools::InspectRequest request;
  parser.addFlag("--plan", "print the programs", request.plan);
  parser.addFlag("--verify", "compare all checksums", request.verify);
  parser.addJson(request.json);
  if (auto code = parser.parse(arguments, 1))
    return *code;
  request.modelPath = parser.positional(0).str();
  request.program = "hone";
  return tools::inspectCommand(request);
}
