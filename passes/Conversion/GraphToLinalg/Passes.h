//===- Passes.h - Graph ops to structured ops -------------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_PASSES_H
#define PASSES_CONVERSION_GRAPHTOLINALG_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::graph_to_linalg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Conversion/GraphToLinalg/Passes.h.inc"

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_PASSES_H
