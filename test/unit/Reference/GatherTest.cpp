//===- GatherTest.cpp - Elements by index ---------------------------------===//

#include "test/unit/Reference/RunText.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

class GatherTest : public RunText {
protected:
  const std::string x = "%x = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>\n";
};

TEST_F(GatherTest, Gather) {
  EXPECT_THAT(ints(x + "%i = graph.constant dense<[[2, -3]]> : tensor<1x2xi64>\n"
                       "%r = graph.gather %x, %i dim 0 : tensor<3x2xi32>, "
                       "tensor<1x2xi64> -> tensor<1x2x2xi32>",
                   "tensor<1x2x2xi32>"),
              ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(ints(x + "%i = graph.constant dense<1> : tensor<i32>\n"
                       "%r = graph.gather %x, %i dim 1 : tensor<3x2xi32>, "
                       "tensor<i32> -> tensor<3xi32>",
                   "tensor<3xi32>"),
              ElementsAre(2, 4, 6));
}

TEST_F(GatherTest, IndicesAreChecked) {
  EXPECT_THAT(error(x + "%i = graph.constant dense<3> : tensor<i64>\n"
                        "%r = graph.gather %x, %i dim 0 : tensor<3x2xi32>, "
                        "tensor<i64> -> tensor<2xi32>",
                    "tensor<2xi32>"),
              HasSubstr("index 3 is out of range for an extent of 3"));
}

TEST_F(GatherTest, GatherElements) {
  EXPECT_THAT(ints(x + "%i = graph.constant dense<[[0, 2], [-1, 1]]> : "
                       "tensor<2x2xi64>\n"
                       "%r = graph.gather_elements %x, %i dim 0 : tensor<3x2xi32>, "
                       "tensor<2x2xi64> -> tensor<2x2xi32>",
                   "tensor<2x2xi32>"),
              ElementsAre(1, 6, 5, 4));
}

TEST_F(GatherTest, GatherND) {
  EXPECT_THAT(ints(x + "%i = graph.constant dense<[[2, 0], [0, 1]]> : tensor<2x2xi64>\n"
                       "%r = graph.gather_nd %x, %i batch 0 : tensor<3x2xi32>, "
                       "tensor<2x2xi64> -> tensor<2xi32>",
                   "tensor<2xi32>"),
              ElementsAre(5, 2));
  EXPECT_THAT(ints(x + "%i = graph.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>\n"
                       "%r = graph.gather_nd %x, %i batch 1 : tensor<3x2xi32>, "
                       "tensor<3x1xi64> -> tensor<3xi32>",
                   "tensor<3xi32>"),
              ElementsAre(2, 3, 6));
}

TEST_F(GatherTest, ScatterElements) {
  auto scatter = [&](const std::string &kind) {
    return ints("%x = graph.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>\n"
                "%i = graph.constant dense<[[1, 1, -1]]> : tensor<1x3xi64>\n"
                "%u = graph.constant dense<[[5, 7, 1]]> : tensor<1x3xi32>\n"
                "%r = graph.scatter_elements<" +
                    kind +
                    "> %x, %i, %u dim 1 : tensor<1x3xi32>, tensor<1x3xi64>, "
                    "tensor<1x3xi32> -> tensor<1x3xi32>",
                "tensor<1x3xi32>");
  };
  EXPECT_THAT(scatter("assign"), ElementsAre(1, 7, 1));
  EXPECT_THAT(scatter("add"), ElementsAre(1, 14, 4));
  EXPECT_THAT(scatter("mul"), ElementsAre(1, 70, 3));
  EXPECT_THAT(scatter("min"), ElementsAre(1, 2, 1));
  EXPECT_THAT(scatter("max"), ElementsAre(1, 7, 3));
}

TEST_F(GatherTest, ScatterND) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
                      "tensor<2x2xf32>\n"
                      "%i = graph.constant dense<[[1], [1]]> : tensor<2x1xi64>\n"
                      "%u = graph.constant dense<[[10.0, 20.0], [0.5, 0.5]]> : "
                      "tensor<2x2xf32>\n"
                      "%r = graph.scatter_nd<add> %x, %i, %u : tensor<2x2xf32>, "
                      "tensor<2x1xi64>, tensor<2x2xf32> -> tensor<2x2xf32>",
                      "tensor<2x2xf32>"),
              ElementsAre(1, 2, 13.5, 24.5));
}

} // namespace
} // namespace hone::test
