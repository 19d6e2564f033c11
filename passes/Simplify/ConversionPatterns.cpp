//===- ConversionPatterns.cpp - Laws of element types ---------------------===//

#include "passes/Simplify/AlgebraPatterns.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace hone::graph;
using llvm::APFloat;

namespace hone::simplify {
namespace {

/// Whether every value of `from` is one of `to`.
bool holds(Type to, Type from) {
  if (to == from)
    return true;
  auto fromInteger = dyn_cast<IntegerType>(from);
  auto toInteger = dyn_cast<IntegerType>(to);
  bool fromUnsigned = fromInteger && (fromInteger.isUnsigned() || fromInteger.getWidth() == 1);
  if (fromInteger && toInteger) {
    if (toInteger.getWidth() == 1)
      return false;
    unsigned bits = fromInteger.getWidth();
    return toInteger.isUnsigned() ? fromUnsigned && bits <= toInteger.getWidth()
           : fromUnsigned         ? bits < toInteger.getWidth()
                                  : bits <= toInteger.getWidth();
  }
  auto toFloat = dyn_cast<FloatType>(to);
  // Types without infinity or of one sign have values missing.
  if (!toFloat || !(toFloat.isF16() || toFloat.isBF16() || toFloat.isF32() || toFloat.isF64()))
    return false;
  const llvm::fltSemantics &semantics = toFloat.getFloatSemantics();
  if (fromInteger) {
    unsigned bits = fromInteger.getWidth() - (fromUnsigned ? 0 : 1);
    return bits <= APFloat::semanticsPrecision(semantics) &&
           static_cast<int>(bits) <= APFloat::semanticsMaxExponent(semantics);
  }
  auto fromFloat = dyn_cast<FloatType>(from);
  return fromFloat && APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), semantics);
}

/// cast(cast(x)) -> cast(x) where the inner cast loses nothing.
struct CastThroughWider final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected two casts");
    Type from = tensorTypeOf(inner.getInput()).getElementType();
    if (!holds(inner.getTo(), from))
      return rewriter.notifyMatchFailure(op, "the inner cast rounds");
    if (from == op.getTo() && inner.getInput().getType() == op.getResult().getType()) {
      rewriter.replaceOp(op, inner.getInput());
      return success();
    }
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

/// bitcast(bitcast(x)) -> bitcast(x) or x.
struct BitcastPair final : OpRewritePattern<BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BitcastOp op, PatternRewriter &rewriter) const override {
    if (op.getInput().getType() == op.getResult().getType()) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    auto inner = op.getInput().getDefiningOp<BitcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected two bitcasts");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

} // namespace

void populateConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<CastThroughWider, BitcastPair>(patterns.getContext());
}

} // namespace hone::simplify
