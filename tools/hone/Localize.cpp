//===- Localize.cpp - Which kernel and which pass is wrong ----------------===//
//
// The module runs as it is. Every kernel is compared with the reference interpreter twice: on the inputs that
// it was given, which blames the kernel alone, and on the shadow's, which shows what accumulates.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Localize.h"

#include "lib/Pipeline/Localization.h"
#include "lib/Reference/Interpreter.h"
#include "lib/Reference/MemoryForm.h"
#include "passes/Conversion/GraphToPlan/Passes.h"
#include "tools/hone/Commands.h"
#include "tools/hone/LaunchTrace.h"
#include "tools/hone/PassBisection.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::driver;
using reference::Tensor;
using tools::HostTensor;

namespace {

/// Compares launches of one run.
class LaunchComparer {
public:
  LaunchComparer(ModuleOp planned, const Tolerance &tolerance, Localization &found)
      : kernels(planned.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule)), tolerance(tolerance), found(found) {}

  /// What ends the run, or nothing.
  std::string visit(const Launch &launch, LaunchTrace &trace);
  /// The first launch that diverges by itself, and what it should have made of its inputs.
  const std::optional<std::pair<Launch, Tensors>> &culprit() const { return firstDivergent; }
  func::FuncOp functionOf(StringRef kernel) { return kernels.lookupSymbol<func::FuncOp>(kernel); }

private:
  using Buffers = std::vector<std::vector<uint8_t>>;
  /// Runs the kernel's function on what lies in `buffers`; nothing when that is not possible.
  std::optional<Tensors> interpret(func::FuncOp function, const Launch &launch, const Buffers &buffers);
  std::optional<SmallVector<int64_t>> shapeOf(Type type, Attribute dims, const Launch &launch);
  std::optional<Tensor> result(func::FuncOp function, unsigned i, const Launch &launch, ArrayRef<uint8_t> bytes);

  ModuleOp kernels;
  const Tolerance &tolerance;
  Localization &found;
  std::optional<std::pair<Launch, Tensors>> firstDivergent;
  size_t count = 0;
};

} // namespace

std::optional<SmallVector<int64_t>> LaunchComparer::shapeOf(Type type, Attribute dims, const Launch &launch) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  auto names = dyn_cast_or_null<ArrayAttr>(dims);
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    // "s2" is the third scalar.
    auto name = names && i < names.size() ? dyn_cast<StringAttr>(names[i]) : StringAttr();
    unsigned scalar;
    if (!name || name.getValue().drop_front().getAsInteger(10, scalar) || scalar >= launch.scalars.size())
      return std::nullopt;
    extent = launch.scalars[scalar];
  }
  return shape;
}

std::optional<Tensors> LaunchComparer::interpret(func::FuncOp function, const Launch &launch, const Buffers &buffers) {
  SmallVector<Tensor> inputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shape = shapeOf(type, function.getArgAttr(i, "graph.dims"), launch);
    auto tensor = shape ? reference::fromMemory(cast<RankedTensorType>(type), *shape, buffers[i]) : std::nullopt;
    if (!tensor)
      return std::nullopt;
    inputs.push_back(*tensor);
  }
  // What the interpreter refuses is counted, not printed.
  ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) { return success(); });
  auto results = reference::interpret(function, inputs);
  if (failed(results))
    return std::nullopt;
  return *results;
}

std::optional<Tensor> LaunchComparer::result(func::FuncOp function, unsigned i, const Launch &launch,
                                             ArrayRef<uint8_t> bytes) {
  Type type = function.getResultTypes()[i];
  auto shape = shapeOf(type, function.getResultAttr(i, "graph.dims"), launch);
  return shape ? reference::fromMemory(cast<RankedTensorType>(type), *shape, bytes) : std::nullopt;
}

