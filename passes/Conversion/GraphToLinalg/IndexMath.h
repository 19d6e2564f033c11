//===- IndexMath.h - Positions, loops and copies of tensors -----*- C++ -*-===//
//
// What the patterns that move elements share: index arithmetic that folds while it is built, loop
// nests that carry tensors, copies between layouts, and the guard for tensors without elements.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_INDEXMATH_H
#define PASSES_CONVERSION_GRAPHTOLINALG_INDEXMATH_H

#include "passes/Conversion/GraphToLinalg/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hone::graph_to_linalg {

/// Builds index arithmetic at the insertion point of a builder.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value value(mlir::OpFoldResult result) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  mlir::Value max(mlir::Value a, mlir::Value b) const;
  mlir::Value less(mlir::Value a, mlir::Value b) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;
  /// a - b * floor(a / b) for b > 0.
  mlir::Value mod(mlir::Value a, mlir::Value b) const;
  /// Into [0, size - 1]; 0 when size is 0.
  mlir::Value clamp(mlir::Value position, mlir::Value size) const;
  /// An element of an integer tensor as position among `size`: negative ones count from the end, what
  /// is out of range is clamped.
  mlir::Value position(mlir::Value stored, mlir::Value size) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// `value` as a tensor of `type`, which agrees with it wherever both are static.
mlir::Value castTensor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type);

/// Whether strides of the expanded buffer can be computed: MLIR does it for one open extent a group.
bool isExpandable(mlir::RankedTensorType type, llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Row-major reinterpretation, without a copy where the buffer allows it. `from` and `to` are the
/// extents of both sides in memory order.
mlir::FailureOr<mlir::Value> reshapeTensor(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                           mlir::Value value, mlir::RankedTensorType type,
                                           llvm::ArrayRef<graph::Extent> from, llvm::ArrayRef<graph::Extent> to,
                                           LoweringContext &context);

/// Copies `converted`, of graph type `from`, into `init`, the converted tensor of graph type `to`:
/// logical dimension i of the result is dimension perm[i] of the input (none: the same).
mlir::FailureOr<mlir::Value> createCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value converted,
                                        mlir::RankedTensorType from, mlir::Value init, mlir::RankedTensorType to,
                                        llvm::ArrayRef<int64_t> perm = {});

/// The same with no permutation, as a copy that stays one: what follows will write into it.
mlir::FailureOr<mlir::Value> createWritableCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value converted,
                                                mlir::RankedTensorType from, mlir::Value init,
                                                mlir::RankedTensorType to);

/// `converted`, the value of `value`, in the layout of `to`: itself when nothing moves.
mlir::FailureOr<mlir::Value> toLayoutOf(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                        mlir::Value converted, mlir::Value value, mlir::RankedTensorType to,
                                        LoweringContext &context);

/// What `compute` makes of linalg.generic ops, but zeros when one of `extents` is 0 at run time: bodies
/// that read clamped positions need something to read.
mlir::FailureOr<mlir::Value> createUnlessEmpty(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                               llvm::ArrayRef<graph::Extent> extents, LoweringContext &context,
                                               llvm::function_ref<mlir::FailureOr<mlir::Value>()> compute);

/// Sequential loops from 0 to `bounds`, row-major. The body takes positions and carried values.
using LoopBodyFn = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange, mlir::ValueRange)>;
mlir::FailureOr<llvm::SmallVector<mlir::Value>> createLoops(mlir::OpBuilder &builder, mlir::Location loc,
                                                            llvm::ArrayRef<mlir::Value> bounds,
                                                            mlir::ValueRange carried, LoopBodyFn body);

/// Element `position` of a 1-D or rank-0 integer operand `value` as an extent.
graph::Extent elementExtent(LoweringContext &context, mlir::Value value, int64_t position);

/// All dimensions of `value` as index values.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
dimIndices(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc, mlir::Value value, LoweringContext &context);

/// One loop expression per logical dimension of `type`, for loops over its memory dimensions.
llvm::SmallVector<mlir::AffineExpr> logicalLoops(mlir::RankedTensorType type);

/// Parts of families, in files of their own.
void populateSlicing(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateScatter(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateSelection(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateSampling(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateBoxes(mlir::RewritePatternSet &patterns, LoweringContext &context);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_INDEXMATH_H
