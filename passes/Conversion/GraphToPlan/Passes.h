//===- Passes.h - From kernels of a graph to a plan -------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H
#define PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H

#include "dialects/Plan/IR/Plan.h"

#include "mlir/Pass/Pass.h"

namespace hone::graph_to_plan {

/// Name of the module that holds the kernel functions beside the program.
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";
/// Names of the run-time extents a kernel function takes as scalars, in order.
inline constexpr llvm::StringLiteral kScalarsAttribute = "graph.scalars";
/// Suffix of the function that computes a kernel's grid and scratch bytes from its scalars.
inline constexpr llvm::StringLiteral kLaunchSuffix = ".launch";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Conversion/GraphToPlan/Passes.h.inc"

} // namespace hone::graph_to_plan

#endif // PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H
