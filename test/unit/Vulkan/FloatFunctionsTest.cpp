//===- FloatFunctionsTest.cpp - Functions against the C library -----------===//
//
// Functions of constants fold to constants: what the arithmetic computes, without a device.
//
//===----------------------------------------------------------------------===//

#include "backends/Vulkan/Lowering/FloatFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using vulkan::FloatFunctions;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class FloatFunctionsTest : public testing::Test {
protected:
  FloatFunctionsTest() { context.loadDialect<arith::ArithDialect, math::MathDialect, func::FuncDialect>(); }

  using Build = llvm::function_ref<Value(const FloatFunctions &, ArrayRef<Value>)>;

  /// The value of a function of constants, or nothing when it does not fold.
  std::optional<double> evaluate(Type element, ArrayRef<double> arguments, Build build) {
    OpBuilder builder(&context);
    Location loc = NameLoc::get(builder.getStringAttr("test"));
    OwningOpRef<func::FuncOp> function = func::FuncOp::create(loc, "f", builder.getFunctionType({}, {element}));
    builder.setInsertionPointToStart(function->addEntryBlock());
    SmallVector<Value> values;
    for (double argument : arguments)
      values.push_back(
          arith::ConstantOp::create(builder, loc, builder.getFloatAttr(element, round(element, argument))));
    auto result = func::ReturnOp::create(builder, loc, build(FloatFunctions(builder, loc, element), values));
    if (failed(applyPatternsGreedily(*function, RewritePatternSet(&context))))
      return std::nullopt;
    FloatAttr number;
    if (!matchPattern(result.getOperand(0), m_Constant(&number)))
      return std::nullopt;
    return number.getValueAsDouble();
  }

  static double round(Type element, double value) { return element.isF64() ? value : static_cast<float>(value); }

  /// Within `ulps` units of the last place of what C says, in f32 (by way of f64) and f64.
  void check(StringRef name, Build build, ArrayRef<double> arguments,
             llvm::function_ref<double(ArrayRef<double>)> wanted, double ulps) {
    for (Type element : {Type(Float32Type::get(&context)), Type(Float64Type::get(&context))}) {
      SmallVector<double> rounded;
      for (double argument : arguments)
        rounded.push_back(round(element, argument));
      double want = round(element, wanted(rounded));
      std::optional<double> got = evaluate(element, rounded, build);
      // Roots and conversions that are undefined do not fold.
      if (!got && std::isnan(want))
        continue;
      ASSERT_TRUE(got) << name.str() << " does not fold";
      SCOPED_TRACE(name.str() + "(" + std::to_string(arguments[0]) + ") in " + (element.isF64() ? "f64" : "f32"));
      if (std::isnan(want) || std::isinf(want) || want == 0) {
        EXPECT_EQ(std::isnan(want), std::isnan(*got));
        if (!std::isnan(want)) {
          EXPECT_EQ(*got, want);
          EXPECT_EQ(std::signbit(*got), std::signbit(want));
        }
        continue;
      }
      double unit = std::ldexp(1.0, std::ilogb(want) - (element.isF64() ? 52 : 23));
      EXPECT_LE(std::abs(*got - want) / unit, ulps) << *got << " instead of " << want;
    }
  }

  MLIRContext context;
};

const double kNumbers[] = {0.0,  -0.0, 1.0,   -1.0,  0.5,    -0.75,  1e-3, -1e-3, 1e-20, 0.3,     -0.42, 0.9999,
                           1.25, -2.5, 3.141, 6.283, 11.125, -17.75, 40.0, -60.0, 88.0,  12345.0, 1e15,  -1e30};

} // namespace

TEST_F(FloatFunctionsTest, OfOneNumber) {
  struct Row {
    const char *name;
    Value (FloatFunctions::*function)(Value) const;
    double (*wanted)(double);
    double ulps, limit; ///< arguments beyond the limit are left out
  };
  const Row rows[] = {
      {"exp", &FloatFunctions::exp, std::exp, 1, kInf},    {"expm1", &FloatFunctions::expm1, std::expm1, 2, kInf},
      {"log", &FloatFunctions::log, std::log, 1, kInf},    {"log1p", &FloatFunctions::log1p, std::log1p, 3, kInf},
      {"sin", &FloatFunctions::sin, std::sin, 1, 5e4},     {"cos", &FloatFunctions::cos, std::cos, 1, 5e4},
      {"tan", &FloatFunctions::tan, std::tan, 3, 5e4},     {"asin", &FloatFunctions::asin, std::asin, 3, kInf},
      {"acos", &FloatFunctions::acos, std::acos, 3, kInf}, {"atan", &FloatFunctions::atan, std::atan, 2, kInf},
      {"tanh", &FloatFunctions::tanh, std::tanh, 3, kInf}, {"erf", &FloatFunctions::erf, std::erf, 2, kInf},
  };
  SmallVector<double> numbers(std::begin(kNumbers), std::end(kNumbers));
  numbers.append({kInf, -kInf, kNaN});
  for (const Row &row : rows)
    for (double number : numbers)
      if (!(std::abs(number) > row.limit) || std::isinf(number))
        check(
            row.name, [&](const FloatFunctions &f, ArrayRef<Value> x) { return (f.*row.function)(x[0]); }, {number},
            [&](ArrayRef<double> x) { return row.wanted(x[0]); }, row.ulps);
}

TEST_F(FloatFunctionsTest, Power) {
  const double numbers[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1.0625, 10.5, -8.0, 100.0, kInf, -kInf, kNaN};
  for (double x : numbers)
    for (double y : numbers)
      check(
          "pow", [](const FloatFunctions &f, ArrayRef<Value> x) { return f.pow(x[0], x[1]); }, {x, y},
          [](ArrayRef<double> x) { return std::pow(x[0], x[1]); }, 1.5);
}
