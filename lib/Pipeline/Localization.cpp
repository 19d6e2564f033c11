//===- Localization.cpp - Pieces of a compilation -------------------------===//

#include "lib/Pipeline/Localization.h"

#include "backends/Register.h"
#include "dialects/Plan/IR/Plan.h"
#include "lib/Pipeline/PhaseRunner.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Pipeline/Targets.h"
#include "lib/Serialization/Serialization.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace hone;

namespace {

/// The target of the options, with the backends it refers to.
struct OneTarget {
  BackendRegistry backends = createBackends();
  ResolvedTarget target{nullptr, {}};

  LogicalResult resolve(const CompileOptions &options, MLIRContext *context) {
    auto resolved = resolveTargets(backends, options.target, context);
    if (failed(resolved))
      return failure();
    if (resolved->size() != 1)
      return emitError(UnknownLoc::get(context)) << "one target is needed, not '" << options.target << "'";
    target = resolved->front();
    return success();
  }
};

/// Calls back behind every named pass that changed what it ran on.
struct ChangeWatcher : PassInstrumentation {
  explicit ChangeWatcher(std::function<void(StringRef)> changed) : changed(std::move(changed)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty())
      before.emplace(op);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument().empty())
      return;
    bool differs = !before || *before != OperationFingerPrint(op);
    before.reset();
    if (differs)
      changed(pass->getArgument());
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override { before.reset(); }

  std::function<void(StringRef)> changed;
  std::optional<OperationFingerPrint> before;
};

} // namespace

/// Imports and runs the phases up to Fuse. Null after diagnostics.
static OwningOpRef<ModuleOp> runGraphPhases(const frontend::ModelSource &source, const CompileOptions &options,
                                            const ResolvedTarget &target, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = importGraph(source, options, context, /*simplify=*/false);
  if (!module)
    return nullptr;
  (*module)->setAttr(kTargetAttribute, target.info.toAttribute(context));
  CompileReport report;
  PhaseRunner phases(options, report, context);
  for (int phase = static_cast<int>(Phase::Simplify); phase <= static_cast<int>(Phase::Fuse); ++phase)
    if (failed(phases.run(static_cast<Phase>(phase), *module, &target)))
      return nullptr;
  return module;
}

OwningOpRef<ModuleOp> hone::planKernels(const frontend::ModelSource &source, const CompileOptions &options,
                                        MLIRContext *context) {
  OneTarget one;
  if (failed(one.resolve(options, context)))
    return nullptr;
  OwningOpRef<ModuleOp> module = runGraphPhases(source, options, one.target, context);
  if (!module)
    return nullptr;
  PassManager passes(context, ModuleOp::getOperationName());
  passes.addPass(graph_to_plan::createGraphToPlanPass());
  if (failed(passes.run(*module)))
    return nullptr;
  return module;
}

namespace {

/// Notes what a pass of the lowering says of a function, before the function becomes code.
struct StageWatcher : PassInstrumentation {
  explicit StageWatcher(StageBuffers &found) : found(found) {}

  void runAfterPass(Pass *, Operation *op) override {
    op->walk([&](func::FuncOp function) {
      if (auto kept = function->getAttrOfType<DenseI64ArrayAttr>(graph_to_plan::kAccessedBuffersAttribute))
        found[function.getName()].assign(kept.asArrayRef().begin(), kept.asArrayRef().end());
    });
  }

  StageBuffers &found;
};

} // namespace

FailureOr<StageBuffers> hone::stageBuffers(const frontend::ModelSource &source, const CompileOptions &options,
                                           MLIRContext *context) {
  OneTarget one;
  if (failed(one.resolve(options, context)))
    return failure();
  OwningOpRef<ModuleOp> module = runGraphPhases(source, options, one.target, context);
  if (!module)
    return failure();
  StageBuffers found;
  CompileOptions watched = options;
  watched.configure = [&](Phase phase, PassManager &passes) {
    if (options.configure)
      options.configure(phase, passes);
    passes.addInstrumentation(std::make_unique<StageWatcher>(found));
  };
  CompileReport report;
  PhaseRunner phases(watched, report, context);
  if (failed(phases.run(Phase::Lower, *module, &one.target)))
    return failure();
  return found;
}

