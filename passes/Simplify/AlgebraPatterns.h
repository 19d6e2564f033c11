//===- AlgebraPatterns.h - Laws of SimplifyAlgebra --------------*- C++ -*-===//

#ifndef PASSES_SIMPLIFY_ALGEBRAPATTERNS_H
#define PASSES_SIMPLIFY_ALGEBRAPATTERNS_H

#include "dialects/Graph/IR/Graph.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::simplify {

void populateArithmeticPatterns(mlir::RewritePatternSet &patterns);
void populateConversionPatterns(mlir::RewritePatternSet &patterns);
void populateMovementPatterns(mlir::RewritePatternSet &patterns);

/// The value that all elements of a constant have.
struct Splat {
  double number;   ///< as a float
  int64_t integer; ///< as an integer; meaningful for integer types
  mlir::DenseElementsAttr attribute;
};
std::optional<Splat> splatOf(mlir::Value value);

/// A splat of the type of `like`.
mlir::DenseElementsAttr splatLike(mlir::RankedTensorType type, double number);

/// A 1-D i64 constant.
mlir::Value shapeConstant(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> numbers);

inline mlir::RankedTensorType tensorTypeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace hone::simplify

#endif // PASSES_SIMPLIFY_ALGEBRAPATTERNS_H
