//===- FloatTables.h - Coefficients of functions ----------------*- C++ -*-===//
//
// Interpolations at Chebyshev nodes, rounded to the type, with the lowest power first. Their error, in
// relation to the result, is below a fifth of a unit of the last place.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_VULKAN_LOWERING_FLOATTABLES_H
#define BACKENDS_VULKAN_LOWERING_FLOATTABLES_H

#include "llvm/ADT/ArrayRef.h"

namespace hone::vulkan {

struct FloatTable {
  unsigned mantissa; ///< stored bits
  int bias;
  double lowestExp, highestExp; ///< beyond these e^x is 0 or infinite
  double unitTanh, unitErf;     ///< beyond these tanh and erf are 1
  double largestPower;          ///< an exponent with which every number but 1 over- or underflows
  double ln2High, ln2Low;       ///< the first has as many zeros as products with exponents need
  double halfPiHigh, halfPiLow, thirdHigh, thirdLow;
  llvm::ArrayRef<double> halfPi; ///< parts whose products with quadrants are exact
  llvm::ArrayRef<double> exp;    ///< (e^r - 1 - r) / r^2, |r| < ln(2) / 2
  llvm::ArrayRef<double> log;    ///< (2 atanh(s) - 2s) / s^3 by s^2, |s| < 0.172
  llvm::ArrayRef<double> pow;    ///< (atanh(s) / s - 1 - s^2 / 3) / s^4 by s^2
  llvm::ArrayRef<double> sin;    ///< (sin(r) - r) / r^3 by r^2, |r| < pi / 4
  llvm::ArrayRef<double> cos;    ///< (cos(r) - 1 + r^2 / 2) / r^4 by r^2
  llvm::ArrayRef<double> atan;   ///< (atan(r) - r) / r^3 by r^2, |r| < sqrt(2) - 1
  llvm::ArrayRef<double> erf;    ///< erf(x) / x - 1 by x^2, |x| < 1
  llvm::ArrayRef<double> erfc;   ///< e^(x^2) erfc(x) by 1 / (x + 2), x > 1
};

extern const FloatTable kFloat32, kFloat64;

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_LOWERING_FLOATTABLES_H
