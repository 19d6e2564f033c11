//===- ExplainCommand.cpp - hone explain ----------------------------------===//

#include "tools/hone/Console.h"
#include "tools/hone/Explain.h"
#include "tools/hone/Options.h"

using namespace mlir;
using namespace hone;
using namespace hone::driver;

int hone::driver::runExplain(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("hone explain MODEL.onnx");
  CompileOptions options;
  std::string json;
  addModelOptions(parser, options);
  addCalibration(parser, options);
  addOptions(parser, options, {"--disable-pass", "--dump-to", "-O"});
  parser.addJson(json);
  if (auto code = parser.parse(arguments, 1))
    return *code;
  CompileReport report;
  std::string model = parser.positional(0).str();
  Console console;
  console.watch(options);
  LogicalResult explained = explainModel(model, options, console.sink(), report);
  console.clear();
  if (failed(explained))
    return failureCode(report);
  if (!json.empty()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printExplanationJson(model, report, os);
    if (auto code = writeResult(json, text))
      return *code;
  }
  if (json != "-")
    printExplanation(model, report, llvm::outs());
  return kDone;
}
