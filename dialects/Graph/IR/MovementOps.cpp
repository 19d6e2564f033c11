//===- MovementOps.cpp - Shapes and folds of movement ops -----------------===//

#include "dialects/Graph/IR/Shapes.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

LogicalResult ConstantOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type)
    return refuse(loc, "constant is not a tensor");
  TensorShape shape{type.getElementType(), {}};
  for (int64_t extent : type.getShape())
    shape.dims.push_back(extents.constant(extent));
  results.push_back(std::move(shape));
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

static void requireNonZero(ExtentBuilder &extents, Extent extent, const Twine &message) {
  extents.require(extents.sub(extents.constant(1), extents.eq(extent, extents.constant(0))), message);
}

LogicalResult RangeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  for (Value operand : {adaptor.getStart(), adaptor.getLimit(), adaptor.getDelta()})
    if (rankOf(operand) != 0)
      return refuse(loc, "range bounds must be scalars");
  Type element = elementOf(adaptor.getStart());
  TensorShape shape{element, {}};
  if (isa<FloatType>(element)) {
    // Float bounds count only when they are constants.
    auto bound = [](Value value) -> std::optional<double> {
      ElementsAttr constant;
      if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
        return std::nullopt;
      APFloat number = constant.getSplatValue<APFloat>();
      bool lost;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      return number.convertToDouble();
    };
    auto start = bound(adaptor.getStart()), limit = bound(adaptor.getLimit()), delta = bound(adaptor.getDelta());
    if (!start || !limit || !delta)
      return refuse(loc, "the length of a float range must be known at compile time; use integer bounds and a cast");
    double count = std::ceil((*limit - *start) / *delta);
    if (!(count <= 1e12))
      return refuse(loc, "range is too long or its step is 0");
    shape.dims.push_back(extents.constant(std::max<int64_t>(static_cast<int64_t>(count), 0)));
  } else {
    auto start = extents.elements(adaptor.getStart()), limit = extents.elements(adaptor.getLimit()),
         delta = extents.elements(adaptor.getDelta());
    if (!start || !limit || !delta)
      return refuse(loc, "range of elements of type " + Twine(str(element)));
    if (auto step = constantExtent(delta->front()); step && *step == 0)
      return refuse(loc, "range with a step of 0");
    requireNonZero(extents, delta->front(), "range with a step of 0");
    Extent count = extents.ceilDiv(extents.sub(limit->front(), start->front()), delta->front());
    shape.dims.push_back(extents.max(count, extents.constant(0)));
  }
  results.push_back(std::move(shape));
  return success();
}

LogicalResult ShapeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  results.push_back(
      {IntegerType::get(adaptor.getInput().getContext(), 64), {extents.constant(rankOf(adaptor.getInput()))}});
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Elements of a 1-D i64 operand that decides a shape; reports when its length is not static.
static std::optional<SmallVector<Extent>> shapeOperand(OptLoc loc, ExtentBuilder &extents, StringRef what,
                                                       Value operand, std::optional<int64_t> count = std::nullopt) {
  auto elements = rankOf(operand) == 1 ? extents.elements(operand) : std::nullopt;
  if (!elements) {
    (void)refuse(loc, Twine(what) + " must be a 1-D integer tensor of a length known at compile time, but is " +
                          str(operand.getType()));
    return std::nullopt;
  }
  if (count && static_cast<int64_t>(elements->size()) != *count) {
    (void)refuse(loc, Twine(what) + " has " + Twine(elements->size()) + " elements instead of " + Twine(*count));
    return std::nullopt;
  }
  return elements;
}

/// Elements of `input` over the product of all of `wanted` but `open`, with common factors cancelled
/// symbolically; null when a factor of the divisor does not occur in the input.
static Extent divideProducts(ExtentBuilder &extents, Value input, ArrayRef<Extent> wanted, size_t open) {
  SmallVector<Extent> factors = extents.dims(input);
  int64_t divisor = 1;
  for (auto [i, extent] : llvm::enumerate(wanted)) {
    if (i == open)
      continue;
    if (auto number = constantExtent(extent)) {
      if (llvm::MulOverflow(divisor, *number, divisor))
        return nullptr;
      continue;
    }
    auto *found = llvm::find(factors, extent);
    if (found == factors.end())
      return nullptr;
    factors.erase(found);
  }
  if (divisor < 1)
    return nullptr;
  return extents.div(extents.product(factors), extents.constant(divisor));
}

