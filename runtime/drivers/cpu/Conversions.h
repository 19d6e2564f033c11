//===- Conversions.h - Half and bfloat16 in integers -*- C++ -*-===//
//
// Round to nearest even, quiet NaNs keep their high payload bits: what hardware
// does. Written on bit patterns so that they need no helper themselves.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_CONVERSIONS_H
#define HONE_RUNTIME_DRIVERS_CPU_CONVERSIONS_H

#include <cstdint>

namespace hone::cpu {

float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
uint16_t doubleToHalf(double value);
float bfloatToFloat(uint16_t bfloat);
uint16_t floatToBfloat(float value);
uint16_t doubleToBfloat(double value);

} // namespace hone::cpu

#endif // HONE_RUNTIME_DRIVERS_CPU_CONVERSIONS_H
