//===- Indexing.h - Walks over row-major tensors ----------------*- C++ -*-===//

#ifndef LIB_REFERENCE_INDEXING_H
#define LIB_REFERENCE_INDEXING_H

#include "lib/Reference/OpTable.h"
#include "lib/Reference/Tensor.h"

#include <array>
#include <cstring>

namespace hone::reference {

/// Steps between neighbours along every dimension.
Shape rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The shape that both stretch to by numpy's rules, or nullopt.
std::optional<Shape> broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Strides of a tensor of shape `from` read as one of shape `to`: 0 where it is
/// stretched.
Shape broadcastStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// "2x3x4" for diagnostics.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Calls `visit(index)` for all positions in row-major order.
template <typename Visit> void forEachIndex(llvm::ArrayRef<int64_t> shape, Visit &&visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(llvm::ArrayRef<int64_t>(index));
    int64_t d = static_cast<int64_t>(shape.size()) - 1;
    while (d >= 0 && ++index[d] == shape[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

/// Calls `visit(i, offsets)` for all positions `i` in row-major order with the offsets that N sets of strides give
/// them.
template <size_t N, typename Visit>
void forEachOffset(llvm::ArrayRef<int64_t> shape, std::array<llvm::ArrayRef<int64_t>, N> strides, Visit &&visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  // The last dimension is a plain loop, those before it count like an odometer.
  bool isScalar = shape.empty();
  int64_t inner = isScalar ? 1 : shape.back();
  llvm::ArrayRef<int64_t> outer = isScalar ? shape : shape.drop_back();
  std::array<int64_t, N> steps{}, base{};
  for (size_t n = 0; n < N && !isScalar; ++n)
    steps[n] = strides[n].back();
  Shape index(outer.size(), 0);
  for (int64_t i = 0;;) {
    std::array<int64_t, N> offsets = base;
    for (int64_t k = 0; k < inner; ++k, ++i) {
      visit(i, offsets);
      for (size_t n = 0; n < N; ++n)
        offsets[n] += steps[n];
    }
    int64_t d = static_cast<int64_t>(outer.size()) - 1;
    for (; d >= 0; --d) {
      for (size_t n = 0; n < N; ++n)
        base[n] += strides[n][d];
      if (++index[d] < outer[d])
        break;
      for (size_t n = 0; n < N; ++n)
        base[n] -= strides[n][d] * outer[d];
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// Copies elements of `size` bytes between positions.
class ElementCopier {
public:
  ElementCopier(Tensor &to, const Tensor &from)
      : size(to.getElementBytes()), target(to.mutableBytes().data()), source(from.bytes().data()) {}
  void copy(int64_t to, int64_t from) const {
    char *t = target + to * size;
    const char *f = source + from * size;
    switch (size) {
    case 1:
      *t = *f;
      break;
    case 4:
      std::memcpy(t, f, 4);
      break;
    case 8:
      std::memcpy(t, f, 8);
      break;
    default:
      std::memcpy(t, f, size);
    }
  }
  /// `count` neighbours.
  void copyRun(int64_t to, int64_t from, int64_t count) const {
    std::memcpy(target + to * size, source + from * size, count * size);
  }

private:
  int64_t size;
  char *target;
  const char *source;
};

/// A tensor of shape `shape` whose element at an index is the one of `input` at
/// `start` plus the index times `strides`.
Result strided(mlir::Operation *op, const Tensor &input, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
               int64_t start = 0);

/// Extents before, at and after a dimension: a tensor as three loops.
struct Split {
  int64_t outer = 1, extent = 1, inner = 1;
  Split(llvm::ArrayRef<int64_t> shape, int64_t dim);
};

} // namespace hone::reference

#endif // LIB_REFERENCE_INDEXING_H
