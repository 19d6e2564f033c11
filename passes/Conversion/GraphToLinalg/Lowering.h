//===- Lowering.h - What all patterns of GraphToLinalg share ----*- C++ -*-===//
//
// Patterns think in logical dimensions; `memory*` functions map them to the dimensions of the
// converted tensors, which a layout permutes.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_LOWERING_H
#define PASSES_CONVERSION_GRAPHTOLINALG_LOWERING_H

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hone::graph_to_linalg {

/// tensor<ui8> -> tensor<i8>; a layout becomes the order of the dimensions.
class StorageTypeConverter : public mlir::TypeConverter {
public:
  StorageTypeConverter();
};

/// Shared by all patterns of one conversion.
struct LoweringContext {
  /// Reads every extent of `function` while its graph is still whole.
  LoweringContext(mlir::FunctionOpInterface function, const mlir::TypeConverter &types);

  graph::ExtentBuilder extents;
  const mlir::TypeConverter &types;
  /// Where the extent of that name can be read: argument and logical dimension.
  llvm::StringMap<std::pair<mlir::Value, int64_t>> symbols;

  mlir::RankedTensorType convert(mlir::Value value) const;
};

//===----------------------------------------------------------------------===//
// Extents. `value` and `result` are values of the graph, dimensions are logical.
//===----------------------------------------------------------------------===//

/// `extent` as an attribute when constant, otherwise as an index computed at the insertion point.
mlir::FailureOr<mlir::OpFoldResult> materialize(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                                graph::Extent extent, LoweringContext &context);
/// The same, always a value.
mlir::FailureOr<mlir::Value> materializeIndex(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                              graph::Extent extent, LoweringContext &context);
mlir::FailureOr<mlir::OpFoldResult> dimSize(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                            mlir::Value value, int64_t dim, LoweringContext &context);
mlir::FailureOr<mlir::Value> dimIndex(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc, mlir::Value value,
                                      int64_t dim, LoweringContext &context);
/// tensor.empty of the converted type of `result`.
mlir::FailureOr<mlir::Value> createEmpty(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                         mlir::Value result, LoweringContext &context);
/// tensor.empty of the converted shape of `result` with another (storage) element type.
mlir::FailureOr<mlir::Value> createEmptyLike(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                             mlir::Value result, mlir::Type element, LoweringContext &context);
/// tensor.empty of the given extents, in memory order.
mlir::FailureOr<mlir::Value> createEmptyOf(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                           llvm::ArrayRef<graph::Extent> extents, mlir::Type element,
                                           LoweringContext &context);

//===----------------------------------------------------------------------===//
// Layouts. `type` is a type of the graph.
//===----------------------------------------------------------------------===//

using graph::memoryOrder;
/// The dimension of the converted tensor that holds logical dimension `dim`.
int64_t memoryDim(mlir::RankedTensorType type, int64_t dim);
/// One thing per logical dimension -> one thing per memory dimension.
template <typename T> llvm::SmallVector<T> toMemory(mlir::RankedTensorType type, llvm::ArrayRef<T> logical) {
  llvm::SmallVector<T> result;
  for (int64_t dim : memoryOrder(type))
    result.push_back(logical[dim]);
  return result;
}
/// Indexing map of the converted tensor from one expression per logical dimension.
mlir::AffineMap memoryMap(mlir::RankedTensorType type, unsigned numLoops, llvm::ArrayRef<mlir::AffineExpr> logical,
                          mlir::MLIRContext *context);
/// Element of `converted`, whose graph type is `type`, at logical `indices`.
mlir::Value extractElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value converted,
                           mlir::RankedTensorType type, llvm::ArrayRef<mlir::Value> indices);

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return typeOf(value).getElementType(); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }

/// linalg.fill of `init` with `scalar`.
mlir::Value createFill(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Value init);

/// Body of a linalg.generic: the value to yield, or failure.
using BodyFn = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
/// linalg.generic with one result; the last of `maps` belongs to `init`.
mlir::FailureOr<mlir::Value> createGeneric(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
                                           mlir::Value init, llvm::ArrayRef<mlir::AffineMap> maps,
                                           llvm::ArrayRef<mlir::utils::IteratorType> iterators, BodyFn body);
/// linalg.generic over the elements of `init`, all loops parallel, no inputs; the body takes the
/// logical indices of the element of `type`.
mlir::FailureOr<mlir::Value> createGather(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                                          mlir::Value init, BodyFn body);
/// `value` as the converted type of `result`: extents may be known in one and not in the other.
mlir::Value castToResult(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value result,
                         LoweringContext &context);
/// tensor.pad with a scalar, sizes in memory order; `input` itself when nothing is added.
mlir::Value createPad(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                      llvm::ArrayRef<mlir::OpFoldResult> low, llvm::ArrayRef<mlir::OpFoldResult> high,
                      mlir::Value scalar);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A pattern that has the context at hand.
template <typename OpTy> struct GraphPattern : mlir::OpConversionPattern<OpTy> {
  GraphPattern(LoweringContext &context, mlir::MLIRContext *mlirContext, mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<OpTy>(context.types, mlirContext, benefit), context(context) {}

  LoweringContext &context;
};

template <typename... Patterns> void addPatterns(mlir::RewritePatternSet &patterns, LoweringContext &context) {
  (patterns.add<Patterns>(context, patterns.getContext()), ...);
}

void populateElementwise(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateContraction(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateConvolution(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateReduction(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateNormalization(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateWindow(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateMovement(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateIndexing(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateResize(mlir::RewritePatternSet &patterns, LoweringContext &context);
void populateQuantization(mlir::RewritePatternSet &patterns, LoweringContext &context);
/// Constants, relayout, functions.
void populateStructure(mlir::RewritePatternSet &patterns, LoweringContext &context);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_LOWERING_H
