//===- ContractionTest.cpp - Products and convolutions --------------------===//

#include "test/unit/Reference/RunText.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace hone::test {
namespace {

using ContractionTest = RunText;

TEST_F(ContractionTest, MatrixProduct) {
  EXPECT_THAT(doubles("%a = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
                      "tensor<2x2xf32>\n"
                      "%b = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : "
                      "tensor<2x2xf32>\n"
                      "%r = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : "
                      "tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>",
                      "tensor<2x2xf32>"),
              ElementsAre(19, 22, 43, 50));
}

TEST_F(ContractionTest, TransposedResultAndBatch) {
  // b=0 m=1 n=2 k=3; the result has the batch last.
  EXPECT_THAT(doubles("%a = graph.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : "
                      "tensor<2x1x2xf32>\n"
                      "%b = graph.constant dense<[[[1.0, 1.0], [2.0, 0.0]], "
                      "[[1.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf32>\n"
                      "%r = graph.contract %a[0, 1, 3], %b[0, 2, 3] to f32 [2, 1, 0] : "
                      "tensor<2x1x2xf32>, tensor<2x2x2xf32> -> tensor<2x1x2xf32>",
                      "tensor<2x1x2xf32>"),
              ElementsAre(3, 3, 2, 4));
}

TEST_F(ContractionTest, SumsOverIndicesOfOneOperand) {
  EXPECT_THAT(ints("%a = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
                   "%b = graph.constant dense<[10, 1]> : tensor<2xi32>\n"
                   "%r = graph.contract %a[0, 1], %b[2] to i32 [0] : "
                   "tensor<2x2xi32>, tensor<2xi32> -> tensor<2xi32>",
                   "tensor<2xi32>"),
              ElementsAre(33, 77));
}

TEST_F(ContractionTest, IntegersAreExtendedFirst) {
  EXPECT_THAT(ints("%a = graph.constant dense<[[200, 255]]> : tensor<1x2xui8>\n"
                   "%b = graph.constant dense<[[-2], [-128]]> : tensor<2x1xi8>\n"
                   "%r = graph.contract %a[0, 2], %b[2, 1] to i32 [0, 1] : "
                   "tensor<1x2xui8>, tensor<2x1xi8> -> tensor<1x1xi32>",
                   "tensor<1x1xi32>"),
              ElementsAre(-400 - 255 * 128));
}

TEST_F(ContractionTest, EmptySumsAreZero) {
  EXPECT_THAT(doubles("%a = graph.constant dense<> : tensor<2x0xf32>\n"
                      "%b = graph.constant dense<> : tensor<0x2xf32>\n"
                      "%r = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : "
                      "tensor<2x0xf32>, tensor<0x2xf32> -> tensor<2x2xf32>",
                      "tensor<2x2xf32>"),
              ElementsAre(0, 0, 0, 0));
}

TEST_F(ContractionTest, Convolution) {
  const std::string x = "%x = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, "
                        "5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>\n"
                        "%w = graph.constant dense<1.0> : "
                        "tensor<1x1x2x2xf32>\n";
  EXPECT_THAT(doubles(x + "%r = graph.conv %x, %w strides [1, 1] dilations "
                          "[1, 1] pads [0, 0, 0, 0] groups 1 to f32 : "
                          "tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32> -> "
                          "tensor<1x1x2x2xf32>",
                      "tensor<1x1x2x2xf32>"),
              ElementsAre(12, 16, 24, 28));
  EXPECT_THAT(doubles(x + "%r = graph.conv %x, %w strides [2, 2] dilations "
                          "[1, 1] pads [1, 0, 0, 1] groups 1 to f32 : "
                          "tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32> -> "
                          "tensor<1x1x2x2xf32>",
                      "tensor<1x1x2x2xf32>"),
              ElementsAre(3, 3, 24, 15));
  EXPECT_THAT(doubles(x + "%r = graph.conv %x, %w strides [1, 1] dilations "
                          "[2, 2] pads [0, 0, 0, 0] groups 1 to f32 : "
                          "tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32> -> "
                          "tensor<1x1x1x1xf32>",
                      "tensor<1x1x1x1xf32>"),
              ElementsAre(20));
}

TEST_F(ContractionTest, GroupedConvolutionOfOneDimension) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> "
                      ": tensor<1x2x3xf32>\n"
                      "%w = graph.constant dense<[[[1.0, 1.0]], [[1.0, -1.0]]]> : "
                      "tensor<2x1x2xf32>\n"
                      "%r = graph.conv %x, %w strides [1] dilations [1] pads [0, 0] "
                      "groups 2 to f32 : tensor<1x2x3xf32>, tensor<2x1x2xf32> -> "
                      "tensor<1x2x2xf32>",
                      "tensor<1x2x2xf32>"),
              ElementsAre(3, 5, -1, -1));
}

TEST_F(ContractionTest, TransposedConvolution) {
  const std::string x = "%x = graph.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : "
                        "tensor<1x1x2x2xf32>\n"
                        "%w = graph.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : "
                        "tensor<1x1x2x2xf32>\n";
  EXPECT_THAT(doubles(x + "%r = graph.conv_transpose %x, %w strides [1, 1] dilations "
                          "[1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to "
                          "f32 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> -> "
                          "tensor<1x1x3x3xf32>",
                      "tensor<1x1x3x3xf32>"),
              ElementsAre(1, 4, 4, 6, 20, 16, 9, 24, 16));
  EXPECT_THAT(doubles(x + "%r = graph.conv_transpose %x, %w strides [2, 2] dilations "
                          "[1, 1] pads [1, 0, 0, 1] output_padding [0, 1] groups 1 to "
                          "f32 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> -> "
                          "tensor<1x1x3x4xf32>",
                      "tensor<1x1x3x4xf32>"),
              ElementsAre(3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16));
}

TEST_F(ContractionTest, GroupedTransposedConvolution) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[[1.0], [10.0]]]> : "
                      "tensor<1x2x1xf32>\n"
                      "%w = graph.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, "
                      "6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>\n"
                      "%r = graph.conv_transpose %x, %w strides [1] dilations [1] pads "
                      "[0, 0] output_padding [0] groups 2 to f32 : tensor<1x2x1xf32>, "
                      "tensor<2x2x2xf32> -> tensor<1x4x2xf32>",
                      "tensor<1x4x2xf32>"),
              ElementsAre(1, 2, 3, 4, 50, 60, 70, 80));
}

} // namespace
} // namespace hone::test
