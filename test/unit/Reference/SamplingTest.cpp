//===- SamplingTest.cpp - Samples at computed positions, boxes ------------===//

#include "test/unit/Reference/RunText.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

class SamplingTest : public RunText {
protected:
  /// Samples [1, 2, 3] at `positions`.
  std::vector<double> sample(const std::string &mode, const std::string &positions, const std::string &rest) {
    return doubles("%x = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : "
                   "tensor<1x1x3xf32>\n"
                   "%g = graph.constant dense<" +
                       positions +
                       "> : tensor<1x4x1xf32>\n"
                       "%r = graph.grid_sample<" +
                       mode + "> %x, %g outside " + rest +
                       " : tensor<1x1x3xf32>, tensor<1x4x1xf32> -> "
                       "tensor<1x1x4xf32>",
                   "tensor<1x1x4xf32>");
  }
};

TEST_F(SamplingTest, GridOfOneDimension) {
  const char *at = "[[[0.5], [-0.25], [2.5], [-1.0]]]";
  EXPECT_THAT(sample("linear", at, "<zeros>"), ElementsAre(1.5, 0.75, 1.5, 0));
  EXPECT_THAT(sample("linear", at, "<border>"), ElementsAre(1.5, 1, 3, 1));
  EXPECT_THAT(sample("linear", at, "<reflection> align_corners"), ElementsAre(1.5, 1.25, 2.5, 2));
  EXPECT_THAT(sample("nearest", at, "<zeros>"), ElementsAre(1, 1, 3, 0));
}

TEST_F(SamplingTest, CoordinatesComeLastDimensionFirst) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, "
                      "6.0]]]]> : tensor<1x1x2x3xf32>\n"
                      "%g = graph.constant dense<[[[2.0, 0.0], [0.5, 1.0]]]> : "
                      "tensor<1x2x2xf32>\n"
                      "%r = graph.grid_sample<linear> %x, %g outside <zeros> : "
                      "tensor<1x1x2x3xf32>, tensor<1x2x2xf32> -> tensor<1x1x2xf32>",
                      "tensor<1x1x2xf32>"),
              ElementsAre(3, 4.5));
}

TEST_F(SamplingTest, RegionsOfInterest) {
  auto pool = [&](const std::string &kind) {
    return doubles("%x = graph.constant dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, "
                   "5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>\n"
                   "%b = graph.constant dense<[[0.0, 0.0, 2.0, 2.0]]> : "
                   "tensor<1x4xf32>\n"
                   "%i = graph.constant dense<[0]> : tensor<1xi64>\n"
                   "%r = graph.roi_align<" +
                       kind +
                       "> %x, %b, %i size [1, 2] sampling 1 scale 1.0 : "
                       "tensor<1x1x3x3xf32>, tensor<1x4xf32>, tensor<1xi64> "
                       "-> tensor<1x1x1x2xf32>",
                   "tensor<1x1x1x2xf32>");
  };
  EXPECT_THAT(pool("avg"), ElementsAre(3.5, 4.5));
  EXPECT_THAT(pool("max"), ElementsAre(2, 2.5));
}

TEST_F(SamplingTest, ImagesOfRegionsAreChecked) {
  EXPECT_THAT(error("%x = graph.constant dense<1.0> : tensor<1x1x3x3xf32>\n"
                    "%b = graph.constant dense<1.0> : tensor<1x4xf32>\n"
                    "%i = graph.constant dense<[4]> : tensor<1xi64>\n"
                    "%r = graph.roi_align<avg> %x, %b, %i size [1, 1] sampling "
                    "1 scale 1.0 : tensor<1x1x3x3xf32>, tensor<1x4xf32>, "
                    "tensor<1xi64> -> tensor<1x1x1x1xf32>",
                    "tensor<1x1x1x1xf32>"),
              HasSubstr("region 0 is of image 4, there are 1"));
}

TEST_F(SamplingTest, OverlappingBoxesAreSuppressed) {
  EXPECT_THAT(ints("%b = graph.constant dense<[[[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, "
                   "1.1], [1.0, 11.0, 0.0, 10.0], [0.0, 20.0, 1.0, 21.0]]]> : "
                   "tensor<1x4x4xf32>\n"
                   "%s = graph.constant dense<[[[0.7, 0.9, 0.9, 0.1]]]> : "
                   "tensor<1x1x4xf32>\n"
                   "%n = graph.constant dense<[3]> : tensor<1xi64>\n"
                   "%i = graph.constant dense<0.5> : tensor<f32>\n"
                   "%t = graph.constant dense<0.2> : tensor<f32>\n"
                   "%r, %c = graph.nms %b, %s, %n, %i, %t : tensor<1x4x4xf32>, "
                   "tensor<1x1x4xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> "
                   "tensor<3x3xi64>, tensor<1xi64>",
                   "tensor<3x3xi64>"),
              ElementsAre(0, 0, 1, 0, 0, 2, 0, 0, 0));
}

} // namespace
} // namespace hone::test
