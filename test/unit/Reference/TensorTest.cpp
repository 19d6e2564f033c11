//===- TensorTest.cpp - Storage and attributes ----------------------------===//

#include "test/unit/Reference/RunText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace hone::reference;
using ::testing::ElementsAre;

namespace hone::test {
namespace {

using TensorTest = RunText;

TEST_F(TensorTest, IntegersWrapAroundTheirWidth) {
  Builder b(&context);
  auto stored = [&](Type type, int64_t value) { return Tensor::fromInts(type, {}, {value})->asInt(0); };
  EXPECT_EQ(stored(b.getIntegerType(4), 8), -8);
  EXPECT_EQ(stored(b.getIntegerType(4, false), 17), 1);
  EXPECT_EQ(stored(b.getIntegerType(2), 3), -1);
  EXPECT_EQ(stored(b.getIntegerType(8), 200), -56);
  EXPECT_EQ(stored(b.getIntegerType(16, false), -1), 65535);
  EXPECT_EQ(stored(b.getI1Type(), 36), 1);
  auto big = Tensor::fromInts(b.getIntegerType(64, false), {}, {-1});
  EXPECT_EQ(big->asDouble(0), 18446744073709551616.0);
}

TEST_F(TensorTest, SizesAreChecked) {
  Type f32 = Float32Type::get(&context);
  EXPECT_FALSE(Tensor::zeros(f32, {int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_FALSE(Tensor::zeros(f32, {-1}));
  EXPECT_FALSE(Tensor::zeros(IntegerType::get(&context, 7), {1}));
  EXPECT_FALSE(Tensor::fromDoubles(f32, {2}, {1.0}));
  auto empty = Tensor::zeros(f32, {int64_t(1) << 40, 0, int64_t(1) << 40});
  EXPECT_FALSE(empty); // the other extents do not fit
  auto none = Tensor::zeros(f32, {3, 0});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->size(), 0);
  EXPECT_EQ(Tensor::zeros(f32, {})->size(), 1);
}

TEST_F(TensorTest, CopiesAreIndependent) {
  auto a = *Tensor::fromInts(IntegerType::get(&context, 32), {2}, {1, 2});
  Tensor b = a;
  b.setInt(0, 7);
  EXPECT_THAT(a.ints(), ElementsAre(1, 2));
  EXPECT_THAT(b.ints(), ElementsAre(7, 2));
}

TEST_F(TensorTest, AttributesRoundTrip) {
  for (const char *text :
       {"dense<[[1.0, 2.5], [-3.0, 4.0]]> : tensor<2x2xf32>", "dense<[1, -2, 7, -8]> : tensor<4xi4>",
        "dense<[1, 2, 15, 8]> : tensor<4xui4>", "dense<[1, -2, -1]> : tensor<3xi2>",
        "dense<[true, false, true]> : tensor<3xi1>", "dense<true> : tensor<3xi1>", "dense<5> : tensor<100xi64>",
        "dense<[1.5, -0.5]> : tensor<2xbf16>", "dense<[1.5, -0.5]> : tensor<2xf8E4M3FN>",
        "dense<[1.5, -6.0]> : tensor<2xf4E2M1FN>", "dense<3.0> : tensor<f64>", "dense<> : tensor<0x3xf32>"}) {
    auto attribute = dyn_cast_or_null<ElementsAttr>(parseAttribute(text, &context));
    ASSERT_TRUE(attribute) << text;
    auto tensor = Tensor::fromAttr(attribute);
    ASSERT_TRUE(tensor) << text;
    EXPECT_EQ(tensor->toAttr(), attribute) << text;
  }
}

TEST_F(TensorTest, LargeTensorsAreResources) {
  Type f32 = Float32Type::get(&context);
  auto tensor = *Tensor::zeros(f32, {100, 100});
  EXPECT_TRUE(cast<DenseElementsAttr>(tensor.toAttr()).isSplat());
  tensor.setDouble(9999, 2.5);
  ElementsAttr attribute = tensor.toAttr();
  EXPECT_TRUE(isa<DenseResourceElementsAttr>(attribute));
  auto back = Tensor::fromAttr(attribute);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->asDouble(9999), 2.5);
  EXPECT_EQ(back->asDouble(0), 0);
}

TEST_F(TensorTest, ResourcesOfTheWrongSizeAreRefused) {
  auto type = RankedTensorType::get({3}, Float32Type::get(&context));
  SmallVector<char> bytes(4);
  auto attribute =
      DenseResourceElementsAttr::get(type, "short", HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 8));
  EXPECT_FALSE(Tensor::fromAttr(attribute));
}

TEST_F(TensorTest, FloatsToIntegersTruncateAndWrap) {
  Builder b(&context);
  auto stored = [&](Type type, double value) {
    auto tensor = *Tensor::zeros(type, {});
    tensor.setDouble(0, value);
    return tensor.asInt(0);
  };
  EXPECT_EQ(stored(b.getI32Type(), -1.9), -1);
  EXPECT_EQ(stored(b.getIntegerType(4, false), -9), 7);
  EXPECT_EQ(stored(b.getI64Type(), std::nan("")), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(static_cast<uint64_t>(stored(b.getIntegerType(64, false), 9223372036854775808.0)), uint64_t(1) << 63);
}

} // namespace
} // namespace hone::test
