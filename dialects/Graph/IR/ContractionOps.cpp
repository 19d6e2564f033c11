//===- ContractionOps.cpp - Shapes of contractions and windows ------------===//

#include "dialects/Graph/IR/Shapes.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

static LogicalResult checkAccumulator(OptLoc loc, Type lhs, Type rhs, Type to) {
  bool floats = isa<FloatType>(to);
  if (isa<FloatType>(lhs) == floats && isa<FloatType>(rhs) == floats && !to.isInteger(1))
    return success();
  return refuse(loc, "cannot multiply " + Twine(str(lhs)) + " and " + str(rhs) + " into " + str(to));
}

LogicalResult ContractOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value operands[] = {adaptor.getLhs(), adaptor.getRhs()};
  ArrayRef<int64_t> dims[] = {adaptor.getLhsDims(), adaptor.getRhsDims()};
  if (failed(checkAccumulator(loc, elementOf(operands[0]), elementOf(operands[1]), adaptor.getTo())))
    return failure();
  llvm::SmallDenseMap<int64_t, Extent> byIndex;
  for (auto [operand, indices] : llvm::zip(operands, dims)) {
    if (static_cast<int64_t>(indices.size()) != rankOf(operand))
      return refuse(loc,
                    "names " + Twine(indices.size()) + " indices for an operand of type " + str(operand.getType()));
    llvm::SmallDenseSet<int64_t> seen;
    for (auto [position, index] : llvm::enumerate(indices)) {
      if (index < 0 || !seen.insert(index).second)
        return refuse(loc, "index " + Twine(index) + " is negative or occurs twice in one tensor");
      Extent extent = extents.dim(operand, position);
      auto [slot, fresh] = byIndex.try_emplace(index, extent);
      if (!fresh && failed(checkEqual(loc, extents, "extents of index " + Twine(index), slot->second, extent)))
        return failure();
      if (!fresh && constantExtent(extent))
        slot->second = extent;
    }
  }
  TensorShape shape{adaptor.getTo(), {}};
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t index : adaptor.getResultDims()) {
    if (!byIndex.count(index) || !seen.insert(index).second)
      return refuse(loc, "index " + Twine(index) + " of the result is not an operand's or occurs twice");
    shape.dims.push_back(byIndex[index]);
  }
  results.push_back(std::move(shape));
  return success();
}

SmallVector<int64_t> ConvOp::getWindowExtents() {
  return llvm::to_vector(getWeights().getType().getShape().drop_front(2));
}

/// Positions of a window of `window` elements over `input` elements.
static Extent windowPositions(ExtentBuilder &extents, Extent input, Extent window, int64_t stride, int64_t dilation,
                              int64_t padBegin, int64_t padEnd, bool ceilMode) {
  Extent one = extents.constant(1);
  Extent reach = extents.add(extents.mul(extents.sub(window, one), extents.constant(dilation)), one);
  Extent room = extents.sub(extents.add(input, extents.constant(padBegin + padEnd)), reach);
  Extent step = extents.constant(stride);
  if (!ceilMode)
    return extents.max(extents.add(extents.div(room, step), one), extents.constant(0));
  // The last window must start before the end padding: ONNX Pool ops, since opset 19.
  Extent positions = extents.add(extents.ceilDiv(room, step), one);
  Extent lastStart = extents.mul(extents.sub(positions, one), step);
  Extent inside = extents.lt(lastStart, extents.add(input, extents.constant(padBegin)));
  return extents.max(extents.select(inside, positions, extents.sub(positions, one)), extents.constant(0));
}

/// Requires that a window over dimension `dim` of `input` finds room, or nothing at all is there.
static void requireRoom(ExtentBuilder &extents, Value input, int64_t dim, int64_t window, int64_t dilation,
                        int64_t pads) {
  Extent present = extents.dim(input, dim), one = extents.constant(1);
  int64_t needed = ShapedType::isDynamic(window) ? 0 : (window - 1) * dilation + 1 - pads;
  if (needed <= 1 || extents.atLeast(present, needed) || constantExtent(present))
    return;
  Extent fits = extents.sub(one, extents.lt(present, extents.constant(needed)));
  extents.require(extents.max(fits, extents.eq(present, extents.constant(0))),
                  "dimension " + Twine(dim) + " of the input is too small for the window, which needs " +
                      Twine(needed) + " elements");
}

LogicalResult ConvOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value input = adaptor.getInput(), weights = adaptor.getWeights();
  int64_t spatial = rankOf(input) - 2, groups = adaptor.getGroups();
  if (failed(checkAccumulator(loc, elementOf(input), elementOf(weights), adaptor.getTo())) ||
      failed(checkWindow(loc, spatial, adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads())))
    return failure();
  if (rankOf(weights) != rankOf(input))
    return refuse(loc, "input and weights have ranks " + Twine(rankOf(input)) + " and " + Twine(rankOf(weights)));
  auto outputs = constantExtent(extents.dim(weights, 0));
  if (groups < 1 || (outputs && *outputs % groups != 0))
    return refuse(loc,
                  "cannot split " + Twine(outputs.value_or(0)) + " output channels into " + Twine(groups) + " groups");
  Extent perGroup = extents.mul(extents.dim(weights, 1), extents.constant(groups));
  if (failed(checkEqual(loc, extents, "channels of the input and of the weights (times groups)", extents.dim(input, 1),
                        perGroup)))
    return failure();
  TensorShape shape{adaptor.getTo(), {extents.dim(input, 0), extents.dim(weights, 0)}};
  for (int64_t i = 0; i < spatial; ++i)
    requireRoom(extents, input, i + 2, typeOf(weights).getDimSize(i + 2), adaptor.getDilations()[i],
                adaptor.getPads()[i] + adaptor.getPads()[spatial + i]);
  for (int64_t i = 0; i < spatial; ++i)
    shape.dims.push_back(windowPositions(extents, extents.dim(input, i + 2), extents.dim(weights, i + 2),
                                         adaptor.getStrides()[i], adaptor.getDilations()[i], adaptor.getPads()[i],
                                         adaptor.getPads()[spatial + i], false));
  results.push_back(std::move(shape));
  return success();
}

