//===- ResizeTest.cpp - Sampling on another grid --------------------------===//

#include "test/unit/Reference/RunText.h"

#include <cmath>

using ::testing::ElementsAre;
using ::testing::Pointwise;

namespace hone::test {
namespace {

class ResizeTest : public RunText {
protected:
  /// Resizes [1, 2, 3, 4] to `count` elements.
  std::vector<double> resize(const std::string &mode, int count, const std::string &coordinate,
                             const std::string &nearest = "round_prefer_floor", const std::string &attributes = "") {
    std::string n = std::to_string(count), type = "tensor<" + n + "xf64>";
    return doubles("%x = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>\n"
                   "%n = graph.constant dense<[" +
                       n + "]> : tensor<1xi64>\n%s = graph.constant dense<[" + std::to_string(count / 4.0) +
                       "]> : tensor<1xf32>\n"
                       "%roi = graph.constant dense<[0.5, 1.5]> : tensor<2xf32>\n"
                       "%r = graph.resize<" +
                       mode + "> %x, %n, %s roi %roi coordinate <" + coordinate + "> nearest <" + nearest + "> " +
                       attributes +
                       " : tensor<4xf64>, tensor<1xi64>, tensor<1xf32>, tensor<2xf32> "
                       "-> " +
                       type,
                   type);
  }
};

MATCHER(IsNear, "") { return std::fabs(std::get<0>(arg) - std::get<1>(arg)) < 1e-6; }

TEST_F(ResizeTest, Nearest) {
  EXPECT_THAT(resize("nearest", 8, "asymmetric", "floor"), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(resize("nearest", 8, "asymmetric", "ceil"), ElementsAre(1, 2, 2, 3, 3, 4, 4, 4));
  EXPECT_THAT(resize("nearest", 8, "asymmetric", "round_prefer_floor"), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(resize("nearest", 8, "asymmetric", "round_prefer_ceil"), ElementsAre(1, 2, 2, 3, 3, 4, 4, 4));
  EXPECT_THAT(resize("nearest", 2, "half_pixel"), ElementsAre(1, 3));
}

TEST_F(ResizeTest, Linear) {
  EXPECT_THAT(resize("linear", 8, "half_pixel"), ElementsAre(1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4));
  EXPECT_THAT(resize("linear", 7, "align_corners"), ElementsAre(1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_THAT(resize("linear", 2, "half_pixel"), ElementsAre(1.5, 3.5));
  EXPECT_THAT(resize("linear", 2, "half_pixel", "floor", "{antialias = true}"), ElementsAre(1.625, 3.375));
  EXPECT_THAT(resize("linear", 1, "pytorch_half_pixel"), ElementsAre(1));
}

TEST_F(ResizeTest, Cubic) {
  EXPECT_THAT(resize("cubic", 8, "half_pixel"), Pointwise(IsNear(), {0.89453125, 1.19140625, 1.66796875, 2.296875,
                                                                     2.703125, 3.33203125, 3.80859375, 4.10546875}));
  EXPECT_THAT(resize("cubic", 8, "half_pixel", "floor", "{excludeOutside = true}")[0],
              ::testing::DoubleNear(0.86363636, 1e-6));
}

TEST_F(ResizeTest, CropAndResize) {
  // Samples at 1.5, 2.5, 3.5 and 4.5; those behind 3 are outside.
  EXPECT_THAT(resize("linear", 4, "tf_crop_and_resize", "floor", "{extrapolation = 10.0 : f64}"),
              ElementsAre(2.5, 3.5, 10, 10));
}

TEST_F(ResizeTest, IntegersRound) {
  EXPECT_THAT(ints("%x = graph.constant dense<[0, 255]> : tensor<2xui8>\n"
                   "%n = graph.constant dense<[4]> : tensor<1xi64>\n"
                   "%s = graph.constant dense<[2.0]> : tensor<1xf32>\n"
                   "%r = graph.resize<linear> %x, %n, %s coordinate <half_pixel> "
                   "nearest <floor> : tensor<2xui8>, tensor<1xi64>, tensor<1xf32> -> "
                   "tensor<4xui8>",
                   "tensor<4xui8>"),
              ElementsAre(0, 64, 191, 255));
}

} // namespace
} // namespace hone::test
