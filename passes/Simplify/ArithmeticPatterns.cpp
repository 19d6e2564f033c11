//===- ArithmeticPatterns.cpp - Laws of numbers ---------------------------===//

#include "lib/Reference/Tensor.h"
#include "passes/Simplify/AlgebraPatterns.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::simplify {
namespace {

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool isCommutative(BinaryKind kind) {
  switch (kind) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case BinaryKind::Name:                                                                                               \
    return commutative;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return false;
}

/// Operands on the right that change nothing. All bits set is -1.
struct Neutral {
  BinaryKind kind;
  double number;
  unsigned domain;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Neutral kNeutral[] = {
    {BinaryKind::Add, 0, F | I}, {BinaryKind::Sub, 0, F | I},     {BinaryKind::Mul, 1, F | I},
    {BinaryKind::Div, 1, F | I}, {BinaryKind::Pow, 1, F | I},     {BinaryKind::And, -1, I | B},
    {BinaryKind::Or, 0, I | B},  {BinaryKind::Xor, 0, I | B},     {BinaryKind::Shl, 0, I},
    {BinaryKind::Shr, 0, I},     {BinaryKind::Min, kInfinity, F}, {BinaryKind::Max, -kInfinity, F},
};

/// Operands on the right that decide the result, on integers.
const Neutral kAnnihilating[] = {
    {BinaryKind::Mul, 0, I},
    {BinaryKind::And, 0, I | B},
    {BinaryKind::Or, -1, I | B},
};

/// f(f(x)) = x.
bool isInvolution(UnaryKind kind) { return kind == UnaryKind::Neg || kind == UnaryKind::Not; }

/// f(f(x)) = f(x).
bool isIdempotent(UnaryKind kind) {
  return llvm::is_contained({UnaryKind::Abs, UnaryKind::Ceil, UnaryKind::Floor, UnaryKind::RoundEven, UnaryKind::Sign},
                            kind);
}

/// Whether the grouping of (a op b) op c is free: no result is ever rounded.
bool isAssociative(BinaryKind kind, Type element) {
  if (kind == BinaryKind::Min || kind == BinaryKind::Max)
    return true;
  return isa<IntegerType>(element) &&
         llvm::is_contained({BinaryKind::Add, BinaryKind::Mul, BinaryKind::And, BinaryKind::Or, BinaryKind::Xor}, kind);
}

bool equals(const Splat &splat, double number, Type element) {
  if (isa<FloatType>(element))
    return splat.number == number;
  if (number != -1)
    return static_cast<double>(splat.integer) == number;
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  return splat.integer == reference::wrapInteger(-1, width, isUnsigned);
}

/// Whether `result` has the shape of `kept` though `constant` takes part.
bool keepsShape(Value result, Value kept, Value constant) {
  if (result.getType() != kept.getType())
    return false;
  auto type = tensorTypeOf(constant);
  return tensorTypeOf(kept).hasStaticShape() ||
         (type.hasStaticShape() && type.getNumElements() == 1 && type.getRank() <= tensorTypeOf(kept).getRank());
}

/// The one of two operands that is a splat, and the other one.
struct Sides {
  Value other;
  Value constant;
  Splat splat;
};
SmallVector<Sides> sidesOf(BinaryOp op) {
  SmallVector<Sides> sides;
  if (auto splat = splatOf(op.getRhs()))
    sides.push_back({op.getLhs(), op.getRhs(), *splat});
  if (isCommutative(op.getKind()))
    if (auto splat = splatOf(op.getLhs()))
      sides.push_back({op.getRhs(), op.getLhs(), *splat});
  return sides;
}

//===----------------------------------------------------------------------===//
// Neutral and annihilating operands
//===----------------------------------------------------------------------===//

/// x + 0, x * 1, x / 1, pow(x, 1), x & ~0, min(x, inf), ... -> x.
struct DropNeutral final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    for (const Sides &sides : sidesOf(op)) {
      Type element = tensorTypeOf(sides.constant).getElementType();
      for (const Neutral &neutral : kNeutral)
        if (neutral.kind == op.getKind() && (neutral.domain & domainOf(element)) &&
            equals(sides.splat, neutral.number, element) && keepsShape(op.getResult(), sides.other, sides.constant)) {
          rewriter.replaceOp(op, sides.other);
          return success();
        }
    }
    return rewriter.notifyMatchFailure(op, "expected a neutral operand");
  }
};