static constexpr StringLiteral kOtherCount = "the new shape has another number of elements";

LogicalResult ReshapeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  auto wanted = shapeOperand(loc, extents, "shape", adaptor.getShape());
  if (!wanted)
    return failure();
  Extent total = extents.product(extents.dims(adaptor.getInput()));
  std::optional<size_t> open;
  for (auto [i, extent] : llvm::enumerate(*wanted)) {
    auto number = constantExtent(extent);
    if (number && *number < -1)
      return refuse(loc, "reshapes to a negative extent: " + Twine(*number));
    if (number && *number == -1 && open)
      return refuse(loc, "has more than one -1 in its shape");
    if (number && *number == -1)
      open = i;
  }
  TensorShape shape{elementOf(adaptor.getInput()), *wanted};
  Extent minusOne = extents.constant(-1), others = extents.constant(1);
  // What is not provably an extent may turn out to be the -1 at run time.
  for (auto [i, extent] : llvm::enumerate(*wanted))
    if (!open || i != *open)
      others = extents.mul(others, extent);
  if (open) {
    auto divisor = constantExtent(others), dividend = constantExtent(total);
    if (divisor && dividend && (*divisor == 0 ? *dividend != 0 : *dividend % *divisor != 0))
      return refuse(loc, "cannot reshape " + Twine(*dividend) + " elements into multiples of " + Twine(*divisor));
    Extent rest =
        divisor && *divisor == 0 ? extents.constant(0) : divideProducts(extents, adaptor.getInput(), *wanted, *open);
    shape.dims[*open] = rest ? rest : extents.div(total, extents.max(others, extents.constant(1)));
    for (auto [i, extent] : llvm::enumerate(*wanted))
      if (i != *open)
        extents.requireExtent(extent, "reshapes to a negative extent");
    if (!rest || rest->op == ExtentOp::Div)
      extents.require(extents.eq(extents.mul(shape.dims[*open], others), total), kOtherCount);
  } else {
    for (auto [i, extent] : llvm::enumerate(*wanted)) {
      if (extents.atLeast(extent, 0))
        continue;
      Extent rest = extents.div(total, extents.max(extents.sub(extents.constant(0), others), extents.constant(1)));
      shape.dims[i] = extents.select(extents.eq(extent, minusOne), rest, extent);
      extents.requireExtent(shape.dims[i], "reshapes to a negative extent");
    }
    if (failed(checkEqual(loc, extents, "element counts of input and result", total, extents.product(shape.dims),
                          kOtherCount)))
      return failure();
  }
  results.push_back(std::move(shape));
  return success();
}

bool ReshapeOp::isView() { return !getInput().getType().getEncoding() && !getResult().getType().getEncoding(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  auto from = getInput().getType(), to = getResult().getType();
  if (from == to && (from.hasStaticShape() || (from.getRank() <= 1 && from.getRank() == to.getRank())))
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>(); inner && constantIntegers(getShape())) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

LogicalResult TransposeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  ArrayRef<int64_t> perm = adaptor.getPerm();
  int64_t rank = rankOf(adaptor.getInput());
  if (static_cast<int64_t>(perm.size()) != rank)
    return refuse(loc, "permutes " + Twine(perm.size()) + " dimensions of a tensor of rank " + Twine(rank));
  if (failed(checkDims(loc, "perm", perm, rank)))
    return failure();
  TensorShape shape{elementOf(adaptor.getInput()), {}};
  for (int64_t dim : perm)
    shape.dims.push_back(extents.dim(adaptor.getInput(), dim));
  results.push_back(std::move(shape));
  return success();
}

bool TransposeOp::isView() { return keepsMemory(getInput().getType(), getResult().getType(), getPerm()); }

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType() && llvm::is_sorted(getPerm()))
    return getInput();
  return {};
}

