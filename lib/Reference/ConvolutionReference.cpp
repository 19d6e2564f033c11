//===- ConvolutionReference.cpp - conv and conv_transpose -----------------===//
//
// Any number of spatial dimensions: every tap of the window is one scaled copy
// of an input plane added to an output plane.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// Positions of one dimension that a tap connects: plane positions `coarse`
/// in [first, last) meet fine positions coarse * stride + shift.
struct Reach {
  int64_t first, last, stride, shift;
};

/// The coarse positions in [0, coarse) whose fine partner is in [0, fine).
Reach reachOf(int64_t coarse, int64_t fine, int64_t stride, int64_t shift) {
  int64_t first = shift >= 0 ? 0 : llvm::divideCeil(-shift, stride);
  int64_t last = fine - 1 - shift < 0 ? 0 : (fine - 1 - shift) / stride + 1;
  return {first, std::min(last, coarse), stride, shift};
}

/// What both ops share, seen from the convolution whose output is the coarse
/// grid and whose input is the fine one.
struct Window {
  Shape extents, strides, dilations, begins;
  Shape coarse, fine; ///< spatial extents
};

/// Calls visit(tap, reach per dimension) for all taps of the window.
template <typename Visit> void forEachTap(const Window &window, Visit visit) {
  int64_t tap = 0;
  forEachIndex(window.extents, [&](ArrayRef<int64_t> position) {
    SmallVector<Reach> reach;
    for (size_t d = 0; d < position.size(); ++d)
      reach.push_back(reachOf(window.coarse[d], window.fine[d], window.strides[d],
                              position[d] * window.dilations[d] - window.begins[d]));
    visit(tap++, ArrayRef<Reach>(reach));
  });
}

/// Calls visit(coarse offset, fine offset, count, fine stride) for the runs
/// along the last dimension of all positions that `reach` connects.
template <typename Visit> void forEachRun(const Window &window, ArrayRef<Reach> reach, Visit visit) {
  if (reach.empty())
    return visit(0, 0, 1, 1);
  Shape outer;
  for (const Reach &r : reach) {
    if (r.last <= r.first)
      return;
    outer.push_back(r.last - r.first);
  }
  int64_t count = outer.pop_back_val();
  Shape coarse = rowMajorStrides(window.coarse);
  Shape fine = rowMajorStrides(window.fine);
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    int64_t to = reach.back().first;
    int64_t from = to * reach.back().stride + reach.back().shift;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t position = index[d] + reach[d].first;
      to += position * coarse[d];
      from += (position * reach[d].stride + reach[d].shift) * fine[d];
    }
    visit(to, from, count, reach.back().stride);
  });
}

template <typename T> std::vector<T> numbersOf(const Tensor &tensor);
template <> std::vector<double> numbersOf<double>(const Tensor &tensor) { return tensor.doubles(); }
template <> std::vector<uint64_t> numbersOf<uint64_t>(const Tensor &tensor) {
  std::vector<int64_t> values = tensor.ints();
  return {values.begin(), values.end()};
}

Result pack(Operation *op, Type to, ArrayRef<int64_t> shape, const std::vector<double> &values) {
  return fromDoubles(op, to, shape, values);
}
Result pack(Operation *op, Type to, ArrayRef<int64_t> shape, const std::vector<uint64_t> &values) {
  return fromInts(op, to, shape, std::vector<int64_t>(values.begin(), values.end()));
}

LogicalResult checkAttributes(Operation *op, const Window &window, size_t spatial, size_t pads) {
  if (window.extents.size() != spatial || window.strides.size() != spatial || window.dilations.size() != spatial ||
      pads != 2 * spatial)
    return op->emitError() << "window, strides, dilations and pads do not fit " << spatial << " spatial dimensions";
  for (size_t d = 0; d < spatial; ++d)
    if (window.strides[d] < 1 || window.dilations[d] < 1)
      return op->emitError("strides and dilations must be at least 1");
  return success();
}

Shape spatialOf(const Tensor &tensor) { return Shape(tensor.getShape().drop_front(2)); }

} // namespace

template <typename T>
static std::vector<T> convolve(const Window &window, int64_t groups, const Tensor &input, const Tensor &weights) {
  std::vector<T> x = numbersOf<T>(input), w = numbersOf<T>(weights);
  int64_t batch = input.dim(0), channels = input.dim(1);
  int64_t outputs = weights.dim(0), perGroup = weights.dim(1);
  int64_t plane = *elementCount(window.coarse);
  int64_t inPlane = *elementCount(window.fine);
  int64_t taps = *elementCount(window.extents);
  std::vector<T> y(batch * outputs * plane, T(0));
  forEachTap(window, [&](int64_t tap, ArrayRef<Reach> reach) {
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t c = 0; c < perGroup; ++c) {
          int64_t channel = o / (outputs / groups) * perGroup + c;
          const T *from = x.data() + (n * channels + channel) * inPlane;
          T *to = y.data() + (n * outputs + o) * plane;
          T weight = w[(o * perGroup + c) * taps + tap];
          forEachRun(window, reach, [&](int64_t t, int64_t f, int64_t count, int64_t step) {
            if (step == 1)
              for (int64_t i = 0; i < count; ++i)
                to[t + i] += weight * from[f + i];
            else
              for (int64_t i = 0; i < count; ++i)
                to[t + i] += weight * from[f + i * step];
          });
        }
  });
  return y;
}