/// x * 0 -> 0 and x & 0 -> 0 on integers; x | ~0 -> ~0.
struct Annihilate final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto type = tensorTypeOf(op.getResult());
    if (!type.hasStaticShape() || type.getEncoding())
      return rewriter.notifyMatchFailure(op, "expected a static result");
    Type element = type.getElementType();
    for (const Sides &sides : sidesOf(op))
      for (const Neutral &law : kAnnihilating)
        if (law.kind == op.getKind() && (law.domain & domainOf(element)) && equals(sides.splat, law.number, element)) {
          DenseElementsAttr zero = sides.splat.attribute;
          rewriter.replaceOpWithNewOp<ConstantOp>(op, zero.resizeSplat(type));
          return success();
        }
    return rewriter.notifyMatchFailure(op, "expected an annihilating operand");
  }
};

//===----------------------------------------------------------------------===//
// Powers, quotients, signs
//===----------------------------------------------------------------------===//

/// pow(x, 2) -> x * x, pow(x, 3) -> x * x * x, pow(x, 0.5) -> sqrt(x),
/// pow(x, -1) -> 1 / x, pow(x, -0.5) -> 1 / sqrt(x).
struct CheapenPower final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto exponent = splatOf(op.getRhs());
    Value x = op.getLhs();
    if (op.getKind() != BinaryKind::Pow || !exponent || !keepsShape(op.getResult(), x, op.getRhs()))
      return rewriter.notifyMatchFailure(op, "expected a power of a constant");
    Type type = op.getResult().getType();
    bool isFloat = isa<FloatType>(tensorTypeOf(x).getElementType());
    double n = exponent->number;
    if (n == 2 || n == 3) {
      Value product = BinaryOp::create(rewriter, op.getLoc(), type, BinaryKind::Mul, x, x);
      if (n == 3)
        product = BinaryOp::create(rewriter, op.getLoc(), type, BinaryKind::Mul, product, x);
      rewriter.replaceOp(op, product);
      return success();
    }
    if (!isFloat || (n != 0.5 && n != -0.5 && n != -1))
      return rewriter.notifyMatchFailure(op, "no cheaper form");
    auto kind = n == 0.5 ? UnaryKind::Sqrt : n == -0.5 ? UnaryKind::Rsqrt : UnaryKind::Reciprocal;
    rewriter.replaceOpWithNewOp<UnaryOp>(op, type, kind, x);
    return success();
  }
};

/// x / c -> x * (1 / c) where 1 / c is exact: c is a power of two.
struct DivideByPowerOfTwo final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto divisor = splatOf(op.getRhs());
    auto type = tensorTypeOf(op.getRhs());
    if (op.getKind() != BinaryKind::Div || !divisor || divisor->number == 1 || !isa<FloatType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "expected a constant divisor");
    int exponent;
    double inverse = 1 / divisor->number;
    if (std::fabs(std::frexp(divisor->number, &exponent)) != 0.5)
      return rewriter.notifyMatchFailure(op, "divisor is no power of two");
    DenseElementsAttr attribute = splatLike(type, inverse);
    Value constant = ConstantOp::create(rewriter, op.getLoc(), attribute);
    auto rounded = splatOf(constant);
    if (!rounded || rounded->number != inverse) {
      rewriter.eraseOp(constant.getDefiningOp());
      return rewriter.notifyMatchFailure(op, "inverse is out of range");
    }
    rewriter.replaceOpWithNewOp<BinaryOp>(op, op.getResult().getType(), BinaryKind::Mul, op.getLhs(), constant);
    return success();
  }
};

/// x * -1 -> -x.
struct MultiplyByMinusOne final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul)
      return rewriter.notifyMatchFailure(op, "expected a product");
    for (const Sides &sides : sidesOf(op))
      if (sides.splat.number == -1 && keepsShape(op.getResult(), sides.other, sides.constant)) {
        rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getResult().getType(), UnaryKind::Neg, sides.other);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "expected a factor of -1");
  }
};

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// -(-x) -> x, abs(abs(x)) -> abs(x), abs(-x) -> abs(x).
struct SimplifyUnaryPair final : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<UnaryOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected two unary ops");
    UnaryKind kind = op.getKind();
    if (kind == UnaryKind::Abs && inner.getKind() == UnaryKind::Neg) {
      rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
      return success();
    }
    if (inner.getKind() != kind)
      return rewriter.notifyMatchFailure(op, "kinds differ");
    Value replacement;
    if (isInvolution(kind))
      replacement = inner.getInput();
    else if (isIdempotent(kind))
      replacement = inner.getResult();
    if (!replacement || replacement.getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "no law for this pair");
    rewriter.replaceOp(op, replacement);
    return success();
  }
};

