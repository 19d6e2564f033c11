//===- Passes.h - Loops over buffers to device form -------------*- C++ -*-===//
//
// Device form is what backends of devices translate: functions of scalar code that every thread of every workgroup
// runs, on flat buffers. docs/writing-a-backend.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_PASSES_H
#define PASSES_CONVERSION_LOOPSTODEVICE_PASSES_H

#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace hone::loops_to_device {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"

/// On stages between `hone-split-stages` and `hone-distribute-threads`: their outer loop is the grid.
inline constexpr llvm::StringLiteral kGridAttribute = "hone.grid";
/// On such stages: each iteration is the work of a workgroup, whose threads share its loops.
inline constexpr llvm::StringLiteral kTeamAttribute = "hone.team";

/// Lowers what `buildKernelsToLoops` left to device form.
void buildDevicePipeline(mlir::OpPassManager &passes, const TargetInfo &info);

/// Makes the pipeline known as `hone-loops-to-device`.
void registerPipelines();

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_PASSES_H