std::string LaunchComparer::visit(const Launch &launch, LaunchTrace &trace) {
  func::FuncOp function = functionOf(launch.kernel);
  unsigned inputs = function ? function.getNumArguments() : 0, outputs = function ? function.getNumResults() : 0;
  if (!function || launch.spans.size() < inputs + outputs)
    return "the module has a kernel '" + launch.kernel + "' that the compiler does not plan";
  Buffers shadows;
  bool same = true;
  bool complete = true;
  for (auto [span, bytes] : llvm::zip(launch.spans, launch.before)) {
    shadows.push_back(span.buffer ? trace.shadowOf(span, bytes) : std::vector<uint8_t>());
    same &= shadows.size() > inputs || shadows.back() == bytes;
    complete &= shadows.size() > inputs + outputs || span.buffer;
  }
  auto own = complete ? interpret(function, launch, launch.before) : std::nullopt;
  auto should = same ? own : interpret(function, launch, shadows);
  LaunchFinding finding{count++, launch.kernel, launch.nodes, 0, {}, {}};
  if (!own || !should) {
    // The best that is known of what should be there.
    for (size_t i = inputs; i < launch.spans.size(); ++i)
      if (launch.spans[i].buffer)
        trace.setShadow(launch.spans[i], launch.after[i]);
    ++found.uncompared;
    return "";
  }
  for (unsigned i = 0; i < outputs; ++i) {
    auto given = result(function, i, launch, launch.after[inputs + i]);
    if (!given)
      return "the module's kernel '" + launch.kernel + "' is not the one that the compiler plans";
    Deviation alone = compareTensors(*given, (*own)[i], tolerance);
    Deviation all = compareTensors(*given, (*should)[i], tolerance);
    if (i == 0 || alone.worseThan(finding.own)) {
      finding.own = alone;
      finding.output = i;
    }
    if (all.worseThan(finding.accumulated))
      finding.accumulated = all;
    std::vector<uint8_t> bytes = launch.after[inputs + i];
    auto type = cast<RankedTensorType>(function.getResultTypes()[i]);
    if ((*should)[i].getShape() == given->getShape())
      reference::toMemory((*should)[i], type, bytes);
    trace.setShadow(launch.spans[inputs + i], bytes);
  }
  if (finding.own.diverges && !firstDivergent)
    firstDivergent.emplace(launch, *own);
  found.launches.push_back(std::move(finding));
  return "";
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// An output's bytes in the shadow as a tensor like `expected`.
static std::optional<Tensor> shadowOutput(LaunchTrace &trace, OutputState &output, const Tensor &expected) {
  auto type = RankedTensorType::get(expected.getShape(), expected.getElementType());
  std::vector<uint8_t> none(output.bytes);
  return reference::fromMemory(type, expected.getShape(), trace.shadowOf({output.buffer(), 0, output.bytes}, none));
}

FailureOr<Localization> hone::driver::localize(const tools::Request &request, const CompileOptions &options,
                                               std::vector<HostTensor> &inputs, const Tolerance &tolerance,
                                               DiagnosticSink sink) {
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink));
  OwningOpRef<ModuleOp> planned = planKernels(request.modelPath, options, context.get());
  if (!planned)
    return failure();
  FailureOr<StageBuffers> stages = stageBuffers(request.modelPath, options, context.get());
  if (failed(stages))
    return failure();
  tools::Request synchronous = request;
  synchronous.synchronous = true;
  tools::Opened opened;
  std::string error;
  if (!tools::openModule(synchronous, false, opened, error) ||
      (inputs.empty() && !tools::makeInputs(request, opened.module, inputs, error))) {
    tools::fail(request, error);
    return failure();
  }
  GraphRun graph(request.modelPath, options, inputs);
  Localization found;
  auto imported = graph.outputs(context.get(), &found.large);
  if (failed(imported))
    return failure();
  LaunchComparer comparer(*planned, tolerance, found);
  hone_session_s &session = *opened.session.get();
  std::optional<LaunchTrace> trace;
  auto findStage = [&](StringRef function) {
    auto buffers = stages->find(function);
    LaunchTrace::Stage stage{function.str(), buffers == stages->end() ? nullptr : &buffers->second};
    if (!comparer.functionOf(function))
      if (StringRef kernel = function.rsplit('_').first; comparer.functionOf(kernel))
        stage.kernel = kernel.str();
    return stage;
  };
  trace.emplace(session, findStage, [&](const Launch &launch) { return comparer.visit(launch, *trace); });
  std::vector<hone_tensor_t> views, results(opened.module.outputCount());
  for (HostTensor &input : inputs)
    views.push_back(input.view());
  Status status = opened.session.run(views.data(), views.size(), results.data(), results.size());
  error = status ? trace->finish() : status.message();
  if (!error.empty()) {
    tools::fail(request, error);
    return failure();
  }
  for (auto [i, expected] : llvm::enumerate(*imported)) {
    Deviation deviation;
    auto shadow = shadowOutput(*trace, session.outputs[i], expected);
    if (shadow)
      deviation = compareTensors(*shadow, expected, tolerance);
    else
      deviation = Deviation{INFINITY, INFINITY, 0, -1, {}, 0, 0, true, "another shape"};
    found.outputs.emplace_back(opened.module.output(i).name, deviation);
  }

  if (const auto &culprit = comparer.culprit())
    found.loweringPass = findLoweringPass(comparer.functionOf(culprit->first.kernel), culprit->first, culprit->second,
                                          options, request, tolerance);
  if (found.passesDiverge()) {
    found.graphPass = findGraphPass(graph, *imported, tolerance);
    if (found.graphPass.empty())
      found.planPass = findPlanPass(request, options, inputs, *imported, tolerance);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

const LaunchFinding *Localization::firstDivergent() const {
  auto found = llvm::find_if(launches, [](const LaunchFinding &finding) { return finding.own.diverges; });
  return found == launches.end() ? nullptr : &*found;
}

const LaunchFinding *Localization::worst() const {
  const LaunchFinding *result = nullptr;
  for (const LaunchFinding &finding : launches)
    if (!result || finding.own.worseThan(result->own))
      result = &finding;
  return result;
}

bool Localization::passesDiverge() const {
  return llvm::any_of(outputs, [](const auto &output) { return output.second.diverges; });
}

static void printLaunch(const LaunchFinding &finding, StringRef what, raw_ostream &os) {
  os << what << ": launch " << finding.number << ", kernel '" << finding.kernel << "'";
  for (auto [i, node] : llvm::enumerate(finding.nodes))
    os << (i ? ", '" : ", nodes '") << node << "'";
  os << "\n  output " << finding.output << ": " << describeDeviation(finding.own) << "\n";
}

void hone::driver::printLocalization(const Localization &found, raw_ostream &os) {
  os << found.launches.size() + found.uncompared << " launches, " << found.launches.size()
     << " compared with the reference interpreter\n";
  const LaunchFinding *first = found.firstDivergent(), *worst = found.worst();
  if (first)
    printLaunch(*first, "first divergent kernel", os);
  if (worst && worst != first && worst->own.at >= 0)
    printLaunch(*worst, first ? "worst divergent kernel" : "largest error of one kernel", os);
  if (!found.loweringPass.empty())
    os << "  without pass '" << found.loweringPass << "' the first divergent kernel is right\n";
  else if (first)
    os << "  no single pass of its lowering is to blame\n";
  const LaunchFinding *accumulated = nullptr;
  for (const LaunchFinding &finding : found.launches)
    if (!accumulated || finding.accumulated.worseThan(accumulated->accumulated))
      accumulated = &finding;
  if (accumulated && accumulated->accumulated.at >= 0)
    os << "accumulated error: at most " << llvm::formatv("{0:E2}", accumulated->accumulated.relative)
       << " of the range, at launch " << accumulated->number << ", kernel '" << accumulated->kernel << "'\n";
  for (const auto &[name, deviation] : found.outputs)
    if (deviation.diverges)
      os << "output '" << escapeName(name) << "': with reference kernels the plan computes something else than the "
         << "model: " << describeDeviation(deviation) << "\n";
  if (!found.graphPass.empty())
    os << "  pass '" << found.graphPass << "' changes what the graph computes\n";
  else if (!found.planPass.empty())
    os << "  without pass '" << found.planPass << "' of the plan the outputs are right\n";
  else if (found.passesDiverge())
    os << "  no single pass is to blame\n";
  found.large.print(os);
  if (!first && !found.passesDiverge())
    os << "every kernel agrees with the reference\n";
}
