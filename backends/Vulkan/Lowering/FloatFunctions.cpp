//===- FloatFunctions.cpp - Functions of f32 and f64 as arithmetic --------===//

#include "backends/Vulkan/Lowering/FloatFunctions.h"

#include "backends/Vulkan/Lowering/FloatTables.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::vulkan;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLog2E = 1.4426950408889634;

FloatFunctions::FloatFunctions(OpBuilder &builder, Location loc, Type element)
    : s{builder, loc}, element(element), integer(builder.getIntegerType(element.getIntOrFloatBitWidth())),
      table(element.isF64() ? kFloat64 : kFloat32) {}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value FloatFunctions::horner(Value x, ArrayRef<double> coefficients) const {
  Value result = num(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = s.addf(s.mulf(result, x), num(x, coefficient));
  return result;
}

Value FloatFunctions::compare(CmpFPredicate predicate, Value x, double y) const {
  return s.cmpf(predicate, x, num(x, y));
}

Value FloatFunctions::hasSign(Value x) const {
  Value bits = s.bitcast(x, integer);
  return s.cmpi(CmpIPredicate::slt, bits, s.bits(bits, 0));
}

Value FloatFunctions::withSignOf(Value magnitude, Value x) const {
  Value mask =
      s.bits(s.bitcast(x, integer), static_cast<int64_t>(uint64_t(1) << (element.getIntOrFloatBitWidth() - 1)));
  Value sign = s.andi(s.bitcast(x, integer), mask);
  return s.bitcast(s.ori(s.bitcast(magnitude, integer), sign), element);
}

Value FloatFunctions::scale(Value x, Value k) const {
  // In two steps: neither power of two leaves the normal numbers, and a subnormal result is rounded once.
  Value first = s.shrs(k, 1), second = s.subi(k, first);
  auto power = [&](Value exponent) {
    Value biased = s.addi(exponent, s.bits(exponent, table.bias));
    return s.bitcast(s.shl(s.resize(biased, integer, false), table.mantissa), element);
  };
  return s.mulf(s.mulf(x, power(first)), power(second));
}

FloatFunctions::Pair FloatFunctions::fastSum(Value larger, Value smaller) const {
  Value high = s.addf(larger, smaller);
  return {high, s.subf(smaller, s.subf(high, larger))};
}

FloatFunctions::Pair FloatFunctions::sum(Value x, Value y) const {
  Value high = s.addf(x, y);
  Value part = s.subf(high, x);
  return {high, s.addf(s.subf(x, s.subf(high, part)), s.subf(y, part))};
}

/// Two numbers of half as many bits, whose products are exact.
FloatFunctions::Pair FloatFunctions::halves(Value x) const {
  Value wide = s.mulf(x, num(x, std::ldexp(1.0, (table.mantissa + 2) / 2) + 1));
  Value high = s.subf(wide, s.subf(wide, x));
  return {high, s.subf(x, high)};
}

FloatFunctions::Pair FloatFunctions::product(Value x, Value y) const {
  Value high = s.mulf(x, y);
  Pair a = halves(x), b = halves(y);
  Value error = s.subf(s.mulf(a.high, b.high), high);
  error = s.addf(s.addf(error, s.mulf(a.high, b.low)), s.mulf(a.low, b.high));
  return {high, s.addf(error, s.mulf(a.low, b.low))};
}

Value FloatFunctions::roundEven(Value x) const {
  // From here on numbers are integers: a sum rounds to one.
  double large = std::ldexp(1.0, table.mantissa);
  Value magnitude = s.make<math::AbsFOp>(x);
  Value rounded = s.subf(s.addf(magnitude, num(x, large)), num(x, large));
  return s.select(compare(CmpFPredicate::OLT, magnitude, large), withSignOf(rounded, x), x);
}

//===----------------------------------------------------------------------===//
// Exponential and logarithm
//===----------------------------------------------------------------------===//

/// e^r - 1 and k, where e^(x + low) = e^r 2^k; `low` may be null.
FloatFunctions::Exponential FloatFunctions::reduceExp(Value x, Value low) const {
  Value k = s.make<math::RoundEvenOp>(s.mulf(x, num(x, kLog2E)));
  Value r = s.subf(s.subf(x, s.mulf(k, num(k, table.ln2High))), s.mulf(k, num(k, table.ln2Low)));
  if (low)
    r = s.addf(r, low);
  Value fraction = s.addf(r, s.mulf(s.mulf(r, r), horner(r, table.exp)));
  return {fraction, s.to<arith::FPToSIOp>(k, s.builder.getI32Type())};
}

Value FloatFunctions::expOfPair(Pair x) const {
  Value isHigh = compare(CmpFPredicate::OGT, x.high, table.highestExp);
  Value isLow = compare(CmpFPredicate::OLT, x.high, table.lowestExp);
  Value inside = s.select(isHigh, num(x.high, table.highestExp), x.high);
  inside = s.select(isLow, num(x.high, table.lowestExp), inside);
  Value low = x.low ? s.select(s.ori(isHigh, isLow), num(x.low, 0), x.low) : Value();
  Exponential e = reduceExp(inside, low);
  return scale(s.addf(e.fraction, num(e.fraction, 1)), e.k);
}

Value FloatFunctions::exp(Value x) const { return expOfPair({x, {}}); }

Value FloatFunctions::expm1(Value x) const {
  // Where 1 is nothing beside e^x or e^x nothing beside 1 the difference needs no care.
  double largest = table.mantissa + 4;
  Value isLarge = compare(CmpFPredicate::OGT, x, largest);
  Value isSmall = compare(CmpFPredicate::OLT, x, -largest);
  Value inside = s.select(isLarge, num(x, largest), s.select(isSmall, num(x, -largest), x));
  Exponential e = reduceExp(inside, {});
  Value one = num(x, 1);
  Value power = scale(one, e.k);
  Value exact = s.addf(s.mulf(e.fraction, power), s.subf(power, one));
  exact = s.select(compare(CmpFPredicate::OEQ, x, 0), x, exact);
  return s.select(isLarge, exp(x), exact);
}

FloatFunctions::Split FloatFunctions::split(Value x) const {
  Value isTiny = compare(CmpFPredicate::OLT, x, std::ldexp(1.0, 1 - table.bias));
  int shift = table.mantissa + 2;
  Value normal = s.select(isTiny, s.mulf(x, num(x, std::ldexp(1.0, shift))), x);
  Value bits = s.bitcast(normal, integer);
  bool isDouble = element.isF64();
  int64_t rootBits = isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3; // sqrt(1/2)
  Value exponent = s.shrs(s.subi(bits, s.bits(bits, rootBits)), table.mantissa);
  Value mantissa = s.bitcast(s.subi(bits, s.shl(exponent, table.mantissa)), element);
  Value number = s.to<arith::SIToFPOp>(s.resize(exponent, s.builder.getI32Type(), false), element);
  return {mantissa, s.select(isTiny, s.subf(number, num(number, shift)), number)};
}

Value FloatFunctions::log(Value x) const {
  auto [mantissa, exponent] = split(x);
  Value f = s.subf(mantissa, num(x, 1));
  // log(1 + f) = 2 atanh(f / (2 + f)), written so that f itself is not rounded.
  Value ratio = s.divf(f, s.addf(f, num(f, 2)));
  Value z = s.mulf(ratio, ratio);
  Value half = s.mulf(s.mulf(f, num(f, 0.5)), f);
  Value rest = s.mulf(ratio, s.addf(half, s.mulf(z, horner(z, table.log))));
  rest = s.addf(rest, s.mulf(exponent, num(f, table.ln2Low)));
  Value result = s.subf(s.mulf(exponent, num(f, table.ln2High)), s.subf(s.subf(half, rest), f));
  result = s.select(compare(CmpFPredicate::OEQ, x, kInfinity), x, result);
  result = s.select(compare(CmpFPredicate::OEQ, x, 0), num(x, -kInfinity), result);
  return s.select(compare(CmpFPredicate::OGE, x, 0), result, num(x, kNaN));
}

Value FloatFunctions::log1p(Value x) const {
  // What 1 + x loses of x, the quotient gives back.
  Value one = num(x, 1), sum = s.addf(one, x);
  Value corrected = s.mulf(log(sum), s.divf(x, s.subf(sum, one)));
  corrected = s.select(compare(CmpFPredicate::OEQ, x, kInfinity), x, corrected);
  return s.select(s.cmpf(CmpFPredicate::OEQ, sum, one), x, corrected);
}

Value FloatFunctions::tanh(Value x) const {
  Value a = s.absf(x);
  Value t = expm1(s.addf(a, a));
  Value exact = s.divf(t, s.addf(t, num(t, 2)));
  Value isOne = compare(CmpFPredicate::OGT, a, table.unitTanh);
  return withSignOf(s.select(isOne, num(x, 1), exact), x);
}

Value FloatFunctions::erf(Value x) const {
  Value a = s.absf(x), one = num(x, 1);
  Value small = s.addf(x, s.mulf(x, horner(s.mulf(x, x), table.erf)));
  Value b = s.select(compare(CmpFPredicate::OLT, a, table.unitErf), a, num(x, table.unitErf));
  Value t = s.divf(one, s.addf(b, num(x, 2)));
  Value large = s.subf(one, s.mulf(exp(s.negf(s.mulf(b, b))), horner(t, table.erfc)));
  large = s.select(compare(CmpFPredicate::OGE, a, table.unitErf), one, large);
  return s.select(compare(CmpFPredicate::OGE, a, 1), withSignOf(large, x), small);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

FloatFunctions::Angle FloatFunctions::reduceAngle(Value x) const {
  Value k = s.make<math::RoundEvenOp>(s.mulf(x, num(x, 0.6366197723675814)));
  Value rest = s.subf(x, s.mulf(k, num(k, table.halfPi.front())));
  Value low = num(x, 0);
  for (double part : table.halfPi.drop_front()) {
    Pair next = sum(rest, s.negf(s.mulf(k, num(k, part))));
    rest = next.high;
    low = s.addf(low, next.low);
  }
  Pair exact = fastSum(rest, low);
  Value turns = s.make<math::FloorOp>(s.mulf(k, num(k, 0.25)));
  Value quadrant = s.subf(k, s.mulf(turns, num(k, 4)));
  return {exact, s.to<arith::FPToSIOp>(quadrant, s.builder.getI32Type())};
}

Value FloatFunctions::sinOf(const Angle &angle) const {
  auto [r, low] = angle.rest;
  Value z = s.mulf(r, r);
  Value cubic = s.mulf(s.mulf(r, z), horner(z, table.sin));
  Value correction = s.mulf(low, s.subf(num(z, 1), s.mulf(z, num(z, 0.5))));
  return s.addf(r, s.addf(cubic, correction));
}

Value FloatFunctions::cosOf(const Angle &angle) const {
  auto [r, low] = angle.rest;
  Value z = s.mulf(r, r), one = num(r, 1);
  Value half = s.mulf(z, num(z, 0.5));
  Value first = s.subf(one, half);
  Value lost = s.subf(s.subf(one, first), half);
  Value quartic = s.mulf(s.mulf(z, z), horner(z, table.cos));
  return s.addf(first, s.addf(lost, s.subf(quartic, s.mulf(r, low))));
}

static Value bitIsSet(const graph_to_linalg::ScalarBuilder &s, Value number, int64_t bit) {
  return s.cmpi(CmpIPredicate::ne, s.andi(number, bit), s.bits(number, 0));
}

Value FloatFunctions::sin(Value x) const {
  Angle angle = reduceAngle(x);
  Value result = s.select(bitIsSet(s, angle.quadrant, 1), cosOf(angle), sinOf(angle));
  result = s.select(bitIsSet(s, angle.quadrant, 2), s.negf(result), result);
  return s.select(compare(CmpFPredicate::OEQ, x, 0), x, result);
}

Value FloatFunctions::cos(Value x) const {
  Angle angle = reduceAngle(x);
  Value result = s.select(bitIsSet(s, angle.quadrant, 1), sinOf(angle), cosOf(angle));
  Value next = s.addi(angle.quadrant, s.bits(angle.quadrant, 1));
  return s.select(bitIsSet(s, next, 2), s.negf(result), result);
}

Value FloatFunctions::tan(Value x) const {
  Angle angle = reduceAngle(x);
  Value sine = sinOf(angle), cosine = cosOf(angle);
  Value isOdd = bitIsSet(s, angle.quadrant, 1);
  Value result = s.divf(s.select(isOdd, s.negf(cosine), sine), s.select(isOdd, sine, cosine));
  return s.select(compare(CmpFPredicate::OEQ, x, 0), x, result);
}

Value FloatFunctions::atan(Value x) const {
  Value a = s.absf(x), one = num(x, 1), zero = num(x, 0);
  Value isLarge = compare(CmpFPredicate::OGT, a, 1);
  Value t = s.select(isLarge, s.divf(one, a), a);
  // Beyond tan(pi/8): atan(t) = pi/4 + atan((t - 1) / (t + 1)).
  Value isHalf = compare(CmpFPredicate::OGT, t, 0.4142135623730951);
  Value u = s.select(isHalf, s.divf(s.subf(t, one), s.addf(t, one)), t);
  Value z = s.mulf(u, u);
  Value cubic = s.mulf(s.mulf(u, z), horner(z, table.atan));
  cubic = s.addf(cubic, s.select(isHalf, num(x, table.halfPiLow / 2), zero));
  Value angle = s.addf(s.select(isHalf, num(x, table.halfPiHigh / 2), zero), s.addf(u, cubic));
  Value complement = s.subf(num(x, table.halfPiHigh), s.subf(angle, num(x, table.halfPiLow)));
  return withSignOf(s.select(isLarge, complement, angle), x);
}

Value FloatFunctions::asin(Value x) const {
  Value one = num(x, 1);
  return atan(s.divf(x, s.sqrt(s.mulf(s.subf(one, x), s.addf(one, x)))));
}

Value FloatFunctions::acos(Value x) const {
  Value one = num(x, 1);
  Value half = atan(s.sqrt(s.divf(s.subf(one, x), s.addf(one, x))));
  return s.addf(half, half);
}

//===----------------------------------------------------------------------===//
// Power and remainder
//===----------------------------------------------------------------------===//

/// log(x) with about ten bits more than the type has, for that is what a power loses of it.
FloatFunctions::Pair FloatFunctions::logOfPositive(Value x) const {
  auto [m, exponent] = split(x);
  Value one = num(x, 1);
  // s = (m - 1) / (m + 1), then log(m) = 2 atanh(s) = 2s (1 + s^2/3 + s^4 ...).
  Value f = s.subf(m, one);
  Pair t = fastSum(m, one);
  t.low = s.subf(m, s.subf(t.high, one));
  Value ratio = s.divf(f, t.high);
  Pair back = product(ratio, t.high);
  Value error = s.subf(s.subf(f, back.high), back.low);
  Value ratioLow = s.divf(s.subf(error, s.mulf(ratio, t.low)), t.high);

  Pair z = product(ratio, ratio);
  z.low = s.addf(z.low, s.mulf(s.addf(ratio, ratio), ratioLow));
  Pair v = product(z.high, num(x, table.thirdHigh));
  Value tail = s.mulf(s.mulf(z.high, z.high), horner(z.high, table.pow));
  Value small = s.addf(s.mulf(z.high, num(x, table.thirdLow)), s.mulf(z.low, num(x, table.thirdHigh)));
  v = fastSum(v.high, s.addf(tail, s.addf(v.low, small)));

  Pair q = product(ratio, v.high);
  q.low = s.addf(q.low, s.addf(s.mulf(ratio, v.low), s.mulf(ratioLow, v.high)));
  Pair a = fastSum(ratio, q.high);
  a.low = s.addf(a.low, s.addf(q.low, ratioLow));

  Pair result = sum(s.mulf(exponent, num(x, table.ln2High)), s.addf(a.high, a.high));
  Value low = s.addf(s.mulf(exponent, num(x, table.ln2Low)), s.addf(a.low, a.low));
  return fastSum(result.high, s.addf(result.low, low));
}

Value FloatFunctions::pow(Value x, Value y) const {
  Value a = s.absf(x), one = num(x, 1), zero = num(x, 0), infinity = num(x, kInfinity);
  Value bounded = s.make<arith::MinNumFOp>(y, num(y, table.largestPower));
  bounded = s.make<arith::MaxNumFOp>(bounded, num(y, -table.largestPower));
  Pair logarithm = logOfPositive(a);
  Pair exponent = product(bounded, logarithm.high);
  exponent.low = s.addf(exponent.low, s.mulf(bounded, logarithm.low));
  Value result = expOfPair(exponent);

  Value isRising = compare(CmpFPredicate::OGT, y, 0);
  result = s.select(compare(CmpFPredicate::OEQ, a, 0), s.select(isRising, zero, infinity), result);
  result = s.select(compare(CmpFPredicate::OEQ, a, kInfinity), s.select(isRising, infinity, zero), result);

  Value isInteger = s.cmpf(CmpFPredicate::OEQ, s.make<math::FloorOp>(y), y);
  Value half = s.mulf(y, num(y, 0.5));
  Value isOdd = s.andi(isInteger, s.cmpf(CmpFPredicate::ONE, s.make<math::FloorOp>(half), half));
  result = s.select(s.andi(isOdd, hasSign(x)), s.negf(result), result);
  Value isNegative = s.andi(compare(CmpFPredicate::OLT, x, 0), compare(CmpFPredicate::OGT, x, -kInfinity));
  Value isDefined = s.select(isNegative, isInteger, s.cmpf(CmpFPredicate::ORD, x, y));
  result = s.select(isDefined, result, num(x, kNaN));
  Value isOne = s.ori(compare(CmpFPredicate::OEQ, x, 1), compare(CmpFPredicate::OEQ, y, 0));
  return s.select(isOne, one, result);
}

Value FloatFunctions::quotient(Value x, Value y) const {
  // One step from the device's quotient; what that leaves of x is known exactly.
  Value start = s.divf(x, y);
  Pair covered = product(start, y);
  Value rest = s.subf(s.subf(x, covered.high), covered.low);
  Value better = s.addf(start, s.divf(rest, y));
  // There is no rest of infinities, NaNs and what is too large to be split.
  return s.select(compare(CmpFPredicate::ONE, rest, 0), better, start);
}

Value FloatFunctions::remainder(Value x, Value y) const {
  OpBuilder &builder = s.builder;
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  unsigned freeBits = 63 - table.mantissa - (element.isF64() ? 0 : 1);
  struct Number {
    Value mantissa, exponent;
  };
  // |v| = mantissa 2^exponent, in units of the smallest number.
  auto take = [&](Value v) -> Number {
    Value bits = s.bitcast(s.absf(v), integer);
    Value exponent = s.resize(s.shru(bits, table.mantissa), i32, true);
    Value isNormal = s.cmpi(CmpIPredicate::ne, exponent, s.bits(exponent, 0));
    Value stored = s.andi(bits, (int64_t(1) << table.mantissa) - 1);
    Value hidden = s.select(isNormal, s.bits(bits, int64_t(1) << table.mantissa), s.bits(bits, 0));
    Value mantissa = s.resize(s.ori(stored, hidden), i64, true);
    return {mantissa, s.make<arith::MaxSIOp>(exponent, s.bits(exponent, 1))};
  };
  Number a = take(x), b = take(y);
  Value divisor = s.make<arith::MaxUIOp>(b.mantissa, s.bits(b.mantissa, 1));
  Value start = s.make<arith::RemUIOp>(a.mantissa, divisor);
  // As many bits of the quotient at a time as an integer has room for.
  auto loop = scf::WhileOp::create(
      builder, s.loc, TypeRange{i64, i32}, ValueRange{start, a.exponent},
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        Value goesOn = arith::CmpIOp::create(inner, loc, CmpIPredicate::sgt, state[1], b.exponent);
        scf::ConditionOp::create(inner, loc, goesOn, state);
      },
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        graph_to_linalg::ScalarBuilder t{inner, loc};
        Value left = t.subi(state[1], b.exponent);
        Value step = t.make<arith::MinSIOp>(left, t.bits(left, freeBits));
        Value shifted = t.shl(state[0], t.resize(step, i64, true));
        Value rest = t.make<arith::RemUIOp>(shifted, divisor);
        scf::YieldOp::create(inner, loc, ValueRange{rest, t.subi(state[1], step)});
      });
  Value rest = s.to<arith::SIToFPOp>(loop.getResult(0), element);
  Value unit = s.subi(b.exponent, s.bits(b.exponent, table.bias + table.mantissa));
  Value result = withSignOf(scale(rest, unit), x);
  result = s.select(s.cmpf(CmpFPredicate::OLT, s.absf(x), s.absf(y)), x, result);
  Value isDefined = s.andi(compare(CmpFPredicate::ONE, y, 0), compare(CmpFPredicate::ONE, s.absf(x), kInfinity));
  return s.select(isDefined, result, num(x, kNaN));
}
