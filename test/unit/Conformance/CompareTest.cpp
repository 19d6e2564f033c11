//===- CompareTest.cpp - What counts as equal -----------------------------===//

#include "test/onnx/Compare.h"
#include "test/onnx/RunCase.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace hone::conformance;

namespace {

template <typename T> Value tensor(DataType type, std::vector<T> elements, llvm::SmallVector<int64_t> dims) {
  Value value;
  value.dataType = type;
  value.dims = dims;
  value.bytes.resize(elements.size() * sizeof(T));
  std::memcpy(value.bytes.data(), elements.data(), value.bytes.size());
  return value;
}

Value floats(std::vector<float> elements) {
  int64_t count = elements.size();
  return tensor(Float, std::move(elements), {count});
}

std::string compare(const Value &actual, const Value &expected) { return compareValues(actual, expected, 1e-3, 1e-7); }

TEST(CompareTest, FloatsWithinTolerance) {
  EXPECT_EQ(compare(floats({1000.9f, -0.f}), floats({1000, 0})), "");
  EXPECT_EQ(compare(floats({1, 1002, 1003}), floats({1, 1000, 1000})),
            "2 of 3 elements differ, first #1: 1.002000e+03, not 1.000000e+03");
}

TEST(CompareTest, NanAndInfinity) {
  EXPECT_EQ(compare(floats({NAN, INFINITY}), floats({NAN, INFINITY})), "");
  EXPECT_NE(compare(floats({1}), floats({NAN})), "");
  EXPECT_NE(compare(floats({NAN}), floats({1})), "");
  EXPECT_NE(compare(floats({INFINITY}), floats({-INFINITY})), "");
  EXPECT_NE(compare(floats({3e38f}), floats({INFINITY})), "");
}

TEST(CompareTest, IntegersExactly) {
  Value million = tensor<int32_t>(Int32, {1000000}, {1});
  EXPECT_EQ(compare(million, million), "");
  EXPECT_EQ(compare(tensor<int32_t>(Int32, {1000001}, {1}), million),
            "1 of 1 elements differ, first #0: 1000001, not 1000000");
}

TEST(CompareTest, TypesAndShapes) {
  EXPECT_EQ(compare(tensor<float>(Float, {1, 2}, {2}), tensor<float>(Float, {1, 2}, {1, 2})),
            "is f32[2], not f32[1,2]");
  EXPECT_EQ(compare(tensor<int32_t>(Int32, {1}, {}), tensor<uint32_t>(UInt32, {1}, {})), "is i32[], not u32[]");
  EXPECT_EQ(compare(tensor<float>(Float, {}, {0, 3}), tensor<float>(Float, {}, {0, 3})), "");
}

TEST(CompareTest, PackedElements) {
  // 1, -1, 7 in four bits each.
  Value expected = tensor<uint8_t>(Int4, {0xF1, 0x07}, {3});
  EXPECT_EQ(compare(tensor<uint8_t>(Int4, {0xF1, 0x07}, {3}), expected), "");
  EXPECT_EQ(compare(tensor<uint8_t>(Int4, {0xE1, 0x07}, {3}), expected),
            "1 of 3 elements differ, first #1: -2, not -1");
  EXPECT_EQ(compare(tensor<uint8_t>(UInt2, {0x1B}, {4}), tensor<uint8_t>(UInt2, {0x1F}, {4})),
            "1 of 4 elements differ, first #1: 2, not 3");
}

TEST(CompareTest, SmallFloats) {
  // Two NaNs of E4M3FN, and its largest value, 448.
  EXPECT_EQ(compare(tensor<uint8_t>(Float8E4M3FN, {0x7F, 0x7E}, {2}), tensor<uint8_t>(Float8E4M3FN, {0xFF, 0x7E}, {2})),
            "");
  EXPECT_NE(compare(tensor<uint8_t>(Float8E4M3FN, {0x7E}, {1}), tensor<uint8_t>(Float8E4M3FN, {0x7D}, {1})), "");
  // Two ULPs of bf16 are granted, three are not.
  Value one = tensor<uint16_t>(BFloat16, {0x3F80}, {1});
  EXPECT_EQ(compare(tensor<uint16_t>(BFloat16, {0x3F82}, {1}), one), "");
  EXPECT_NE(compare(tensor<uint16_t>(BFloat16, {0x3F83}, {1}), one), "");
}

TEST(CompareTest, SequencesAndNothing) {
  Value sequence, shorter, nothing;
  sequence.kind = shorter.kind = Value::Sequence;
  nothing.kind = Value::Absent;
  sequence.items = {floats({1}), floats({2})};
  shorter.items = {floats({1})};
  EXPECT_EQ(compare(sequence, sequence), "");
  EXPECT_EQ(compare(shorter, sequence), "is a sequence of 1, not a sequence of 2");
  EXPECT_EQ(compare(nothing, nothing), "");
  EXPECT_EQ(compare(nothing, floats({1})), "is nothing, not f32[1]");
}

TEST(CompareTest, OutputsOfACase) {
  Case testCase;
  EXPECT_EQ(compareOutputs(testCase, {floats({1})}, {floats({1})}).status, Status::Pass);
  EXPECT_EQ(compareOutputs(testCase, {}, {floats({1})}).reason, "0 outputs, not 1");
}

} // namespace
