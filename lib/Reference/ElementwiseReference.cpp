//===- ElementwiseReference.cpp - One element at a time -------------------===//
//
// One function per kind and domain, put into tables by the rows of
// Elementwise.def.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// Integer types as far as functions differ on them. Unsigned 64-bit numbers
/// are held in int64 by their bits.
struct IntegerKind {
  unsigned width;
  bool isUnsigned;
  bool less(int64_t a, int64_t b) const {
    return isUnsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
  }
};

/// int64 arithmetic that wraps around.
int64_t addWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t subWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t mulWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

//===----------------------------------------------------------------------===//
// Unary functions
//===----------------------------------------------------------------------===//

template <UnaryKind> double onFloat(double x) { return x; }
template <UnaryKind> int64_t onInteger(int64_t x, IntegerKind) { return x; }

#define FLOAT(Kind, expression)                                                                                        \
  template <> double onFloat<UnaryKind::Kind>(double x) { return expression; }
#define INTEGER(Kind, expression)                                                                                      \
  template <> int64_t onInteger<UnaryKind::Kind>(int64_t x, IntegerKind kind) { return expression; }

FLOAT(Abs, std::fabs(x))
FLOAT(Neg, -x)
FLOAT(Sign, std::isnan(x) ? x : double((x > 0) - (x < 0)))
FLOAT(Ceil, std::ceil(x))
FLOAT(Floor, std::floor(x))
FLOAT(RoundEven, std::nearbyint(x))
FLOAT(Sqrt, std::sqrt(x))
FLOAT(Rsqrt, 1 / std::sqrt(x))
FLOAT(Reciprocal, 1 / x)
FLOAT(Exp, std::exp(x))
FLOAT(Log, std::log(x))
FLOAT(Log1p, std::log1p(x))
FLOAT(Sin, std::sin(x))
FLOAT(Cos, std::cos(x))
FLOAT(Tan, std::tan(x))
FLOAT(Asin, std::asin(x))
FLOAT(Acos, std::acos(x))
FLOAT(Atan, std::atan(x))
FLOAT(Sinh, std::sinh(x))
FLOAT(Cosh, std::cosh(x))
FLOAT(Tanh, std::tanh(x))
FLOAT(Asinh, std::asinh(x))
FLOAT(Acosh, std::acosh(x))
FLOAT(Atanh, std::atanh(x))
FLOAT(Erf, std::erf(x))
FLOAT(Sigmoid, x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)))
FLOAT(Softplus, std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))))

INTEGER(Abs, kind.isUnsigned || x >= 0 ? x : subWrapped(0, x))
INTEGER(Neg, subWrapped(0, x))
INTEGER(Sign, kind.isUnsigned ? x != 0 : (x > 0) - (x < 0))
INTEGER(Not, kind.width == 1 ? !x : ~x)

#undef FLOAT
#undef INTEGER

//===----------------------------------------------------------------------===//
// Binary functions
//===----------------------------------------------------------------------===//

template <BinaryKind> double onFloats(double a, double) { return a; }
template <BinaryKind> int64_t onIntegers(int64_t a, int64_t, IntegerKind) { return a; }

#define FLOAT(Kind, expression)                                                                                        \
  template <> double onFloats<BinaryKind::Kind>(double a, double b) { return expression; }
#define INTEGER(Kind, expression)                                                                                      \
  template <> int64_t onIntegers<BinaryKind::Kind>(int64_t a, int64_t b, IntegerKind kind) { return expression; }

