//===- Contraction.h - Matrix products behind graph ops ---------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_CONTRACTION_H
#define BACKENDS_CUDA_KERNELS_CONTRACTION_H

#include "backends/CUDA/Kernels/Coordinates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::cuda {

/// result[batch, row, column] = sum over terms of left[batch, row, term] * right[batch, term, column]: what a
/// contraction is once its dimensions are grouped. Columns run along the memory of the result.
struct Contraction {
  mlir::Operation *op;
  GroupShape shapes[NumGroups];
  Access left, right, result;
  mlir::Type number; ///< of products and sums

  /// Whether neighbours in the memory of an operand are terms of one sum, rather than rows or columns.
  bool runsAlongSums(const Access &access) const;
  /// Whether `count` elements that follow each other in the flat index that runs along the memory of
  /// `access` always are neighbours in memory, aligned as such, and all of them valid or none.
  bool isInPacks(const Access &access, int64_t count, graph::ExtentBuilder &extents) const;
};

/// The contraction of a graph op: contract, or a convolution with a static window. Nullopt for others.
std::optional<Contraction> analyzeContraction(mlir::Operation *op, graph::ExtentBuilder &extents);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_CONTRACTION_H