LogicalResult BroadcastOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  auto wanted = shapeOperand(loc, extents, "shape", adaptor.getShape());
  if (!wanted)
    return failure();
  int64_t rank = rankOf(adaptor.getInput()), shift = static_cast<int64_t>(wanted->size()) - rank;
  if (shift < 0)
    return refuse(loc, "broadcasts a tensor of rank " + Twine(rank) + " to rank " + Twine(wanted->size()));
  for (Extent extent : *wanted)
    if (auto number = constantExtent(extent); number && *number < 0)
      return refuse(loc, "broadcasts to a negative extent: " + Twine(*number));
  for (int64_t i = 0; i < rank; ++i) {
    auto have = constantExtent(extents.dim(adaptor.getInput(), i)), want = constantExtent((*wanted)[i + shift]);
    if (have && want && *have != *want && *have != 1)
      return refuse(loc, "cannot broadcast an extent of " + Twine(*have) + " to " + Twine(*want));
    Extent from = extents.dim(adaptor.getInput(), i), to = (*wanted)[i + shift];
    extents.require(extents.max(extents.eq(from, to), extents.eq(from, extents.constant(1))),
                    "cannot broadcast dimension " + Twine(i) + " to the extent that is wanted");
  }
  for (Extent extent : *wanted)
    extents.requireExtent(extent, "broadcasts to a negative extent");
  results.push_back({elementOf(adaptor.getInput()), *wanted});
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  auto type = getInput().getType();
  return type == getResult().getType() && type.hasStaticShape() ? getInput() : OpFoldResult();
}

LogicalResult TileOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  auto repeats = shapeOperand(loc, extents, "repeats", adaptor.getRepeats(), rankOf(adaptor.getInput()));
  if (!repeats)
    return failure();
  TensorShape shape{elementOf(adaptor.getInput()), {}};
  for (auto [extent, times] : llvm::zip(extents.dims(adaptor.getInput()), *repeats)) {
    if (auto number = constantExtent(times); number && *number < 0)
      return refuse(loc, "repeats a tensor " + Twine(*number) + " times");
    shape.dims.push_back(extents.mul(extent, extents.max(times, extents.constant(0))));
  }
  results.push_back(std::move(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Slices, pads, concatenation
//===----------------------------------------------------------------------===//

/// Number of elements of ONNX Slice along one dimension.
static Extent slicedExtent(ExtentBuilder &extents, Extent size, Extent start, Extent end, Extent step) {
  Extent zero = extents.constant(0), minusOne = extents.constant(-1);
  auto wrap = [&](Extent at) {
    auto number = constantExtent(at);
    if (number ? *number >= 0 : extents.atLeast(at, 0))
      return at;
    return extents.select(extents.lt(at, zero), extents.add(at, size), at);
  };
  auto clamp = [&](Extent at, Extent low, Extent high) { return extents.min(extents.max(at, low), high); };
  Extent from = wrap(start), to = wrap(end);
  auto count = [&](Extent low, Extent high) {
    Extent distance = extents.sub(clamp(to, low, high), clamp(from, low, high));
    return extents.max(extents.ceilDiv(distance, step), zero);
  };
  Extent last = extents.sub(size, extents.constant(1));
  auto known = constantExtent(step);
  if (known)
    return *known > 0 ? count(zero, size) : count(minusOne, last);
  return extents.select(extents.lt(zero, step), count(zero, size), count(minusOne, last));
}

LogicalResult SliceOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  ArrayRef<int64_t> dims = adaptor.getDims();
  if (failed(checkDims(loc, "dims", dims, rankOf(adaptor.getInput()))))
    return failure();
  int64_t count = dims.size();
  auto starts = shapeOperand(loc, extents, "starts", adaptor.getStarts(), count);
  auto ends = shapeOperand(loc, extents, "ends", adaptor.getEnds(), count);
  auto steps = shapeOperand(loc, extents, "steps", adaptor.getSteps(), count);
  if (!starts || !ends || !steps)
    return failure();
  TensorShape shape{elementOf(adaptor.getInput()), extents.dims(adaptor.getInput())};
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (auto step = constantExtent((*steps)[i]); step && *step == 0)
      return refuse(loc, "slices with a step of 0");
    requireNonZero(extents, (*steps)[i], "slices with a step of 0");
    shape.dims[dim] = slicedExtent(extents, shape.dims[dim], (*starts)[i], (*ends)[i], (*steps)[i]);
  }
  results.push_back(std::move(shape));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  auto steps = constantIntegers(getSteps());
  if (getInput().getType() != getResult().getType() || !getInput().getType().hasStaticShape() || !steps)
    return {};
  // The same static extents with positive steps can only be everything.
  return llvm::all_of(*steps, [](int64_t step) { return step == 1; }) ? getInput() : OpFoldResult();
}

