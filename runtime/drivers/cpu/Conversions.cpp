//===- Conversions.cpp - Half and bfloat16 in integers --------------------===//
//
// One narrowing routine serves every pair: it works on the double's bits, and
// float to double is exact. Going double -> float -> half would round twice.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cpu/Conversions.h"

#include <cstring>

using namespace hone::cpu;

template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

/// Narrows a double to a 16-bit format with `fraction` fraction bits and an
/// exponent of 15 - `fraction` bits.
static uint16_t narrow(double value, int fraction) {
  uint64_t bits = bitCast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  int exponentBits = 15 - fraction;
  int bias = (1 << (exponentBits - 1)) - 1;
  int maxExponent = (1 << exponentBits) - 1;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & 0xfffffffffffffull;

  if (exponent == 0x7ff) {
    uint16_t infinity = static_cast<uint16_t>(maxExponent << fraction);
    if (!mantissa)
      return sign | infinity;
    uint16_t payload = static_cast<uint16_t>(mantissa >> (52 - fraction));
    return sign | infinity | (1 << (fraction - 1)) | payload;
  }
  if (!exponent)
    return sign; // doubles that small are far below half the least subnormal

  int target = exponent - 1023 + bias;
  mantissa |= uint64_t(1) << 52;
  int shift = 52 - fraction;
  if (target <= 0) {
    shift += 1 - target;
    target = 0;
    if (shift > 54)
      return sign;
  }
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // Without the implicit bit; a carry out of the fraction raises the exponent.
  uint64_t result = target ? (uint64_t(target) << fraction) + kept - (uint64_t(1) << fraction) : kept;
  uint64_t infinity = uint64_t(maxExponent) << fraction;
  return sign | static_cast<uint16_t>(result < infinity ? result : infinity);
}

float hone::cpu::halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f)
    return bitCast<float>(sign | 0x7f800000 | mantissa << 13 | (mantissa ? 0x400000 : 0));
  if (exponent)
    return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return bitCast<float>(sign | bitCast<uint32_t>(magnitude));
}

uint16_t hone::cpu::floatToHalf(float value) { return narrow(value, 10); }
uint16_t hone::cpu::doubleToHalf(double value) { return narrow(value, 10); }

float hone::cpu::bfloatToFloat(uint16_t bfloat) { return bitCast<float>(static_cast<uint32_t>(bfloat) << 16); }

uint16_t hone::cpu::floatToBfloat(float value) { return narrow(value, 7); }
uint16_t hone::cpu::doubleToBfloat(double value) { return narrow(value, 7); }