static Result evalConv(ConvOp op, Operands operands) {
  const Tensor &input = operands[0], &weights = operands[1];
  if (input.getRank() < 2 || weights.getRank() != input.getRank())
    return op.emitError("input and weights must have the same rank");
  Window window{spatialOf(weights), Shape(op.getStrides()), Shape(op.getDilations()), {}, {}, spatialOf(input)};
  size_t spatial = window.fine.size();
  if (failed(checkAttributes(op, window, spatial, op.getPads().size())))
    return failure();
  int64_t groups = op.getGroups();
  if (groups < 1 || weights.dim(0) % groups != 0 || input.dim(1) != weights.dim(1) * groups)
    return op.emitError() << "has " << input.dim(1) << " channels, " << weights.dim(1) << " per group, " << groups
                          << " groups and " << weights.dim(0) << " outputs";
  Shape shape{input.dim(0), weights.dim(0)};
  for (size_t d = 0; d < spatial; ++d) {
    int64_t begin = op.getPads()[d], end = op.getPads()[spatial + d];
    int64_t span = (window.extents[d] - 1) * window.dilations[d] + 1;
    int64_t room = window.fine[d] + begin + end - span;
    window.begins.push_back(begin);
    window.coarse.push_back(room < 0 ? 0 : room / window.strides[d] + 1);
    shape.push_back(window.coarse.back());
  }
  if (failed(allocate(op, op.getTo(), shape)))
    return failure();
  if (isa<FloatType>(op.getTo()))
    return pack(op, op.getTo(), shape, convolve<double>(window, groups, input, weights));
  return pack(op, op.getTo(), shape, convolve<uint64_t>(window, groups, input, weights));
}

template <typename T>
static std::vector<T> convolveTransposed(const Window &window, int64_t groups, const Tensor &input,
                                         const Tensor &weights) {
  std::vector<T> x = numbersOf<T>(input), w = numbersOf<T>(weights);
  int64_t batch = input.dim(0), channels = input.dim(1);
  int64_t perGroup = weights.dim(1), outputs = perGroup * groups;
  int64_t plane = *elementCount(window.fine);
  int64_t inPlane = *elementCount(window.coarse);
  int64_t taps = *elementCount(window.extents);
  std::vector<T> y(batch * outputs * plane, T(0));
  forEachTap(window, [&](int64_t tap, ArrayRef<Reach> reach) {
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t o = 0; o < perGroup; ++o) {
          int64_t output = c / (channels / groups) * perGroup + o;
          const T *from = x.data() + (n * channels + c) * inPlane;
          T *to = y.data() + (n * outputs + output) * plane;
          T weight = w[(c * perGroup + o) * taps + tap];
          forEachRun(window, reach, [&](int64_t f, int64_t t, int64_t count, int64_t step) {
            for (int64_t i = 0; i < count; ++i)
              to[t + i * step] += weight * from[f + i];
          });
        }
  });
  return y;
}

static Result evalConvTranspose(ConvTransposeOp op, Operands operands) {
  const Tensor &input = operands[0], &weights = operands[1];
  if (input.getRank() < 2 || weights.getRank() != input.getRank())
    return op.emitError("input and weights must have the same rank");
  Window window{spatialOf(weights), Shape(op.getStrides()), Shape(op.getDilations()), {}, spatialOf(input), {}};
  size_t spatial = window.coarse.size();
  if (failed(checkAttributes(op, window, spatial, op.getPads().size())))
    return failure();
  int64_t groups = op.getGroups();
  if (op.getOutputPadding().size() != spatial || groups < 1 || input.dim(1) != weights.dim(0) ||
      input.dim(1) % groups != 0)
    return op.emitError("channels, groups or output padding do not fit");
  Shape shape{input.dim(0), weights.dim(1) * groups};
  for (size_t d = 0; d < spatial; ++d) {
    int64_t begin = op.getPads()[d], end = op.getPads()[spatial + d];
    int64_t extent = (window.coarse[d] - 1) * window.strides[d] + (window.extents[d] - 1) * window.dilations[d] + 1 +
                     op.getOutputPadding()[d] - begin - end;
    window.begins.push_back(begin);
    window.fine.push_back(std::max<int64_t>(extent, 0));
    shape.push_back(window.fine.back());
  }
  if (failed(allocate(op, op.getTo(), shape)))
    return failure();
  if (isa<FloatType>(op.getTo()))
    return pack(op, op.getTo(), shape, convolveTransposed<double>(window, groups, input, weights));
  return pack(op, op.getTo(), shape, convolveTransposed<uint64_t>(window, groups, input, weights));
}

void addConvolutions(OpTable &table) {
  table.add<ConvOp>(evalConv);
  table.add<ConvTransposeOp>(evalConvTranspose);
}

} // namespace hone::reference
