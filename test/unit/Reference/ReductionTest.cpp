//===- ReductionTest.cpp - Many elements meet in one ----------------------===//

#include "test/unit/Reference/RunText.h"

#include <cmath>
#include <limits>

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

class ReductionTest : public RunText {
protected:
  const std::string x = "%x = graph.constant dense<[[1.0, 5.0, 3.0], [4.0, "
                        "2.0, 5.0]]> : tensor<2x3xf32>\n";
};

TEST_F(ReductionTest, Reduces) {
  auto reduce = [&](const std::string &rest, const std::string &type) {
    return doubles(x + "%r = graph.reduce" + rest + " : tensor<2x3xf32> -> " + type, type);
  };
  EXPECT_THAT(reduce("<sum> %x dims [1]", "tensor<2xf32>"), ElementsAre(9, 11));
  EXPECT_THAT(reduce("<prod> %x dims [0]", "tensor<3xf32>"), ElementsAre(4, 10, 15));
  EXPECT_THAT(reduce("<max> %x dims [0, 1]", "tensor<f32>"), ElementsAre(5));
  EXPECT_THAT(reduce("<min> %x dims [1] keep", "tensor<2x1xf32>"), ElementsAre(1, 2));
  EXPECT_THAT(reduce("<sum> %x dims []", "tensor<2x3xf32>"), ElementsAre(1, 5, 3, 4, 2, 5));
}

