//===- Accumulator.h - Many elements meet in one ----------------*- C++ -*-===//
//
// What reductions, contractions and windows share: the type of the running value, where it starts,
// how it grows and how it becomes an element of the result.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_ACCUMULATOR_H
#define PASSES_CONVERSION_GRAPHTOLINALG_ACCUMULATOR_H

#include "passes/Conversion/GraphToLinalg/Lowering.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

namespace hone::graph_to_linalg {

/// A running value of `kind` over elements of a graph type. Sums and products run in the compute
/// type; minima, maxima, all and any are exact and run in the storage type.
struct Accumulator {
  graph::ReduceKind kind;
  mlir::Type element;

  bool isExact() const { return kind != graph::ReduceKind::Sum && kind != graph::ReduceKind::Prod; }
  mlir::Type type() const { return isExact() ? storageType(element) : computeType(element); }
  /// The value of nothing.
  mlir::Value identity(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// `running` (in `type()`) and `number` (in the compute type) together.
  mlir::FailureOr<mlir::Value> combine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value running,
                                       mlir::Value number) const;
};

/// A function of a number in the compute type and the logical indices of its element.
using FinishFn = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::Value,
                                                                 llvm::ArrayRef<mlir::Value>)>;
/// `values`, in memory order of `result` and the compute type of its elements, to `result`'s
/// storage; in place where the types agree. Without `finish` they are stored as they are.
mlir::FailureOr<mlir::Value> storeResult(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                         mlir::Value values, mlir::Value result, LoweringContext &context,
                                         FinishFn finish = nullptr);
/// The same for a tensor of `accumulator.type()`.
mlir::FailureOr<mlir::Value> storeAccumulated(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                              mlir::Value values, const Accumulator &accumulator, mlir::Value result,
                                              LoweringContext &context);

/// A candidate for the best element: its number in the compute type, its position, and whether it
/// counts (null: always).
struct Candidate {
  mlir::Value number, position, valid;
};
using CandidateFn = llvm::function_ref<Candidate(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
/// Positions (i64, of the shape of `best`) of the elements that come out best when one replaces
/// another if `better` holds between them; NaN beats every number. `best` is an empty tensor of
/// the storage type of `element`; the last map is that of the results.
mlir::FailureOr<mlir::Value> createArgExtremum(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                               mlir::ValueRange inputs, mlir::Value best, mlir::Value positions,
                                               llvm::ArrayRef<mlir::AffineMap> maps,
                                               llvm::ArrayRef<mlir::utils::IteratorType> iterators, mlir::Type element,
                                               graph::Predicate better, CandidateFn candidate);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_ACCUMULATOR_H