LogicalResult PadOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t rank = rankOf(adaptor.getInput());
  auto pads = shapeOperand(loc, extents, "pads", adaptor.getPads(), 2 * rank);
  if (!pads)
    return failure();
  if (elementOf(adaptor.getValue()) != elementOf(adaptor.getInput()) || typeOf(adaptor.getValue()).getRank() != 0)
    return refuse(loc, "pads " + Twine(str(adaptor.getInput().getType())) + " with a value of type " +
                           str(adaptor.getValue().getType()));
  TensorShape shape{elementOf(adaptor.getInput()), {}};
  for (int64_t i = 0; i < rank; ++i) {
    Extent extent = extents.add(extents.dim(adaptor.getInput(), i), extents.add((*pads)[i], (*pads)[rank + i]));
    if (auto number = constantExtent(extent); number && *number < 0)
      return refuse(loc, "pads dimension " + Twine(i) + " to a negative extent");
    shape.dims.push_back(extents.max(extent, extents.constant(0)));
  }
  results.push_back(std::move(shape));
  return success();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto pads = constantIntegers(getPads());
  if (pads && getInput().getType() == getResult().getType() &&
      llvm::all_of(*pads, [](int64_t pad) { return pad == 0; }))
    return getInput();
  return {};
}

LogicalResult ConcatOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return refuse(loc, "concatenates nothing");
  int64_t dim = adaptor.getDim(), rank = rankOf(inputs.front());
  if (failed(checkDim(loc, "dim", dim, rank)))
    return failure();
  TensorShape shape{elementOf(inputs.front()), extents.dims(inputs.front())};
  for (Value input : inputs.drop_front()) {
    if (rankOf(input) != rank || elementOf(input) != shape.element)
      return refuse(loc, "concatenates " + Twine(str(inputs.front().getType())) + " and " + str(input.getType()));
    for (int64_t i = 0; i < rank; ++i) {
      Extent extent = extents.dim(input, i);
      if (i == dim)
        shape.dims[i] = extents.add(shape.dims[i], extent);
      else if (failed(checkEqual(loc, extents, "extents of dimension " + Twine(i), shape.dims[i], extent)))
        return failure();
      else if (constantExtent(extent))
        shape.dims[i] = extent;
    }
  }
  results.push_back(std::move(shape));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 && getInputs().front().getType() == getResult().getType() ? getInputs().front()
                                                                                           : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, "dim", dim, rankOf(adaptor.getInput()))))
    return failure();
  SmallVector<Extent> input = extents.dims(adaptor.getInput());
  TensorShape shape{elementOf(adaptor.getInput()), {}};
  shape.dims.append(input.begin(), input.begin() + dim);
  llvm::append_range(shape.dims, extents.dims(adaptor.getIndices()));
  shape.dims.append(input.begin() + dim + 1, input.end());
  results.push_back(std::move(shape));
  return success();
}

LogicalResult GatherElementsOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkDim(loc, "dim", adaptor.getDim(), rankOf(adaptor.getInput()))))
    return failure();
  if (rankOf(adaptor.getIndices()) != rankOf(adaptor.getInput()))
    return refuse(loc, "indices have rank " + Twine(rankOf(adaptor.getIndices())) + ", the input " +
                           Twine(rankOf(adaptor.getInput())));
  results.push_back({elementOf(adaptor.getInput()), extents.dims(adaptor.getIndices())});
  return success();
}

/// Length of the tuples in the last dimension of `indices`, checked against `rank` dimensions.
static FailureOr<int64_t> tupleLength(OptLoc loc, Value indices, int64_t rank) {
  auto type = typeOf(indices);
  if (type.getRank() < 1 || type.isDynamicDim(type.getRank() - 1))
    return (void)refuse(loc, "the last extent of the indices must be known at compile time, but they are " +
                                 Twine(str(type))),
           failure();
  int64_t length = type.getShape().back();
  if (length < 0 || length > rank)
    return (void)refuse(loc, "index tuples of " + Twine(length) + " for " + Twine(rank) + " dimensions"), failure();
  return length;
}

LogicalResult GatherNDOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t batch = adaptor.getBatchDims(), rank = rankOf(adaptor.getInput());
  if (batch < 0 || batch >= rankOf(adaptor.getIndices()) || batch > rank)
    return refuse(loc, "has " + Twine(batch) + " batch dimensions");
  auto length = tupleLength(loc, adaptor.getIndices(), rank - batch);
  if (failed(length))
    return failure();
  TensorShape shape{elementOf(adaptor.getInput()), extents.dims(adaptor.getIndices())};
  shape.dims.pop_back();
  for (int64_t i = batch + *length; i < rank; ++i)
    shape.dims.push_back(extents.dim(adaptor.getInput(), i));
  results.push_back(std::move(shape));
  return success();
}

