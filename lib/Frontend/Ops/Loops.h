//===- Loops.h - Loops of the graph, from importers -------------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_LOOPS_H
#define LIB_FRONTEND_OPS_LOOPS_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// The type that holds values of both types; null when there is none.
mlir::RankedTensorType joinTypes(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// As in a diagnostic.
std::string describe(mlir::Type type);

/// What one trip computes, from the trip number and the carried values: the condition for another trip, the next
/// carried values, then the per-trip values. Nullopt after a diagnostic.
using TripFn =
    llvm::function_ref<std::optional<llvm::SmallVector<mlir::Value>>(mlir::Value trip, mlir::ValueRange carried)>;

/// Builds a loop of at most `trips` trips whose carried types hold the initial and all later values: `trip` may be
/// called more than once. Null after a diagnostic.
graph::LoopOp buildLoop(NodeBuilder &node, mlir::Value trips, mlir::Value condition, llvm::ArrayRef<mlir::Value> inits,
                        TripFn trip);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_LOOPS_H
