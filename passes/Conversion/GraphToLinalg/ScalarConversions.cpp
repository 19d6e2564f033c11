//===- ScalarConversions.cpp - Elements of one type as another ------------===//
//
// f8, f4, e8m0 and bf16 go through integer arithmetic on their bits, so that no target needs
// library calls; conversions never leave what is defined.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

namespace {

/// A float format of at most 8 bits with a sign, by its fields and special codes (without sign).
struct SmallFormat {
  unsigned signBit, mantissa;
  int bias;
  int64_t largest, overflow, nan;
  bool hasInf;
  /// "fnuz": no negative zero, its code is the only NaN.
  bool unsignedZero;
};

SmallFormat formatOf(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return {7, 3, 7, 0x7e, 0x7f, 0x7f, false, false};
  if (isa<Float8E4M3FNUZType>(element))
    return {7, 3, 8, 0x7f, 0x80, 0x80, false, true};
  if (isa<Float8E5M2Type>(element))
    return {7, 2, 15, 0x7b, 0x7c, 0x7e, true, false};
  if (isa<Float8E5M2FNUZType>(element))
    return {7, 2, 16, 0x7f, 0x80, 0x80, false, true};
  return {3, 1, 1, 7, 7, 8, false, false}; // f4E2M1FN: NaN becomes zero
}

/// Exponents without sign or mantissa.
Value decodeScale(const ScalarBuilder &s, Value bits) {
  Value wide = s.to<arith::ExtUIOp>(bits, s.builder.getI32Type());
  Value normal = s.shl(wide, 23);
  Value isSmallest = s.cmpi(CmpIPredicate::eq, wide, s.bits(wide, 0));
  Value isNaN = s.cmpi(CmpIPredicate::eq, wide, s.bits(wide, 255));
  Value pattern = s.select(isSmallest, s.bits(wide, 0x00400000), normal);
  pattern = s.select(isNaN, s.bits(wide, 0x7fc00000), pattern);
  return s.bitcast(pattern, s.builder.getF32Type());
}

Value encodeScale(const ScalarBuilder &s, Value number, bool saturate, graph::Rounding rounding) {
  Value pattern = s.bitcast(number, s.builder.getI32Type());
  Value exponent = s.andi(s.shru(pattern, 23), 255);
  auto someOf = [&](int64_t mask) { return s.cmpi(CmpIPredicate::ne, s.andi(pattern, mask), s.bits(pattern, 0)); };
  Value code = exponent;
  if (rounding != graph::Rounding::Down) {
    Value up = someOf(0x7fffff);
    if (rounding == graph::Rounding::Nearest) {
      Value odd = s.cmpi(CmpIPredicate::ne, exponent, s.bits(exponent, 0));
      up = s.andi(someOf(0x400000), s.ori(someOf(0x3fffff), odd));
    }
    code = s.addi(code, s.to<arith::ExtUIOp>(up, s.builder.getI32Type()));
  }
  code = s.make<arith::MinUIOp>(code, s.bits(code, saturate ? 254 : 255));
  code = s.select(s.isNaN(number), s.bits(code, 255), code);
  return s.to<arith::TruncIOp>(code, s.builder.getI8Type());
}

Value truncateToBF16(const ScalarBuilder &s, Value number) {
  Value pattern = s.bitcast(number, s.builder.getI32Type());
  Value odd = s.andi(s.shru(pattern, 16), 1);
  Value rounded = s.addi(pattern, s.addi(odd, s.bits(odd, 0x7fff)));
  Value quiet = s.ori(pattern, s.bits(pattern, 0x400000));
  Value high = s.shru(s.select(s.isNaN(number), quiet, rounded), 16);
  return s.bitcast(s.to<arith::TruncIOp>(high, s.builder.getI16Type()), s.builder.getBF16Type());
}

/// Not arith.extf: LLVM would move functions like fabs in front of it, where they need a library.
Value extendBF16(const ScalarBuilder &s, Value stored) {
  Value pattern = s.to<arith::ExtUIOp>(s.bitcast(stored, s.builder.getI16Type()), s.builder.getI32Type());
  return s.bitcast(s.shl(pattern, 16), s.builder.getF32Type());
}

/// f64 -> f32 such that a second rounding to fewer bits is as good as one: towards zero, with the
/// last bit set when something was lost.
Value roundToOdd(const ScalarBuilder &s, Value number) {
  Type i32 = s.builder.getI32Type();
  Value nearest = s.to<arith::TruncFOp>(number, s.builder.getF32Type());
  Value back = s.to<arith::ExtFOp>(nearest, s.builder.getF64Type());
  Value pattern = s.bitcast(nearest, i32);
  Value tooLarge = s.cmpf(CmpFPredicate::OGT, s.absf(back), s.absf(number));
  Value inexact = s.cmpf(CmpFPredicate::ONE, back, number);
  Value truncated = s.subi(pattern, s.to<arith::ExtUIOp>(tooLarge, i32));
  Value odd = s.ori(truncated, s.to<arith::ExtUIOp>(inexact, i32));
  return s.bitcast(odd, s.builder.getF32Type());
}

/// Bits above the width of a sub-byte integer follow its sign.
Value wrap(const ScalarBuilder &s, Value stored, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1 || width >= 8)
    return stored;
  if (isa<FloatType>(element) || isUnsigned(element))
    return s.andi(stored, (int64_t(1) << width) - 1);
  return s.shrs(s.shl(stored, 8 - width), 8 - width);
}

} // namespace