/// Scatter keeps type and shape of its first operand.
static LogicalResult checkScatter(OptLoc loc, Value input, Value updates, ScatterKind kind, ExtentBuilder &extents,
                                  Results &results) {
  Type element = elementOf(input);
  if (elementOf(updates) != element)
    return refuse(loc, "writes updates of type " + Twine(str(elementOf(updates))) + " into " + str(element));
  if (kind != ScatterKind::Assign && element.isInteger(1))
    return refuse(loc, "cannot combine bools by '" + Twine(stringifyScatterKind(kind)) + "'");
  results.push_back({element, extents.dims(input)});
  return success();
}

LogicalResult ScatterElementsOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t rank = rankOf(adaptor.getInput());
  if (failed(checkDim(loc, "dim", adaptor.getDim(), rank)))
    return failure();
  if (rankOf(adaptor.getIndices()) != rank || rankOf(adaptor.getUpdates()) != rank)
    return refuse(loc, "input, indices and updates have different ranks");
  for (int64_t i = 0; i < rank; ++i)
    if (failed(checkEqual(loc, extents, "extents of indices and updates", extents.dim(adaptor.getIndices(), i),
                          extents.dim(adaptor.getUpdates(), i))))
      return failure();
  return checkScatter(loc, adaptor.getInput(), adaptor.getUpdates(), adaptor.getKind(), extents, results);
}

LogicalResult ScatterNDOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t rank = rankOf(adaptor.getInput());
  auto length = tupleLength(loc, adaptor.getIndices(), rank);
  if (failed(length))
    return failure();
  int64_t outer = rankOf(adaptor.getIndices()) - 1;
  if (rankOf(adaptor.getUpdates()) != outer + rank - *length)
    return refuse(loc, "updates have rank " + Twine(rankOf(adaptor.getUpdates())) + " instead of " +
                           Twine(outer + rank - *length));
  for (int64_t i = 0, last = rankOf(adaptor.getUpdates()); i < last; ++i) {
    Extent want =
        i < outer ? extents.dim(adaptor.getIndices(), i) : extents.dim(adaptor.getInput(), *length + i - outer);
    if (failed(
            checkEqual(loc, extents, "extents of updates and their place", extents.dim(adaptor.getUpdates(), i), want)))
      return failure();
  }
  return checkScatter(loc, adaptor.getInput(), adaptor.getUpdates(), adaptor.getKind(), extents, results);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

LogicalResult ResizeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t rank = rankOf(adaptor.getInput());
  auto sizes = shapeOperand(loc, extents, "sizes", adaptor.getSizes(), rank);
  if (!sizes)
    return failure();
  auto length = [&](Value value, int64_t count) {
    return typeOf(value).getRank() == 1 && typeOf(value).getDimSize(0) == count;
  };
  if (!length(adaptor.getScales(), rank) || (adaptor.getRoi() && !length(adaptor.getRoi(), 2 * rank)))
    return refuse(loc, "scales and roi must have one and two numbers per dimension");
  for (Extent extent : *sizes)
    if (auto number = constantExtent(extent); number && *number < 0)
      return refuse(loc, "resizes to a negative extent: " + Twine(*number));
  for (Extent extent : *sizes)
    extents.requireExtent(extent, "resizes to a negative extent");
  results.push_back({elementOf(adaptor.getInput()), *sizes});
  return success();
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

/// Updates that are added or multiplied would be rounded one after the other.
static HalfSafety scatterSafety(ScatterKind kind) {
  bool accumulates = kind == ScatterKind::Add || kind == ScatterKind::Mul;
  return accumulates ? HalfSafety::Single : HalfSafety::Moves;
}

HalfSafety ScatterElementsOp::getHalfSafety() { return scatterSafety(getKind()); }
HalfSafety ScatterNDOp::getHalfSafety() { return scatterSafety(getKind()); }

HalfSafety ResizeOp::getHalfSafety() {
  return getMode() == Interpolation::Nearest ? HalfSafety::Moves : HalfSafety::Averages;
}
