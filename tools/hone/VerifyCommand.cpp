//===- VerifyCommand.cpp - hone verify ------------------------------------===//
//
// Runs the compiled model and the reference interpreter on the same inputs, or compares with expected
// outputs from files, and reports the difference of every output; with --localize also where it comes from.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Localize.h"
#include "tools/hone/Request.h"

#include "lib/Reference/Interpreter.h"
#include "lib/Support/NodeLocation.h"
#include "tools/hone-run/Files.h"
#include "tools/hone-run/Run.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::driver;
using tools::HostTensor;

namespace {

/// How far an output is from what was expected.
struct Difference {
  double largest = 0, range = 0;
  uint64_t beyond = 0;  ///< elements outside the tolerance
  uint64_t lost = 0;    ///< elements that are infinite or no number, and should not be
  std::string mismatch; ///< of type or shape
};

uint64_t elementsOf(const HostTensor &tensor) {
  uint64_t count = 0;
  tools::countElements(tensor.shape, count);
  return count;
}

Difference compare(const HostTensor &given, const HostTensor &expected, const Tolerance &tolerance) {
  Difference result;
  if (given.dtype != expected.dtype || given.shape != expected.shape) {
    result.mismatch = tools::describeShape(given.shape, tools::findType(given.dtype)->name) + " instead of " +
                      tools::describeShape(expected.shape, tools::findType(expected.dtype)->name);
    return result;
  }
  auto element = [](const HostTensor &tensor, uint64_t i) {
    return tools::elementValue(tensor.data.data(), tensor.dtype, i);
  };
  double low = INFINITY, high = -INFINITY;
  uint64_t count = elementsOf(expected);
  for (uint64_t i = 0; i < count; ++i)
    if (double b = element(expected, i); std::isfinite(b)) {
      low = std::min(low, b);
      high = std::max(high, b);
    }
  // Of a constant, its magnitude.
  result.range = high > low ? high - low : std::isfinite(high) ? std::abs(high) : 0;
  for (uint64_t i = 0; i < count; ++i) {
    double a = element(given, i), b = element(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : INFINITY;
    double allowed = tolerance.absolute + tolerance.relative * std::abs(b) + tolerance.ofRange * result.range;
    result.beyond += !(distance <= allowed);
    result.lost += !std::isfinite(a) && std::isfinite(b);
    result.largest = std::max(result.largest, distance);
  }
  return result;
}

/// "the model has 2 inputs, but 'DIR' has 1".
std::string describeCount(StringRef what, size_t wanted, size_t given, const std::string &where) {
  return llvm::formatv("the model has {0} {1}{2}, but '{3}' has {4}", wanted, what, wanted == 1 ? "" : "s", where,
                       given);
}

/// Runs the model on `inputs`, which come from the folder `data`; without one, on some that it makes.
FailureOr<std::vector<HostTensor>> runModule(const tools::Request &request, const std::string &data,
                                             std::vector<HostTensor> &inputs) {
  tools::Opened opened;
  std::string error;
  if (!tools::openModule(request, false, opened, error) ||
      (data.empty() && !tools::makeInputs(request, opened.module, inputs, error))) {
    tools::fail(request, error);
    return failure();
  }
  if (inputs.size() != opened.module.inputCount()) {
    tools::fail(request, describeCount("input", opened.module.inputCount(), inputs.size(), data));
    return failure();
  }
  std::vector<hone_tensor_t> views, results(opened.module.outputCount());
  for (HostTensor &input : inputs)
    views.push_back(input.view());
  if (Status status = opened.session.run(views.data(), views.size(), results.data(), results.size()); !status) {
    tools::fail(request, status.message());
    return failure();
  }
  std::vector<HostTensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    auto *data = static_cast<const uint8_t *>(results[i].data);
    outputs.push_back({opened.module.output(i).name,
                       results[i].dtype,
                       {results[i].shape, results[i].shape + results[i].rank},
                       {data, data + results[i].size}});
  }
  return outputs;
}

/// The outputs of the reference interpreter on the imported graph, before any pass.
FailureOr<std::vector<HostTensor>> runReference(StringRef path, const CompileOptions &options,
                                                const std::vector<HostTensor> &inputs,
                                                const std::vector<HostTensor> &like, LargeValues &large,
                                                DiagnosticSink sink) {
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink));
  OwningOpRef<ModuleOp> module = importGraph(path, options, context.get(), /*simplify=*/false);
  if (!module)
    return failure();
  auto main = module->lookupSymbol<func::FuncOp>("main");
  SmallVector<reference::Tensor> operands;
  for (auto [type, input] : llvm::zip(main.getArgumentTypes(), inputs)) {
    auto tensor = reference::Tensor::zeros(cast<RankedTensorType>(type).getElementType(), input.shape);
    if (!tensor || tensor->bytes().size() != input.data.size())
      return main.emitError() << "input '" << input.name << "' does not fit the model";
    std::copy(input.data.begin(), input.data.end(), tensor->mutableBytes().begin());
    operands.push_back(*tensor);
  }
  if (options.progress)
    options.progress("reference interpreter", 0, 0);
  auto watch = [&](Value value, const reference::Tensor &tensor) {
    if (options.precision == "f16")
      large.see(value, tensor);
  };
  auto results = reference::interpret(main, operands, watch);
  if (failed(results))
    return failure();
  std::vector<HostTensor> outputs;
  for (auto [result, shape] : llvm::zip(*results, like))
    outputs.push_back({shape.name,
                       shape.dtype,
                       {result.getShape().begin(), result.getShape().end()},
                       {result.bytes().begin(), result.bytes().end()}});
  return outputs;
}

