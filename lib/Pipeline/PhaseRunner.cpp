//===- PhaseRunner.cpp - Phases with what belongs to each -----------------===//

#include "lib/Pipeline/PhaseRunner.h"

#include "lib/Pipeline/Phases.h"
#include "lib/Support/CrashHandler.h"
#include "lib/Support/Files.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hone;

/// Constants of more bytes are zeros in a reproducer.
static constexpr size_t kKeptConstantBytes = size_t{64} << 10;

void PhaseRunner::print(ModuleOp module, raw_ostream &os) {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(32).elideLargeResourceString(64);
  module->print(os, flags);
}

std::string PhaseRunner::describe(Phase phase, const ResolvedTarget *target) {
  return phaseName(phase).str() + (target ? " for " + target->info.name : "");
}

LogicalResult PhaseRunner::dump(Phase phase, ModuleOp module, StringRef folder) {
  if (options.dumpTo.empty())
    return success();
  SmallString<128> path(options.dumpTo);
  if (!folder.empty())
    llvm::sys::path::append(path, folder);
  Location nowhere = UnknownLoc::get(context);
  if (std::error_code error = llvm::sys::fs::create_directories(path))
    return emitError(nowhere) << "cannot create '" << path << "': " << error.message();
  llvm::sys::path::append(path, std::to_string(static_cast<int>(phase)) + "-" + phaseName(phase) + ".mlir");
  std::string error;
  LogicalResult written = writeFile(
      path,
      [&](raw_ostream &os) {
        print(module, os);
        return success();
      },
      error);
  if (failed(written))
    emitError(nowhere) << error;
  return written;
}

/// Large constants become zeros: a reproducer is to be small and to be accepted, and few mistakes hang on weights.
static void dropWeights(ModuleOp module) {
  auto isLarge = [](ShapedType type, size_t bytes) { return bytes > kKeptConstantBytes && type.hasStaticShape(); };
  auto zeros = [](ShapedType type) -> Attribute {
    Builder builder(type.getContext());
    TypedAttr zero = builder.getZeroAttr(type.getElementType());
    return zero ? DenseElementsAttr::get(type, zero) : Attribute();
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DenseResourceElementsAttr attr) -> std::optional<Attribute> {
    AsmResourceBlob *blob = attr.getRawHandle().getBlob();
    if (blob && !isLarge(attr.getType(), blob->getData().size()))
      return std::nullopt;
    Attribute replaced = zeros(attr.getType());
    return replaced ? std::optional(replaced) : std::nullopt;
  });
  replacer.addReplacement([&](DenseElementsAttr attr) -> std::optional<Attribute> {
    if (attr.isSplat() || !isLarge(attr.getType(), attr.getRawData().size()))
      return std::nullopt;
    Attribute replaced = zeros(attr.getType());
    return replaced ? std::optional(replaced) : std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(module);
}

/// Leaves the IR before a phase failed and what the phase runs, in the form that --run-reproducer of hone-opt reads.
std::string PhaseRunner::writeReproducer(Phase phase, ModuleOp before, const ResolvedTarget *target,
                                         StringRef pipeline) {
  SmallString<128> model(options.reproducerFolder), path;
  llvm::sys::path::append(model, "hone-reproducer-%%%%%%.mlir");
  if (llvm::sys::fs::createUniqueFile(model, path))
    return "";
  dropWeights(before);
  FallbackAsmResourceMap resources;
  AsmState state(before, OpPrintingFlags(), /*locationMap=*/nullptr, &resources);
  state.attachResourcePrinter("mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
    builder.buildString("pipeline", pipeline);
    builder.buildBool("disable_threading", true);
    builder.buildBool("verify_each", true);
  });
  std::string error;
  auto written = writeFile(
      path,
      [&](raw_ostream &os) {
        os << "// failed in phase '" << phaseName(phase) << "' for target "
           << (target ? target->info.name : options.target) << "\n";
        before->print(os, state);
        return success();
      },
      error);
  return succeeded(written) ? path.str().str() : "";
}

bool PhaseRunner::isOurMistake(const ErrorWatcher &watcher) {
  if (watcher.userIsAtFault())
    return false;
  if (options.disabledPasses.empty())
    return true;
  emitError(UnknownLoc::get(context)) << "what was left out may be needed: --disable-pass="
                                      << llvm::join(options.disabledPasses, ", ");
  return false;
}

PhaseRunner::PhaseRunner(const CompileOptions &options, CompileReport &report, MLIRContext *context)
    : options(options), report(report), context(context) {
  timing.setEnabled(options.timing);
  total = timing.getRootScope();
}

/// What `work` begins with is kept, since a phase leaves behind what need not be valid. The copy shares all constants.
LogicalResult PhaseRunner::guard(Phase phase, ModuleOp module, const ResolvedTarget *target, StringRef pipeline,
                                 llvm::function_ref<LogicalResult()> work) {
  OwningOpRef<ModuleOp> before;
  std::optional<CrashRescue> rescue;
  if (!options.reproducerFolder.empty()) {
    before = module.clone();
    rescue.emplace([&, this] { return writeReproducer(phase, *before, target, pipeline); });
  }
  ErrorWatcher watcher(context);
  if (succeeded(work()))
    return success();
  bool ours = isOurMistake(watcher);
  report.internalError |= ours;
  if (ours && rescue)
    report.reproducer = writeReproducer(phase, *before, target, pipeline);
  return failure();
}

LogicalResult PhaseRunner::run(Phase phase, ModuleOp module, const ResolvedTarget *target,
                               llvm::function_ref<LogicalResult()> work) {
  TimingScope scope = time(phase, target);
  return guard(phase, module, target, "builtin.module()", work);
}

LogicalResult PhaseRunner::run(Phase phase, ModuleOp module, const ResolvedTarget *target, StringRef folder) {
  if (options.progress)
    options.progress(describe(phase, target), 0, 0);
  TimingScope scope = time(phase, target);
  PassManager passes(context, ModuleOp::getOperationName());
  passes.enableVerifier(true);
  if (options.timing)
    passes.enableTiming(scope);
  buildPhase(phase, passes, options, target);
  if (options.configure)
    options.configure(phase, passes);
  std::string pipeline;
  llvm::raw_string_ostream os(pipeline);
  passes.printAsTextualPipeline(os);
  if (failed(guard(phase, module, target, pipeline, [&] { return passes.run(module); })))
    return failure();
  return dump(phase, module, folder);
}
