//===- Composite.cpp - Finding what is written out in small ops -----------===//

#include "passes/Substitution/Composite.h"

#include "dialects/Graph/IR/Extent.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::substitution;

/// A cast between types that all compute in f32: it rounds, or does nothing. What becomes of f64 is kept.
static bool isRounding(Operation *op) {
  auto computesInF32 = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isF32() || element.isF16() || element.isBF16();
  };
  return isa<CastOp>(op) && computesInF32(op->getOperand(0)) && computesInF32(op->getResult(0));
}

/// Whether `op` is one of `known`, or rounds for those alone.
static bool belongsTo(const SmallPtrSetImpl<Operation *> &known, Operation *op) {
  return known.contains(op) ||
         (isRounding(op) && llvm::all_of(op->getUsers(), [&](Operation *user) { return belongsTo(known, user); }));
}

bool Trail::isClosed(Operation *user) const {
  SmallPtrSet<Operation *, 16> known(ops.begin(), ops.end());
  known.insert(user);
  return llvm::all_of(ArrayRef(ops).drop_front(user ? 0 : 1), [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *other) { return belongsTo(known, other); });
  });
}

Location Trail::getLoc(OpBuilder &builder) const {
  // From the first op of the model to the last.
  return builder.getFusedLoc(llvm::map_to_vector(llvm::reverse(ops), [](Operation *op) { return op->getLoc(); }));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isCommutative(BinaryKind kind) {
  switch (kind) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case BinaryKind::Name:                                                                                               \
    return commutative;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return false;
}

static Value withoutRounding(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isRounding(op); op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

/// The `Op` that makes `value`, but for rounding; null if it is another one.
template <typename Op> static Op producer(Value value, Trail &trail) {
  auto op = withoutRounding(value).getDefiningOp<Op>();
  if (!op)
    return nullptr;
  for (Operation *cast = value.getDefiningOp(); cast != op; cast = cast->getOperand(0).getDefiningOp())
    trail.ops.push_back(cast);
  trail.ops.push_back(op);
  return op;
}

static std::optional<APFloat> splatOf(Value value, Trail &trail) {
  DenseElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) || !attribute.isSplat() ||
      !isa<FloatType>(attribute.getElementType()))
    return std::nullopt;
  trail.stretches |= attribute.getNumElements() != 1;
  return attribute.getSplatValue<APFloat>();
}

/// `matcher` that leaves no ops behind when it fails.
static Matcher whole(Matcher matcher) {
  return [=](Value value, Trail &trail) {
    size_t before = trail.ops.size();
    bool matches = matcher(value, trail);
    if (!matches)
      trail.ops.truncate(before);
    return matches;
  };
}

Matcher substitution::any(Value &bound) {
  return [&bound](Value value, Trail &) {
    bound = value;
    return true;
  };
}

Matcher substitution::same(const Value &bound) {
  return [&bound](Value value, Trail &) { return withoutRounding(value) == withoutRounding(bound); };
}

Matcher substitution::both(Matcher first, Matcher second) {
  return whole([=](Value value, Trail &trail) { return first(value, trail) && second(value, trail); });
}

Matcher substitution::either(std::initializer_list<Matcher> choices) {
  return [choices = std::vector<Matcher>(choices)](Value value, Trail &trail) {
    return llvm::any_of(choices, [&](const Matcher &choice) { return choice(value, trail); });
  };
}

Matcher substitution::number(double &bound) {
  return [&bound](Value value, Trail &trail) {
    std::optional<APFloat> splat = splatOf(value, trail);
    if (splat)
      bound = splat->convertToDouble();
    return splat.has_value();
  };
}

