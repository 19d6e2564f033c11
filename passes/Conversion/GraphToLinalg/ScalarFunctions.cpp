//===- ScalarFunctions.cpp - The elementwise kinds in arith and math ------===//
//
// One function per row of Elementwise.def, on numbers in their compute type. Integer functions are
// defined for all operands: dividing by zero gives 0, shifting by the width or more gives 0.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

using S = const ScalarBuilder &;

bool isFloat(Type element) { return isa<FloatType>(element); }

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

Value lowerAbs(S s, Value x, Type element) {
  if (isFloat(element))
    return s.absf(x);
  return isUnsigned(element) ? x : s.make<arith::MaxSIOp>(x, s.subi(s.num(x, 0), x));
}

Value lowerNeg(S s, Value x, Type element) { return isFloat(element) ? s.negf(x) : s.subi(s.num(x, 0), x); }

Value lowerSign(S s, Value x, Type element) {
  Value zero = s.num(x, 0), one = s.num(x, 1);
  if (!isFloat(element)) {
    Value positive = s.select(s.cmpi(CmpIPredicate::ne, x, zero), one, zero);
    if (isUnsigned(element))
      return positive;
    return s.select(s.cmpi(CmpIPredicate::slt, x, zero), s.num(x, -1), positive);
  }
  // Zeros and NaN stay what they are.
  Value negative = s.select(s.cmpf(CmpFPredicate::OLT, x, zero), s.num(x, -1), x);
  return s.select(s.cmpf(CmpFPredicate::OGT, x, zero), one, negative);
}

Value lowerNot(S s, Value x, Type) { return s.xori(x, s.bits(x, -1)); }
Value lowerCeil(S s, Value x, Type) { return s.make<math::CeilOp>(x); }
Value lowerFloor(S s, Value x, Type) { return s.make<math::FloorOp>(x); }
Value lowerRoundEven(S s, Value x, Type) { return s.make<math::RoundEvenOp>(x); }
Value lowerSqrt(S s, Value x, Type) { return s.sqrt(x); }
Value lowerRsqrt(S s, Value x, Type) { return s.divf(s.num(x, 1), s.sqrt(x)); }
Value lowerReciprocal(S s, Value x, Type) { return s.divf(s.num(x, 1), x); }
Value lowerExp(S s, Value x, Type) { return s.make<math::ExpOp>(x); }
Value lowerLog(S s, Value x, Type) { return s.make<math::LogOp>(x); }
Value lowerLog1p(S s, Value x, Type) { return s.make<math::Log1pOp>(x); }
Value lowerSin(S s, Value x, Type) { return s.make<math::SinOp>(x); }
Value lowerCos(S s, Value x, Type) { return s.make<math::CosOp>(x); }
Value lowerTan(S s, Value x, Type) { return s.make<math::TanOp>(x); }
Value lowerAsin(S s, Value x, Type) { return s.make<math::AsinOp>(x); }
Value lowerAcos(S s, Value x, Type) { return s.make<math::AcosOp>(x); }
Value lowerAtan(S s, Value x, Type) { return s.make<math::AtanOp>(x); }
Value lowerTanh(S s, Value x, Type) { return s.make<math::TanhOp>(x); }
Value lowerErf(S s, Value x, Type) { return s.make<math::ErfOp>(x); }

/// `magnitude`, which is not negative, with the sign of `x`.
Value withSign(S s, Value magnitude, Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  unsigned width = element.getIntOrFloatBitWidth();
  Type integer = s.builder.getIntegerType(width);
  Value sign = s.andi(s.bitcast(x, integer), static_cast<int64_t>(uint64_t(-1) << (width - 1)));
  return s.bitcast(s.ori(s.bitcast(magnitude, integer), sign), element);
}

/// e^(a/2) * e^(a/2) / 2: e^a / 2 without overflowing early.
Value halfExp(S s, Value a) {
  Value root = s.make<math::ExpOp>(s.mulf(a, s.num(a, 0.5)));
  return s.mulf(s.mulf(root, s.num(a, 0.5)), root);
}

Value lowerSinh(S s, Value x, Type) {
  Value a = s.absf(x), e = s.make<math::ExpM1Op>(a);
  Value sum = s.addf(e, s.divf(e, s.addf(e, s.num(e, 1))));
  Value isLarge = s.cmpf(CmpFPredicate::OGT, a, s.num(a, 80));
  return withSign(s, s.select(isLarge, halfExp(s, a), s.mulf(sum, s.num(a, 0.5))), x);
}

Value lowerCosh(S s, Value x, Type) {
  Value a = s.absf(x), e = s.make<math::ExpOp>(a);
  Value sum = s.addf(e, s.divf(s.num(e, 1), e));
  Value isLarge = s.cmpf(CmpFPredicate::OGT, a, s.num(a, 80));
  return s.select(isLarge, halfExp(s, a), s.mulf(sum, s.num(a, 0.5)));
}

/// log(x) + log(2): inverse hyperbolic functions where x^2 + 1 is x^2.
Value logOfDouble(S s, Value x) { return s.addf(s.make<math::LogOp>(x), s.num(x, 0.69314718055994530942)); }

