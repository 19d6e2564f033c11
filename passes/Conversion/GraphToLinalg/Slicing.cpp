//===- Slicing.cpp - Slices, pads, concatenation --------------------------===//
//
// Blocks of one tensor in another: subviews and block copies, which bufferize in place. Only what is
// read backwards, or around a border, goes element by element.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

namespace {

/// A block of a tensor, one entry per memory dimension, fit for the ops of the tensor dialect, which
/// refuse offsets at the end of a tensor even for blocks without elements.
struct BlockShape {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  void add(OpBuilder &builder, OpFoldResult offset, OpFoldResult size, OpFoldResult stride, int64_t room) {
    auto at = getConstantIntValue(offset);
    bool outside = at && !ShapedType::isDynamic(room) && *at >= room;
    offsets.push_back(outside || getConstantIntValue(size) == 0 ? builder.getIndexAttr(0) : offset);
    sizes.push_back(size);
    strides.push_back(stride);
  }

  bool isEmpty() const {
    return llvm::any_of(sizes, [](OpFoldResult size) { return getConstantIntValue(size) == 0; });
  }
  Value extract(OpBuilder &builder, Location loc, Value source) const {
    if (isEmpty())
      return tensor::EmptyOp::create(builder, loc, sizes, elementOf(source));
    return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes, strides);
  }
  Value insert(OpBuilder &builder, Location loc, Value block, Value into) const {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    block = castTensor(builder, loc, block, RankedTensorType::get(shape, elementOf(block)));
    return tensor::InsertSliceOp::create(builder, loc, block, into, offsets, sizes, strides);
  }
};

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

struct SlicePattern : GraphPattern<SliceOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    auto from = op.getInput().getType();
    SmallVector<Extent> starts(from.getRank(), context.extents.constant(0)),
        steps(from.getRank(), context.extents.constant(1));
    bool forward = true;
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      Extent start = elementExtent(context, op.getStarts(), i), step = elementExtent(context, op.getSteps(), i);
      if (!start || !step)
        return rewriter.notifyMatchFailure(op, "starts or steps of unknown length");
      steps[dim] = step;
      starts[dim] = firstPosition(start, step, context.extents.dim(op.getInput(), dim));
      forward &= context.extents.atLeast(step, 1);
    }
    FailureOr<Value> result = forward ? takeBlock(op, adaptor.getInput(), starts, steps, rewriter)
                                      : readElements(op, adaptor.getInput(), starts, steps, rewriter);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// Where the slice begins: `start` from the front, clamped as ONNX does for the sign of `step`.
  Extent firstPosition(Extent start, Extent step, Extent size) const {
    ExtentBuilder &e = context.extents;
    Extent zero = e.constant(0), last = e.sub(size, e.constant(1));
    Extent at = e.atLeast(start, 0) ? start : e.select(e.lt(start, zero), e.add(start, size), start);
    at = e.max(at, zero);
    if (constantExtent(step) || e.atLeast(step, 1))
      return e.min(at, e.atLeast(step, 1) ? size : last);
    return e.min(at, e.select(e.lt(zero, step), size, last));
  }

  FailureOr<Value> takeBlock(SliceOp op, Value input, ArrayRef<Extent> starts, ArrayRef<Extent> steps,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    BlockShape block;
    SmallVector<Extent> extents(from.getRank());
    for (int64_t dim : memoryOrder(from)) {
      extents[dim] = context.extents.dim(op.getResult(), dim);
      auto start = materialize(rewriter, loc, starts[dim], context),
           step = materialize(rewriter, loc, steps[dim], context);
      auto size = materialize(rewriter, loc, extents[dim], context);
      if (failed(start) || failed(step) || failed(size))
        return failure();
      block.add(rewriter, *start, *size, *step, from.getDimSize(dim));
    }
    Value result = block.extract(rewriter, loc, input);
    if (memoryOrder(from) == memoryOrder(to))
      return castTensor(rewriter, loc, result, context.convert(op.getResult()));
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    return createCopy(rewriter, loc, result, from, *init, to);
  }

  /// Some step is negative, or may be.
  FailureOr<Value> readElements(SliceOp op, Value input, ArrayRef<Extent> starts, ArrayRef<Extent> steps,
                                ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    SmallVector<Value> first, stride;
    for (auto [start, step] : llvm::zip(starts, steps)) {
      auto a = materializeIndex(rewriter, loc, start, context), b = materializeIndex(rewriter, loc, step, context);
      if (failed(a) || failed(b))
        return failure();
      first.push_back(*a);
      stride.push_back(*b);
    }
    if (failed(init))
      return failure();
    return createGather(rewriter, loc, op.getResult().getType(), *init,
                        [&](OpBuilder &b, Location at, ValueRange indices) -> FailureOr<Value> {
                          IndexMath math(b, at);
                          SmallVector<Value> places;
                          for (auto [index, start, step] : llvm::zip(indices, first, stride))
                            places.push_back(math.add(start, math.mul(index, step)));
                          return extractElement(b, at, input, op.getInput().getType(), places);
                        });
  }
};

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

