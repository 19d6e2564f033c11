//===- MovementReference.cpp - Elements change places ---------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {

static Result evalConstant(ConstantOp op, Operands) {
  std::optional<Tensor> tensor = Tensor::fromAttr(op.getValue());
  if (!tensor)
    return op.emitError("has elements that cannot be read");
  return *tensor;
}

//===----------------------------------------------------------------------===//
// range, shape, reshape
//===----------------------------------------------------------------------===//

static Result rangeOfFloats(RangeOp op, Operands operands) {
  double start = operands[0].asDouble(0), limit = operands[1].asDouble(0);
  double delta = operands[2].asDouble(0);
  double count = std::ceil((limit - start) / delta);
  if (!std::isfinite(count) || count > 1e15)
    return op.emitError("has no finite number of elements");
  auto n = static_cast<int64_t>(std::max(count, 0.0));
  Result result = allocate(op, operands[0].getElementType(), {n});
  if (failed(result))
    return failure();
  std::vector<double> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = start + static_cast<double>(i) * delta;
  result->setDoubles(values);
  return result;
}

static Result evalRange(RangeOp op, Operands operands) {
  for (const Tensor &operand : operands)
    if (operand.size() != 1)
      return op.emitError("start, limit and delta must be scalars");
  if (operands[2].asDouble(0) == 0)
    return op.emitError("has a step of 0");
  if (operands[0].isFloat())
    return rangeOfFloats(op, operands);
  bool isUnsigned = operands[0].isUnsigned();
  auto at = [&](int n) -> __int128 {
    int64_t bits = operands[n].asInt(0);
    return isUnsigned ? static_cast<__int128>(static_cast<uint64_t>(bits)) : static_cast<__int128>(bits);
  };
  __int128 start = at(0), limit = at(1), delta = at(2), count = 0;
  if (delta > 0 && limit > start)
    count = (limit - start + delta - 1) / delta;
  if (delta < 0 && limit < start)
    count = (start - limit - delta - 1) / -delta;
  auto n = static_cast<int64_t>(std::min<__int128>(count, std::numeric_limits<int64_t>::max()));
  Result result = allocate(op, operands[0].getElementType(), {n});
  if (failed(result))
    return failure();
  std::vector<int64_t> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = static_cast<int64_t>(start + i * delta);
  result->setInts(values);
  return result;
}

static Result evalShape(ShapeOp op, Operands operands) {
  return fromInts(op, resultElement(op), {operands[0].getRank()}, operands[0].getShape());
}

static Result evalReshape(ReshapeOp op, Operands operands) {
  const Tensor &input = operands[0];
  std::vector<int64_t> wanted = operands[1].ints();
  int64_t known = 1, open = -1;
  for (auto [i, extent] : llvm::enumerate(wanted)) {
    if (extent == -1 && open < 0)
      open = i;
    else if (extent < 0)
      return op.emitError() << "has an extent of " << extent;
    else if (__builtin_mul_overflow(known, extent, &known))
      return op.emitError("has too many elements");
  }
  if (open >= 0) {
    if (known == 0 || input.size() % known != 0)
      return op.emitError() << "cannot split " << input.size() << " elements by " << known;
    wanted[open] = input.size() / known;
  } else if (known != input.size()) {
    return op.emitError() << "cannot turn " << shapeText(input.getShape()) << " into " << shapeText(wanted);
  }
  return input.reshaped(wanted);
}

//===----------------------------------------------------------------------===//
// transpose, broadcast, tile
//===----------------------------------------------------------------------===//

static Result evalTranspose(TransposeOp op, Operands operands) {
  const Tensor &input = operands[0];
  ArrayRef<int64_t> perm = op.getPerm();
  Shape own = rowMajorStrides(input.getShape()), shape, strides;
  if (static_cast<int64_t>(perm.size()) != input.getRank())
    return op.emitError("permutation has another rank than the input");
  for (int64_t d : perm) {
    if (d < 0 || d >= input.getRank())
      return op.emitError() << "permutes dimension " << d;
    shape.push_back(input.dim(d));
    strides.push_back(own[d]);
  }
  return strided(op, input, shape, strides);
}

