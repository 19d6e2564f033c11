//===- FloatFormatTest.cpp - Every pattern, every rounding ----------------===//

#include "lib/Reference/FloatFormat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace hone::reference;
using llvm::APFloat;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const llvm::fltSemantics *const kFormats[] = {
    &APFloat::IEEEhalf(),   &APFloat::BFloat(),         &APFloat::Float8E4M3FN(), &APFloat::Float8E4M3FNUZ(),
    &APFloat::Float8E5M2(), &APFloat::Float8E5M2FNUZ(), &APFloat::Float4E2M1FN(),
};

uint16_t patternByAPFloat(double value, const llvm::fltSemantics &semantics) {
  APFloat number(value);
  bool lost;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

TEST(FloatFormatTest, EveryPatternComesBack) {
  for (const llvm::fltSemantics *semantics : kFormats) {
    const FloatFormat &format = FloatFormat::get(*semantics);
    uint32_t count = 1u << APFloat::semanticsSizeInBits(*semantics);
    for (uint32_t bits = 0; bits < count; ++bits) {
      double value = format.decode(static_cast<uint16_t>(bits));
      if (!std::isnan(value))
        ASSERT_EQ(format.encode(value), bits);
    }
  }
}

TEST(FloatFormatTest, RoundsLikeAPFloat) {
  for (const llvm::fltSemantics *semantics : kFormats) {
    const FloatFormat &format = FloatFormat::get(*semantics);
    uint32_t count = 1u << APFloat::semanticsSizeInBits(*semantics);
    for (uint32_t bits = 0; bits + 1 < count; ++bits) {
      double a = format.decode(static_cast<uint16_t>(bits));
      double b = format.decode(static_cast<uint16_t>(bits + 1));
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      for (double at : {(a + b) / 2, a + (b - a) * 0.49, a + (b - a) * 0.51})
        ASSERT_EQ(format.encode(at), patternByAPFloat(at, *semantics))
            << at << " between patterns " << bits << " and " << bits + 1;
    }
  }
}

/// The tables of ONNX Cast.
TEST(FloatFormatTest, SaturatesByTheTable) {
  struct Row {
    const llvm::fltSemantics &semantics;
    double largest, overflow;
  };
  const Row rows[] = {{APFloat::Float8E4M3FN(), 448, kNaN},
                      {APFloat::Float8E4M3FNUZ(), 240, kNaN},
                      {APFloat::Float8E5M2(), 57344, kInf},
                      {APFloat::Float8E5M2FNUZ(), 57344, kNaN},
                      {APFloat::Float4E2M1FN(), 6, 6}};
  for (const Row &row : rows) {
    const FloatFormat &format = FloatFormat::get(row.semantics);
    for (double sign : {1.0, -1.0})
      for (double value : {kInf, 1e6, row.largest * 1.5}) {
        double saturated = format.decode(format.encode(sign * value, Overflow::Saturate));
        EXPECT_EQ(saturated, sign * row.largest);
        double other = format.decode(format.encode(sign * value));
        if (std::isnan(row.overflow))
          EXPECT_TRUE(std::isnan(other)) << value;
        else
          EXPECT_EQ(other, sign * row.overflow) << value;
      }
    EXPECT_EQ(format.decode(format.encode(row.largest)), row.largest);
  }
}

TEST(FloatFormatTest, ZerosAndNaNs) {
  auto bits = [](const llvm::fltSemantics &semantics, double value) {
    return FloatFormat::get(semantics).encode(value);
  };
  EXPECT_EQ(bits(APFloat::Float8E4M3FN(), -0.0), 0x80);
  EXPECT_EQ(bits(APFloat::Float8E5M2(), -0.0), 0x80);
  EXPECT_EQ(bits(APFloat::Float8E4M3FNUZ(), -0.0), 0);
  EXPECT_EQ(bits(APFloat::Float8E5M2FNUZ(), -0.0), 0);
  EXPECT_EQ(bits(APFloat::Float8E4M3FNUZ(), -1e-7), 0);
  EXPECT_EQ(bits(APFloat::Float8E4M3FN(), kNaN), 0x7f);
  EXPECT_EQ(bits(APFloat::Float8E4M3FN(), -kNaN), 0xff);
  EXPECT_EQ(bits(APFloat::Float8E4M3FNUZ(), kNaN), 0x80);
  EXPECT_EQ(bits(APFloat::Float8E5M2FNUZ(), -kNaN), 0x80);
  EXPECT_EQ(bits(APFloat::IEEEhalf(), kInf), 0x7c00);
  EXPECT_EQ(bits(APFloat::IEEEhalf(), 65519.0), 0x7bff);
  EXPECT_EQ(bits(APFloat::IEEEhalf(), 65520.0), 0x7c00);
}

TEST(FloatFormatTest, PowersOfTwo) {
  const FloatFormat &format = FloatFormat::get(APFloat::Float8E8M0FNU());
  auto at = [&](double value, RoundTo round, Overflow overflow = Overflow::Saturate) {
    return format.encodePowerOfTwo(value, overflow, round);
  };
  EXPECT_EQ(at(1, RoundTo::Up), 127);
  EXPECT_EQ(at(1.1, RoundTo::Up), 128);
  EXPECT_EQ(at(1.9, RoundTo::Down), 127);
  EXPECT_EQ(at(1.49, RoundTo::Nearest), 127);
  EXPECT_EQ(at(1.5, RoundTo::Nearest), 128);
  EXPECT_EQ(at(0.124, RoundTo::Up), 124);
  EXPECT_EQ(at(0, RoundTo::Up), 0);
  EXPECT_EQ(at(kInf, RoundTo::Up), 254);
  EXPECT_EQ(at(1e300, RoundTo::Up), 254);
  EXPECT_EQ(at(kNaN, RoundTo::Up), 255);
  EXPECT_EQ(at(0, RoundTo::Nearest, Overflow::Ieee), 255);
  EXPECT_EQ(at(kInf, RoundTo::Nearest, Overflow::Ieee), 255);
  EXPECT_EQ(at(1e300, RoundTo::Nearest, Overflow::Ieee), 255);
  EXPECT_EQ(format.decode(0), std::ldexp(1.0, -127));
  EXPECT_EQ(format.decode(254), std::ldexp(1.0, 127));
}

} // namespace
