//===- Passes.h - Memory planning -------------------------------*- C++ -*-===//

#ifndef PASSES_MEMORY_PASSES_H
#define PASSES_MEMORY_PASSES_H

#include "dialects/Plan/IR/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace hone::memory {

#define GEN_PASS_DECL
#include "passes/Memory/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Memory/Passes.h.inc"

} // namespace hone::memory

#endif // PASSES_MEMORY_PASSES_H
