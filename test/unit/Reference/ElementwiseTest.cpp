//===- ElementwiseTest.cpp - Functions of elements ------------------------===//

#include "test/unit/Reference/RunText.h"

#include <cmath>
#include <limits>

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ElementwiseTest : public RunText {
protected:
  static std::string constant(const std::string &name, const std::string &values, const std::string &type) {
    return name + " = graph.constant dense<" + values + "> : " + type + "\n";
  }
  static std::string unaryText(const std::string &kind, const std::string &values, const std::string &type) {
    return constant("%x", values, type) + "%r = graph.unary<" + kind + "> %x : " + type + " -> " + type;
  }
  static std::string binaryText(const std::string &kind, const std::string &a, const std::string &b,
                                const std::string &type) {
    return constant("%a", a, type) + constant("%b", b, type) + "%r = graph.binary<" + kind + "> %a, %b : " + type +
           ", " + type + " -> " + type;
  }
  std::vector<double> unary(const std::string &kind, const std::string &values, const std::string &type) {
    return doubles(unaryText(kind, values, type), type);
  }
  std::vector<double> binary(const std::string &kind, const std::string &a, const std::string &b,
                             const std::string &type) {
    return doubles(binaryText(kind, a, b, type), type);
  }
  std::vector<int64_t> binaryInts(const std::string &kind, const std::string &a, const std::string &b,
                                  const std::string &type) {
    return ints(binaryText(kind, a, b, type), type);
  }
};

TEST_F(ElementwiseTest, RoundsHalfToEven) {
  EXPECT_THAT(unary("round_even", "[0.5, 1.5, 2.5, -0.5, -1.5]", "tensor<5xf32>"), ElementsAre(0, 2, 2, 0, -2));
}

TEST_F(ElementwiseTest, EveryFloatKindHasItsFunction) {
  struct Row {
    const char *kind;
    double expected;
  };
  const double x = 0.75;
  const Row rows[] = {
      {"abs", x},
      {"neg", -x},
      {"sign", 1},
      {"ceil", 1},
      {"floor", 0},
      {"round_even", 1},
      {"sqrt", std::sqrt(x)},
      {"rsqrt", 1 / std::sqrt(x)},
      {"reciprocal", 1 / x},
      {"exp", std::exp(x)},
      {"log", std::log(x)},
      {"log1p", std::log1p(x)},
      {"sin", std::sin(x)},
      {"cos", std::cos(x)},
      {"tan", std::tan(x)},
      {"asin", std::asin(x)},
      {"acos", std::acos(x)},
      {"atan", std::atan(x)},
      {"sinh", std::sinh(x)},
      {"cosh", std::cosh(x)},
      {"tanh", std::tanh(x)},
      {"asinh", std::asinh(x)},
      {"atanh", std::atanh(x)},
      {"erf", std::erf(x)},
      {"sigmoid", 1 / (1 + std::exp(-x))},
      {"softplus", std::log(1 + std::exp(x))},
  };
  for (const Row &row : rows)
    EXPECT_DOUBLE_EQ(unary(row.kind, "0.75", "tensor<f64>")[0], row.expected) << row.kind;
  EXPECT_DOUBLE_EQ(unary("acosh", "1.5", "tensor<f64>")[0], std::acosh(1.5));
}

TEST_F(ElementwiseTest, NaNAndLargeArguments) {
  // 0x7FC00000 is NaN, 0x7F800000 infinity.
  const char *values = "[0x7FC00000, 0x7F800000, 0xFF800000, 1.0e30]";
  EXPECT_THAT(unary("sign", values, "tensor<4xf32>"), SameDoubles(std::vector<double>{kNaN, 1, -1, 1}));
  EXPECT_THAT(unary("sigmoid", values, "tensor<4xf32>"), SameDoubles(std::vector<double>{kNaN, 1, 0, 1}));
  EXPECT_THAT(unary("softplus", values, "tensor<4xf32>"),
              SameDoubles(std::vector<double>{kNaN, kInf, 0, static_cast<double>(1.0e30f)}));
}

TEST_F(ElementwiseTest, RoundsOncePerOp) {
  // 1 + 2^-11 is a tie in f16.
  EXPECT_EQ(binary("add", "1.0", "4.8828125e-4", "tensor<f16>")[0], 1.0);
  EXPECT_EQ(binary("add", "60000.0", "60000.0", "tensor<f16>")[0], kInf);
  EXPECT_EQ(binary("mul", "16.0", "16.0", "tensor<f8E4M3FN>")[0], 256);
  EXPECT_TRUE(std::isnan(binary("mul", "32.0", "32.0", "tensor<f8E4M3FN>")[0]));
}

