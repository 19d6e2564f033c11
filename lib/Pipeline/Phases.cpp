//===- Phases.cpp - What each phase runs ----------------------------------===//
//
// Every pass that depends on its place says why it stands there.
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Phases.h"

#include "dialects/Plan/IR/Plan.h"
#include "lib/Pipeline/PassFilter.h"
#include "passes/Conversion/GraphToPlan/Passes.h"
#include "passes/Fusion/Passes.h"
#include "passes/Layout/Passes.h"
#include "passes/Memory/Passes.h"
#include "passes/Quantization/Passes.h"
#include "passes/Simplify/Passes.h"
#include "passes/Substitution/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;

namespace {

struct PhaseRow {
  Phase phase;
  StringLiteral name, summary;
  bool shared = false; ///< by all targets: they part behind the last such phase
};

constexpr PhaseRow kPhases[] = {
    {Phase::Import, "import", "ONNX to graph ops; lists everything unsupported before any work", true},
    {Phase::Simplify, "simplify", "shapes, constants, algebra, common subexpressions, dead code", true},
    {Phase::Recognize, "recognize", "big ideas out of small ops", true},
    {Phase::Compress, "compress", "smaller types, as asked"},
    {Phase::Substitute, "substitute", "dear ops by cheap ones"},
    {Phase::Layout, "layout", "order of dimensions in memory, packed weights"},
    {Phase::Fuse, "fuse", "kernels: what will be one launch"},
    {Phase::Lower, "lower", "kernels to loops of the target, launches with grid and scratch"},
    {Phase::Plan, "plan", "order, lifetimes, offsets in one arena"},
    {Phase::Emit, "emit", "machine code and constants to a module"},
};

/// A pipeline that leaves out what the user disabled.
struct PassList {
  OpPassManager &passes;
  const CompileOptions &options;
  PassNames *known; ///< collects the names of all passes; may be null

  PassList nest(OpPassManager &inner) { return {inner, options, known}; }
  void add(std::unique_ptr<Pass> pass) {
    StringRef name = pass->getArgument();
    if (known)
      known->all.insert(name);
    for (StringRef disabled : options.disabledPasses)
      if (isPassName(name, disabled))
        return;
    passes.addPass(std::move(pass));
  }
  /// A step that nothing works without.
  void need(std::unique_ptr<Pass> pass) {
    if (known)
      known->needed.insert(pass->getArgument());
    add(std::move(pass));
  }
};

} // namespace

StringRef hone::phaseName(Phase phase) { return kPhases[static_cast<int>(phase)].name; }
StringRef hone::phaseSummary(Phase phase) { return kPhases[static_cast<int>(phase)].summary; }

bool hone::isShared(Phase phase) { return kPhases[static_cast<int>(phase)].shared; }

std::optional<Phase> hone::parsePhase(StringRef name) {
  for (const PhaseRow &row : kPhases)
    if (row.name == name)
      return row.phase;
  return std::nullopt;
}

/// Constants make types static, static types make constants: a few rounds reach the fixed point of
/// every model seen; one more would only find nothing.
static void addSimplify(PassList functions) {
  for (int round = 0; round < 3; ++round) {
    functions.add(simplify::createInferShapesPass());
    functions.add(simplify::createFoldConstantsPass());
    functions.add(simplify::createSimplifyAlgebraPass());
    functions.add(createCanonicalizerPass());
    functions.add(createCSEPass());
  }
}

void hone::collectPassNames(const OpPassManager &passes, llvm::StringSet<> &known) {
  std::string text;
  llvm::raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  int depth = 0; // within options
  std::string name;
  for (char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0 && (llvm::isAlnum(c) || c == '-')) {
      name += c;
      continue;
    }
    // What stands before a parenthesis is an op.
    if (!name.empty() && c != '(' && c != '.')
      known.insert(name);
    if (depth == 0 || c == '{')
      name.clear();
  }
}