Matcher substitution::one() {
  return [](Value value, Trail &trail) {
    std::optional<APFloat> splat = splatOf(value, trail);
    return splat && splat->isExactlyValue(1);
  };
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Matcher substitution::unary(UnaryKind kind, Matcher operand) {
  return whole([=](Value value, Trail &trail) {
    auto op = producer<UnaryOp>(value, trail);
    return op && op.getKind() == kind && operand(op.getInput(), trail);
  });
}

Matcher substitution::binary(BinaryKind kind, Matcher lhs, Matcher rhs) {
  return whole([=](Value value, Trail &trail) {
    auto op = producer<BinaryOp>(value, trail);
    if (!op || op.getKind() != kind)
      return false;
    size_t before = trail.ops.size();
    if (lhs(op.getLhs(), trail) && rhs(op.getRhs(), trail))
      return true;
    trail.ops.truncate(before);
    return isCommutative(kind) && lhs(op.getRhs(), trail) && rhs(op.getLhs(), trail);
  });
}

Matcher substitution::quotient(Matcher dividend, Matcher divisor) {
  Matcher inverse = either({unary(UnaryKind::Reciprocal, divisor), binary(BinaryKind::Div, one(), divisor)});
  return either({binary(BinaryKind::Div, dividend, divisor), binary(BinaryKind::Mul, dividend, inverse)});
}

Matcher substitution::reduce(ReduceKind kind, ReduceOp &bound, Matcher operand) {
  return whole([=, &bound](Value value, Trail &trail) {
    auto op = producer<ReduceOp>(value, trail);
    if (!op || op.getKind() != kind || op.getDims().empty())
      return false;
    // Broadcasting adds leading dimensions by itself.
    bool leads =
        llvm::all_of(op.getDims(), [&](int64_t dim) { return dim < static_cast<int64_t>(op.getDims().size()); });
    bound = op;
    return (op.getKeepDims() || leads) && operand(op.getInput(), trail);
  });
}

/// The number of elements of each sum, or its inverse.
static Matcher count(const ReduceOp &sum, bool inverse) {
  return [&sum, inverse](Value value, Trail &trail) {
    ReduceOp op = sum;
    ExtentBuilder extents;
    Extent product = extents.product(
        llvm::map_to_vector(op.getDims(), [&](int64_t dim) { return extents.dim(op.getInput(), dim); }));
    if (auto known = constantExtent(product)) {
      std::optional<APFloat> splat = splatOf(value, trail);
      APFloat expected(inverse ? 1.0 / static_cast<double>(*known) : static_cast<double>(*known));
      bool loses;
      if (splat)
        expected.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven, &loses);
      return splat && *splat == expected;
    }
    auto cast = withoutRounding(value).getDefiningOp<CastOp>();
    auto elements = cast && !inverse ? extents.elements(cast.getInput()) : std::nullopt;
    return elements && elements->size() == 1 && elements->front() == product;
  };
}

Matcher substitution::mean(ReduceOp &sum, Matcher operand) {
  Matcher reduction = reduce(ReduceKind::Sum, sum, operand);
  return either({binary(BinaryKind::Div, reduction, count(sum, /*inverse=*/false)),
                 binary(BinaryKind::Mul, reduction, count(sum, /*inverse=*/true))});
}

bool substitution::haveEqualDims(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(a, [&](int64_t dim) { return llvm::is_contained(b, dim); });
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool substitution::haveEqualShapes(Value x, Value result, const Trail &trail) {
  auto from = cast<RankedTensorType>(x.getType()), to = cast<RankedTensorType>(result.getType());
  auto computes = [](RankedTensorType type) {
    return isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type.getElementType()) && !type.getEncoding();
  };
  return computes(from) && computes(to) && from.getShape() == to.getShape() &&
         (from.hasStaticShape() || !trail.stretches);
}

Value substitution::castTo(OpBuilder &builder, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, loc, type.clone(element), value, element);
}

Value substitution::widenTo(OpBuilder &builder, Location loc, Value value, Type element) {
  bool wider = element.getIntOrFloatBitWidth() > getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  return wider ? castTo(builder, loc, value, element) : value;
}
