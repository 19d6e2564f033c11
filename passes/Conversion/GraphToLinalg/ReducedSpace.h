//===- ReducedSpace.h - Loops over a tensor and its reductions --*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_REDUCEDSPACE_H
#define PASSES_CONVERSION_GRAPHTOLINALG_REDUCEDSPACE_H

#include "passes/Conversion/GraphToLinalg/Accumulator.h"

namespace hone::graph_to_linalg {

/// The elements of a graph value, some dimensions of which are reduced. Loops run in its memory
/// order. Tensors without the reduced dimensions keep the memory order of `like`, a value with
/// all dimensions or without the reduced ones.
class ReducedSpace {
public:
  ReducedSpace(mlir::Value value, llvm::ArrayRef<int64_t> dims, mlir::Value like, LoweringContext &context,
               mlir::ConversionPatternRewriter &rewriter);

  /// Map of a tensor with all dimensions and the layout of `type`.
  mlir::AffineMap fullMap(mlir::RankedTensorType type) const;
  mlir::AffineMap fullMap() const { return fullMap(typeOf(value)); }
  mlir::AffineMap keptMap() const;
  llvm::ArrayRef<mlir::utils::IteratorType> iterators() const { return loopKinds; }
  /// The loop over logical dimension `dim`.
  unsigned loopOf(int64_t dim) const { return memoryDim(typeOf(value), dim); }

  /// An empty tensor without the reduced dimensions.
  mlir::FailureOr<mlir::Value> createKept(mlir::Type element) const;
  /// `accumulator` over the numbers that `body` makes of the elements of `inputs`.
  mlir::FailureOr<mlir::Value> reduce(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                                      const Accumulator &accumulator, BodyFn body) const;
  /// One element of `init`, whose layout is that of `type`, for every element.
  mlir::FailureOr<mlir::Value> map(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps, mlir::Value init,
                                   mlir::RankedTensorType type, BodyFn body) const;
  /// `kept`, changed in place element by element.
  mlir::FailureOr<mlir::Value> mapKept(mlir::Value kept, BodyFn body) const;
  /// `kept` with extents of 1 for the reduced dimensions, if `like` has them.
  mlir::Value restoreDims(mlir::Value kept) const;

private:
  bool isReduced(int64_t dim) const { return llvm::is_contained(dims, dim); }

  mlir::Value value;
  llvm::SmallVector<int64_t> dims;
  mlir::Value like;
  LoweringContext &context;
  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;
  /// Dimensions of `value` that remain, in memory order of `like`.
  llvm::SmallVector<int64_t> kept;
  llvm::SmallVector<mlir::utils::IteratorType> loopKinds;
};

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_REDUCEDSPACE_H
