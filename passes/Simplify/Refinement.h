//===- Refinement.h - Making types more static ------------------*- C++ -*-===//

#ifndef PASSES_SIMPLIFY_REFINEMENT_H
#define PASSES_SIMPLIFY_REFINEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hone::simplify {

/// `type` with extents of `other` where its own are dynamic; null when static
/// extents contradict each other.
mlir::RankedTensorType refined(mlir::RankedTensorType type, mlir::RankedTensorType other);

/// What is true of both types: extents they do not share become dynamic.
mlir::RankedTensorType joined(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// Gives `function` the result types of its return. Private functions are there
/// to be called, so their returns are cast to the type the callers know.
void updateResultTypes(mlir::func::FuncOp function);

} // namespace hone::simplify

#endif // PASSES_SIMPLIFY_REFINEMENT_H