LogicalResult ConvTransposeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value input = adaptor.getInput(), weights = adaptor.getWeights();
  int64_t spatial = rankOf(input) - 2, groups = adaptor.getGroups();
  // Pads of a transposed convolution crop; ONNX lets a computed one be negative.
  SmallVector<int64_t> noPads(2 * std::max<int64_t>(spatial, 0), 0);
  if (failed(checkAccumulator(loc, elementOf(input), elementOf(weights), adaptor.getTo())) ||
      failed(checkWindow(loc, spatial, adaptor.getStrides(), adaptor.getDilations(), noPads)))
    return failure();
  if (rankOf(weights) != rankOf(input))
    return refuse(loc, "input and weights have ranks " + Twine(rankOf(input)) + " and " + Twine(rankOf(weights)));
  if (adaptor.getPads().size() != noPads.size() || static_cast<int64_t>(adaptor.getOutputPadding().size()) != spatial)
    return refuse(loc, "pads and output padding do not fit " + Twine(spatial) + " spatial dimensions");
  auto channels = constantExtent(extents.dim(input, 1));
  if (groups < 1 || (channels && *channels % groups != 0))
    return refuse(loc,
                  "cannot split " + Twine(channels.value_or(0)) + " input channels into " + Twine(groups) + " groups");
  if (failed(checkEqual(loc, extents, "channels of the input and of the weights", extents.dim(input, 1),
                        extents.dim(weights, 0))))
    return failure();
  TensorShape shape{adaptor.getTo(),
                    {extents.dim(input, 0), extents.mul(extents.dim(weights, 1), extents.constant(groups))}};
  Extent one = extents.constant(1);
  for (int64_t i = 0; i < spatial; ++i) {
    Extent spread = extents.mul(extents.sub(extents.dim(input, i + 2), one), extents.constant(adaptor.getStrides()[i]));
    Extent reach =
        extents.mul(extents.sub(extents.dim(weights, i + 2), one), extents.constant(adaptor.getDilations()[i]));
    int64_t offset = 1 + adaptor.getOutputPadding()[i] - adaptor.getPads()[i] - adaptor.getPads()[spatial + i];
    shape.dims.push_back(
        extents.max(extents.add(extents.add(spread, reach), extents.constant(offset)), extents.constant(0)));
  }
  results.push_back(std::move(shape));
  return success();
}

/// Shape of a pooling of `input`.
static LogicalResult pooledShape(OptLoc loc, ExtentBuilder &extents, Value input, Type element,
                                 ArrayRef<int64_t> window, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                                 ArrayRef<int64_t> pads, bool ceilMode, Results &results) {
  int64_t spatial = rankOf(input) - 2;
  if (failed(checkWindow(loc, spatial, strides, dilations, pads)))
    return failure();
  if (static_cast<int64_t>(window.size()) != spatial || llvm::any_of(window, [](int64_t extent) { return extent < 1; }))
    return refuse(loc, "has a window that does not fit " + Twine(spatial) + " spatial dimensions");
  TensorShape shape{element, {extents.dim(input, 0), extents.dim(input, 1)}};
  for (int64_t i = 0; i < spatial; ++i)
    requireRoom(extents, input, i + 2, window[i], dilations[i], pads[i] + pads[spatial + i]);
  for (int64_t i = 0; i < spatial; ++i)
    shape.dims.push_back(windowPositions(extents, extents.dim(input, i + 2), extents.constant(window[i]), strides[i],
                                         dilations[i], pads[i], pads[spatial + i], ceilMode));
  results.push_back(std::move(shape));
  return success();
}

LogicalResult PoolOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type element = elementOf(adaptor.getInput());
  if (domainOf(element) == Domain::B || (adaptor.getKind() != PoolKind::Max && !isa<FloatType>(element)))
    return refuse(loc, "cannot pool elements of type " + Twine(str(element)));
  if (adaptor.getP() < 1)
    return refuse(loc, "has p = " + Twine(adaptor.getP()));
  return pooledShape(loc, extents, adaptor.getInput(), element, adaptor.getWindow(), adaptor.getStrides(),
                     adaptor.getDilations(), adaptor.getPads(), adaptor.getCeilMode(), results);
}

LogicalResult MaxPoolIndicesOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  return pooledShape(loc, extents, adaptor.getInput(), IntegerType::get(adaptor.getInput().getContext(), 64),
                     adaptor.getWindow(), adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads(),
                     adaptor.getCeilMode(), results);
}

HalfSafety PoolOp::getHalfSafety() {
  switch (getKind()) {
  case PoolKind::Max:
    return HalfSafety::Moves;
  case PoolKind::Avg:
    return HalfSafety::Averages;
  case PoolKind::Lp:
    return HalfSafety::Single;
  }
  return HalfSafety::Single;
}