LogicalResult hone::checkDisabledPasses(const CompileOptions &options, ArrayRef<ResolvedTarget> targets,
                                        MLIRContext *context) {
  if (options.disabledPasses.empty())
    return success();
  PassNames known;
  for (const ResolvedTarget &target : targets)
    for (const PhaseRow &row : kPhases) {
      PassManager passes(context, ModuleOp::getOperationName());
      buildPhase(row.phase, passes, options, row.shared ? nullptr : &target, &known);
      if (!options.configure)
        continue;
      PassManager added(context, ModuleOp::getOperationName());
      options.configure(row.phase, added);
      collectPassNames(added, known.all);
    }
  for (const std::string &disabled : options.disabledPasses) {
    auto isDisabled = [&](StringRef pass) { return isPassName(pass, disabled); };
    if (llvm::any_of(known.needed.keys(), isDisabled))
      return emitError(UnknownLoc::get(context))
             << "--disable-pass: no program is compiled without the pass '" << disabled << "'";
    if (llvm::any_of(known.all.keys(), isDisabled))
      continue;
    SmallVector<StringRef> names(known.all.keys());
    llvm::sort(names);
    return emitError(UnknownLoc::get(context))
           << "--disable-pass: there is no pass '" << disabled << "'; there are: " << llvm::join(names, ", ");
  }
  return success();
}

void hone::buildPhase(Phase phase, OpPassManager &module, const CompileOptions &options, const ResolvedTarget *target,
                      PassNames *known) {
  PassList whole{module, options, known};
  bool optimize = options.optLevel > 0;
  switch (phase) {
  case Phase::Import:
  case Phase::Emit:
    return;
  case Phase::Simplify:
    addSimplify(whole.nest(module.nest<func::FuncOp>()));
    return;
  case Phase::Recognize: {
    if (!optimize)
      return;
    PassList functions = whole.nest(module.nest<func::FuncOp>());
    // Before constants move: the formulas are written for what exporters leave.
    functions.add(substitution::createRecognizeNormalizationPass());
    functions.add(substitution::createRecognizeSoftmaxPass());
    functions.add(substitution::createScaleWeightsPass());
    functions.add(simplify::createFoldConstantsPass());
    functions.add(createCanonicalizerPass());
    return;
  }
  case Phase::Compress: {
    if (options.precision == "f32" && !known)
      return;
    // Behind everything that recognizes ops, whose patterns are written for one type; in front of what rewrites
    // weights.
    if (!options.examples.empty() || known)
      whole.add(quantization::createObserveRangesPass());
    quantization::ReducePrecisionPassOptions reduce;
    reduce.type = options.precision;
    whole.add(quantization::createReducePrecisionPass(reduce));
    PassList functions = whole.nest(module.nest<func::FuncOp>());
    functions.add(simplify::createFoldConstantsPass());
    functions.add(createCanonicalizerPass());
    return;
  }
  case Phase::Substitute: {
    PassList functions = whole.nest(module.nest<func::FuncOp>());
    if (optimize) {
      functions.add(quantization::createWidenContractionsPass());
      functions.add(substitution::createConvTransposeToConvPass());
    }
    // Rewritten weights are constants again.
    functions.add(simplify::createFoldConstantsPass());
    functions.add(createCanonicalizerPass());
    return;
  }
  case Phase::Layout: {
    PassList functions = whole.nest(module.nest<func::FuncOp>());
    if (optimize)
      functions.add(layout::createChooseLayoutsPass());
    functions.add(createCanonicalizerPass());
    functions.add(createCSEPass());
    return;
  }
  case Phase::Fuse: {
    fusion::FormKernelsPassOptions form;
    form.fuse = optimize;
    whole.nest(module.nest<func::FuncOp>()).need(fusion::createFormKernelsPass(form));
    return;
  }
  case Phase::Lower: {
    whole.need(graph_to_plan::createGraphToPlanPass());
    // Kernels before the plan: only lowered kernels know their grid and scratch memory.
    target->backend->addLowering(module.nest<ModuleOp>(), target->info);
    if (known)
      collectPassNames(module, known->all);
    whole.need(graph_to_plan::createResolveLaunchesPass());
    return;
  }
  case Phase::Plan: {
    PassList programs = whole.nest(module.nest<plan::ProgramOp>());
    programs.add(createCanonicalizerPass());
    programs.add(createCSEPass());
    if (optimize)
      programs.add(memory::createForwardOutputsPass());
    programs.add(memory::createRotateLoopBuffersPass());
    if (optimize)
      programs.add(memory::createReorderLaunchesPass());
    // Last: nothing may change lifetimes any more.
    programs.need(memory::createPlanMemoryPass());
    return;
  }
  }
}
