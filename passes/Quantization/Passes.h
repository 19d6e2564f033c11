//===- Passes.h - Quantization passes ---------------------------*- C++ -*-===//

#ifndef PASSES_QUANTIZATION_PASSES_H
#define PASSES_QUANTIZATION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::quantization {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Quantization/Passes.h.inc"

} // namespace hone::quantization

#endif // PASSES_QUANTIZATION_PASSES_H
