//===- Composite.h - Finding what is written out in small ops ---*- C++ -*-===//
//
// Matchers that read as the formula they match: quotient(any(x), unary(Sqrt, mean(sum, square))). They try operands of
// commutative ops in both orders, look through what only rounds in between, and note the ops on the way: these go away
// together or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_SUBSTITUTION_COMPOSITE_H
#define PASSES_SUBSTITUTION_COMPOSITE_H

#include "dialects/Graph/IR/Graph.h"

#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace hone::substitution {

/// What a match went through.
struct Trail {
  llvm::SmallVector<mlir::Operation *> ops; ///< the one that the match began at is the first
  bool stretches = false;                   ///< a constant has several elements, so it may make a result larger

  /// Whether nothing else uses what the ops compute. The first one's users get what takes its place; where `user` is
  /// given, it is what takes the place of all.
  bool isClosed(mlir::Operation *user = nullptr) const;
  mlir::Location getLoc(mlir::OpBuilder &builder) const;
};

/// Whether a value is so; appends to the trail. One that fails may leave bindings behind, but no ops.
using Matcher = std::function<bool(mlir::Value, Trail &)>;

Matcher any(mlir::Value &bound);
/// What `any` bound before, rounded or not.
Matcher same(const mlir::Value &bound);
Matcher both(Matcher first, Matcher second);
Matcher either(std::initializer_list<Matcher> choices);

/// All elements of a constant of floats.
Matcher number(double &bound);
/// 1 throughout.
Matcher one();

Matcher unary(graph::UnaryKind kind, Matcher operand);
Matcher binary(graph::BinaryKind kind, Matcher lhs, Matcher rhs);
/// a / b, or a * (1 / b).
Matcher quotient(Matcher dividend, Matcher divisor);

/// A reduction whose result meets its operand along the dimensions that are left.
Matcher reduce(graph::ReduceKind kind, graph::ReduceOp &bound, Matcher operand);
/// A sum that is divided by the number of its elements.
Matcher mean(graph::ReduceOp &sum, Matcher operand);
/// In any order.
bool haveEqualDims(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Whether `x` and `result` are tensors of floats that have one shape whatever constants met on the way.
bool haveEqualShapes(mlir::Value x, mlir::Value result, const Trail &trail);

/// `value` with another element type.
mlir::Value castTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);
/// `value` with the wider one of its element type and `element`.
mlir::Value widenTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);

/// op(cast x) that is cast back -> op(x): what computes in f32 anyway gives the same halves.
template <typename Op> struct NarrowComposite final : mlir::OpRewritePattern<graph::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::CastOp op, mlir::PatternRewriter &rewriter) const override {
    auto composite = op.getInput().getDefiningOp<Op>();
    auto widening = composite ? composite.getInput().template getDefiningOp<graph::CastOp>() : nullptr;
    mlir::Type half = getElementTypeOrSelf(op.getResult());
    if (!widening || !composite->hasOneUse() || !getElementTypeOrSelf(composite.getResult()).isF32() ||
        !(half.isF16() || half.isBF16()) || widening.getInput().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "expected an op between casts from halves and back");
    mlir::IRMapping mapping;
    mapping.map(composite.getInput(), widening.getInput());
    mlir::Operation *narrow = rewriter.clone(*composite, mapping);
    narrow->setLoc(rewriter.getFusedLoc({composite.getLoc(), op.getLoc()}));
    narrow->getResult(0).setType(op.getResult().getType());
    rewriter.replaceOp(op, narrow);
    return mlir::success();
  }
};

} // namespace hone::substitution

#endif // PASSES_SUBSTITUTION_COMPOSITE_H
