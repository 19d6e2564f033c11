//===- FloatFormat.cpp - Bits of floating-point types ---------------------===//

#include "lib/Reference/FloatFormat.h"

#include "llvm/ADT/APInt.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>

using llvm::APFloat;
using llvm::APInt;

namespace hone::reference {

static uint16_t patternOf(const APFloat &value) { return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue()); }

FloatFormat::FloatFormat(const llvm::fltSemantics &semantics)
    : precision(APFloat::semanticsPrecision(semantics)), minExponent(APFloat::semanticsMinExponent(semantics)),
      bits(APFloat::semanticsSizeInBits(semantics)) {
  APFloat max = APFloat::getLargest(semantics);
  largestBits = patternOf(max);
  bool hasNaN = APFloat::semanticsHasNaN(semantics);
  nanBits = hasNaN ? patternOf(APFloat::getNaN(semantics)) : 0;
  overflowBits = APFloat::semanticsHasInf(semantics) ? patternOf(APFloat::getInf(semantics))
                 : hasNaN                            ? nanBits
                                                     : largestBits;
  values.resize(size_t(1) << bits);
  for (size_t pattern = 0; pattern < values.size(); ++pattern)
    values[pattern] = APFloat(semantics, APInt(bits, pattern)).convertToDouble();
  largest = values[largestBits];
  negativeZero = bits > 1 && precision > 1 && values[size_t(1) << (bits - 1)] == 0;
}

const FloatFormat &FloatFormat::get(const llvm::fltSemantics &semantics) {
  static std::mutex mutex;
  static std::map<const llvm::fltSemantics *, std::unique_ptr<FloatFormat>> formats;
  std::lock_guard<std::mutex> lock(mutex);
  auto &format = formats[&semantics];
  if (!format)
    format = std::make_unique<FloatFormat>(semantics);
  return *format;
}

uint16_t FloatFormat::encode(double value, Overflow overflow) const {
  if (isPowerOfTwo())
    return encodePowerOfTwo(value, overflow, RoundTo::Nearest);
  uint16_t sign = std::signbit(value) ? uint16_t(1) << (bits - 1) : 0;
  // Formats without -0 keep NaN in its place, so their NaN has no sign.
  uint16_t specialSign = negativeZero ? sign : 0;
  if (std::isnan(value))
    return nanBits | (nanBits ? specialSign : 0);
  double magnitude = std::fabs(value);
  uint16_t tooLarge = overflow == Overflow::Saturate ? largestBits | sign
                      : overflowBits == largestBits  ? largestBits | sign
                                                     : overflowBits | specialSign;
  if (std::isinf(magnitude))
    return tooLarge;
  if (magnitude == 0)
    return specialSign;

  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, minExponent);
  double steps = std::nearbyint(std::ldexp(magnitude, precision - 1 - exponent));
  if (steps == 0)
    return specialSign;
  if (std::ldexp(steps, exponent - precision + 1) > largest)
    return tooLarge;
  double leadingOne = std::ldexp(1.0, precision - 1);
  if (steps < leadingOne)
    return static_cast<uint16_t>(steps) | sign; // subnormal
  if (steps == 2 * leadingOne) {
    steps = leadingOne;
    ++exponent;
  }
  auto field = static_cast<uint16_t>(exponent - minExponent + 1);
  return (field << (precision - 1)) | static_cast<uint16_t>(steps - leadingOne) | sign;
}

uint16_t FloatFormat::encodePowerOfTwo(double value, Overflow overflow, RoundTo round) const {
  bool saturate = overflow == Overflow::Saturate;
  if (std::isnan(value))
    return nanBits;
  double magnitude = std::fabs(value), smallest = values[0];
  if (magnitude < smallest)
    return saturate || round == RoundTo::Up ? 0 : nanBits;
  if (magnitude > 2 * largest)
    return saturate ? largestBits : nanBits;
  int exponent;
  double half = std::frexp(magnitude, &exponent); // in [0.5, 1)
  --exponent;
  if ((round == RoundTo::Nearest && half >= 0.75) || (round == RoundTo::Up && half > 0.5))
    ++exponent;
  double rounded = std::ldexp(1.0, exponent);
  if (rounded > largest)
    return saturate ? largestBits : nanBits;
  return static_cast<uint16_t>(exponent - std::ilogb(smallest));
}

} // namespace hone::reference
