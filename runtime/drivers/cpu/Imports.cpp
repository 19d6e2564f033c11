//===- Imports.cpp - What kernel code may call ----------------------------===//
//
// Rows of symbol and address. 16-bit floats travel in vector registers on both
// architectures, so their helpers take and return _Float16 whatever the format.
//
//===----------------------------------------------------------------------===//

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sincos, exp10
#endif

#include "runtime/drivers/cpu/Imports.h"
#include "runtime/drivers/cpu/Conversions.h"

#include <cstdint>
#include <cstring>
#include <math.h>

using namespace hone::cpu;

extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

//===----------------------------------------------------------------------===//
// Helpers under the names of compiler-rt and libgcc
//===----------------------------------------------------------------------===//

static uint16_t bitsOf(_Float16 value) {
  uint16_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static _Float16 fromBits(uint16_t bits) {
  _Float16 value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static float extendHalf(_Float16 half) { return halfToFloat(bitsOf(half)); }
static double extendHalfToDouble(_Float16 half) { return halfToFloat(bitsOf(half)); }
static float extendBfloat(_Float16 bfloat) { return bfloatToFloat(bitsOf(bfloat)); }
static _Float16 truncToHalf(float value) { return fromBits(floatToHalf(value)); }
static _Float16 truncDoubleToHalf(double value) { return fromBits(doubleToHalf(value)); }
static _Float16 truncToBfloat(float value) { return fromBits(floatToBfloat(value)); }
static _Float16 truncDoubleToBfloat(double value) { return fromBits(doubleToBfloat(value)); }

static double powInteger(double base, int exponent) {
  bool invert = exponent < 0;
  unsigned n = invert ? -static_cast<unsigned>(exponent) : exponent;
  double result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return invert ? 1 / result : result;
}
static float powIntegerFloat(float base, int exponent) {
  bool invert = exponent < 0;
  unsigned n = invert ? -static_cast<unsigned>(exponent) : exponent;
  float result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return invert ? 1 / result : result;
}

/// Not in every C library, and rint follows the caller's rounding mode.
template <typename T> static T roundHalfToEven(T value) {
  T whole = __builtin_trunc(value);
  T rest = __builtin_fabs(value - whole);
  if (rest > T(0.5) || (rest == T(0.5) && fmod(whole, T(2)) != 0))
    whole += __builtin_copysign(T(1), value);
  return static_cast<T>(__builtin_copysign(whole, value));
}
static double roundEven(double value) { return roundHalfToEven(value); }
static float roundEvenFloat(float value) { return roundHalfToEven(value); }

static double powerOfTen(double value) { return pow(10.0, value); }
static float powerOfTenFloat(float value) { return static_cast<float>(pow(10.0, value)); }
static void sineCosine(double value, double *sine, double *cosine) {
  *sine = sin(value);
  *cosine = cos(value);
}
static void sineCosineFloat(float value, float *sine, float *cosine) {
  *sine = sinf(value);
  *cosine = cosf(value);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

namespace {
struct Import {
  const char *symbol;
  void *address;
};
} // namespace

#define ADDRESS(function) reinterpret_cast<void *>(function)

// Math functions are overloaded in C++; the cast picks the one of double.
#define MATH1(name)                                                                                                    \
  {#name, ADDRESS(static_cast<double (*)(double)>(name))}, {                                                           \
    #name "f", ADDRESS(static_cast<float (*)(float)>(name##f))                                                         \
  }
#define MATH2(name)                                                                                                    \
  {#name, ADDRESS(static_cast<double (*)(double, double)>(name))}, {                                                   \
    #name "f", ADDRESS(static_cast<float (*)(float, float)>(name##f))                                                  \
  }
#define MATH_TO(name, type)                                                                                            \
  {#name, ADDRESS(static_cast<type (*)(double)>(name))}, { #name "f", ADDRESS(static_cast<type (*)(float)>(name##f)) }

static const Import kImports[] = {
    {"memcpy", ADDRESS(memcpy)},
    {"memmove", ADDRESS(memmove)},
    {"memset", ADDRESS(memset)},
    {"memcmp", ADDRESS(memcmp)},
    {"bcmp", ADDRESS(memcmp)},
    MATH1(acos),
    MATH1(acosh),
    MATH1(asin),
    MATH1(asinh),
    MATH1(atan),
    MATH1(atanh),
    MATH1(cbrt),
    MATH1(ceil),
    MATH1(cos),
    MATH1(cosh),
    MATH1(erf),
    MATH1(erfc),
    MATH1(exp),
    MATH1(exp2),
    MATH1(expm1),
    MATH1(fabs),
    MATH1(floor),
    MATH1(lgamma),
    MATH1(log),
    MATH1(log10),
    MATH1(log1p),
    MATH1(log2),
    MATH1(logb),
    MATH1(nearbyint),
    MATH1(rint),
    MATH1(round),
    MATH1(sin),
    MATH1(sinh),
    MATH1(sqrt),
    MATH1(tan),
    MATH1(tanh),
    MATH1(tgamma),
    MATH1(trunc),
    MATH2(atan2),
    MATH2(copysign),
    MATH2(fdim),
    MATH2(fmax),
    MATH2(fmin),
    MATH2(fmod),
    MATH2(hypot),
    MATH2(nextafter),
    MATH2(pow),
    MATH2(remainder),
    MATH_TO(lrint, long),
    MATH_TO(llrint, long long),
    MATH_TO(lround, long),
    MATH_TO(llround, long long),
    MATH_TO(ilogb, int),
    {"fma", ADDRESS(static_cast<double (*)(double, double, double)>(fma))},
    {"fmaf", ADDRESS(static_cast<float (*)(float, float, float)>(fmaf))},
    {"ldexp", ADDRESS(static_cast<double (*)(double, int)>(ldexp))},
    {"ldexpf", ADDRESS(static_cast<float (*)(float, int)>(ldexpf))},
    {"scalbn", ADDRESS(static_cast<double (*)(double, int)>(scalbn))},
    {"scalbnf", ADDRESS(static_cast<float (*)(float, int)>(scalbnf))},
    {"frexp", ADDRESS(static_cast<double (*)(double, int *)>(frexp))},
    {"frexpf", ADDRESS(static_cast<float (*)(float, int *)>(frexpf))},
    {"modf", ADDRESS(static_cast<double (*)(double, double *)>(modf))},
    {"modff", ADDRESS(static_cast<float (*)(float, float *)>(modff))},
    {"exp10", ADDRESS(powerOfTen)},
    {"exp10f", ADDRESS(powerOfTenFloat)},
    {"sincos", ADDRESS(sineCosine)},
    {"sincosf", ADDRESS(sineCosineFloat)},
    {"roundeven", ADDRESS(roundEven)},
    {"roundevenf", ADDRESS(roundEvenFloat)},
    {"__powidf2", ADDRESS(powInteger)},
    {"__powisf2", ADDRESS(powIntegerFloat)},
    {"__extendhfsf2", ADDRESS(extendHalf)},
    {"__extendhfdf2", ADDRESS(extendHalfToDouble)},
    {"__extendbfsf2", ADDRESS(extendBfloat)},
    {"__truncsfhf2", ADDRESS(truncToHalf)},
    {"__truncdfhf2", ADDRESS(truncDoubleToHalf)},
    {"__truncsfbf2", ADDRESS(truncToBfloat)},
    {"__truncdfbf2", ADDRESS(truncDoubleToBfloat)},
    {"__gnu_h2f_ieee", ADDRESS(halfToFloat)},
    {"__gnu_f2h_ieee", ADDRESS(floatToHalf)},
    {"__divti3", ADDRESS(__divti3)},
    {"__modti3", ADDRESS(__modti3)},
    {"__udivti3", ADDRESS(__udivti3)},
    {"__umodti3", ADDRESS(__umodti3)},
};

void *hone::cpu::findImport(const char *symbol) {
  for (const Import &import : kImports)
    if (!strcmp(import.symbol, symbol))
      return import.address;
  return nullptr;
}