struct PadPattern : GraphPattern<PadOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(PadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    auto input = op.getInput();
    SmallVector<Side> sides;
    for (int64_t i = 0, rank = rankOf(input); i < rank; ++i) {
      Extent low = elementExtent(context, op.getPads(), i), high = elementExtent(context, op.getPads(), rank + i);
      if (!low || !high)
        return rewriter.notifyMatchFailure(op, "pads of unknown length");
      sides.push_back(measure(low, high, context.extents.dim(input, i), context.extents.dim(op.getResult(), i)));
    }
    auto init = createEmpty(rewriter, op.getLoc(), op.getResult(), context);
    if (failed(init))
      return failure();
    auto result = op.getMode() == PadMode::Constant
                      ? surround(op, adaptor, sides, *init, rewriter)
                      : createUnlessEmpty(rewriter, op.getLoc(), kept(sides), context,
                                          [&] { return readAround(op, adaptor.getInput(), sides, *init, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// One dimension: `size` elements from `from` of the input begin at `at` of the result.
  struct Side {
    Extent from, at, size;
    /// Whether a reflection never goes further than the other end.
    bool near;
  };

  Side measure(Extent low, Extent high, Extent extent, Extent result) const {
    ExtentBuilder &e = context.extents;
    Extent zero = e.constant(0);
    auto negative = [&](Extent pad) { return e.max(e.sub(zero, pad), zero); };
    Side side;
    side.from = e.min(negative(low), extent);
    side.at = e.min(e.max(low, zero), result);
    side.size = e.max(e.sub(e.sub(extent, negative(high)), side.from), zero);
    auto a = constantExtent(low), b = constantExtent(high), n = constantExtent(side.size);
    side.near = a && b && n && *a < *n && *b < *n;
    return side;
  }

  static SmallVector<Extent> kept(ArrayRef<Side> sides) {
    return llvm::map_to_vector(sides, [](const Side &side) { return side.size; });
  }

  /// Constant mode: the value everywhere, then the block of the input.
  FailureOr<Value> surround(PadOp op, OpAdaptor adaptor, ArrayRef<Side> sides, Value init,
                            ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    Value scalar = tensor::ExtractOp::create(rewriter, loc, adaptor.getValue(), ValueRange());
    Value filled = createFill(rewriter, loc, scalar, init);
    auto input = toLayoutOf(rewriter, loc, adaptor.getInput(), op.getInput(), to, context);
    if (failed(input))
      return failure();
    BlockShape source, target;
    bool whole = true, none = false;
    for (int64_t dim : memoryOrder(to)) {
      const Side &side = sides[dim];
      auto first = materialize(rewriter, loc, side.from, context), at = materialize(rewriter, loc, side.at, context);
      auto size = materialize(rewriter, loc, side.size, context);
      if (failed(first) || failed(at) || failed(size))
        return failure();
      source.add(rewriter, *first, *size, rewriter.getIndexAttr(1), from.getDimSize(dim));
      target.add(rewriter, *at, *size, rewriter.getIndexAttr(1), to.getDimSize(dim));
      whole &= side.size == context.extents.dim(op.getInput(), dim);
      none |= constantExtent(side.size) == 0;
    }
    if (none)
      return filled;
    Value block = whole ? *input : source.extract(rewriter, loc, *input);
    return target.insert(rewriter, loc, block, filled);
  }

  /// The other modes: every element of the result is one of the input.
  FailureOr<Value> readAround(PadOp op, Value input, ArrayRef<Side> sides, Value init,
                              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    SmallVector<Value> first, at, size;
    for (const Side &side : sides) {
      auto a = materializeIndex(rewriter, loc, side.from, context),
           b = materializeIndex(rewriter, loc, side.at, context);
      auto c = materializeIndex(rewriter, loc, side.size, context);
      if (failed(a) || failed(b) || failed(c))
        return failure();
      first.push_back(*a);
      at.push_back(*b);
      size.push_back(*c);
    }
    return createGather(rewriter, loc, op.getResult().getType(), init,
                        [&](OpBuilder &b, Location where, ValueRange indices) -> FailureOr<Value> {
                          IndexMath math(b, where);
                          SmallVector<Value> places;
                          for (auto [i, index] : llvm::enumerate(indices)) {
                            Value inside = index;
                            bool bare = constantExtent(sides[i].at) == 0 &&
                                        sides[i].size == context.extents.dim(op.getResult(), i);
                            if (!bare)
                              inside = source(math, op.getMode(), math.sub(index, at[i]), size[i], sides[i].near);
                            places.push_back(math.add(inside, first[i]));
                          }
                          return extractElement(b, where, input, op.getInput().getType(), places);
                        });
  }

  /// The element of [0, size) that stands at `position`.
  static Value source(const IndexMath &math, PadMode mode, Value position, Value size, bool near) {
    Value zero = math.constant(0), last = math.sub(size, math.constant(1));
    if (mode == PadMode::Edge)
      return math.clamp(position, size);
    if (mode == PadMode::Wrap)
      return math.mod(position, size);
    if (near) {
      Value up = math.max(position, math.sub(zero, position));
      return math.min(up, math.sub(math.add(last, last), up));
    }
    // Periods of 2 (size - 1): there and back; a single element has none.
    Value period = math.max(math.add(last, last), math.constant(1));
    Value phase = math.mod(position, period);
    return math.min(phase, math.max(math.sub(math.add(last, last), phase), zero));
  }
};

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

/// One block after the other into the result.
struct ConcatPattern : GraphPattern<ConcatOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto to = op.getResult().getType();
    int64_t joined = op.getDim();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    Value result = *init;
    Extent offset = context.extents.constant(0);
    for (auto [input, converted] : llvm::zip(op.getInputs(), adaptor.getInputs())) {
      auto block = toLayoutOf(rewriter, loc, converted, input, to, context);
      auto first = materialize(rewriter, loc, offset, context);
      if (failed(block) || failed(first))
        return failure();
      BlockShape shape;
      for (int64_t dim : memoryOrder(to)) {
        auto size = dimSize(rewriter, loc, input, dim, context);
        if (failed(size))
          return failure();
        shape.add(rewriter, dim == joined ? *first : OpFoldResult(rewriter.getIndexAttr(0)), *size,
                  rewriter.getIndexAttr(1), to.getDimSize(dim));
      }
      if (!shape.isEmpty())
        result = shape.insert(rewriter, loc, *block, result);
      offset = context.extents.add(offset, context.extents.dim(input, joined));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void hone::graph_to_linalg::populateSlicing(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<SlicePattern, PadPattern, ConcatPattern>(patterns, context);
}
