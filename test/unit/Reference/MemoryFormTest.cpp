//===- MemoryFormTest.cpp - Tensors in and out of layouts -----------------===//

#include "lib/Reference/MemoryForm.h"
#include "dialects/Graph/IR/Graph.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hone::graph;
using namespace hone::reference;

namespace {

struct MemoryForm : testing::Test {
  MemoryForm() { context.loadDialect<GraphDialect>(); }

  /// Lays 0, 1, 2, ... out, reads it back, and returns what lies in memory.
  std::vector<int> layOut(ArrayRef<int64_t> shape, Attribute encoding) {
    Type element = IntegerType::get(&context, 16);
    auto type = RankedTensorType::get(shape, element, encoding);
    auto values = llvm::to_vector(llvm::seq<int64_t>(0, *elementCount(shape)));
    Tensor tensor = *Tensor::fromInts(element, shape, values);
    std::vector<uint8_t> bytes(*memoryBytes(type, shape), 0xff);
    toMemory(tensor, type, bytes);
    EXPECT_EQ(fromMemory(type, shape, bytes)->ints(), tensor.ints());
    std::vector<int> result;
    for (size_t i = 0; i < bytes.size(); i += 2)
      result.push_back(bytes[i] + 256 * bytes[i + 1]);
    return result;
  }

  MLIRContext context;
};

} // namespace

TEST_F(MemoryForm, RowMajor) { EXPECT_EQ(layOut({2, 3}, {}), (std::vector<int>{0, 1, 2, 3, 4, 5})); }

TEST_F(MemoryForm, OtherOrder) {
  EXPECT_EQ(layOut({2, 3}, LayoutAttr::get(&context, {1, 0})), (std::vector<int>{0, 3, 1, 4, 2, 5}));
}

/// Three columns in panels of two, each panel a row after the other.
TEST_F(MemoryForm, Panels) {
  EXPECT_EQ(layOut({2, 3}, LayoutAttr::get(&context, {1, 0}, 2, 1)), (std::vector<int>{0, 1, 3, 4, 2, 0, 5, 0}));
}

TEST_F(MemoryForm, TooFewBytes) {
  auto type = RankedTensorType::get({2, 3}, Float32Type::get(&context));
  std::vector<uint8_t> bytes(23);
  EXPECT_FALSE(fromMemory(type, {2, 3}, bytes));
  EXPECT_FALSE(memoryBytes(type, {INT64_MAX, 3}));
}