int failWith(const llvm::Twine &message) {
  llvm::errs() << "hone: error: " << message << "\n";
  return kFault;
}

/// `prefix`_0.pb, `prefix`_1.pb, ... of a test_data_set folder, which must be there.
FailureOr<std::vector<HostTensor>> readTensors(const std::string &folder, StringRef prefix) {
  if (!llvm::sys::fs::is_directory(folder))
    return failWith("'" + folder + "' is no folder with " + prefix + "_0.pb"), failure();
  std::vector<HostTensor> tensors;
  for (size_t i = 0;; ++i) {
    std::string path = folder + "/" + prefix.str() + "_" + std::to_string(i) + ".pb", error;
    if (!llvm::sys::fs::exists(path))
      return tensors;
    HostTensor tensor;
    if (!tools::readTensor(path, HONE_DTYPE_F32, tensor, error))
      return failWith(error), failure();
    tensors.push_back(std::move(tensor));
  }
}

/// What --against names: a folder, or the file of the only output. `given` says how to read files without types.
FailureOr<std::vector<HostTensor>> readExpected(const std::string &where, const std::vector<HostTensor> &given) {
  if (llvm::sys::fs::is_directory(where) || given.empty()) {
    auto tensors = readTensors(where, "output");
    if (succeeded(tensors) && tensors->empty())
      return failWith("there is no '" + where + "/output_0.pb'"), failure();
    return tensors;
  }
  HostTensor tensor;
  std::string error;
  if (!tools::readTensor(where, given.front().dtype, tensor, error))
    return failWith(error), failure();
  return std::vector<HostTensor>{std::move(tensor)};
}

int report(const std::vector<HostTensor> &given, const std::vector<HostTensor> &expected, const Tolerance &tolerance) {
  int code = kDone;
  for (auto [output, want] : llvm::zip(given, expected)) {
    Difference difference = compare(output, want, tolerance);
    llvm::outs() << "output '" << escapeName(output.name) << "' ";
    if (!difference.mismatch.empty()) {
      llvm::outs() << difference.mismatch << "\n";
      code = kFault;
      continue;
    }
    double relative = difference.range > 0 ? difference.largest / difference.range : difference.largest;
    llvm::outs() << tools::describeShape(output.shape, tools::findType(output.dtype)->name)
                 << llvm::formatv(
                        ": largest difference {0:E2}, {1:E2} of the range; {2} of {3} elements beyond the tolerance\n",
                        difference.largest, relative, difference.beyond, elementsOf(output));
    if (difference.lost)
      llvm::outs() << "  " << difference.lost << " elements are infinite or no number, and should not be\n";
    if (difference.beyond)
      code = kFault;
  }
  return code;
}

struct VerifyRequest {
  tools::Request run;
  CompileOptions options;
  Tolerance tolerance;
  std::string data, against = "reference";
  bool findsPlace = false;
};

