//===- Indexing.cpp - Walks over row-major tensors ------------------------===//

#include "lib/Reference/Indexing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hone::reference {

Shape rowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

std::optional<Shape> broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a.begin(), a.end());
  size_t lead = a.size() - b.size();
  for (size_t d = 0; d < b.size(); ++d) {
    int64_t &extent = result[lead + d];
    if (extent == b[d] || b[d] == 1)
      continue;
    if (extent != 1)
      return std::nullopt;
    extent = b[d];
  }
  return result;
}

Shape broadcastStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Shape own = rowMajorStrides(from), strides(to.size(), 0);
  size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    strides[lead + d] = from[d] == 1 ? 0 : own[d];
  return strides;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

Result strided(Operation *op, const Tensor &input, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t start) {
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result))
    return failure();
  ElementCopier copier(*result, input);
  forEachOffset<1>(shape, {strides}, [&](int64_t i, std::array<int64_t, 1> from) { copier.copy(i, start + from[0]); });
  return result;
}

Split::Split(ArrayRef<int64_t> shape, int64_t dim) {
  for (auto [d, n] : llvm::enumerate(shape))
    (static_cast<int64_t>(d) < dim ? outer : static_cast<int64_t>(d) == dim ? extent : inner) *= n;
}

} // namespace hone::reference
