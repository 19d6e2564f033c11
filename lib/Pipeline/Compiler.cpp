//===- Compiler.cpp - From an ONNX file to a module -----------------------===//

#include "lib/Pipeline/Compiler.h"

#include "backends/Register.h"
#include "dialects/Plan/IR/Plan.h"
#include "lib/Frontend/Import.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Pipeline/Registration.h"
#include "lib/Serialization/Serialization.h"
#include "lib/Support/Files.h"
#include "lib/Support/NodeLocation.h"
#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
      : options(options), report(report), context(context), backends(createBackends()) {}

  LogicalResult run(const frontend::ModelSource &source, SmallVectorImpl<char> &out);
  LogicalResult check(const frontend::ModelSource &source);
  OwningOpRef<ModuleOp> import(const frontend::ModelSource &source);
  LogicalResult resolveTarget();
  LogicalResult resolveOutput();
  LogicalResult runPhase(Phase phase);

  OwningOpRef<ModuleOp> module;

private:
  /// An error about the options, not about a node.
  InFlightDiagnostic optionError() { return emitError(UnknownLoc::get(context)); }
  LogicalResult dump(Phase phase);
  LogicalResult emit(SmallVectorImpl<char> &out);
  LogicalResult emitImage(ModuleOp kernels);
  void lowerApart();
  void print(SmallVectorImpl<char> &out);
  void writeReproducer(Phase phase);

  const CompileOptions &options;
  CompileReport &report;
  MLIRContext *context;
  BackendRegistry backends;
  const TargetBackend *backend = nullptr;
  TargetInfo info;
  TargetBackend::Output output = TargetBackend::Output::Image;
};

} // namespace

static OpPrintingFlags printingFlags() {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(32).elideLargeResourceString(64);
  return flags;
}

OwningOpRef<ModuleOp> Compilation::import(const frontend::ModelSource &source) {
  frontend::ImportOptions import;
  for (const auto &[name, value] : options.dims) {
    std::string error;
    auto range = frontend::parseDimRange(name + "=" + value, error);
    if (!range) {
      optionError() << "--dim " << name << "=" << value << ": " << error;
      return nullptr;
    }
    import.dims.push_back(*range);
  }
  return frontend::importModel(source, context, import);
}

LogicalResult Compilation::resolveTarget() {
  auto resolved = backends.resolve(options.target, UnknownLoc::get(context));
  if (failed(resolved))
    return failure();
  backend = resolved->first;
  info = resolved->second;
  return success();
}

/// Whether the target has what `--emit` asks for, before any work.
LogicalResult Compilation::resolveOutput() {
  if (options.emit.what == Emit::Graph || options.emit.what == Emit::Plan || options.stopAfter)
    return success();
  if (options.emit.what == Emit::Code) {
    ArrayRef<TargetBackend::Form> forms = backend->forms();
    const auto *form = llvm::find_if(forms, [&](const auto &form) { return form.name == options.emit.name; });
    if (form == forms.end()) {
      InFlightDiagnostic error = optionError();
      error << "--emit=" << options.emit.name << ": " << info.name << " has code as: ";
      llvm::interleaveComma(forms, error, [&](const auto &form) { error << form.name; });
      return error;
    }
    output = form->output;
  }
  return backend->checkHost(info, output, UnknownLoc::get(context));
}

LogicalResult Compilation::dump(Phase phase) {
  if (options.dumpTo.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpTo)) {
    return optionError() << "cannot create '" << options.dumpTo << "': " << error.message();
  }
  SmallString<128> path(options.dumpTo);
  llvm::sys::path::append(path, std::to_string(static_cast<int>(phase)) + "-" + phaseName(phase) + ".mlir");
  std::string error;
  LogicalResult written = writeFile(
      path,
      [&](raw_ostream &os) {
        module->print(os, printingFlags());
        return success();
      },
      error);
  if (failed(written))
    optionError() << error;
  return written;
}

/// Leaves the IR that a phase failed on, so that the failure can be repeated without the model.
void Compilation::writeReproducer(Phase phase) {
  if (options.reproducerFolder.empty())
    return;
  SmallString<128> model(options.reproducerFolder), path;
  llvm::sys::path::append(model, "hone-reproducer-%%%%%%.mlir");
  if (llvm::sys::fs::createUniqueFile(model, path))
    return;
  std::string error;
  auto written = writeFile(
      path,
      [&](raw_ostream &os) {
        os << "// failed in phase '" << phaseName(phase) << "' for target " << options.target << "\n";
        module->print(os, printingFlags());
        return success();
      },
      error);
  if (succeeded(written))
    report.reproducer = path.str().str();
}

LogicalResult Compilation::runPhase(Phase phase) {
  PassManager passes(context, ModuleOp::getOperationName());
  passes.enableVerifier(true);
  if (options.timing)
    passes.enableTiming();
  buildPhase(phase, passes, options, *backend, info);
  ErrorWatcher watcher(context);
  if (failed(passes.run(*module))) {
    report.internalError |= !watcher.userIsAtFault();
    if (report.internalError)
      writeReproducer(phase);
    return failure();
  }
  return dump(phase);
}

void Compilation::print(SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream os(out);
  module->print(os, printingFlags());
  os << "\n";
}