static Result evalBroadcast(BroadcastOp op, Operands operands) {
  const Tensor &input = operands[0];
  std::vector<int64_t> shape = operands[1].ints();
  std::optional<Shape> joint = broadcastShape(input.getShape(), shape);
  if (!joint || ArrayRef<int64_t>(*joint) != ArrayRef<int64_t>(shape))
    return op.emitError() << "cannot stretch " << shapeText(input.getShape()) << " to " << shapeText(shape);
  return strided(op, input, shape, broadcastStrides(input.getShape(), shape));
}

static Result evalTile(TileOp op, Operands operands) {
  const Tensor &input = operands[0];
  std::vector<int64_t> repeats = operands[1].ints();
  if (static_cast<int64_t>(repeats.size()) != input.getRank())
    return op.emitError("needs one number of repetitions per dimension");
  // [r0, d0, r1, d1, ...] read with stride 0 along the repetitions.
  Shape shape, split, strides, own = rowMajorStrides(input.getShape());
  for (int64_t d = 0; d < input.getRank(); ++d) {
    int64_t extent;
    if (repeats[d] < 0 || __builtin_mul_overflow(repeats[d], input.dim(d), &extent))
      return op.emitError() << "repeats dimension " << d << " " << repeats[d] << " times";
    shape.push_back(extent);
    split.append({repeats[d], input.dim(d)});
    strides.append({0, own[d]});
  }
  Result result = strided(op, input, split, strides);
  if (failed(result))
    return failure();
  return result->reshaped(shape);
}

//===----------------------------------------------------------------------===//
// slice, pad, concat
//===----------------------------------------------------------------------===//

static Result evalSlice(SliceOp op, Operands operands) {
  const Tensor &input = operands[0];
  std::vector<int64_t> starts = operands[1].ints(), ends = operands[2].ints();
  std::vector<int64_t> steps = operands[3].ints();
  size_t n = op.getDims().size();
  if (starts.size() != n || ends.size() != n || steps.size() != n)
    return op.emitError("needs one start, end and step per dimension");
  Shape shape(input.getShape()), strides = rowMajorStrides(input.getShape());
  int64_t offset = 0;
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    FailureOr<int64_t> d = checkedDim(op, dim, input.getRank());
    if (failed(d))
      return failure();
    int64_t extent = input.dim(*d), step = steps[i];
    if (step == 0)
      return op.emitError("has a step of 0");
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    auto clamped = [&](int64_t bound) { return std::clamp(bound < 0 ? bound + extent : bound, low, high); };
    int64_t start = clamped(starts[i]), end = clamped(ends[i]);
    int64_t span = step > 0 ? end - start : start - end;
    uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    shape[*d] = span <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride + 1);
    if (shape[*d] > 0)
      offset += start * strides[*d];
    // With one element or none the step does not matter and may be huge.
    strides[*d] *= shape[*d] > 1 ? step : 0;
  }
  return strided(op, input, shape, strides, offset);
}

/// The position in [0, extent) that stands for `at`, or -1 for the constant.
static int64_t padSource(PadMode mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent)
    return at;
  auto modulo = [&](int64_t n) { return (at % n + n) % n; };
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return at < 0 ? 0 : extent - 1;
  case PadMode::Wrap:
    return modulo(extent);
  case PadMode::Reflect: {
    if (extent == 1)
      return 0;
    int64_t phase = modulo(2 * (extent - 1));
    return phase < extent ? phase : 2 * (extent - 1) - phase;
  }
  }
  llvm_unreachable("unknown pad mode");
}

