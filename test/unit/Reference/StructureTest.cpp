//===- StructureTest.cpp - Control flow and whole functions ---------------===//

#include "test/unit/Reference/RunText.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace hone::reference;

namespace hone::test {
namespace {

using StructureTest = RunText;

TEST_F(StructureTest, IfTakesOneRegion) {
  auto branch = [&](const std::string &condition) {
    return doubles("%c = graph.constant dense<" + condition +
                       "> : tensor<i1>\n"
                       "%a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                       "%r = graph.if %c : tensor<i1> -> tensor<2xf32> {\n"
                       "  %0 = graph.binary<add> %a, %a : tensor<2xf32>, "
                       "tensor<2xf32> -> tensor<2xf32>\n"
                       "  graph.yield %0 : tensor<2xf32>\n"
                       "} else {\n  graph.yield %a : tensor<2xf32>\n}",
                   "tensor<2xf32>");
  };
  EXPECT_THAT(branch("true"), ElementsAre(2, 4));
  EXPECT_THAT(branch("false"), ElementsAre(1, 2));
}

static std::string loopText(const std::string &trips) {
  return "%n = graph.constant dense<" + trips +
         "> : tensor<i64>\n"
         "%go = graph.constant dense<true> : tensor<i1>\n"
         "%limit = graph.constant dense<20> : tensor<i64>\n"
         "%one = graph.constant dense<1> : tensor<i64>\n"
         "%s, %r = graph.loop %n, %go init(%one) : tensor<i64>, tensor<i1>, "
         "tensor<i64> -> tensor<i64>, tensor<?xi64> {\n"
         "^bb0(%i: tensor<i64>, %acc: tensor<i64>):\n"
         "  %2 = graph.binary<add> %acc, %acc : tensor<i64>, tensor<i64> -> "
         "tensor<i64>\n"
         "  %c = graph.compare<lt> %2, %limit : tensor<i64>, tensor<i64> -> "
         "tensor<i1>\n"
         "  graph.yield %c, %2, %i : tensor<i1>, tensor<i64>, tensor<i64>\n"
         "}";
}

TEST_F(StructureTest, LoopStopsByCountOrCondition) {
  EXPECT_THAT(ints(loopText("3"), "tensor<?xi64>"), ElementsAre(0, 1, 2));
  EXPECT_THAT(ints(loopText("100"), "tensor<?xi64>"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(ints(loopText("0"), "tensor<?xi64>").empty());
}

TEST_F(StructureTest, KernelAndRelayout) {
  EXPECT_THAT(doubles("%x = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
                      "%r = graph.kernel -> tensor<1x2xf32> {\n"
                      "  %0 = graph.relayout %x : tensor<1x2xf32> -> tensor<1x2xf32, "
                      "#graph.layout<[1, 0]>>\n"
                      "  %1 = graph.relayout %0 : tensor<1x2xf32, #graph.layout<[1, "
                      "0]>> -> tensor<1x2xf32>\n"
                      "  %2 = graph.unary<neg> %1 : tensor<1x2xf32> -> "
                      "tensor<1x2xf32>\n"
                      "  graph.yield %2 : tensor<1x2xf32>\n}",
                      "tensor<1x2xf32>"),
              ElementsAre(-1, -2));
}

TEST_F(StructureTest, InputsAreChecked) {
  auto function = parse("func.func @main(%x: tensor<?x2xf32>) -> "
                        "tensor<?x2xf32> {\n  return %x : tensor<?x2xf32>\n}");
  mlir::Type f32 = mlir::Float32Type::get(&context);
  auto good = *Tensor::fromDoubles(f32, {1, 2}, {1, 2});
  auto results = interpret(function, {good});
  ASSERT_TRUE(mlir::succeeded(results));
  EXPECT_THAT(results->front().doubles(), ElementsAre(1, 2));
  EXPECT_TRUE(mlir::failed(interpret(function, {})));
  EXPECT_THAT(messages, HasSubstr("takes 1 inputs, got 0"));
  EXPECT_TRUE(mlir::failed(interpret(function, {*Tensor::zeros(f32, {2, 1})})));
  EXPECT_THAT(messages, HasSubstr("got 'tensor<2x1xf32>'"));
}

TEST_F(StructureTest, ResultsMustHaveTheTypeOfTheOp) {
  auto function = parse("func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<4xf32> "
                        "{\n  %0 = graph.binary<add> %x, %y : tensor<?xf32>, tensor<?xf32> -> "
                        "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}");
  mlir::Type f32 = mlir::Float32Type::get(&context);
  auto three = *Tensor::zeros(f32, {3}), four = *Tensor::zeros(f32, {4});
  EXPECT_TRUE(mlir::succeeded(interpret(function, {four, four})));
  EXPECT_TRUE(mlir::failed(interpret(function, {three, three})));
  EXPECT_THAT(messages, HasSubstr("computes 'tensor<3xf32>' where its type is "
                                  "'tensor<4xf32>'"));
  messages.clear();
  EXPECT_TRUE(mlir::failed(interpret(function, {three, four})));
  EXPECT_THAT(messages, HasSubstr("shapes 3 and 4 do not broadcast"));
}

TEST_F(StructureTest, ObserversSeeEveryValue) {
  auto function = parse("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                        "  %0 = graph.unary<neg> %x : tensor<2xf32> -> tensor<2xf32>\n"
                        "  %1 = graph.unary<exp> %0 : tensor<2xf32> -> tensor<2xf32>\n"
                        "  return %1 : tensor<2xf32>\n}");
  int seen = 0;
  auto zero = *Tensor::zeros(mlir::Float32Type::get(&context), {2});
  auto results = interpret(function, {zero}, [&](mlir::Value, const Tensor &) { ++seen; });
  ASSERT_TRUE(mlir::succeeded(results));
  EXPECT_EQ(seen, 3);
}

TEST_F(StructureTest, EvaluateOneOp) {
  auto function = parse(loopText("3").insert(0, "func.func @main() -> "
                                                "tensor<?xi64> {\n") +
                        "\n  return %r : tensor<?xi64>\n}");
  mlir::Operation *loop = nullptr;
  function.walk([&](graph::LoopOp op) { loop = op; });
  ASSERT_TRUE(loop);
  EXPECT_TRUE(isEvaluable(loop));
  EXPECT_FALSE(isEvaluable(function));
  mlir::Type i64 = mlir::IntegerType::get(&context, 64);
  mlir::Type i1 = mlir::IntegerType::get(&context, 1);
  auto results = evaluate(
      loop, {*Tensor::fromInts(i64, {}, {2}), *Tensor::fromInts(i1, {}, {1}), *Tensor::fromInts(i64, {}, {1})});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  EXPECT_EQ(results->front().asInt(0), 4);
}

} // namespace
} // namespace hone::test
