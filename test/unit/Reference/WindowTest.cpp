//===- WindowTest.cpp - Pooling -------------------------------------------===//

#include "test/unit/Reference/RunText.h"

#include <cmath>

using ::testing::ElementsAre;

namespace hone::test {
namespace {

class WindowTest : public RunText {
protected:
  const std::string x = "%x = graph.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : "
                        "tensor<1x1x5xf32>\n";
  std::vector<double> pool(const std::string &rest, int extent) {
    std::string type = "tensor<1x1x" + std::to_string(extent) + "xf32>";
    return doubles(x + "%r = graph.pool" + rest + " : tensor<1x1x5xf32> -> " + type, type);
  }
};

TEST_F(WindowTest, Maximum) {
  EXPECT_THAT(pool("<max> %x window [2] strides [2] dilations [1] pads [0, 0]", 2), ElementsAre(2, 4));
  EXPECT_THAT(pool("<max> %x window [2] strides [2] dilations [1] pads [0, 0] "
                   "{ceilMode = true}",
                   3),
              ElementsAre(2, 4, 5));
  EXPECT_THAT(pool("<max> %x window [2] strides [1] dilations [3] pads [1, 1]", 4), ElementsAre(3, 4, 5, 3));
}

TEST_F(WindowTest, AverageCountsWhatItIsTold) {
  EXPECT_THAT(pool("<avg> %x window [3] strides [2] dilations [1] pads [1, 1]", 3), ElementsAre(1.5, 3, 4.5));
  EXPECT_THAT(pool("<avg> %x window [3] strides [2] dilations [1] pads [1, 1] "
                   "{countPad = true}",
                   3),
              ElementsAre(1, 3, 3));
  // The window that hangs over counts only as far as the padding goes.
  EXPECT_THAT(pool("<avg> %x window [3] strides [3] dilations [1] pads [0, 0] "
                   "{ceilMode = true, countPad = true}",
                   2),
              ElementsAre(2, 4.5));
}

TEST_F(WindowTest, CeilModeNeverStartsInTheEndPadding) {
  EXPECT_THAT(pool("<max> %x window [1] strides [3] dilations [1] pads [0, 2] "
                   "{ceilMode = true}",
                   2),
              ElementsAre(1, 4));
}

TEST_F(WindowTest, Norm) {
  auto result = pool("<lp> %x window [2] strides [3] dilations [1] pads [0, 0]", 2);
  EXPECT_NEAR(result[0], std::sqrt(5), 1e-6);
  EXPECT_NEAR(result[1], std::sqrt(41), 1e-6);
}

TEST_F(WindowTest, Indices) {
  const std::string image = "%x = graph.constant dense<[[[[1.0, 5.0], [7.0, 7.0]], [[0.0, 9.0], "
                            "[1.0, 2.0]]]]> : tensor<1x2x2x2xf32>\n";
  EXPECT_THAT(ints(image + "%r = graph.max_pool_indices %x window [2, 2] strides [1, "
                           "1] dilations [1, 1] pads [0, 0, 0, 0] : "
                           "tensor<1x2x2x2xf32> -> tensor<1x2x1x1xi64>",
                   "tensor<1x2x1x1xi64>"),
              ElementsAre(2, 5));
  EXPECT_THAT(ints(image + "%r = graph.max_pool_indices %x window [2, 2] strides [1, "
                           "1] dilations [1, 1] pads [0, 0, 0, 0] {columnMajor = "
                           "true} : tensor<1x2x2x2xf32> -> tensor<1x2x1x1xi64>",
                   "tensor<1x2x1x1xi64>"),
              ElementsAre(1, 6));
}

} // namespace
} // namespace hone::test