/// Per dimension, the source position of every result position.
static FailureOr<SmallVector<std::vector<int64_t>>> padSources(PadOp op, const Tensor &input, ArrayRef<int64_t> pads) {
  SmallVector<std::vector<int64_t>> sources;
  int64_t rank = input.getRank();
  if (static_cast<int64_t>(pads.size()) != 2 * rank)
    return op.emitError("needs one begin and one end pad per dimension");
  constexpr int64_t kLimit = int64_t(1) << 33;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = input.dim(d), begin = pads[d], end = pads[rank + d];
    if (std::abs(begin) > kLimit || std::abs(end) > kLimit || extent + begin + end < 0)
      return op.emitError() << "pads " << extent << " elements by " << begin << " and " << end;
    // Negative pads cut first: what they remove is not repeated either.
    int64_t cut = std::clamp<int64_t>(-begin, 0, extent);
    int64_t kept = std::max<int64_t>(extent - cut - std::max<int64_t>(-end, 0), 0);
    std::vector<int64_t> source(extent + begin + end);
    if (op.getMode() != PadMode::Constant && kept == 0 && !source.empty())
      return op.emitError("has nothing to repeat in an empty dimension");
    for (auto [i, from] : llvm::enumerate(source)) {
      int64_t at = static_cast<int64_t>(i) - std::max<int64_t>(begin, 0);
      from = padSource(op.getMode(), at, kept);
      from += from >= 0 ? cut : 0;
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

static Result evalPad(PadOp op, Operands operands) {
  const Tensor &input = operands[0];
  auto sources = padSources(op, input, operands[1].ints());
  if (failed(sources))
    return failure();
  if (operands[2].size() != 1 || operands[2].getElementType() != input.getElementType())
    return op.emitError("the value must be one element of the input's type");
  Shape shape, strides = rowMajorStrides(input.getShape());
  for (const std::vector<int64_t> &source : *sources)
    shape.push_back(source.size());
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result))
    return failure();
  ElementCopier inside(*result, input), outside(*result, operands[2]);
  int64_t i = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t from = 0;
    for (size_t d = 0; d < index.size() && from >= 0; ++d) {
      int64_t position = (*sources)[d][index[d]];
      from = position < 0 ? -1 : from + position * strides[d];
    }
    if (from < 0)
      outside.copy(i++, 0);
    else
      inside.copy(i++, from);
  });
  return result;
}

static Result evalConcat(ConcatOp op, Operands operands) {
  const Tensor &first = operands[0];
  FailureOr<int64_t> dim = checkedDim(op, op.getDim(), first.getRank());
  if (failed(dim))
    return failure();
  Shape shape(first.getShape());
  shape[*dim] = 0;
  for (const Tensor &input : operands) {
    Shape rest(input.getShape());
    if (input.getRank() == first.getRank())
      rest[*dim] = first.dim(*dim);
    if (ArrayRef<int64_t>(rest) != first.getShape())
      return op.emitError() << "joins " << shapeText(first.getShape()) << " and " << shapeText(input.getShape());
    shape[*dim] += input.dim(*dim);
  }
  Result result = allocate(op, first.getElementType(), shape);
  if (failed(result) || result->size() == 0)
    return result;
  Split whole(shape, *dim);
  int64_t position = 0;
  for (const Tensor &input : operands) {
    ElementCopier copier(*result, input);
    int64_t run = input.dim(*dim) * whole.inner;
    for (int64_t o = 0; o < whole.outer; ++o)
      copier.copyRun((o * whole.extent + position) * whole.inner, o * run, run);
    position += input.dim(*dim);
  }
  return result;
}

/// Layouts are about memory; here every tensor is row-major.
static Result evalRelayout(RelayoutOp, Operands operands) { return operands[0]; }

void addMovement(OpTable &table) {
  table.add<ConstantOp>(evalConstant);
  table.add<RangeOp>(evalRange);
  table.add<ShapeOp>(evalShape);
  table.add<ReshapeOp>(evalReshape);
  table.add<TransposeOp>(evalTranspose);
  table.add<BroadcastOp>(evalBroadcast);
  table.add<TileOp>(evalTile);
  table.add<SliceOp>(evalSlice);
  table.add<PadOp>(evalPad);
  table.add<ConcatOp>(evalConcat);
  table.add<RelayoutOp>(evalRelayout);
}

} // namespace hone::reference