/// not(a == b) -> a != b; on integers the orders too.
struct NegateComparison final : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op, PatternRewriter &rewriter) const override {
    auto compare = op.getInput().getDefiningOp<CompareOp>();
    if (op.getKind() != UnaryKind::Not || !compare)
      return rewriter.notifyMatchFailure(op, "expected a negated comparison");
    static const std::pair<Predicate, Predicate> kOpposites[] = {
        {Predicate::Eq, Predicate::Ne}, {Predicate::Ne, Predicate::Eq}, {Predicate::Lt, Predicate::Ge},
        {Predicate::Ge, Predicate::Lt}, {Predicate::Gt, Predicate::Le}, {Predicate::Le, Predicate::Gt}};
    Predicate predicate = compare.getPredicate();
    bool isEquality = predicate == Predicate::Eq || predicate == Predicate::Ne;
    // With NaN neither a < b nor a >= b holds.
    if (!isEquality && isa<FloatType>(tensorTypeOf(compare.getLhs()).getElementType()))
      return rewriter.notifyMatchFailure(op, "floats may be unordered");
    for (auto [from, to] : kOpposites)
      if (from == predicate) {
        rewriter.replaceOpWithNewOp<CompareOp>(op, op.getResult().getType(), to, compare.getLhs(), compare.getRhs());
        return success();
      }
    return failure();
  }
};

/// max(max(x, c1), c2) -> max(x, max(c1, c2)), and likewise for every kind
/// whose grouping is free.
struct GatherConstants final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    BinaryKind kind = op.getKind();
    if (!isAssociative(kind, tensorTypeOf(op.getResult()).getElementType()))
      return rewriter.notifyMatchFailure(op, "grouping matters");
    for (const Sides &outer : sidesOf(op)) {
      auto inner = outer.other.getDefiningOp<BinaryOp>();
      if (!inner || inner.getKind() != kind)
        continue;
      for (const Sides &sides : sidesOf(inner)) {
        if (splatOf(sides.other))
          continue; // a constant altogether
        auto joint = createChecked<BinaryOp>(rewriter, op.getLoc(), kind, sides.constant, outer.constant);
        if (!joint)
          return failure();
        rewriter.replaceOpWithNewOp<BinaryOp>(op, op.getResult().getType(), kind, sides.other, joint);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "expected a chain of constants");
  }
};

/// max(min(x, high), low) -> min(max(x, low), high) for low <= high: the form
/// in which further bounds meet their like.
struct OrderBounds final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Max)
      return rewriter.notifyMatchFailure(op, "expected a lower bound");
    for (const Sides &outer : sidesOf(op)) {
      auto inner = outer.other.getDefiningOp<BinaryOp>();
      if (!inner || inner.getKind() != BinaryKind::Min || !inner->hasOneUse() ||
          inner.getResult().getType() != op.getResult().getType())
        continue;
      for (const Sides &sides : sidesOf(inner)) {
        bool isFloat = isa<FloatType>(tensorTypeOf(sides.constant).getElementType());
        bool isOrdered = isFloat ? outer.splat.number <= sides.splat.number
                                 : outer.splat.integer <= sides.splat.integer &&
                                       (outer.splat.integer < 0) == (sides.splat.integer < 0);
        if (!isOrdered || !keepsShape(inner.getResult(), sides.other, sides.constant))
          continue;
        Type type = op.getResult().getType();
        Value low = BinaryOp::create(rewriter, inner.getLoc(), type, BinaryKind::Max, sides.other, outer.constant);
        rewriter.replaceOpWithNewOp<BinaryOp>(op, type, BinaryKind::Min, low, sides.constant);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "expected two bounds in order");
  }
};

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// select(true, a, b) -> a, select(c, a, a) -> a, select(not c, a, b) ->
/// select(c, b, a).
struct SimplifySelect final : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto condition = splatOf(op.getCondition());
    Value chosen;
    if (condition)
      chosen = condition->integer != 0 ? op.getIfTrue() : op.getIfFalse();
    else if (op.getIfTrue() == op.getIfFalse())
      chosen = op.getIfTrue();
    // The operands that go away must not have stretched the result.
    if (chosen && chosen.getType() == op.getResult().getType() && tensorTypeOf(chosen).hasStaticShape()) {
      rewriter.replaceOp(op, chosen);
      return success();
    }
    auto negation = op.getCondition().getDefiningOp<UnaryOp>();
    if (!negation || negation.getKind() != UnaryKind::Not)
      return rewriter.notifyMatchFailure(op, "the condition decides");
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getResult().getType(), negation.getInput(), op.getIfFalse(),
                                          op.getIfTrue());
    return success();
  }
};

} // namespace

void populateArithmeticPatterns(RewritePatternSet &patterns) {
  patterns.add<DropNeutral, Annihilate, CheapenPower, DivideByPowerOfTwo, MultiplyByMinusOne, SimplifyUnaryPair,
               NegateComparison, GatherConstants, OrderBounds, SimplifySelect>(patterns.getContext());
}

} // namespace hone::simplify