TEST_F(ReductionTest, ReducesNothingToTheNeutralElement) {
  auto reduce = [&](const std::string &kind, const std::string &element) {
    return run("%x = graph.constant dense<> : tensor<0x1x" + element + ">\n%r = graph.reduce<" + kind +
                   "> %x dims [0] : tensor<0x1x" + element + "> -> tensor<1x" + element + ">",
               "tensor<1x" + element + ">");
  };
  EXPECT_EQ(reduce("sum", "f32").asDouble(0), 0);
  EXPECT_EQ(reduce("prod", "f32").asDouble(0), 1);
  EXPECT_EQ(reduce("min", "f32").asDouble(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(reduce("max", "i8").asInt(0), -128);
  EXPECT_EQ(reduce("min", "ui8").asInt(0), 255);
  EXPECT_EQ(reduce("max", "i64").asInt(0), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(reduce("all", "i1").asInt(0), 1);
  EXPECT_EQ(reduce("any", "i1").asInt(0), 0);
}

TEST_F(ReductionTest, NaNWins) {
  EXPECT_TRUE(std::isnan(doubles("%x = graph.constant dense<[1.0, 0x7FC00000, 2.0]> : "
                                 "tensor<3xf32>\n"
                                 "%r = graph.reduce<max> %x dims [0] : tensor<3xf32> -> "
                                 "tensor<f32>",
                                 "tensor<f32>")[0]));
}

TEST_F(ReductionTest, Positions) {
  auto position = [&](const std::string &rest) {
    return ints(x + "%r = graph.arg_reduce" + rest + " : tensor<2x3xf32> -> tensor<2xi64>", "tensor<2xi64>");
  };
  EXPECT_THAT(position("<max> %x dim 1"), ElementsAre(1, 2));
  EXPECT_THAT(position("<min> %x dim 1"), ElementsAre(0, 1));
  EXPECT_THAT(ints("%x = graph.constant dense<[3, 9, 9, 1]> : tensor<4xi32>\n"
                   "%r = graph.arg_reduce<max> %x dim 0 keep last : "
                   "tensor<4xi32> -> tensor<1xi64>",
                   "tensor<1xi64>"),
              ElementsAre(2));
}

TEST_F(ReductionTest, Scans) {
  auto scan = [&](const std::string &rest) {
    return doubles("%x = graph.constant dense<[1.0, 2.0, 3.0]> : "
                   "tensor<3xf64>\n%r = graph.scan" +
                       rest + " : tensor<3xf64> -> tensor<3xf64>",
                   "tensor<3xf64>");
  };
  EXPECT_THAT(scan("<add> %x dim 0"), ElementsAre(1, 3, 6));
  EXPECT_THAT(scan("<add> %x dim 0 exclusive"), ElementsAre(0, 1, 3));
  EXPECT_THAT(scan("<add> %x dim 0 reverse"), ElementsAre(6, 5, 3));
  EXPECT_THAT(scan("<mul> %x dim 0 exclusive reverse"), ElementsAre(6, 3, 1));
}

TEST_F(ReductionTest, Softmax) {
  auto result = doubles("%x = graph.constant dense<[[1000.0, 1001.0]]> : "
                        "tensor<1x2xf64>\n%r = graph.softmax %x dim 1 : "
                        "tensor<1x2xf64> -> tensor<1x2xf64>",
                        "tensor<1x2xf64>");
  EXPECT_NEAR(result[1], 1 / (1 + std::exp(-1)), 1e-12);
  EXPECT_NEAR(result[0] + result[1], 1, 1e-12);
  auto log = doubles("%x = graph.constant dense<[0.0, 0.0]> : tensor<2xf64>\n"
                     "%r = graph.softmax %x dim 0 log : tensor<2xf64> -> "
                     "tensor<2xf64>",
                     "tensor<2xf64>");
  EXPECT_NEAR(log[0], -std::log(2), 1e-12);
}

TEST_F(ReductionTest, Normalize) {
  auto normalize = [&](const std::string &kind) {
    return doubles("%x = graph.constant dense<[[1.0, 3.0], [2.0, 6.0]]> : "
                   "tensor<2x2xf64>\n%r = graph.normalize<" +
                       kind +
                       "> %x dims [1] epsilon 0.0 : tensor<2x2xf64> -> "
                       "tensor<2x2xf64>",
                   "tensor<2x2xf64>");
  };
  EXPECT_THAT(normalize("layer"), ElementsAre(-1, 1, -1, 1));
  EXPECT_NEAR(normalize("rms")[0], 1 / std::sqrt(5), 1e-12);
}

TEST_F(ReductionTest, NonZero) {
  auto results = runAll("%x = graph.constant dense<[[0, 7], [5, 0]]> : tensor<2x2xi32>\n"
                        "%p, %n = graph.nonzero %x : tensor<2x2xi32> -> tensor<2x4xi64>, "
                        "tensor<1xi64>\n"
                        "%r = graph.reshape %p, %n : tensor<2x4xi64>, tensor<1xi64> -> "
                        "tensor<?xi64>",
                        "tensor<?xi64>");
  EXPECT_TRUE(mlir::failed(results)); // 8 elements are not 2
  EXPECT_THAT(ints("%x = graph.constant dense<[[0, 7], [5, 0]]> : "
                   "tensor<2x2xi32>\n"
                   "%r, %n = graph.nonzero %x : tensor<2x2xi32> -> "
                   "tensor<2x4xi64>, tensor<1xi64>",
                   "tensor<2x4xi64>"),
              ElementsAre(0, 1, 0, 0, 1, 0, 0, 0));
}

TEST_F(ReductionTest, TopK) {
  const std::string body = "%x = graph.constant dense<[3, 9, 1, 9, 4]> : tensor<5xi32>\n"
                           "%k = graph.constant dense<3> : tensor<1xi64>\n";
  EXPECT_THAT(ints(body + "%v, %r = graph.topk %x, %k dim 0 largest : "
                          "tensor<5xi32>, tensor<1xi64> -> tensor<3xi32>, "
                          "tensor<3xi64>",
                   "tensor<3xi64>"),
              ElementsAre(1, 3, 4));
  EXPECT_THAT(ints(body + "%r, %i = graph.topk %x, %k dim 0 : tensor<5xi32>, "
                          "tensor<1xi64> -> tensor<3xi32>, tensor<3xi64>",
                   "tensor<3xi32>"),
              ElementsAre(1, 3, 4));
  EXPECT_THAT(error("%x = graph.constant dense<1> : tensor<2xi32>\n"
                    "%s = graph.constant dense<1> : tensor<1xi64>\n"
                    "%k = graph.unary<abs> %s : tensor<1xi64> -> "
                    "tensor<1xi64>\n"
                    "%big = graph.constant dense<9> : tensor<1xi64>\n"
                    "%n = graph.binary<mul> %k, %big : tensor<1xi64>, "
                    "tensor<1xi64> -> tensor<1xi64>\n"
                    "%r, %i = graph.topk %x, %n dim 0 : tensor<2xi32>, "
                    "tensor<1xi64> -> tensor<?xi32>, tensor<?xi64>",
                    "tensor<?xi32>"),
              HasSubstr("k is 9, the dimension has 2 elements"));
}

} // namespace
} // namespace hone::test
