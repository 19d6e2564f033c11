//===- Compiler.cpp - From an ONNX file to a module -----------------------===//

#include "lib/Pipeline/Compiler.h"

#include "backends/Register.h"
#include "dialects/Plan/IR/Plan.h"
#include "lib/Frontend/Import.h"
#include "lib/Pipeline/PassFilter.h"
#include "lib/Pipeline/PhaseRunner.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Pipeline/Registration.h"
#include "lib/Pipeline/StandaloneProgram.h"
#include "lib/Pipeline/Targets.h"
#include "lib/Reference/MemoryForm.h"
#include "lib/Serialization/Serialization.h"
#include "lib/Support/NodeLocation.h"
#include "lib/Support/Remarks.h"
#include "lib/Support/UserError.h"
#include "lib/Target/KernelAction.h"
#include "passes/Conversion/GraphToPlan/Passes.h"
#include "passes/Quantization/HalfRange.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

#include <map>

using namespace mlir;
using namespace hone;

std::unique_ptr<MLIRContext> hone::createContext() {
  DialectRegistry registry;
  registerDialects(registry);
  registerBackendDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::vector<EmitKind> hone::emitKinds() {
  std::vector<EmitKind> kinds = {EmitKind(), {"graph", Emit::Graph, ""}, {"plan", Emit::Plan, ""}};
  BackendRegistry backends = createBackends();
  for (const auto &backend : backends.all())
    for (const TargetBackend::Form &form : backend->forms())
      if (llvm::none_of(kinds, [&](const EmitKind &kind) { return kind.name == form.name; }))
        kinds.push_back({form.name.str(), Emit::Code, form.extension.str()});
  return kinds;
}

namespace {

class Compilation {
public:
  Compilation(const CompileOptions &options, CompileReport &report, MLIRContext *context)
      : options(options), report(report), context(context), backends(createBackends()),
        phases(options, report, context) {
    if (!options.disabledPasses.empty() || options.progress)
      filter.emplace(context, options.disabledPasses, [this](const tracing::Action &action) {
        if (auto *kernel = dyn_cast<KernelAction>(&action))
          tell(emitting, kernel->done, kernel->total);
      });
  }

  LogicalResult run(const frontend::ModelSource &source, SmallVectorImpl<char> &out);
  LogicalResult run(OwningOpRef<ModuleOp> graph, SmallVectorImpl<char> &out);
  LogicalResult check(const frontend::ModelSource &source);
  LogicalResult explain(const frontend::ModelSource &source);
  LogicalResult import(const frontend::ModelSource &source);
  LogicalResult simplify() { return runShared(Phase::Simplify); }

  OwningOpRef<ModuleOp> module;

private:
  /// An error about the options, not about a node.
  InFlightDiagnostic optionError() { return emitError(UnknownLoc::get(context)); }
  LogicalResult attachExamples();
  LogicalResult resolve();
  LogicalResult resolveOutput();
  LogicalResult resolveAll();
  LogicalResult compile(SmallVectorImpl<char> &out);
  LogicalResult runShared(Phase last);
  LogicalResult runPhases(const ResolvedTarget &target, ModuleOp own, Phase first, Phase last);
  LogicalResult emit(const ResolvedTarget &target, ModuleOp own, SmallVectorImpl<char> &out);
  LogicalResult emitCode(const ResolvedTarget &target, ModuleOp own, SmallVectorImpl<char> &out);
  LogicalResult finish(SmallVectorImpl<char> &out);
  LogicalResult check(const ResolvedTarget &target, OwningOpRef<ModuleOp> own);
  LogicalResult checkCode(const ResolvedTarget &target, ModuleOp own);
  LogicalResult explain(const ResolvedTarget &target, ModuleOp own, TargetReport &told);
  void lowerApart(const ResolvedTarget &target, ModuleOp own);

  void tell(StringRef what, size_t done = 0, size_t total = 0) {
    if (options.progress)
      options.progress(what, done, total);
  }
  bool several() const { return targets.size() > 1; }
  /// The module for one of the targets; the last one's is the shared module itself.
  OwningOpRef<ModuleOp> moduleFor(const ResolvedTarget &target);
  /// With several targets: what is said meanwhile names the target.
  std::optional<TargetLabel> label(const ResolvedTarget &target) {
    std::optional<TargetLabel> label;
    if (several())
      label.emplace(context, target.info.name);
    return label;
  }

  const CompileOptions &options;
  CompileReport &report;
  MLIRContext *context;
  BackendRegistry backends;
  PhaseRunner phases;
  std::optional<PassFilter> filter; ///< for passes that backends add
  std::string emitting;             ///< what is told while kernels are compiled
  SmallVector<ResolvedTarget> targets;
  TargetBackend::Output output = TargetBackend::Output::Image;
};

} // namespace

LogicalResult Compilation::import(const frontend::ModelSource &source) {
  frontend::ImportOptions import;
  for (const auto &[name, value] : options.dims) {
    std::string error;
    auto range = frontend::parseDimRange(name + "=" + value, error);
    if (!range)
      return optionError() << "--dim " << name << "=" << value << ": " << error;
    import.dims.push_back(*range);
  }
  tell(PhaseRunner::describe(Phase::Import, nullptr));
  TimingScope scope = phases.time(Phase::Import, nullptr);
  frontend::ModelSummary summary;
  module = frontend::importModel(source, context, import, &summary);
  if (!module)
    return failure();
  ModelReport &told = report.model;
  if (auto name = (*module)->getAttrOfType<StringAttr>("graph.model"))
    told.name = name.str();
  told.parameters = summary.parameters;
  for (frontend::ModelSummary::Node &node : summary.nodes)
    told.nodes.push_back({std::move(node.name), std::move(node.opType)});
  return options.examples.empty() ? success() : attachExamples();
}

/// Puts the examples where hone-observe-ranges looks for them.
LogicalResult Compilation::attachExamples() {
  if (options.precision != "f16" && options.precision != "bf16")
    return optionError() << "--calibrate is for --precision=f16 and --precision=bf16";
  auto main = module->lookupSymbol<func::FuncOp>("main");
  if (options.examples.size() != main.getNumArguments())
    return optionError() << "--calibrate: " << options.examples.size() << " inputs are given, the model has "
                         << main.getNumArguments();
  for (auto [i, example] : llvm::enumerate(options.examples)) {
    auto type = cast<RankedTensorType>(main.getArgumentTypes()[i]);
    auto plain = RankedTensorType::get(example.shape, type.getElementType());
    auto tensor = reference::fromMemory(plain, example.shape, example.bytes);
    if (failed(verifyCompatibleShape(type, plain)) || !tensor || tensor->bytes().size() != example.bytes.size())
      return optionError() << "--calibrate: input #" << i << " is no " << type;
    main.setArgAttr(i, quantization::kExampleAttribute, tensor->toAttr());
  }
  return success();
}

LogicalResult Compilation::resolve() {
  auto resolved = resolveTargets(backends, options.target, context);
  if (failed(resolved))
    return failure();
  targets = std::move(*resolved);
  return success();
}

/// Whether the targets have what `--emit` asks for, before any work.
LogicalResult Compilation::resolveOutput() {
  if (options.emit.what == Emit::Graph || options.emit.what == Emit::Plan || options.stopAfter)
    return success();
  if (options.emit.what == Emit::Code) {
    if (several()) {
      InFlightDiagnostic error = optionError();
      error << "--emit=" << options.emit.name << " is for one target; --target names ";
      llvm::interleaveComma(targets, error, [&](const auto &target) { error << target.info.name; });
      return error;
    }
    ArrayRef<TargetBackend::Form> forms = targets.front().backend->forms();
    const auto *form = llvm::find_if(forms, [&](const auto &form) { return form.name == options.emit.name; });
    if (form == forms.end()) {
      InFlightDiagnostic error = optionError();
      error << "--emit=" << options.emit.name << ": " << targets.front().info.name << " has code as: ";
      llvm::interleaveComma(forms, error, [&](const auto &form) { error << form.name; });
      return error;
    }
    output = form->output;
  }
  for (const ResolvedTarget &target : targets)
    if (failed(target.backend->checkHost(target.info, output, UnknownLoc::get(context))))
      return failure();
  return success();
}

/// Phases that know no target, behind import.
LogicalResult Compilation::runShared(Phase last) {
  for (int phase = static_cast<int>(Phase::Simplify); phase <= static_cast<int>(last); ++phase) {
    if (!isShared(static_cast<Phase>(phase)))
      break;
    if (failed(phases.run(static_cast<Phase>(phase), *module, nullptr)))
      return failure();
  }
  return success();
}

OwningOpRef<ModuleOp> Compilation::moduleFor(const ResolvedTarget &target) {
  OwningOpRef<ModuleOp> own = &target == &targets.back() ? std::move(module) : OwningOpRef<ModuleOp>(module->clone());
  (*own)->setAttr(kTargetAttribute, target.info.toAttribute(context));
  return own;
}

LogicalResult Compilation::runPhases(const ResolvedTarget &target, ModuleOp own, Phase first, Phase last) {
  std::string folder = several() ? targetFileName(target.info.name) : "";
  for (int phase = static_cast<int>(first); phase <= static_cast<int>(last) && phase < static_cast<int>(Phase::Emit);
       ++phase)
    if (!isShared(static_cast<Phase>(phase)) && failed(phases.run(static_cast<Phase>(phase), own, &target, folder)))
      return failure();
  return success();
}

/// The image goes into the module, other forms of code to `out`.
LogicalResult Compilation::emit(const ResolvedTarget &target, ModuleOp own, SmallVectorImpl<char> &out) {
  emitting = PhaseRunner::describe(Phase::Emit, &target);
  tell(emitting);
  return phases.run(Phase::Emit, own, &target, [&] { return emitCode(target, own, out); });
}

LogicalResult Compilation::emitCode(const ResolvedTarget &target, ModuleOp own, SmallVectorImpl<char> &out) {
  auto kernels = own.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
  if (!kernels)
    return own.emitError() << "has no kernels";
  if (output == TargetBackend::Output::Standalone) {
    StringRef prefix = options.prefix.empty() ? "model" : StringRef(options.prefix);
    FailureOr<StandaloneCode> code = emitStandalone(own, kernels, *target.backend, target.info, prefix);
    if (failed(code))
      return failure();
    out.append(code->object.begin(), code->object.end());
    report.header = std::move(code->header);
    return success();
  }
  if (options.emit.what != Emit::Module) {
    FailureOr<EmittedCode> text = target.backend->emit(kernels, target.info, output);
    if (failed(text))
      return failure();
    out.append(text->bytes.begin(), text->bytes.end());
    return success();
  }
  if (failed(attachImage(target, own, kernels)))
    return failure();
  TargetReport &told = report.targets.emplace_back();
  told.target = target.info.name;
  describePlan(own, told);
  return success();
}

LogicalResult Compilation::finish(SmallVectorImpl<char> &out) {
  SerializationOptions serialization;
  if (auto model = (*module)->getAttrOfType<StringAttr>("graph.model"))
    serialization.model = model.str();
  llvm::raw_svector_ostream os(out);
  return phases.run(Phase::Emit, *module, nullptr, [&] { return serializeModule(*module, os, serialization); });
}

/// Everything that the options name, before any work.
LogicalResult Compilation::resolveAll() {
  return failure(failed(resolve()) || failed(checkDisabledPasses(options, targets, context)) ||
                 failed(resolveOutput()));
}

LogicalResult Compilation::run(const frontend::ModelSource &source, SmallVectorImpl<char> &out) {
  return failure(failed(resolveAll()) || failed(import(source)) || failed(compile(out)));
}

LogicalResult Compilation::run(OwningOpRef<ModuleOp> graph, SmallVectorImpl<char> &out) {
  module = std::move(graph);
  return failure(failed(resolveAll()) || failed(compile(out)));
}

/// From the imported module on.
LogicalResult Compilation::compile(SmallVectorImpl<char> &out) {
  if (failed(phases.dump(Phase::Import, *module)))
    return failure();
  Phase last = options.stopAfter.value_or(options.emit.what == Emit::Graph  ? Phase::Simplify
                                          : options.emit.what == Emit::Plan ? Phase::Plan
                                                                            : Phase::Emit);
  if (failed(runShared(last)))
    return failure();
  llvm::raw_svector_ostream os(out);
  if (isShared(last)) {
    PhaseRunner::print(*module, os);
    return success();
  }
  OwningOpRef<ModuleOp> merged;
  for (const ResolvedTarget &target : targets) {
    auto labelled = label(target);
    OwningOpRef<ModuleOp> own = moduleFor(target);
    if (failed(runPhases(target, *own, Phase::Simplify, last)))
      return failure();
    if (last != Phase::Emit) {
      // Such a text can be read again, split at these lines.
      os << (&target == targets.begin() ? "" : "\n// -----\n\n");
      if (several())
        os << "// target " << target.info.name << "\n";
      PhaseRunner::print(*own, os);
      continue;
    }
    if (failed(emit(target, *own, out)))
      return failure();
    if (!several()) {
      merged = std::move(own);
      continue;
    }
    if (!merged) {
      merged = ModuleOp::create(own->getLoc(), own->getSymName());
      if (Attribute model = (*own)->getAttr("graph.model"))
        (*merged)->setAttr("graph.model", model);
    }
    mergeTarget(*merged, std::move(own), target.info.name);
  }
  if (last != Phase::Emit || options.emit.what != Emit::Module)
    return success();
  module = std::move(merged);
  return finish(out);
}

/// Lowers every kernel in a module of its own, so that an error in one does not hide those in others.
void Compilation::lowerApart(const ResolvedTarget &target, ModuleOp own) {
  PassManager front(context, ModuleOp::getOperationName());
  front.addPass(graph_to_plan::createGraphToPlanPass());
  (void)front.run(own);
  auto kernels = own.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
  if (!kernels)
    return;
  for (auto kernel : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
    (*alone)->setAttrs(kernels->getAttrDictionary());
    kernel->moveBefore(alone->getBody(), alone->getBody()->end());
    PassManager passes(context, ModuleOp::getOperationName());
    target.backend->addLowering(passes, target.info);
    (void)passes.run(*alone);
  }
}

/// Whether every kernel has a text, where code goes through one: that is quick, and reports all that have none.
LogicalResult Compilation::checkCode(const ResolvedTarget &target, ModuleOp own) {
  auto kernels = own.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
  bool hasTexts = llvm::any_of(target.backend->forms(), [](const TargetBackend::Form &form) {
    return form.output == TargetBackend::Output::Source;
  });
  if (!kernels || !hasTexts)
    return success();
  ErrorWatcher watcher(context);
  LogicalResult status = target.backend->emit(kernels, target.info, TargetBackend::Output::Source);
  report.internalError |= watcher.seenAny() && !watcher.userIsAtFault();
  return status;
}

LogicalResult Compilation::check(const ResolvedTarget &target, OwningOpRef<ModuleOp> own) {
  Phase before = static_cast<Phase>(static_cast<int>(Phase::Lower) - 1);
  if (failed(runPhases(target, *own, Phase::Simplify, before)))
    return failure();
  OwningOpRef<ModuleOp> kept = own->clone();
  if (succeeded(runPhases(target, *own, Phase::Lower, Phase::Plan)))
    return checkCode(target, *own);
  // The first error ended the phase: look for the others. Those already printed are not printed again.
  ErrorWatcher watcher(context);
  lowerApart(target, *kept);
  report.internalError |= watcher.seenAny() && !watcher.userIsAtFault();
  return failure();
}

LogicalResult Compilation::check(const frontend::ModelSource &source) {
  if (failed(resolve()) || failed(import(source)) || failed(runShared(Phase::Emit)))
    return failure();
  bool good = true;
  for (const ResolvedTarget &target : targets) {
    auto labelled = label(target);
    good &= succeeded(check(target, moduleFor(target)));
  }
  return success(good);
}

LogicalResult Compilation::explain(const ResolvedTarget &target, ModuleOp own, TargetReport &told) {
  told.target = target.info.name;
  if (failed(runPhases(target, own, Phase::Simplify, Phase::Fuse)))
    return failure();
  describeNodes(own, report.model, told);
  if (failed(runPhases(target, own, Phase::Lower, Phase::Plan)))
    return failure();
  describePlan(own, told);
  return success();
}

LogicalResult Compilation::explain(const frontend::ModelSource &source) {
  // In the order of the model's nodes; of one node in the order of the passes.
  std::multimap<unsigned, RemarkReport> remarks;
  RemarkCollector collector(context, [&](const NodeRemark &remark) {
    std::vector<std::string> nodes(remark.nodes.begin(), remark.nodes.end());
    remarks.emplace(remark.position, RemarkReport{outcomeName(remark.outcome).str(), remark.pass, remark.category,
                                                  remark.text, std::move(nodes)});
  });
  if (failed(resolve()) || failed(checkDisabledPasses(options, targets, context)) || failed(import(source)) ||
      failed(phases.dump(Phase::Import, *module)) || failed(runShared(Phase::Emit)))
    return failure();
  const auto shared = remarks;
  for (const ResolvedTarget &target : targets) {
    auto labelled = label(target);
    OwningOpRef<ModuleOp> own = moduleFor(target);
    TargetReport told;
    if (failed(explain(target, *own, told)))
      return failure();
    for (auto &entry : remarks)
      told.remarks.push_back(std::move(entry.second));
    report.targets.push_back(std::move(told));
    remarks = shared;
    collector.reset();
  }
  return success();
}

LogicalResult hone::compileModel(const frontend::ModelSource &source, const CompileOptions &options,
                                 SmallVectorImpl<char> &out, DiagnosticSink sink, CompileReport *report) {
  CompileReport ignored;
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink), options.remarks);
  std::optional<RemarkCollector> remarks;
  if (options.remarks)
    remarks.emplace(context.get(), [](const NodeRemark &remark) {
      emitRemark(remark.location) << remark.pass << ": " << outcomeName(remark.outcome) << ": " << remark.text;
    });
  return Compilation(options, report ? *report : ignored, context.get()).run(source, out);
}

LogicalResult hone::compileGraph(OwningOpRef<ModuleOp> graph, const CompileOptions &options, SmallVectorImpl<char> &out,
                                 CompileReport *report) {
  CompileReport ignored;
  MLIRContext *context = graph->getContext();
  return Compilation(options, report ? *report : ignored, context).run(std::move(graph), out);
}

LogicalResult hone::checkModel(const frontend::ModelSource &source, const CompileOptions &options, DiagnosticSink sink,
                               CompileReport *report) {
  CompileReport ignored;
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink));
  return Compilation(options, report ? *report : ignored, context.get()).check(source);
}

LogicalResult hone::explainModel(const frontend::ModelSource &source, const CompileOptions &options,
                                 DiagnosticSink sink, CompileReport &report) {
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink));
  return Compilation(options, report, context.get()).explain(source);
}

OwningOpRef<ModuleOp> hone::importGraph(const frontend::ModelSource &source, const CompileOptions &options,
                                        MLIRContext *context, bool simplify) {
  CompileReport report;
  Compilation compilation(options, report, context);
  if (failed(compilation.import(source)) || (simplify && failed(compilation.simplify())))
    return nullptr;
  return std::move(compilation.module);
}