Value graph_to_linalg::decodeFloat8(OpBuilder &builder, Location loc, Value bits, Type element) {
  ScalarBuilder s{builder, loc};
  if (isa<Float8E8M0FNUType>(element))
    return decodeScale(s, bits);
  SmallFormat format = formatOf(element);
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value code = s.to<arith::ExtUIOp>(bits, i32);
  Value magnitude = s.andi(code, (int64_t(1) << format.signBit) - 1);
  Value sign = s.shl(s.shru(code, format.signBit), 31);
  Value normal = s.addi(s.shl(magnitude, 23 - format.mantissa), s.bits(code, int64_t(127 - format.bias) << 23));
  Value steps = s.to<arith::UIToFPOp>(magnitude, f32);
  Value tiny = s.mulf(steps, s.num(steps, std::ldexp(1.0, 1 - format.bias - static_cast<int>(format.mantissa))));
  Value isTiny = s.cmpi(CmpIPredicate::ult, magnitude, s.bits(magnitude, int64_t(1) << format.mantissa));
  Value pattern = s.select(isTiny, s.bitcast(tiny, i32), normal);
  Value quietNaN = s.bits(code, 0x7fc00000);
  if (format.hasInf) {
    Value isInf = s.cmpi(CmpIPredicate::eq, magnitude, s.bits(code, format.overflow));
    Value isSpecial = s.cmpi(CmpIPredicate::uge, magnitude, s.bits(code, format.overflow));
    pattern = s.select(isSpecial, s.select(isInf, s.bits(code, 0x7f800000), quietNaN), pattern);
  } else if (!format.unsignedZero && format.signBit == 7) {
    pattern = s.select(s.cmpi(CmpIPredicate::eq, magnitude, s.bits(code, format.nan)), quietNaN, pattern);
  }
  pattern = s.ori(pattern, sign);
  if (format.unsignedZero)
    pattern = s.select(s.cmpi(CmpIPredicate::eq, code, s.bits(code, format.nan)), quietNaN, pattern);
  return s.bitcast(pattern, f32);
}

Value graph_to_linalg::encodeFloat8(OpBuilder &builder, Location loc, Value number, Type element, bool saturate,
                                    graph::Rounding rounding) {
  ScalarBuilder s{builder, loc};
  if (isa<Float8E8M0FNUType>(element))
    return encodeScale(s, number, saturate, rounding);
  SmallFormat format = formatOf(element);
  Type i32 = builder.getI32Type();
  unsigned dropped = 23 - format.mantissa;
  Value pattern = s.bitcast(number, i32);
  Value sign = s.shl(s.shru(pattern, 31), format.signBit);
  Value magnitude = s.andi(pattern, 0x7fffffff);

  // Round to nearest even in the bits; exponents below the smallest by adding a number whose last
  // place is the smallest step.
  Value odd = s.andi(s.shru(magnitude, dropped), 1);
  Value rounded = s.addi(magnitude, s.addi(odd, s.bits(odd, (int64_t(1) << (dropped - 1)) - 1)));
  Value normal = s.subi(s.shru(rounded, dropped), s.bits(odd, int64_t(127 - format.bias) << format.mantissa));
  Value absolute = s.bitcast(magnitude, builder.getF32Type());
  Value step = s.num(absolute, std::ldexp(1.0, 24 - format.bias - static_cast<int>(format.mantissa)));
  Value tiny = s.subi(s.bitcast(s.addf(absolute, step), i32), s.bitcast(step, i32));
  Value isTiny = s.cmpi(CmpIPredicate::ult, magnitude, s.bits(odd, int64_t(128 - format.bias) << 23));
  Value code = s.select(isTiny, tiny, normal);

  Value tooLarge = s.cmpi(CmpIPredicate::sgt, code, s.bits(code, format.largest));
  Value isNaN = s.cmpi(CmpIPredicate::ugt, magnitude, s.bits(code, 0x7f800000));
  bool clamps = saturate || format.signBit != 7;
  Value nan = s.bits(code, format.nan);
  if (clamps)
    code = s.select(tooLarge, s.bits(code, format.largest), code);
  else if (!format.unsignedZero)
    code = s.select(tooLarge, s.bits(code, format.overflow), code);
  if (!format.unsignedZero) {
    code = s.ori(s.select(isNaN, nan, code), sign);
  } else {
    Value isZero = s.cmpi(CmpIPredicate::eq, code, s.bits(code, 0));
    Value isSpecial = clamps ? isNaN : s.ori(isNaN, tooLarge);
    code = s.select(isSpecial, nan, s.select(isZero, code, s.ori(code, sign)));
  }
  return s.to<arith::TruncIOp>(format.signBit == 7 ? code : s.andi(code, 15), builder.getI8Type());
}