LogicalResult Compilation::emitImage(ModuleOp kernels) {
  FailureOr<EmittedCode> image = backend->emit(kernels, info, TargetBackend::Output::Image);
  if (failed(image))
    return failure();
  Builder builder(context);
  auto executable = *module->getOps<plan::ExecutableOp>().begin();
  SmallVector<StringRef> features(image->features.begin(), image->features.end());
  executable.setFormat(image->format);
  executable.setFeaturesAttr(builder.getStrArrayAttr(features));
  auto type = RankedTensorType::get({static_cast<int64_t>(image->bytes.size())}, builder.getI8Type());
  executable.setCodeAttr(DenseResourceElementsAttr::get(
      type, "code", HeapAsmResourceBlob::allocateAndCopyWithAlign(ArrayRef<char>(image->bytes), 64)));
  kernels.erase();
  return success();
}

LogicalResult Compilation::emit(SmallVectorImpl<char> &out) {
  auto kernels = module->lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
  if (!kernels)
    return module->emitError() << "has no kernels";
  if (options.emit.what != Emit::Module) {
    FailureOr<EmittedCode> text = backend->emit(kernels, info, output);
    if (failed(text))
      return failure();
    out.append(text->bytes.begin(), text->bytes.end());
    return success();
  }
  if (failed(emitImage(kernels)))
    return failure();
  module->walk([&](plan::ProgramOp program) {
    report.plan.staticBytes = program.getStaticBytes().value_or(0);
    report.plan.lowerBound = program.getLowerBound().value_or(0);
    report.plan.totalBytes = program.getTotalBytes().value_or(0);
  });
  SerializationOptions serialization;
  if (auto model = (*module)->getAttrOfType<StringAttr>("graph.model"))
    serialization.model = model.str();
  llvm::raw_svector_ostream os(out);
  return serializeModule(*module, os, serialization);
}

LogicalResult Compilation::run(const frontend::ModelSource &source, SmallVectorImpl<char> &out) {
  if (failed(resolveTarget()) || failed(checkDisabledPasses(options, *backend, info, context)) ||
      failed(resolveOutput()))
    return failure();
  module = import(source);
  if (!module)
    return failure();
  (*module)->setAttr(kTargetAttribute, info.toAttribute(context));
  if (failed(dump(Phase::Import)))
    return failure();
  Phase last = options.stopAfter.value_or(options.emit.what == Emit::Graph  ? Phase::Simplify
                                          : options.emit.what == Emit::Plan ? Phase::Plan
                                                                            : Phase::Emit);
  for (int phase = static_cast<int>(Phase::Simplify);
       phase <= static_cast<int>(last) && phase < static_cast<int>(Phase::Emit); ++phase)
    if (failed(runPhase(static_cast<Phase>(phase))))
      return failure();
  if (last != Phase::Emit) {
    print(out);
    return success();
  }
  ErrorWatcher watcher(context);
  LogicalResult emitted = emit(out);
  report.internalError = failed(emitted) && !watcher.userIsAtFault();
  return emitted;
}

/// Lowers every kernel in a module of its own, so that an error in one does not hide those in others.
void Compilation::lowerApart() {
  PassManager front(context, ModuleOp::getOperationName());
  front.addPass(graph_to_plan::createGraphToPlanPass());
  (void)front.run(*module);
  auto kernels = module->lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
  if (!kernels)
    return;
  for (auto kernel : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
    (*alone)->setAttrs(kernels->getAttrDictionary());
    kernel->moveBefore(alone->getBody(), alone->getBody()->end());
    PassManager passes(context, ModuleOp::getOperationName());
    backend->addLowering(passes, info);
    (void)passes.run(*alone);
  }
}

LogicalResult Compilation::check(const frontend::ModelSource &source) {
  if (failed(resolveTarget()))
    return failure();
  module = import(source);
  if (!module)
    return failure();
  (*module)->setAttr(kTargetAttribute, info.toAttribute(context));
  OwningOpRef<ModuleOp> kept;
  for (int phase = static_cast<int>(Phase::Simplify); phase <= static_cast<int>(Phase::Plan); ++phase) {
    if (phase == static_cast<int>(Phase::Lower))
      kept = module->clone();
    if (succeeded(runPhase(static_cast<Phase>(phase))))
      continue;
    if (!kept)
      return failure();
    // The first error ended the phase: look for the others. Those already printed are not printed again.
    module = std::move(kept);
    ErrorWatcher watcher(context);
    lowerApart();
    report.internalError |= watcher.seenAny() && !watcher.userIsAtFault();
    return failure();
  }
  return success();
}

LogicalResult hone::compileModel(const frontend::ModelSource &source, const CompileOptions &options,
                                 SmallVectorImpl<char> &out, DiagnosticSink sink, CompileReport *report) {
  CompileReport ignored;
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink), options.remarks);
  return Compilation(options, report ? *report : ignored, context.get()).run(source, out);
}

LogicalResult hone::checkModel(const frontend::ModelSource &source, const CompileOptions &options, DiagnosticSink sink,
                               CompileReport *report) {
  CompileReport ignored;
  std::unique_ptr<MLIRContext> context = createContext();
  NodeDiagnosticHandler handler(context.get(), std::move(sink));
  return Compilation(options, report ? *report : ignored, context.get()).check(source);
}

OwningOpRef<ModuleOp> hone::importGraph(const frontend::ModelSource &source, const CompileOptions &options,
                                        MLIRContext *context, bool simplify) {
  CompileReport report;
  Compilation compilation(options, report, context);
  if (failed(compilation.resolveTarget()))
    return nullptr;
  compilation.module = compilation.import(source);
  if (compilation.module && simplify && failed(compilation.runPhase(Phase::Simplify)))
    return nullptr;
  return std::move(compilation.module);
}
