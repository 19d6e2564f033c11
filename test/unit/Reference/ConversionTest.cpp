//===- ConversionTest.cpp - Casts and quantization ------------------------===//

#include "test/unit/Reference/RunText.h"

#include <cmath>

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

class ConversionTest : public RunText {
protected:
  /// Casts `values` of `from` to `to`.
  reference::Tensor cast(const std::string &values, const std::string &from, const std::string &to,
                         const std::string &attributes = "") {
    std::string count = std::to_string(1 + std::count(values.begin(), values.end(), ','));
    std::string source = "tensor<" + count + "x" + from + ">";
    std::string target = "tensor<" + count + "x" + to + ">";
    return run("%x = graph.constant dense<" + values + "> : " + source + "\n%r = graph.cast %x to " + to + " " +
                   attributes + " : " + source + " -> " + target,
               target);
  }
};

TEST_F(ConversionTest, Casts) {
  EXPECT_THAT(cast("[1.9, -1.9, 300.0]", "f32", "i8").ints(), ElementsAre(1, -1, 44));
  EXPECT_THAT(cast("[200, -200]", "i16", "i8").ints(), ElementsAre(-56, 56));
  EXPECT_THAT(cast("[0.0, -0.0, 0.5]", "f32", "i1").ints(), ElementsAre(0, 0, 1));
  EXPECT_THAT(cast("[36, 0]", "i32", "i1").ints(), ElementsAre(1, 0));
  EXPECT_THAT(cast("[-9.0, 15.0]", "f32", "ui4").ints(), ElementsAre(7, 15));
  EXPECT_THAT(cast("[-9.0, 8.0]", "f32", "i4").ints(), ElementsAre(7, -8));
  EXPECT_THAT(cast("[-1, -8]", "i4", "f16").doubles(), ElementsAre(-1, -8));
  EXPECT_THAT(cast("[16777217, -1]", "i64", "f32").doubles(), ElementsAre(16777216, -1));
  EXPECT_THAT(cast("[18446744073709551615]", "ui64", "f64").doubles(), ElementsAre(18446744073709551616.0));
  EXPECT_THAT(cast("[1.0e5]", "f32", "f16").doubles(), ElementsAre(std::numeric_limits<double>::infinity()));
}

TEST_F(ConversionTest, Float8Saturates) {
  const char *values = "[0.47892547, 1.0e6, -1.0e6, 1.0e-7, 0x7F800000]";
  EXPECT_THAT(cast(values, "f32", "f8E4M3FN").doubles(), ElementsAre(0.46875, 448, -448, 0, 448));
  EXPECT_THAT(cast(values, "f32", "f8E5M2").doubles(), ElementsAre(0.5, 57344, -57344, 0, 57344));
  auto wild = cast(values, "f32", "f8E4M3FN", "{saturate = false}").doubles();
  EXPECT_TRUE(std::isnan(wild[1]) && std::isnan(wild[4]));
  EXPECT_THAT(cast("[0.48, 0.25, -3.5, 9.0]", "f32", "f4E2M1FN").doubles(), ElementsAre(0.5, 0, -4, 6));
}

TEST_F(ConversionTest, PowersOfTwoRoundAsTold) {
  auto exponents = [&](const std::string &rounding) {
    return cast("[0.124, 1.1, 1.5, 8.0]", "f32", "f8E8M0FNU", "{rounding = #graph.rounding<" + rounding + ">}")
        .doubles();
  };
  EXPECT_THAT(exponents("up"), ElementsAre(0.125, 2, 2, 8));
  EXPECT_THAT(exponents("down"), ElementsAre(0.0625, 1, 1, 8));
  EXPECT_THAT(exponents("nearest"), ElementsAre(0.125, 1, 2, 8));
}

TEST_F(ConversionTest, Bitcasts) {
  EXPECT_THAT(ints("%x = graph.constant dense<[1.0, -0.0]> : tensor<2xf32>\n"
                   "%r = graph.bitcast %x to i32 : tensor<2xf32> -> tensor<2xi32>",
                   "tensor<2xi32>"),
              ElementsAre(0x3f800000, std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(ints("%x = graph.constant dense<[-1, 7]> : tensor<2xi4>\n"
                   "%r = graph.bitcast %x to ui4 : tensor<2xi4> -> "
                   "tensor<2xui4>",
                   "tensor<2xui4>"),
              ElementsAre(15, 7));
}

TEST_F(ConversionTest, Quantize) {
  EXPECT_THAT(ints("%x = graph.constant dense<[[0.0, 5.0, 1000.0], [-3.0, 1.0, 3.0]]> "
                   ": tensor<2x3xf32>\n"
                   "%s = graph.constant dense<2.0> : tensor<f32>\n"
                   "%z = graph.constant dense<128> : tensor<ui8>\n"
                   "%r = graph.quantize %x, %s, %z to ui8 axis(1) block(0) : "
                   "tensor<2x3xf32>, tensor<f32>, tensor<ui8> -> tensor<2x3xui8>",
                   "tensor<2x3xui8>"),
              ElementsAre(128, 130, 255, 126, 128, 130));
  EXPECT_THAT(ints("%x = graph.constant dense<[[1.0, 2.0], [1.0, 2.0]]> : "
                   "tensor<2x2xf32>\n"
                   "%s = graph.constant dense<[0.5, 0.01]> : tensor<2xf32>\n"
                   "%r = graph.quantize %x, %s to i8 axis(0) block(0) : "
                   "tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xi8>",
                   "tensor<2x2xi8>"),
              ElementsAre(2, 4, 100, 127));
}

TEST_F(ConversionTest, DequantizeBlocks) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[1, 2, 3, 4, 5]]> : tensor<1x5xi8>\n"
                      "%s = graph.constant dense<[[1.0, 10.0, 100.0]]> : "
                      "tensor<1x3xf32>\n"
                      "%z = graph.constant dense<[[0, 1, 2]]> : tensor<1x3xi8>\n"
                      "%r = graph.dequantize %x, %s, %z to f32 axis(1) block(2) : "
                      "tensor<1x5xi8>, tensor<1x3xf32>, tensor<1x3xi8> -> "
                      "tensor<1x5xf32>",
                      "tensor<1x5xf32>"),
              ElementsAre(1, 2, 20, 30, 300));
}

TEST_F(ConversionTest, ScalesMustFit) {
  EXPECT_THAT(error("%x = graph.constant dense<1.0> : tensor<2x3xf32>\n"
                    "%s = graph.constant dense<1.0> : tensor<2xf32>\n"
                    "%r = graph.quantize %x, %s to i8 axis(1) block(0) : "
                    "tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xi8>",
                    "tensor<2x3xi8>"),
              HasSubstr("shape 2 instead of 3"));
}

} // namespace
} // namespace hone::test
