//===- MovementTest.cpp - Elements change places --------------------------===//

#include "test/unit/Reference/RunText.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace hone::test {
namespace {

class MovementTest : public RunText {
protected:
  const std::string x = "%x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n";
  static std::string shape(const std::string &name, const std::string &values) {
    return name + " = graph.constant dense<" + values + "> : tensor<" +
           std::to_string(std::count(values.begin(), values.end(), ',') + 1) + "xi64>\n";
  }
};

TEST_F(MovementTest, Ranges) {
  auto range = [&](const std::string &start, const std::string &limit, const std::string &delta,
                   const std::string &element) {
    std::string scalar = "tensor<" + element + ">";
    return "%a = graph.constant dense<" + start + "> : " + scalar + "\n%b = graph.constant dense<" + limit +
           "> : " + scalar + "\n%c = graph.constant dense<" + delta + "> : " + scalar +
           "\n%r = graph.range %a, %b, %c : " + scalar + " -> tensor<?x" + element + ">";
  };
  EXPECT_THAT(ints(range("1", "8", "3", "i64"), "tensor<?xi64>"), ElementsAre(1, 4, 7));
  EXPECT_THAT(ints(range("5", "0", "-2", "i32"), "tensor<?xi32>"), ElementsAre(5, 3, 1));
  EXPECT_THAT(ints(range("5", "0", "2", "i64"), "tensor<?xi64>"), IsEmpty());
  EXPECT_THAT(doubles(range("0.5", "2.0", "0.5", "f32"), "tensor<?xf32>"), ElementsAre(0.5, 1, 1.5));
}

TEST_F(MovementTest, Reshape) {
  EXPECT_THAT(run(x + shape("%s", "[3, -1]") +
                      "%r = graph.reshape %x, %s : tensor<2x3xi32>, "
                      "tensor<2xi64> -> tensor<3x2xi32>",
                  "tensor<3x2xi32>")
                  .getShape(),
              ElementsAre(3, 2));
}

TEST_F(MovementTest, ReshapeThatFailsAtRunTime) {
  EXPECT_THAT(error(x + "%c = graph.constant dense<[0, 4, 0, 0]> : tensor<4xi64>\n"
                        "%p, %n = graph.nonzero %c : tensor<4xi64> -> tensor<1x4xi64>, "
                        "tensor<1xi64>\n"
                        "%r = graph.reshape %x, %n : tensor<2x3xi32>, tensor<1xi64> -> "
                        "tensor<?xi32>",
                    "tensor<?xi32>"),
              HasSubstr("cannot turn 2x3 into 1"));
}

TEST_F(MovementTest, TransposeBroadcastTile) {
  EXPECT_THAT(ints(x + "%r = graph.transpose %x perm [1, 0] : tensor<2x3xi32> "
                       "-> tensor<3x2xi32>",
                   "tensor<3x2xi32>"),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(ints("%x = graph.constant dense<[[1], [2]]> : tensor<2x1xi32>\n" + shape("%s", "[2, 2, 2]") +
                       "%r = graph.broadcast %x, %s : tensor<2x1xi32>, "
                       "tensor<3xi64> -> tensor<2x2x2xi32>",
                   "tensor<2x2x2xi32>"),
              ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
  EXPECT_THAT(ints("%x = graph.constant dense<[[1, 2]]> : tensor<1x2xi32>\n" + shape("%s", "[2, 2]") +
                       "%r = graph.tile %x, %s : tensor<1x2xi32>, "
                       "tensor<2xi64> -> tensor<2x4xi32>",
                   "tensor<2x4xi32>"),
              ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
}

TEST_F(MovementTest, Slices) {
  auto slice = [&](const std::string &start, const std::string &end, const std::string &step, int count) {
    std::string type = "tensor<" + std::to_string(count) + "xi32>";
    return ints("%x = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>\n" + shape("%a", "[" + start + "]") +
                    shape("%b", "[" + end + "]") + shape("%c", "[" + step + "]") +
                    "%r = graph.slice %x[%a, %b, %c] dims [0] : tensor<5xi32>, "
                    "tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> " +
                    type,
                type);
  };
  EXPECT_THAT(slice("1", "4", "1", 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(slice("-2", "1000", "1", 2), ElementsAre(3, 4));
  EXPECT_THAT(slice("-1", "-9223372036854775808", "-2", 3), ElementsAre(4, 2, 0));
  EXPECT_THAT(slice("4", "1", "-1", 3), ElementsAre(4, 3, 2));
  EXPECT_THAT(slice("3", "1", "1", 0), IsEmpty());
  EXPECT_THAT(slice("0", "5", "9223372036854775807", 1), ElementsAre(0));
}

TEST_F(MovementTest, Pads) {
  auto pad = [&](const std::string &mode, const std::string &pads, int count) {
    std::string type = "tensor<" + std::to_string(count) + "xi32>";
    return ints("%x = graph.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
                "%v = graph.constant dense<9> : tensor<i32>\n" +
                    shape("%p", pads) + "%r = graph.pad<" + mode +
                    "> %x, %p, %v : tensor<3xi32>, tensor<2xi64>, "
                    "tensor<i32> -> " +
                    type,
                type);
  };
  EXPECT_THAT(pad("constant", "[2, 1]", 6), ElementsAre(9, 9, 1, 2, 3, 9));
  EXPECT_THAT(pad("constant", "[-1, 2]", 4), ElementsAre(2, 3, 9, 9));
  EXPECT_THAT(pad("edge", "[2, 2]", 7), ElementsAre(1, 1, 1, 2, 3, 3, 3));
  EXPECT_THAT(pad("reflect", "[2, 2]", 7), ElementsAre(3, 2, 1, 2, 3, 2, 1));
  EXPECT_THAT(pad("reflect", "[0, 5]", 8), ElementsAre(1, 2, 3, 2, 1, 2, 3, 2));
  EXPECT_THAT(pad("wrap", "[2, 4]", 9), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(pad("constant", "[-2, -1]", 0), IsEmpty());
}

TEST_F(MovementTest, Concat) {
  EXPECT_THAT(ints(x + "%y = graph.constant dense<[[7], [8]]> : "
                       "tensor<2x1xi32>\n"
                       "%n = graph.constant dense<> : tensor<2x0xi32>\n"
                       "%r = graph.concat %x, %n, %y dim 1 : tensor<2x3xi32>, "
                       "tensor<2x0xi32>, tensor<2x1xi32> -> tensor<2x4xi32>",
                   "tensor<2x4xi32>"),
              ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
}

TEST_F(MovementTest, ShapeOfTensorsOfRankZero) {
  EXPECT_THAT(ints("%x = graph.constant dense<1.0> : tensor<f32>\n"
                   "%r = graph.shape %x : tensor<f32> -> tensor<0xi64>",
                   "tensor<0xi64>"),
              IsEmpty());
}

} // namespace
} // namespace hone::test