//===----------------------------------------------------------------------===//
// All types
//===----------------------------------------------------------------------===//

Value graph_to_linalg::loadElement(OpBuilder &builder, Location loc, Value stored, Type element) {
  if (!isa<FloatType>(element))
    return stored;
  if (element.getIntOrFloatBitWidth() < 16)
    return decodeFloat8(builder, loc, stored, element);
  ScalarBuilder s{builder, loc};
  return element.isBF16() ? extendBF16(s, stored) : s.resizeFloat(stored, computeType(element));
}

Value graph_to_linalg::storeElement(OpBuilder &builder, Location loc, Value number, Type element, bool saturate,
                                    graph::Rounding rounding) {
  ScalarBuilder s{builder, loc};
  if (!isa<FloatType>(element))
    return wrap(s, number, element);
  if (element.getIntOrFloatBitWidth() < 16)
    return encodeFloat8(builder, loc, number, element, saturate, rounding);
  if (element.isBF16())
    return truncateToBF16(s, number);
  return element.isF16() ? s.to<arith::TruncFOp>(number, element) : number;
}

Value graph_to_linalg::floatToInt(OpBuilder &builder, Location loc, Value number, Type integer, bool isUnsigned) {
  ScalarBuilder s{builder, loc};
  unsigned width = integer.getIntOrFloatBitWidth();
  // What does not fit becomes the smallest number, as x86 has it.
  auto convert = [&](unsigned bits) -> Value {
    Value low = s.num(number, -std::ldexp(1.0, bits - 1));
    Value fits = s.andi(s.cmpf(CmpFPredicate::OGE, number, low),
                        s.cmpf(CmpFPredicate::OLT, number, s.num(number, std::ldexp(1.0, bits - 1))));
    return s.to<arith::FPToSIOp>(s.select(fits, number, low), builder.getIntegerType(bits));
  };
  if (width < 32 || (width == 32 && !isUnsigned))
    return s.resize(convert(32), integer, false);
  Value result = convert(64);
  if (width == 64 && isUnsigned) {
    // 2^63 and more: without the highest bit, which is put back.
    Value limit = s.num(number, std::ldexp(1.0, 63));
    Value isLarge = s.andi(s.cmpf(CmpFPredicate::OGE, number, limit),
                           s.cmpf(CmpFPredicate::OLT, number, s.num(number, std::ldexp(1.0, 64))));
    Value rest = s.select(isLarge, s.subf(number, limit), s.num(number, 0));
    Value large = s.xori(s.to<arith::FPToSIOp>(rest, builder.getI64Type()), s.bits(result, INT64_MIN));
    result = s.select(isLarge, large, result);
  }
  return s.resize(result, integer, false);
}

Value graph_to_linalg::castElement(OpBuilder &builder, Location loc, Value stored, Type from, Type to, bool saturate,
                                   graph::Rounding rounding) {
  if (from == to)
    return stored;
  ScalarBuilder s{builder, loc};
  Value number = loadElement(builder, loc, stored, from);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) {
    Value zero = s.num(number, 0);
    return fromFloat ? s.cmpf(CmpFPredicate::UNE, number, zero) : s.cmpi(CmpIPredicate::ne, number, zero);
  }
  Type target = computeType(to);
  if (fromFloat && toFloat)
    number = from.isF64() && to.getIntOrFloatBitWidth() < 32 ? roundToOdd(s, number) : s.resizeFloat(number, target);
  else if (fromFloat)
    number = floatToInt(builder, loc, number, target, isUnsigned(to));
  else if (toFloat)
    number = s.intToFloat(number, target, isUnsigned(from));
  else
    number = s.resize(number, target, isUnsigned(from));
  return storeElement(builder, loc, number, to, saturate, rounding);
}

Value graph_to_linalg::extendElement(OpBuilder &builder, Location loc, Value stored, Type from, Type number) {
  ScalarBuilder s{builder, loc};
  Value loaded = loadElement(builder, loc, stored, from);
  if (isa<FloatType>(number))
    return isa<FloatType>(from) ? s.resizeFloat(loaded, number) : s.intToFloat(loaded, number, isUnsigned(from));
  if (isa<FloatType>(from))
    return floatToInt(builder, loc, loaded, number, false);
  return s.resize(loaded, number, isUnsigned(from));
}
