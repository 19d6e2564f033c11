//===- MemoryForm.cpp - Tensors as kernels see them -----------------------===//

#include "lib/Reference/MemoryForm.h"

#include "dialects/Graph/IR/Graph.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace hone::graph;
using namespace hone::reference;

namespace {

/// How far apart in memory, in elements, neighbours in each dimension are.
struct Steps {
  Steps(RankedTensorType type, ArrayRef<int64_t> shape);
  int64_t offsetOf(ArrayRef<int64_t> position) const;

  SmallVector<int64_t> strides;
  int64_t tile = 1, tiledDim = -1, count = 1;
};

} // namespace

Steps::Steps(RankedTensorType type, ArrayRef<int64_t> shape) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding())) {
    order.assign(layout.getOrder().begin(), layout.getOrder().end());
    if (layout.getTile() > 1) {
      tile = layout.getTile();
      tiledDim = layout.getTiledDim();
    }
  }
  strides.assign(shape.size(), 0);
  count = tile;
  for (int64_t dim : llvm::reverse(order)) {
    strides[dim] = count;
    count *= dim == tiledDim ? llvm::divideCeil(static_cast<uint64_t>(shape[dim]), tile) : shape[dim];
  }
}

int64_t Steps::offsetOf(ArrayRef<int64_t> position) const {
  int64_t offset = 0;
  for (auto [dim, at] : llvm::enumerate(position))
    offset += static_cast<int64_t>(dim) == tiledDim ? at / tile * strides[dim] + at % tile : at * strides[dim];
  return offset;
}

/// Calls `copy` with the place of every element, row-major and in memory, in elements.
static void forEachElement(const Steps &steps, ArrayRef<int64_t> shape,
                           llvm::function_ref<void(int64_t, int64_t)> copy) {
  int64_t total = *elementCount(shape);
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t i = 0; i < total; ++i) {
    copy(i, steps.offsetOf(position));
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0 && ++position[dim] == shape[dim]; --dim)
      position[dim] = 0;
  }
}

std::optional<int64_t> hone::reference::memoryBytes(RankedTensorType type, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> filled(shape);
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (layout && layout.getTile() > 1 && filled[layout.getTiledDim()] >= 0)
    filled[layout.getTiledDim()] = llvm::alignTo(filled[layout.getTiledDim()], layout.getTile());
  filled.push_back(storageBytes(type.getElementType()));
  return elementCount(filled);
}

std::optional<Tensor> hone::reference::fromMemory(RankedTensorType type, ArrayRef<int64_t> shape,
                                                  ArrayRef<uint8_t> bytes) {
  std::optional<int64_t> needed = memoryBytes(type, shape);
  if (!needed || static_cast<uint64_t>(*needed) > bytes.size())
    return std::nullopt;
  std::optional<Tensor> tensor = Tensor::zeros(type.getElementType(), shape);
  if (!tensor)
    return std::nullopt;
  unsigned width = tensor->getElementBytes();
  char *target = tensor->mutableBytes().data();
  if (!type.getEncoding())
    std::memcpy(target, bytes.data(), *needed);
  else
    forEachElement(Steps(type, shape), shape,
                   [&](int64_t i, int64_t at) { std::memcpy(target + i * width, bytes.data() + at * width, width); });
  return tensor;
}

void hone::reference::toMemory(const Tensor &tensor, RankedTensorType type, MutableArrayRef<uint8_t> bytes) {
  ArrayRef<char> source = tensor.bytes();
  if (!type.getEncoding()) {
    std::memcpy(bytes.data(), source.data(), source.size());
    return;
  }
  unsigned width = tensor.getElementBytes();
  Steps steps(type, tensor.getShape());
  std::memset(bytes.data(), 0, steps.count * width);
  forEachElement(steps, tensor.getShape(), [&](int64_t i, int64_t at) {
    std::memcpy(bytes.data() + at * width, source.data() + i * width, width);
  });
}
