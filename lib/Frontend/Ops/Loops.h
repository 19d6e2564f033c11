//===- Loops.h - Loops of the graph, from importers -------------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_LOOPS_H
#define LIB_FRONTEND_OPS_LOOPS_H

#include "lib/Frontend/GraphImporter.h"
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
/// called more than once. `types` hold the initial values, and are what it starts with. Null after a diagnostic.
graph::LoopOp buildLoop(NodeBuilder &node, mlir::Value trips, mlir::Value condition, llvm::ArrayRef<mlir::Value> inits,
                        TripFn trip, llvm::ArrayRef<mlir::Type> types = {});

/// As TripFn, but carried values may be sequences.
using ItemTripFn =
    llvm::function_ref<std::optional<llvm::SmallVector<Item>>(mlir::Value trip, llvm::ArrayRef<Item> carried)>;

/// A value that is carried from trip to trip.
struct State {
  Item init;
  std::string output = ""; ///< its name after the loop
  /// It is a sequence, and all that a trip does with it is to append one element.
  bool isAppended = false;
};

/// As `buildLoop`, where carried values may be sequences. Few trips, all of which run, become that many copies of the
/// body, so that lengths stay known. The last carried values, then the stacked ones; nullopt after a diagnostic.
std::optional<llvm::SmallVector<Item>> buildItemLoop(NodeBuilder &node, mlir::Value trips, mlir::Value condition,
                                                     llvm::ArrayRef<State> states, ItemTripFn trip);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_LOOPS_H
