//===- Passes.h - Substitution passes ---------------------------*- C++ -*-===//

#ifndef PASSES_SUBSTITUTION_PASSES_H
#define PASSES_SUBSTITUTION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hone::substitution {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Substitution/Passes.h.inc"

} // namespace hone::substitution

#endif // PASSES_SUBSTITUTION_PASSES_H
