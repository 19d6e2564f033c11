//===- Pipeline.h - From kernel functions to LLVM dialect -------*- C++ -*-===//

#ifndef BACKENDS_CPU_LOWERING_PIPELINE_H
#define BACKENDS_CPU_LOWERING_PIPELINE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace hone::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/CPU/Lowering/Passes.h.inc"

/// Lowers a module of kernel functions (graph ops on tensors) to loops over buffers. Leaves, for every
/// kernel, a function `<kernel>.launch` of index arithmetic beside it.
void buildLoopPipeline(mlir::OpPassManager &passes);

/// Lowers what `buildLoopPipeline` left, without the launch functions, to the LLVM dialect.
void buildLLVMPipeline(mlir::OpPassManager &passes);

} // namespace hone::cpu

#endif // BACKENDS_CPU_LOWERING_PIPELINE_H
