//===- PhaseRunner.cpp - Phases with what belongs to each -----------------===//

#include "lib/Pipeline/PhaseRunner.h"

#include "lib/Pipeline/Phases.h"
#include "lib/Support/Files.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hone;

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

/// Leaves the IR that a phase failed on, so that the failure can be repeated without the model.
void PhaseRunner::writeReproducer(Phase phase, ModuleOp module, const ResolvedTarget *target) {
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
        os << "// failed in phase '" << phaseName(phase) << "' for target "
           << (target ? target->info.name : options.target) << "\n";
        print(module, os);
        return success();
      },
      error);
  if (succeeded(written))
    report.reproducer = path.str().str();
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

LogicalResult PhaseRunner::run(Phase phase, ModuleOp module, const ResolvedTarget *target, StringRef folder) {
  if (options.progress)
    options.progress(describe(phase, target), 0, 0);
  PassManager passes(context, ModuleOp::getOperationName());
  passes.enableVerifier(true);
  if (options.timing)
    passes.enableTiming();
  buildPhase(phase, passes, options, target);
  if (options.configure)
    options.configure(phase, passes);
  ErrorWatcher watcher(context);
  if (failed(passes.run(module))) {
    report.internalError |= isOurMistake(watcher);
    if (report.internalError)
      writeReproducer(phase, module, target);
    return failure();
  }
  return dump(phase, module, folder);
}
