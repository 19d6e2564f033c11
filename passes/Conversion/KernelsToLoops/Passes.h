//===- Passes.h - Kernels to loops over buffers -----------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_KERNELSTOLOOPS_PASSES_H
#define PASSES_CONVERSION_KERNELSTOLOOPS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace hone::kernels_to_loops {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"

/// Which loops of a reduction are the outer ones.
enum class LoopOrder {
  Tensor,        ///< as dimensions follow in memory: for vectors and caches
  ParallelFirst, ///< for grids of threads
};

/// Lowers a module of kernel functions (graph ops on tensors) to functions on buffers whose work is
/// scf.parallel, scf.for, scf.while and scf.if.
void buildKernelsToLoops(mlir::OpPassManager &passes, LoopOrder order = LoopOrder::Tensor);

/// Makes the pipeline known as `hone-kernels-to-loops`.
void registerPipelines();

} // namespace hone::kernels_to_loops

#endif // PASSES_CONVERSION_KERNELSTOLOOPS_PASSES_H
