//===- Passes.h - Simplify passes -------------------------------*- C++ -*-===//

#ifndef PASSES_SIMPLIFY_PASSES_H
#define PASSES_SIMPLIFY_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::simplify {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Simplify/Passes.h.inc"

} // namespace hone::simplify

#endif // PASSES_SIMPLIFY_PASSES_H
