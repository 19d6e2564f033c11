//===- SelectionReference.cpp - Results that depend on the data -----------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {

static Results evalNonZero(NonZeroOp op, Operands operands) {
  const Tensor &input = operands[0];
  int64_t room = input.size(), found = 0, i = 0;
  std::vector<int64_t> positions(input.getRank() * room, 0);
  std::vector<double> values = input.doubles();
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    if (values[i++] == 0)
      return;
    for (auto [d, at] : llvm::enumerate(index))
      positions[d * room + found] = at;
    ++found;
  });
  Result columns = fromInts(op, resultElement(op), {input.getRank(), room}, positions);
  Result count = fromInts(op, resultElement(op, 1), {1}, {found});
  if (failed(columns) || failed(count))
    return failure();
  return SmallVector<Tensor>{*columns, *count};
}

/// Positions of the first `k` of `extent` elements in order; equal ones by
/// position.
template <typename T, typename Before>
static std::vector<int64_t> ranked(const T *at, int64_t extent, int64_t step, int64_t k, Before before) {
  std::vector<int64_t> order(extent);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    T x = at[a * step], y = at[b * step];
    return before(x, y) || (!before(y, x) && a < b);
  });
  order.resize(k);
  return order;
}

template <typename T, typename Before>
static Results selectTop(TopKOp op, const Tensor &input, const std::vector<T> &elements, int64_t dim, int64_t k,
                         Before before) {
  Split split(input.getShape(), dim);
  Shape shape(input.getShape());
  shape[dim] = k;
  Result values = allocate(op, input.getElementType(), shape);
  Result indices = allocate(op, resultElement(op, 1), shape);
  if (failed(values) || failed(indices))
    return failure();
  std::vector<int64_t> positions(indices->size());
  ElementCopier copier(*values, input);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      int64_t base = o * split.extent * split.inner + i;
      std::vector<int64_t> order = ranked(elements.data() + base, split.extent, split.inner, k, before);
      for (int64_t n = 0; n < k; ++n) {
        int64_t to = (o * k + n) * split.inner + i;
        positions[to] = order[n];
        copier.copy(to, base + order[n] * split.inner);
      }
    }
  indices->setInts(positions);
  return SmallVector<Tensor>{*values, *indices};
}

static Results evalTopK(TopKOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<int64_t> dim = checkedDim(op, op.getDim(), input.getRank());
  if (failed(dim))
    return failure();
  if (operands[1].size() != 1)
    return op.emitError("k must be one number");
  int64_t k = operands[1].asInt(0);
  if (k < 0 || k > input.dim(*dim))
    return op.emitError() << "k is " << k << ", the dimension has " << input.dim(*dim) << " elements";
  bool largest = op.getLargest();
  if (input.isFloat())
    return selectTop(op, input, input.doubles(), *dim, k, [=](double a, double b) {
      // NaN is larger than anything.
      if (std::isnan(a) || std::isnan(b))
        return largest ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
      return largest ? a > b : a < b;
    });
  bool isUnsigned = input.isUnsigned();
  return selectTop(op, input, input.ints(), *dim, k, [=](int64_t a, int64_t b) {
    if (largest)
      std::swap(a, b);
    return isUnsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
  });
}

void addSelections(OpTable &table) {
  table.add<NonZeroOp>(evalNonZero);
  table.add<TopKOp>(evalTopK);
}

} // namespace hone::reference