LogicalResult hone::visitPasses(const frontend::ModelSource &source, const CompileOptions &options,
                                MLIRContext *context, llvm::function_ref<void(StringRef, func::FuncOp)> visit) {
  OneTarget one;
  if (failed(one.resolve(options, context)))
    return failure();
  OwningOpRef<ModuleOp> module = importGraph(source, options, context, /*simplify=*/false);
  if (!module)
    return failure();
  (*module)->setAttr(kTargetAttribute, one.target.info.toAttribute(context));
  auto visitMain = [&](StringRef pass) {
    if (auto main = module->lookupSymbol<func::FuncOp>("main"))
      visit(pass, main);
  };
  visitMain("import");
  CompileOptions watched = options;
  watched.configure = [&](Phase phase, PassManager &passes) {
    if (options.configure)
      options.configure(phase, passes);
    passes.addInstrumentation(std::make_unique<ChangeWatcher>(visitMain));
  };
  CompileReport report;
  PhaseRunner phases(watched, report, context);
  for (int phase = static_cast<int>(Phase::Simplify); phase <= static_cast<int>(Phase::Fuse); ++phase)
    if (failed(phases.run(static_cast<Phase>(phase), *module, &one.target)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// A program that launches the kernel of `call` on its inputs and outputs, beside a module that holds it.
static OwningOpRef<ModuleOp> buildProgram(const KernelCall &call, const TargetInfo &info) {
  func::FuncOp kernel = call.kernel;
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttr(kTargetAttribute, info.toAttribute(context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Type byte = builder.getIntegerType(8, /*isSigned=*/false);
  SmallVector<plan::TensorAttr> tensors;
  for (auto [i, bytes] : llvm::enumerate(call.bytes))
    tensors.push_back(
        plan::TensorAttr::get(context, "buffer" + std::to_string(i), byte, {plan::DimAttr::get(context, bytes)}));
  unsigned numInputs = kernel.getNumArguments();
  ArrayRef<plan::TensorAttr> all(tensors);
  auto program =
      plan::ProgramOp::create(builder, loc, "main", info.name, all.take_front(numInputs), all.drop_front(numInputs));
  auto empty = DenseElementsAttr::get(RankedTensorType::get({0}, builder.getI8Type()), ArrayRef<int8_t>());
  plan::ExecutableOp::create(builder, loc, "code", info.name, "", builder.getStrArrayAttr({}), empty);
  plan::KernelOp::create(builder, loc, kernel.getName(), builder.getStringAttr(kernel.getName()), "code",
                         call.bytes.size(), call.scalars.size(), builder.getStrArrayAttr({}));
  auto kernels = ModuleOp::create(builder, loc, graph_to_plan::kKernelsModule);
  kernels->setAttr(kTargetAttribute, info.toAttribute(context));
  kernels.getBody()->push_back(kernel->clone());

  builder.setInsertionPointToStart(program.getBodyBlock());
  auto integer = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  SmallVector<Value> buffers, scalars;
  SmallVector<int64_t> writes;
  for (auto [i, bytes] : llvm::enumerate(call.bytes)) {
    if (i < numInputs) {
      buffers.push_back(plan::InputOp::create(builder, loc, i));
      continue;
    }
    writes.push_back(i);
    buffers.push_back(plan::OutputBufferOp::create(builder, loc, i - numInputs, integer(bytes)));
    plan::OutputDimOp::create(builder, loc, i - numInputs, 0, integer(bytes));
  }
  for (int64_t scalar : call.scalars)
    scalars.push_back(integer(scalar));
  plan::LaunchOp::create(builder, loc, kernel.getName(), integer(1), buffers, scalars, writes,
                         ArrayRef<std::pair<int64_t, int64_t>>());
  return module;
}

LogicalResult hone::compileKernel(const KernelCall &call, const CompileOptions &options, SmallVectorImpl<char> &out) {
  MLIRContext *context = call.kernel->getContext();
  OneTarget one;
  if (failed(one.resolve(options, context)))
    return failure();
  OwningOpRef<ModuleOp> module = buildProgram(call, one.target.info);
  PassManager lowering(context, ModuleOp::getOperationName());
  one.target.backend->addLowering(lowering.nest<ModuleOp>(), one.target.info);
  lowering.addPass(graph_to_plan::createResolveLaunchesPass());
  if (options.configure)
    options.configure(Phase::Lower, lowering);
  CompileReport report;
  CompileOptions quiet = options;
  quiet.reproducerFolder.clear();
  quiet.dumpTo.clear();
  PhaseRunner phases(quiet, report, context);
  if (failed(lowering.run(*module)) || failed(phases.run(Phase::Plan, *module, &one.target)))
    return failure();
  if (failed(attachImage(one.target, *module, module->lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule))))
    return failure();
  llvm::raw_svector_ostream os(out);
  return serializeModule(*module, os);
}

std::vector<std::string> hone::planPasses(const CompileOptions &options, MLIRContext *context) {
  OneTarget one;
  if (failed(one.resolve(options, context)))
    return {};
  PassManager passes(context, ModuleOp::getOperationName());
  buildPhase(Phase::Plan, passes, options, &one.target);
  if (options.configure)
    options.configure(Phase::Plan, passes);
  llvm::StringSet<> known;
  collectPassNames(passes, known);
  std::vector<std::string> names;
  for (StringRef name : known.keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}