Value isHuge(S s, Value x) {
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  return s.cmpf(CmpFPredicate::OGT, x, s.num(x, isDouble ? 1e9 : 1e5));
}

Value lowerAsinh(S s, Value x, Type) {
  Value a = s.absf(x), one = s.num(x, 1), square = s.mulf(a, a);
  Value rest = s.divf(square, s.addf(one, s.sqrt(s.addf(square, one))));
  Value exact = s.make<math::Log1pOp>(s.addf(a, rest));
  return withSign(s, s.select(isHuge(s, a), logOfDouble(s, a), exact), x);
}

Value lowerAcosh(S s, Value x, Type) {
  Value t = s.subf(x, s.num(x, 1));
  Value root = s.sqrt(s.addf(s.addf(t, t), s.mulf(t, t)));
  Value exact = s.make<math::Log1pOp>(s.addf(t, root));
  Value nan = s.num(x, std::numeric_limits<double>::quiet_NaN());
  Value isDefined = s.cmpf(CmpFPredicate::OGE, x, s.num(x, 1));
  return s.select(isDefined, s.select(isHuge(s, x), logOfDouble(s, x), exact), nan);
}

Value lowerAtanh(S s, Value x, Type) {
  Value a = s.absf(x);
  Value ratio = s.divf(s.addf(a, a), s.subf(s.num(a, 1), a));
  return withSign(s, s.mulf(s.make<math::Log1pOp>(ratio), s.num(a, 0.5)), x);
}

Value lowerSigmoid(S s, Value x, Type) {
  Value one = s.num(x, 1);
  return s.divf(one, s.addf(one, s.make<math::ExpOp>(s.negf(x))));
}

Value lowerSoftplus(S s, Value x, Type) {
  Value tail = s.make<math::Log1pOp>(s.make<math::ExpOp>(s.negf(s.absf(x))));
  return s.addf(s.make<arith::MaximumFOp>(x, s.num(x, 0)), tail);
}

//===----------------------------------------------------------------------===//
// Functions of two numbers
//===----------------------------------------------------------------------===//

Value lowerAdd(S s, Value a, Value b, Type element) { return isFloat(element) ? s.addf(a, b) : s.addi(a, b); }
Value lowerSub(S s, Value a, Value b, Type element) { return isFloat(element) ? s.subf(a, b) : s.subi(a, b); }
Value lowerMul(S s, Value a, Value b, Type element) { return isFloat(element) ? s.mulf(a, b) : s.muli(a, b); }

/// Truncated quotient or remainder, 0 for a zero divisor. The overflowing INT_MIN / -1 divides by 1.
template <typename SignedOp, typename UnsignedOp> Value divideSafely(S s, Value a, Value b, Type element) {
  Value zero = s.num(b, 0), one = s.num(b, 1);
  Value isZero = s.cmpi(CmpIPredicate::eq, b, zero);
  if (isUnsigned(element))
    return s.select(isZero, zero, s.make<UnsignedOp>(a, s.select(isZero, one, b)));
  unsigned width = getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
  Value isSmallest = s.cmpi(CmpIPredicate::eq, a, s.bits(a, static_cast<int64_t>(uint64_t(-1) << (width - 1))));
  Value overflows = s.andi(isSmallest, s.cmpi(CmpIPredicate::eq, b, s.num(b, -1)));
  return s.select(isZero, zero, s.make<SignedOp>(a, s.select(s.ori(isZero, overflows), one, b)));
}

Value lowerDiv(S s, Value a, Value b, Type element) {
  return isFloat(element) ? s.divf(a, b) : divideSafely<arith::DivSIOp, arith::DivUIOp>(s, a, b, element);
}

Value lowerRem(S s, Value a, Value b, Type element) {
  if (isFloat(element))
    return s.make<arith::RemFOp>(a, b);
  return divideSafely<arith::RemSIOp, arith::RemUIOp>(s, a, b, element);
}

Value lowerMod(S s, Value a, Value b, Type element) {
  Value rest = lowerRem(s, a, b, element), zero = s.num(rest, 0);
  if (isUnsigned(element))
    return rest;
  if (!isFloat(element)) {
    Value opposite = s.cmpi(CmpIPredicate::slt, s.xori(rest, b), zero);
    Value wrong = s.andi(s.cmpi(CmpIPredicate::ne, rest, zero), opposite);
    return s.select(wrong, s.addi(rest, b), rest);
  }
  Value opposite = s.xori(s.cmpf(CmpFPredicate::OLT, rest, zero), s.cmpf(CmpFPredicate::OLT, b, zero));
  Value wrong = s.andi(s.cmpf(CmpFPredicate::ONE, rest, zero), opposite);
  return s.select(wrong, s.addf(rest, b), rest);
}

