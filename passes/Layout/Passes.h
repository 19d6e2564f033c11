//===- Passes.h - Layout passes ---------------------------------*- C++ -*-===//

#ifndef PASSES_LAYOUT_PASSES_H
#define PASSES_LAYOUT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hone::layout {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Layout/Passes.h.inc"

} // namespace hone::layout

#endif // PASSES_LAYOUT_PASSES_H
