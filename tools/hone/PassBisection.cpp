//===- PassBisection.cpp - The pass that makes the difference -------------===//
//
// Without a pass it needs, a compilation fails, or makes code that does anything: each try is a process of its
// own.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/PassBisection.h"

#include "lib/Pipeline/Localization.h"
#include "lib/Pipeline/PassFilter.h"
#include "lib/Reference/Interpreter.h"
#include "lib/Reference/MemoryForm.h"
#include "lib/Support/NodeLocation.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace hone;
using namespace hone::driver;
using reference::Tensor;
using tools::HostTensor;

/// Longest time of one try, in seconds: a wrong loop may have no end.
static constexpr unsigned kLongestTry = 300;

/// Whether `test` returns true, in a child where it may also crash or hang, and where nothing is printed. The child has
/// none of the other threads of this process: contexts it takes over must work without.
static bool holdsInChild(llvm::function_ref<bool()> test) {
  llvm::outs().flush();
  llvm::errs().flush();
  pid_t child = fork();
  if (child < 0)
    return false;
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
      _exit(2);
    alarm(kLongestTry);
    _exit(test() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

FailureOr<Tensors> GraphRun::outputs(func::FuncOp main, LargeValues *large) const {
  Tensors operands;
  for (auto [type, input] : llvm::zip(main.getArgumentTypes(), inputs)) {
    auto plain = RankedTensorType::get(input.shape, cast<RankedTensorType>(type).getElementType());
    auto tensor = reference::fromMemory(plain, input.shape, input.data);
    if (!tensor)
      return main.emitError() << "input '" << input.name << "' does not fit the model";
    operands.push_back(*tensor);
  }
  return reference::interpret(main, operands, [&](Value value, const Tensor &tensor) {
    if (large)
      large->see(value, tensor);
  });
}

FailureOr<Tensors> GraphRun::outputs(MLIRContext *context, LargeValues *large) const {
  OwningOpRef<ModuleOp> module = importGraph(path, options, context, /*simplify=*/false);
  if (!module)
    return failure();
  return outputs(module->lookupSymbol<func::FuncOp>("main"), large);
}

static bool allAgree(const Tensors &given, const Tensors &expected, const Tolerance &tolerance) {
  if (given.size() != expected.size())
    return false;
  for (auto [a, b] : llvm::zip(given, expected))
    if (compareTensors(a, b, tolerance).diverges)
      return false;
  return true;
}

std::string hone::driver::findGraphPass(const GraphRun &graph, const Tensors &expected, const Tolerance &tolerance) {
  // Types are compared, so they are of one context.
  MLIRContext *context = expected.front().getElementType().getContext();
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  std::string culprit;
  (void)visitPasses(graph.path, graph.options, context, [&](StringRef pass, func::FuncOp main) {
    if (!culprit.empty())
      return;
    auto outputs = graph.outputs(main);
    if (succeeded(outputs) && !allAgree(*outputs, expected, tolerance))
      culprit = pass.str();
  });
  return culprit;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {

/// Runs a module; the bytes of its outputs, or nothing.
struct ModuleRun {
  explicit ModuleRun(const tools::Request &request, ArrayRef<char> module) : request(request) {
    this->request.bytes = reinterpret_cast<const uint8_t *>(module.data());
    this->request.size = module.size();
    std::string error;
    good = tools::openModule(this->request, false, opened, error);
  }
  bool run(std::vector<HostTensor> &inputs) {
    std::vector<hone_tensor_t> views;
    for (HostTensor &input : inputs)
      views.push_back(input.view());
    results.resize(good ? opened.module.outputCount() : 0);
    return good && opened.session.run(views.data(), views.size(), results.data(), results.size()).ok();
  }

  tools::Request request;
  tools::Opened opened;
  std::vector<hone_tensor_t> results;
  bool good;
};

ArrayRef<uint8_t> bytesOf(const hone_tensor_t &tensor) {
  return {static_cast<const uint8_t *>(tensor.data), tensor.size};
}

} // namespace

/// Compiles the kernel alone, without pass `leftOut`, and runs it; whether it agrees with the interpreter.
static bool kernelAgrees(func::FuncOp kernel, const KernelCall &call, const Launch &launch, const Tensors &expected,
                         const CompileOptions &options, const tools::Request &request, const Tolerance &tolerance,
                         StringRef leftOut, std::vector<std::string> *passes = nullptr) {
  MLIRContext *context = kernel->getContext();
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  llvm::SmallVector<char, 0> module;
  {
    std::vector<std::string> disabled = options.disabledPasses;
    if (!leftOut.empty())
      disabled.push_back(leftOut.str());
    PassFilter filter(context, disabled);
    LogicalResult compiled = compileKernel(call, options, module);
    if (passes)
      *passes = filter.seen().vec();
    if (failed(compiled))
      return false;
  }
  unsigned numInputs = kernel.getNumArguments();
  std::vector<HostTensor> inputs;
  for (unsigned i = 0; i < numInputs; ++i)
    inputs.push_back({"", HONE_DTYPE_U8, {call.bytes[i]}, launch.before[i]});
  ModuleRun run(request, module);
  if (!run.run(inputs))
    return false;
  for (auto [i, want] : llvm::enumerate(expected)) {
    auto type = cast<RankedTensorType>(kernel.getResultTypes()[i]);
    auto given = reference::fromMemory(type, want.getShape(), bytesOf(run.results[i]));
    if (!given || compareTensors(*given, want, tolerance).diverges)
      return false;
  }
  return true;
}

std::string hone::driver::findLoweringPass(func::FuncOp kernel, const Launch &launch, const Tensors &expected,
                                           const CompileOptions &options, const tools::Request &request,
                                           const Tolerance &tolerance) {
  KernelCall call{kernel, launch.scalars, {}};
  for (unsigned i = 0, count = kernel.getNumArguments() + kernel.getNumResults(); i < count; ++i)
    call.bytes.push_back(launch.spans[i].size);
  std::vector<std::string> passes;
  kernel->getContext()->disableMultithreading();
  auto agrees = [&](StringRef leftOut) {
    return kernelAgrees(kernel, call, launch, expected, options, request, tolerance, leftOut);
  };
  // Alone the kernel may be right: then it is not its lowering.
  if (kernelAgrees(kernel, call, launch, expected, options, request, tolerance, "", &passes))
    return "";
  for (const std::string &pass : passes)
    if (holdsInChild([&] { return agrees(pass); }))
      return pass;
  return "";
}

std::string hone::driver::findPlanPass(const tools::Request &request, const CompileOptions &options,
                                       std::vector<HostTensor> &inputs, const Tensors &expected,
                                       const Tolerance &tolerance) {
  std::unique_ptr<MLIRContext> context = createContext();
  ScopedDiagnosticHandler silence(context.get(), [](Diagnostic &) { return success(); });
  for (const std::string &pass : planPasses(options, context.get())) {
    CompileOptions without = options;
    without.disabledPasses.push_back(pass);
    without.reproducerFolder.clear();
    bool agrees = holdsInChild([&] {
      llvm::SmallVector<char, 0> module;
      if (failed(compileModel(request.modelPath, without, module, [](const NodeDiagnostic &) {})))
        return false;
      ModuleRun run(request, module);
      Tensors given;
      if (!run.run(inputs))
        return false;
      for (auto [result, want] : llvm::zip(run.results, expected)) {
        ArrayRef<int64_t> shape(result.shape, result.rank);
        auto tensor =
            reference::fromMemory(RankedTensorType::get(shape, want.getElementType()), shape, bytesOf(result));
        if (!tensor)
          return false;
        given.push_back(*tensor);
      }
      return allAgree(given, expected, tolerance);
    });
    if (agrees)
      return pass;
  }
  return "";
}
