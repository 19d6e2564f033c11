//===- Passes.h - CPU kernel families ---------------------------*- C++ -*-===//

#ifndef BACKENDS_CPU_KERNELS_PASSES_H
#define BACKENDS_CPU_KERNELS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/CPU/Kernels/Passes.h.inc"

} // namespace hone::cpu

#endif // BACKENDS_CPU_KERNELS_PASSES_H