/// Repeated squaring over the exponents that do not overflow; beyond them only 0, 1 and -1 have a
/// power. A negative exponent truncates 1 / a^-b.
Value integerPower(S s, Value a, Value b, Type element) {
  Value zero = s.num(a, 0), one = s.num(a, 1);
  unsigned width = getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
  unsigned steps = llvm::Log2_32_Ceil(width);
  Value result = one, square = a;
  auto bitIsSet = [&](unsigned bit) { return s.cmpi(CmpIPredicate::ne, s.andi(b, int64_t(1) << bit), zero); };
  for (unsigned bit = 0; bit < steps; ++bit) {
    if (bit)
      square = s.muli(square, square);
    result = s.select(bitIsSet(bit), s.muli(result, square), result);
  }
  Value isOne = s.cmpi(CmpIPredicate::eq, a, one);
  Value special = s.select(isOne, one, zero);
  if (!isUnsigned(element)) {
    Value isMinusOne = s.cmpi(CmpIPredicate::eq, a, s.num(a, -1));
    special = s.select(isMinusOne, s.select(bitIsSet(0), a, one), special);
  }
  Value isSmall = s.cmpi(CmpIPredicate::ult, b, s.bits(b, int64_t(1) << steps));
  return s.select(isSmall, result, special);
}

Value lowerPow(S s, Value a, Value b, Type element) {
  return isFloat(element) ? s.make<math::PowFOp>(a, b) : integerPower(s, a, b, element);
}

Value lowerMin(S s, Value a, Value b, Type element) {
  if (isFloat(element))
    return s.make<arith::MinimumFOp>(a, b);
  return isUnsigned(element) ? s.make<arith::MinUIOp>(a, b) : s.make<arith::MinSIOp>(a, b);
}

Value lowerMax(S s, Value a, Value b, Type element) {
  if (isFloat(element))
    return s.make<arith::MaximumFOp>(a, b);
  return isUnsigned(element) ? s.make<arith::MaxUIOp>(a, b) : s.make<arith::MaxSIOp>(a, b);
}

Value lowerAnd(S s, Value a, Value b, Type) { return s.andi(a, b); }
Value lowerOr(S s, Value a, Value b, Type) { return s.ori(a, b); }
Value lowerXor(S s, Value a, Value b, Type) { return s.xori(a, b); }

Value shiftSafely(S s, Value shifted, Value b) {
  unsigned width = getElementTypeOrSelf(b.getType()).getIntOrFloatBitWidth();
  return s.select(s.cmpi(CmpIPredicate::ult, b, s.bits(b, width)), shifted, s.num(b, 0));
}

Value lowerShl(S s, Value a, Value b, Type) { return shiftSafely(s, s.shl(a, b), b); }

Value lowerShr(S s, Value a, Value b, Type element) {
  if (isUnsigned(element))
    return shiftSafely(s, s.shru(a, b), b);
  // Nothing but copies of the sign is left of a number that is shifted too far.
  int64_t width = getElementTypeOrSelf(b.getType()).getIntOrFloatBitWidth();
  Value inside = s.cmpi(CmpIPredicate::ult, b, s.bits(b, width));
  return s.shrs(a, s.select(inside, b, s.bits(b, width - 1)));
}

} // namespace

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

FailureOr<Value> graph_to_linalg::unaryFunction(OpBuilder &builder, Location loc, graph::UnaryKind kind, Value x,
                                                Type element) {
  using namespace hone::graph;
  ScalarBuilder s{builder, loc};
  switch (kind) {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  case UnaryKind::Name:                                                                                                \
    if (!((domain) & domainOf(element)))                                                                               \
      return failure();                                                                                                \
    return lower##Name(s, x, element);
#include "dialects/Graph/IR/Elementwise.def"
  }
  return failure();
}

FailureOr<Value> graph_to_linalg::binaryFunction(OpBuilder &builder, Location loc, graph::BinaryKind kind, Value a,
                                                 Value b, Type element) {
  using namespace hone::graph;
  ScalarBuilder s{builder, loc};
  switch (kind) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case BinaryKind::Name:                                                                                               \
    if (!((domain) & domainOf(element)))                                                                               \
      return failure();                                                                                                \
    return lower##Name(s, a, b, element);
#include "dialects/Graph/IR/Elementwise.def"
  }
  return failure();
}

Value graph_to_linalg::compareFunction(OpBuilder &builder, Location loc, graph::Predicate predicate, Value a, Value b,
                                       Type element) {
  struct Row {
    CmpFPredicate floats;
    CmpIPredicate signedIntegers, unsignedIntegers;
  };
  static constexpr Row table[] = {
      {CmpFPredicate::OEQ, CmpIPredicate::eq, CmpIPredicate::eq},
      {CmpFPredicate::UNE, CmpIPredicate::ne, CmpIPredicate::ne},
      {CmpFPredicate::OLT, CmpIPredicate::slt, CmpIPredicate::ult},
      {CmpFPredicate::OLE, CmpIPredicate::sle, CmpIPredicate::ule},
      {CmpFPredicate::OGT, CmpIPredicate::sgt, CmpIPredicate::ugt},
      {CmpFPredicate::OGE, CmpIPredicate::sge, CmpIPredicate::uge},
  };
  const Row &row = table[static_cast<unsigned>(predicate)];
  ScalarBuilder s{builder, loc};
  if (isFloat(element))
    return s.cmpf(row.floats, a, b);
  return s.cmpi(isUnsigned(element) ? row.unsignedIntegers : row.signedIntegers, a, b);
}