/// Reads the command line; an exit code when the verb is to end here.
std::optional<int> readRequest(llvm::ArrayRef<std::string> arguments, VerifyRequest &request) {
  OptionParser parser("hone verify MODEL.onnx [--data DIR]");
  Tolerance &tolerance = request.tolerance;
  bool chosen = false;
  auto number = [&chosen](double &value) {
    return [&value, &chosen](StringRef text) {
      chosen = true;
      return text.getAsDouble(value) || !std::isfinite(value) || value < 0
                 ? "'" + text.str() + "' is not a number of at least 0"
                 : std::string();
    };
  };
  parser.add("--target", "T[,T]...", "what to compile for; the one that fits the device best is run",
             request.run.target);
  parser.add("--data", "DIR", "inputs (and expected outputs) as input_N.pb and output_N.pb", request.data);
  parser.add(
      "--against", "reference|DIR|FILE",
      "what to compare with: the interpreter, output_N.pb of a folder, or the .pb or .npy file of the only output",
      request.against);
  parser.add("--rtol", "X", "relative tolerance (1e-3)", number(tolerance.relative));
  parser.add("--atol", "X", "absolute tolerance (1e-7); with either, --precision sets none",
             number(tolerance.absolute));
  addRunOptions(parser, request.run);
  parser.addFlag("--localize", "compare every kernel, and find the pass that a difference comes from",
                 request.findsPlace);
  addOptions(parser, request.options, {"--precision", "--disable-pass", "-O"});
  addCalibration(parser, request.options);
  if (auto code = parser.parse(arguments, 1))
    return *code;
  if (!chosen)
    tolerance = Tolerance::of(request.options.precision);
  if (tolerance.ofRange > 0)
    llvm::outs() << "precision " << request.options.precision << ": outputs may differ by "
                 << llvm::formatv("{0:E1}", tolerance.ofRange) << " of their range\n";
  request.run.modelPath = parser.positional(0).str();
  request.run.program = "hone";
  return std::nullopt;
}

/// Runs the model, and compares its outputs with those expected: an exit code. Without inputs it makes some.
FailureOr<int> compareOutputs(const VerifyRequest &request, std::vector<HostTensor> &inputs, Console &console) {
  auto given = runModule(request.run, request.data, inputs);
  if (failed(given))
    return failure();
  LargeValues large;
  FailureOr<std::vector<HostTensor>> expected = std::vector<HostTensor>();
  std::string from = request.against;
  if (from != "reference") {
    expected = readExpected(from, *given);
  } else if (!request.data.empty()) {
    from = request.data;
    expected = readTensors(from, "output");
  }
  if (succeeded(expected) && !expected->empty() && expected->size() != given->size())
    return failWith(describeCount("output", given->size(), expected->size(), from)), failure();
  if (succeeded(expected) && expected->empty()) {
    expected = runReference(request.run.modelPath, request.options, inputs, *given, large, console.sink());
    console.clear();
  }
  if (failed(expected))
    return failure();
  // Localizing says it as well, of any precision. Whether the compiler has kept these values in f32, or the outputs are
  // lost, the outputs show.
  if (!request.findsPlace)
    large.print(llvm::outs());
  int code = report(*given, *expected, request.tolerance);
  if (code != kDone && !large.empty() && request.options.examples.empty())
    llvm::outs() << "--calibrate=DIR keeps in f32 what a run on the inputs in DIR shows to leave the range\n";
  return code;
}

} // namespace

int hone::driver::runVerify(llvm::ArrayRef<std::string> arguments) {
  VerifyRequest request;
  if (auto code = readRequest(arguments, request))
    return *code;
  FailureOr<std::vector<HostTensor>> inputs = std::vector<HostTensor>();
  if (!request.data.empty())
    inputs = readTensors(request.data, "input");
  if (failed(inputs))
    return kFault;
  llvm::SmallVector<char, 0> bytes;
  Console console;
  if (auto code = compileRequest(request.run, request.options, bytes, console))
    return *code;
  FailureOr<int> code = compareOutputs(request, *inputs, console);
  if (failed(code))
    return kFault;
  if (!request.findsPlace)
    return *code;
  // Passes are watched there by other means.
  request.options.progress = nullptr;
  console.show("comparing kernels and passes");
  auto found = localize(request.run, request.options, *inputs, request.tolerance, console.sink());
  console.clear();
  if (failed(found))
    return kFault;
  printLocalization(*found, llvm::outs());
  return found->firstDivergent() || found->passesDiverge() ? kFault : *code;
}