/// The remainder with the sign of the divisor.
double floorMod(double a, double b) {
  double r = std::fmod(a, b);
  if (r == 0)
    return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

/// Truncates; x / 0 is 0, the smallest number / -1 wraps.
int64_t divide(int64_t a, int64_t b, IntegerKind kind) {
  if (b == 0)
    return 0;
  if (kind.isUnsigned)
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  return b == -1 ? subWrapped(0, a) : a / b;
}

int64_t remainder(int64_t a, int64_t b, IntegerKind kind) {
  return b == 0 ? 0 : subWrapped(a, mulWrapped(divide(a, b, kind), b));
}

int64_t floorRemainder(int64_t a, int64_t b, IntegerKind kind) {
  int64_t r = remainder(a, b, kind);
  return !kind.isUnsigned && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// Negative exponents give the truncated quotient 1 / base^-exponent.
int64_t power(int64_t base, int64_t exponent, IntegerKind kind) {
  if (!kind.isUnsigned && exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  int64_t result = 1;
  for (auto e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if (e & 1)
      result = mulWrapped(result, base);
    base = mulWrapped(base, base);
  }
  return result;
}

bool shiftsOut(int64_t amount, IntegerKind kind) { return static_cast<uint64_t>(amount) >= kind.width; }

int64_t shiftLeft(int64_t a, int64_t b, IntegerKind kind) {
  return shiftsOut(b, kind) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}

/// Signed numbers keep filling with their sign bit.
int64_t shiftRight(int64_t a, int64_t b, IntegerKind kind) {
  if (shiftsOut(b, kind))
    return !kind.isUnsigned && a < 0 ? -1 : 0;
  return kind.isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(a) >> b) : a >> b;
}

FLOAT(Add, a + b)
FLOAT(Sub, a - b)
FLOAT(Mul, a *b)
FLOAT(Div, a / b)
FLOAT(Mod, floorMod(a, b))
FLOAT(Rem, std::fmod(a, b))
FLOAT(Pow, std::pow(a, b))
FLOAT(Min, minimum(a, b))
FLOAT(Max, maximum(a, b))

INTEGER(Add, addWrapped(a, b))
INTEGER(Sub, subWrapped(a, b))
INTEGER(Mul, mulWrapped(a, b))
INTEGER(Div, divide(a, b, kind))
INTEGER(Mod, floorRemainder(a, b, kind))
INTEGER(Rem, remainder(a, b, kind))
INTEGER(Pow, power(a, b, kind))
INTEGER(Min, kind.less(b, a) ? b : a)
INTEGER(Max, kind.less(a, b) ? b : a)
INTEGER(And, a &b)
INTEGER(Or, a | b)
INTEGER(Xor, a ^ b)
INTEGER(Shl, shiftLeft(a, b, kind))
INTEGER(Shr, shiftRight(a, b, kind))

#undef FLOAT
#undef INTEGER

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

struct UnaryRow {
  double (*onFloat)(double);
  int64_t (*onInteger)(int64_t, IntegerKind);
};
struct BinaryRow {
  double (*onFloats)(double, double);
  int64_t (*onIntegers)(int64_t, int64_t, IntegerKind);
};

/// By kind: the rows stand in the order of the enum.
const UnaryRow kUnary[] = {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  {((domain) & F) ? &onFloat<UnaryKind::Name> : nullptr, ((domain) & (I | B)) ? &onInteger<UnaryKind::Name> : nullptr},
#include "dialects/Graph/IR/Elementwise.def"
};
const BinaryRow kBinary[] = {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  {((domain) & F) ? &onFloats<BinaryKind::Name> : nullptr,                                                             \
   ((domain) & (I | B)) ? &onIntegers<BinaryKind::Name> : nullptr},
#include "dialects/Graph/IR/Elementwise.def"
};

/// Every kind indexes its own row.
#define UNARY(Name, ...) static_assert(static_cast<unsigned>(UnaryKind::Name) < sizeof(kUnary) / sizeof(UnaryRow));
#define BINARY(Name, ...) static_assert(static_cast<unsigned>(BinaryKind::Name) < sizeof(kBinary) / sizeof(BinaryRow));
#include "dialects/Graph/IR/Elementwise.def"

IntegerKind kindOf(const Tensor &tensor) { return {tensor.getWidth(), tensor.isUnsigned()}; }

FailureOr<Shape> commonShape(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  std::optional<Shape> shape = broadcastShape(a, b);
  if (!shape)
    return op->emitError() << "shapes " << shapeText(a) << " and " << shapeText(b) << " do not broadcast";
  return *shape;
}

/// fn(a, b) for every pair of elements.
template <typename R, typename A, typename B, typename Fn>
std::vector<R> zipElements(ArrayRef<int64_t> shape, const Tensor &a, const std::vector<A> &as, const Tensor &b,
                           const std::vector<B> &bs, Fn fn) {
  std::vector<R> results(*elementCount(shape));
  Shape aStrides = broadcastStrides(a.getShape(), shape);
  Shape bStrides = broadcastStrides(b.getShape(), shape);
  forEachOffset<2>(shape, {ArrayRef(aStrides), ArrayRef(bStrides)},
                   [&](int64_t i, std::array<int64_t, 2> from) { results[i] = fn(as[from[0]], bs[from[1]]); });
  return results;
}

} // namespace

static Result evalUnary(UnaryOp op, Operands operands) {
  const Tensor &input = operands[0];
  const UnaryRow &row = kUnary[static_cast<unsigned>(op.getKind())];
  if (input.isFloat() ? !row.onFloat : !row.onInteger)
    return op.emitError() << "is not defined on " << input.getElementType();
  if (input.isFloat()) {
    std::vector<double> values = input.doubles();
    for (double &value : values)
      value = row.onFloat(value);
    return fromDoubles(op, input.getElementType(), input.getShape(), values);
  }
  std::vector<int64_t> values = input.ints();
  for (int64_t &value : values)
    value = row.onInteger(value, kindOf(input));
  return fromInts(op, input.getElementType(), input.getShape(), values);
}

static Result evalBinary(BinaryOp op, Operands operands) {
  const Tensor &lhs = operands[0], &rhs = operands[1];
  const BinaryRow &row = kBinary[static_cast<unsigned>(op.getKind())];
  Type element = lhs.getElementType();
  if (lhs.isFloat() ? !row.onFloats : !row.onIntegers)
    return op.emitError() << "is not defined on " << element;
  FailureOr<Shape> shape = commonShape(op, lhs.getShape(), rhs.getShape());
  if (failed(shape) || failed(allocate(op, element, *shape)))
    return failure();
  // Only pow mixes types; a float on either side makes it a float power.
  if (lhs.isFloat() || rhs.isFloat()) {
    auto fn = row.onFloats;
    if (!fn)
      return op.emitError() << "is not defined on " << rhs.getElementType();
    return fromDoubles(op, element, *shape, zipElements<double>(*shape, lhs, lhs.doubles(), rhs, rhs.doubles(), fn));
  }
  IntegerKind kind = kindOf(lhs);
  if (op.getKind() == BinaryKind::Pow)
    kind.isUnsigned = rhs.isUnsigned(); // only the exponent's sign matters
  auto fn = [&](int64_t a, int64_t b) { return row.onIntegers(a, b, kind); };
  return fromInts(op, element, *shape, zipElements<int64_t>(*shape, lhs, lhs.ints(), rhs, rhs.ints(), fn));
}

/// a `predicate` b from whether a < b and a == b.
template <typename Number, typename Less> static bool holds(Predicate predicate, Number a, Number b, Less less) {
  switch (predicate) {
  case Predicate::Eq:
    return a == b;
  case Predicate::Ne:
    return a != b;
  case Predicate::Lt:
    return less(a, b);
  case Predicate::Le:
    return less(a, b) || a == b;
  case Predicate::Gt:
    return less(b, a);
  case Predicate::Ge:
    return less(b, a) || a == b;
  }
  llvm_unreachable("unknown predicate");
}

static Result evalCompare(CompareOp op, Operands operands) {
  const Tensor &lhs = operands[0], &rhs = operands[1];
  FailureOr<Shape> shape = commonShape(op, lhs.getShape(), rhs.getShape());
  if (failed(shape) || failed(allocate(op, lhs.getElementType(), *shape)))
    return failure();
  Predicate predicate = op.getPredicate();
  std::vector<int64_t> values;
  if (lhs.isFloat()) {
    auto fn = [&](double a, double b) { return holds(predicate, a, b, std::less<double>()); };
    values = zipElements<int64_t>(*shape, lhs, lhs.doubles(), rhs, rhs.doubles(), fn);
  } else {
    IntegerKind kind = kindOf(lhs);
    auto fn = [&](int64_t a, int64_t b) {
      return holds(predicate, a, b, [&](int64_t x, int64_t y) { return kind.less(x, y); });
    };
    values = zipElements<int64_t>(*shape, lhs, lhs.ints(), rhs, rhs.ints(), fn);
  }
  return fromInts(op, resultElement(op), *shape, values);
}

static bool belongs(FloatClass kind, double x) {
  switch (kind) {
  case FloatClass::NaN:
    return std::isnan(x);
  case FloatClass::Inf:
    return std::isinf(x);
  case FloatClass::PosInf:
    return std::isinf(x) && x > 0;
  case FloatClass::NegInf:
    return std::isinf(x) && x < 0;
  }
  llvm_unreachable("unknown class");
}

static Result evalClassify(ClassifyOp op, Operands operands) {
  std::vector<int64_t> values;
  values.reserve(operands[0].size());
  for (double x : operands[0].doubles())
    values.push_back(belongs(op.getKind(), x));
  return fromInts(op, resultElement(op), operands[0].getShape(), values);
}

static Result evalSelect(SelectOp op, Operands operands) {
  FailureOr<Shape> branches = commonShape(op, operands[1].getShape(), operands[2].getShape());
  if (failed(branches))
    return failure();
  FailureOr<Shape> shape = commonShape(op, operands[0].getShape(), *branches);
  if (failed(shape))
    return failure();
  Result result = allocate(op, operands[1].getElementType(), *shape);
  if (failed(result))
    return failure();
  Shape strides[3];
  for (int n = 0; n < 3; ++n)
    strides[n] = broadcastStrides(operands[n].getShape(), *shape);
  ElementCopier ifTrue(*result, operands[1]), ifFalse(*result, operands[2]);
  ArrayRef<char> condition = operands[0].bytes();
  forEachOffset<3>(*shape, {ArrayRef(strides[0]), ArrayRef(strides[1]), ArrayRef(strides[2])},
                   [&](int64_t i, std::array<int64_t, 3> from) {
                     if (condition[from[0]])
                       ifTrue.copy(i, from[1]);
                     else
                       ifFalse.copy(i, from[2]);
                   });
  return result;
}

void addElementwise(OpTable &table) {
  table.add<UnaryOp>(evalUnary);
  table.add<BinaryOp>(evalBinary);
  table.add<CompareOp>(evalCompare);
  table.add<ClassifyOp>(evalClassify);
  table.add<SelectOp>(evalSelect);
}

} // namespace hone::reference
