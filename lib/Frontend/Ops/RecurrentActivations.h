//===- RecurrentActivations.h - Activations of recurrent ops -*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_RECURRENTACTIVATIONS_H
#define LIB_FRONTEND_OPS_RECURRENTACTIVATIONS_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// One activation function with its parameters, and the clipping in front of it.
struct CellActivation {
  using Fn = mlir::Value (*)(NodeBuilder &, mlir::Value x, float alpha, float beta);
  Fn function;
  float alpha, beta;
  float clip; ///< bound of the magnitude of inputs, or 0

  mlir::Value apply(NodeBuilder &node, mlir::Value x) const;
};

/// The activations of the node, `defaults` repeated for each of `directions` when it names none. nullopt after a
/// diagnostic.
std::optional<llvm::SmallVector<CellActivation>>
readActivations(NodeBuilder &node, llvm::ArrayRef<llvm::StringRef> defaults, int64_t directions);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_RECURRENTACTIVATIONS_H
