//===- WindowReference.cpp - Pooling --------------------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

struct Pooling {
  Shape window, strides, dilations, begins, ends;
  Shape input, output; ///< spatial extents
};

/// One window: the offsets in a plane of its elements inside the input, and how
/// many of its taps lie inside the padded input.
struct Patch {
  SmallVector<int64_t> offsets;
  int64_t padded = 0;
};

} // namespace

/// Extent of the output; with `ceilMode` a last window may hang over, but must
/// start in the input or the padding before it.
static int64_t pooledExtent(const Pooling &pooling, size_t d, bool ceilMode) {
  int64_t span = (pooling.window[d] - 1) * pooling.dilations[d] + 1;
  int64_t stride = pooling.strides[d];
  int64_t room = pooling.input[d] + pooling.begins[d] + pooling.ends[d] - span;
  if (room < 0)
    return 0;
  if (!ceilMode)
    return room / stride + 1;
  int64_t extent = (room + stride - 1) / stride + 1;
  return (extent - 1) * stride >= pooling.input[d] + pooling.begins[d] ? extent - 1 : extent;
}

template <typename OpTy> static FailureOr<Pooling> poolingOf(OpTy op, const Tensor &input) {
  Pooling pooling{Shape(op.getWindow()), Shape(op.getStrides()), Shape(op.getDilations()), {}, {}, {}, {}};
  if (input.getRank() < 2)
    return op.emitError("needs a batch and a channel dimension");
  pooling.input = Shape(input.getShape().drop_front(2));
  size_t spatial = pooling.input.size();
  ArrayRef<int64_t> pads = op.getPads();
  if (pooling.window.size() != spatial || pooling.strides.size() != spatial || pooling.dilations.size() != spatial ||
      pads.size() != 2 * spatial)
    return op.emitError() << "window, strides, dilations and pads do not fit " << spatial << " spatial dimensions";
  pooling.begins = Shape(pads.take_front(spatial));
  pooling.ends = Shape(pads.drop_front(spatial));
  for (size_t d = 0; d < spatial; ++d) {
    if (pooling.strides[d] < 1 || pooling.dilations[d] < 1 || pooling.window[d] < 1)
      return op.emitError("window, strides and dilations must be at least 1");
    pooling.output.push_back(pooledExtent(pooling, d, op.getCeilMode()));
  }
  return pooling;
}

static Patch patchAt(const Pooling &pooling, ArrayRef<int64_t> output) {
  Patch patch;
  Shape strides = rowMajorStrides(pooling.input);
  forEachIndex(pooling.window, [&](ArrayRef<int64_t> tap) {
    int64_t offset = 0;
    bool inside = true, padded = true;
    for (size_t d = 0; d < tap.size(); ++d) {
      int64_t at = output[d] * pooling.strides[d] - pooling.begins[d] + tap[d] * pooling.dilations[d];
      inside &= at >= 0 && at < pooling.input[d];
      padded &= at < pooling.input[d] + pooling.ends[d];
      offset += at * strides[d];
    }
    patch.padded += padded;
    if (inside)
      patch.offsets.push_back(offset);
  });
  return patch;
}

/// Calls visit(plane, output position, patch) for every window of every plane.
template <typename Visit> static void forEachWindow(const Pooling &pooling, int64_t planes, Visit visit) {
  int64_t i = 0;
  forEachIndex(pooling.output, [&](ArrayRef<int64_t> output) {
    Patch patch = patchAt(pooling, output);
    for (int64_t plane = 0; plane < planes; ++plane)
      visit(plane, i, patch);
    ++i;
  });
}

/// The first maximum of a patch (a NaN, if there is one), or -1.
static int64_t maximumOf(const Patch &patch, const double *plane) {
  int64_t best = -1;
  for (int64_t offset : patch.offsets)
    if (best < 0 || plane[offset] > plane[best] || (std::isnan(plane[offset]) && !std::isnan(plane[best])))
      best = offset;
  return best;
}

static double pooled(PoolOp op, const Patch &patch, const double *plane) {
  double sum = 0;
  switch (op.getKind()) {
  case PoolKind::Max: {
    int64_t best = maximumOf(patch, plane);
    return best < 0 ? -std::numeric_limits<double>::infinity() : plane[best];
  }
  case PoolKind::Avg: {
    for (int64_t offset : patch.offsets)
      sum += plane[offset];
    int64_t count = op.getCountPad() ? patch.padded : patch.offsets.size();
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }
  case PoolKind::Lp: {
    auto p = static_cast<double>(op.getP());
    for (int64_t offset : patch.offsets)
      sum += std::pow(std::fabs(plane[offset]), p);
    return std::pow(sum, 1 / p);
  }
  }
  llvm_unreachable("unknown pool kind");
}

static Result evalPool(PoolOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Pooling> pooling = poolingOf(op, input);
  if (failed(pooling))
    return failure();
  Shape shape{input.dim(0), input.dim(1)};
  shape.append(pooling->output);
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result))
    return failure();
  std::vector<double> values = input.doubles(), pooledValues(result->size());
  int64_t inPlane = *elementCount(pooling->input);
  int64_t outPlane = *elementCount(pooling->output);
  forEachWindow(*pooling, input.dim(0) * input.dim(1), [&](int64_t plane, int64_t i, const Patch &patch) {
    pooledValues[plane * outPlane + i] = pooled(op, patch, values.data() + plane * inPlane);
  });
  result->setDoubles(pooledValues);
  return result;
}

/// `offset` in a row-major plane as the offset in a column-major one.
static int64_t columnMajorOffset(int64_t offset, ArrayRef<int64_t> extents) {
  int64_t result = 0, scale = 1;
  Shape strides = rowMajorStrides(extents);
  for (size_t d = 0; d < extents.size(); ++d) {
    result += offset / strides[d] % extents[d] * scale;
    scale *= extents[d];
  }
  return result;
}

static Result evalMaxPoolIndices(MaxPoolIndicesOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Pooling> pooling = poolingOf(op, input);
  if (failed(pooling))
    return failure();
  Shape shape{input.dim(0), input.dim(1)};
  shape.append(pooling->output);
  Result result = allocate(op, resultElement(op), shape);
  if (failed(result))
    return failure();
  std::vector<double> values = input.doubles();
  std::vector<int64_t> indices(result->size());
  int64_t inPlane = *elementCount(pooling->input);
  int64_t outPlane = *elementCount(pooling->output);
  forEachWindow(*pooling, input.dim(0) * input.dim(1), [&](int64_t plane, int64_t i, const Patch &patch) {
    int64_t best = maximumOf(patch, values.data() + plane * inPlane);
    if (best >= 0 && op.getColumnMajor())
      best = columnMajorOffset(best, pooling->input);
    indices[plane * outPlane + i] = plane * inPlane + std::max<int64_t>(best, 0);
  });
  result->setInts(indices);
  return result;
}

void addWindows(OpTable &table) {
  table.add<PoolOp>(evalPool);
  table.add<MaxPoolIndicesOp>(evalMaxPoolIndices);
}

} // namespace hone::reference
