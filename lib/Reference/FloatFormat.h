//===- FloatFormat.h - Bits of floating-point types -------------*- C++ -*-===//
//
// Conversion between doubles and the bit patterns of floats of at most 16
// bits, by one table and one rounding rule for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_FLOATFORMAT_H
#define LIB_REFERENCE_FLOATFORMAT_H

#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <vector>

namespace hone::reference {

/// What becomes of values above the largest finite one.
enum class Overflow {
  Ieee,    ///< infinity, or NaN where there is none, or the largest finite
           ///< value where there is neither
  Saturate ///< the largest finite value, infinity too
};

/// Direction of rounding; only power-of-two formats (f8E8M0FNU) know others
/// than Nearest.
enum class RoundTo { Nearest, Up, Down };

/// One floating-point type of at most 16 bits.
class FloatFormat {
public:
  explicit FloatFormat(const llvm::fltSemantics &semantics);
  /// The format of `semantics`, made once per process.
  static const FloatFormat &get(const llvm::fltSemantics &semantics);

  double decode(uint16_t bits) const { return values[bits]; }
  /// The bits of the nearest value, ties to even.
  uint16_t encode(double value, Overflow overflow = Overflow::Ieee) const;
  /// As `encode` for formats without mantissa and sign: the sign of `value` is
  /// ignored, ties round up, zero is the smallest value when saturating or
  /// rounding up and NaN otherwise.
  uint16_t encodePowerOfTwo(double value, Overflow overflow, RoundTo round) const;
  bool isPowerOfTwo() const { return precision == 1; }

private:
  int precision;   ///< bits of the significand with the leading one
  int minExponent; ///< of normal numbers
  int bits;
  bool negativeZero; ///< whether the pattern of -0 means -0
  double largest;
  uint16_t largestBits, overflowBits, nanBits;
  std::vector<double> values; ///< by bit pattern
};

} // namespace hone::reference

#endif // LIB_REFERENCE_FLOATFORMAT_H