TEST_F(ElementwiseTest, MinAndMaxPropagateNaN) {
  const char *nan = "[0x7FC00000, 1.0, 2.0]", *other = "[1.0, 0x7FC00000, 3.0]";
  EXPECT_THAT(binary("max", nan, other, "tensor<3xf32>"), SameDoubles(std::vector<double>{kNaN, kNaN, 3}));
  EXPECT_THAT(binary("min", nan, other, "tensor<3xf32>"), SameDoubles(std::vector<double>{kNaN, kNaN, 2}));
}

TEST_F(ElementwiseTest, IntegerDivisionAndRemainders) {
  const char *a = "[7, -7, 7, -7, 5, -128]", *b = "[2, 2, -2, -2, 0, -1]";
  EXPECT_THAT(binaryInts("div", a, b, "tensor<6xi8>"), ElementsAre(3, -3, -3, 3, 0, -128));
  EXPECT_THAT(binaryInts("mod", a, b, "tensor<6xi8>"), ElementsAre(1, 1, -1, -1, 0, 0));
  EXPECT_THAT(binaryInts("rem", a, b, "tensor<6xi8>"), ElementsAre(1, -1, 1, -1, 0, 0));
  EXPECT_THAT(binaryInts("div", "[-9223372036854775808]", "[-1]", "tensor<1xi64>"),
              ElementsAre(std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(binaryInts("div", "[18446744073709551615]", "[2]", "tensor<1xui64>"),
              ElementsAre(std::numeric_limits<int64_t>::max()));
}

TEST_F(ElementwiseTest, FloatRemainders) {
  const char *a = "[5.3, -5.3, 5.3, -5.3, 1.0, -0.0]";
  const char *b = "[2.0, 2.0, -2.0, -2.0, 0x7FF0000000000000, 1.0]";
  auto mod = binary("mod", a, b, "tensor<6xf64>");
  EXPECT_NEAR(mod[0], 1.3, 1e-12);
  EXPECT_NEAR(mod[1], 0.7, 1e-12);
  EXPECT_NEAR(mod[2], -0.7, 1e-12);
  EXPECT_NEAR(mod[3], -1.3, 1e-12);
  EXPECT_EQ(mod[4], 1);
  EXPECT_FALSE(std::signbit(mod[5]));
  auto rem = binary("rem", a, b, "tensor<6xf64>");
  EXPECT_NEAR(rem[1], -1.3, 1e-12);
  EXPECT_NEAR(rem[2], 1.3, 1e-12);
  EXPECT_TRUE(std::isnan(binary("mod", "1.0", "0.0", "tensor<f32>")[0]));
}

TEST_F(ElementwiseTest, Shifts) {
  EXPECT_THAT(binaryInts("shl", "[1, 1, 1, -1]", "[3, 8, -1, 7]", "tensor<4xi8>"), ElementsAre(8, 0, 0, -128));
  EXPECT_THAT(binaryInts("shr", "[-8, -8, 8, -8]", "[1, 8, 9, -1]", "tensor<4xi8>"), ElementsAre(-4, -1, 0, -1));
  EXPECT_THAT(binaryInts("shr", "[128, 255]", "[7, 8]", "tensor<2xui8>"), ElementsAre(1, 0));
}

TEST_F(ElementwiseTest, WrapsAround) {
  EXPECT_THAT(binaryInts("add", "[127, -128]", "[1, -1]", "tensor<2xi8>"), ElementsAre(-128, 127));
  EXPECT_THAT(binaryInts("sub", "[0]", "[1]", "tensor<1xui8>"), ElementsAre(255));
  EXPECT_THAT(binaryInts("max", "[255, 1]", "[2, 200]", "tensor<2xui8>"), ElementsAre(255, 200));
  EXPECT_THAT(ints(unaryText("abs", "[-128, -3]", "tensor<2xi8>"), "tensor<2xi8>"), ElementsAre(-128, 3));
  EXPECT_THAT(ints(unaryText("not", "[0, 5]", "tensor<2xui8>"), "tensor<2xui8>"), ElementsAre(255, 250));
  EXPECT_THAT(ints(unaryText("not", "[true, false]", "tensor<2xi1>"), "tensor<2xi1>"), ElementsAre(0, 1));
}

TEST_F(ElementwiseTest, PowersOfMixedTypes) {
  EXPECT_THAT(binaryInts("pow", "[2, -3, 2, -1, 0]", "[10, 3, -1, -3, 0]", "tensor<5xi32>"),
              ElementsAre(1024, -27, 0, -1, 1));
  EXPECT_THAT(ints(constant("%a", "[4, 2]", "tensor<2xi32>") + constant("%b", "[0.5, 3.0]", "tensor<2xf32>") +
                       "%r = graph.binary<pow> %a, %b : tensor<2xi32>, "
                       "tensor<2xf32> -> tensor<2xi32>",
                   "tensor<2xi32>"),
              ElementsAre(2, 8));
  EXPECT_THAT(doubles(constant("%a", "[1.5, 2.0]", "tensor<2xf32>") + constant("%b", "[2, -2]", "tensor<2xi64>") +
                          "%r = graph.binary<pow> %a, %b : tensor<2xf32>, "
                          "tensor<2xi64> -> tensor<2xf32>",
                      "tensor<2xf32>"),
              ElementsAre(2.25, 0.25));
}

TEST_F(ElementwiseTest, Broadcasts) {
  EXPECT_THAT(doubles(constant("%a", "[[1.0], [2.0]]", "tensor<2x1xf32>") +
                          constant("%b", "[10.0, 20.0, 30.0]", "tensor<3xf32>") +
                          "%r = graph.binary<add> %a, %b : tensor<2x1xf32>, "
                          "tensor<3xf32> -> tensor<2x3xf32>",
                      "tensor<2x3xf32>"),
              ElementsAre(11, 21, 31, 12, 22, 32));
  EXPECT_TRUE(doubles(constant("%a", "[]", "tensor<0xf32>") + constant("%b", "1.0", "tensor<f32>") +
                          "%r = graph.binary<add> %a, %b : tensor<0xf32>, "
                          "tensor<f32> -> tensor<0xf32>",
                      "tensor<0xf32>")
                  .empty());
}

TEST_F(ElementwiseTest, Comparisons) {
  auto compare = [&](const std::string &predicate, const std::string &a, const std::string &b,
                     const std::string &element) {
    std::string type = "tensor<3x" + element + ">";
    return ints(constant("%a", a, type) + constant("%b", b, type) + "%r = graph.compare<" + predicate +
                    "> %a, %b : " + type + ", " + type + " -> tensor<3xi1>",
                "tensor<3xi1>");
  };
  const char *nan = "[0x7FC00000, 1.0, 2.0]", *ones = "[1.0, 1.0, 1.0]";
  EXPECT_THAT(compare("eq", nan, ones, "f32"), ElementsAre(0, 1, 0));
  EXPECT_THAT(compare("ne", nan, ones, "f32"), ElementsAre(1, 0, 1));
  EXPECT_THAT(compare("le", nan, ones, "f32"), ElementsAre(0, 1, 0));
  EXPECT_THAT(compare("ge", nan, ones, "f32"), ElementsAre(0, 1, 1));
  EXPECT_THAT(compare("lt", "[255, 0, 1]", "[1, 255, 1]", "ui64"), ElementsAre(0, 1, 0));
  EXPECT_THAT(compare("gt", "[18446744073709551615, 0, 1]", "[1, 2, 0]", "ui64"), ElementsAre(1, 0, 1));
}

TEST_F(ElementwiseTest, ClassifyAndSelect) {
  auto classify = [&](const std::string &kind) {
    return ints(constant("%x", "[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]", "tensor<4xf32>") + "%r = graph.classify<" +
                    kind + "> %x : tensor<4xf32> -> tensor<4xi1>",
                "tensor<4xi1>");
  };
  EXPECT_THAT(classify("nan"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(classify("inf"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(classify("pos_inf"), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(classify("neg_inf"), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(ints(constant("%c", "[true, false]", "tensor<2xi1>") +
                       constant("%a", "[[1, 2], [3, 4]]", "tensor<2x2xi32>") + constant("%b", "9", "tensor<i32>") +
                       "%r = graph.select %c, %a, %b : tensor<2xi1>, tensor<2x2xi32>, "
                       "tensor<i32> -> tensor<2x2xi32>",
                   "tensor<2x2xi32>"),
              ElementsAre(1, 9, 3, 9));
}

} // namespace
} // namespace hone::test
