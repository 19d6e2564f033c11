//===- Resize.cpp - Sampling on another grid ------------------------------===//
//
// Interpolation is separable. Few taps are unrolled and taken in one go over some dimensions, which
// keeps everything in registers; antialiasing kernels are loops and go dimension by dimension.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/ResizeTaps.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

/// Numbers of a constant float tensor.
static std::optional<SmallVector<float>> constantFloats(Value value) {
  DenseElementsAttr attribute;
  if (!value || !matchPattern(value, m_Constant(&attribute)) || !attribute.getElementType().isF32())
    return std::nullopt;
  return llvm::to_vector(attribute.getValues<float>());
}

namespace {

/// A tensor on the way from input to result: `type` gives element and layout of `value`.
struct Stage {
  Value value;
  RankedTensorType type;
  SmallVector<Extent> extents;
};

struct ResizePattern : GraphPattern<ResizeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ResizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int64_t> dims = changedDims(op);
    FailureOr<Value> result = failure();
    if (dims.empty()) {
      result = toLayoutOf(rewriter, loc, adaptor.getInput(), op.getInput(), op.getResult().getType(), context);
      if (succeeded(result))
        result = castTensor(rewriter, loc, *result, context.convert(op.getResult()));
    } else if (auto repeats = repeatCounts(op, dims)) {
      result = repeat(op, adaptor.getInput(), *repeats, rewriter);
    } else {
      SmallVector<Extent> read =
          llvm::map_to_vector(dims, [&](int64_t dim) { return context.extents.dim(op.getInput(), dim); });
      auto init = createEmpty(rewriter, loc, op.getResult(), context);
      if (failed(init))
        return failure();
      result =
          createUnlessEmpty(rewriter, loc, read, context, [&] { return sample(op, adaptor, dims, *init, rewriter); });
    }
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// Dimensions that are not known to stay as they are.
  SmallVector<int64_t> changedDims(ResizeOp op) const {
    auto scales = constantFloats(op.getScales()), roi = constantFloats(op.getRoi());
    int64_t rank = rankOf(op.getInput());
    bool crops = op.getCoordinate() == Coordinate::TfCropAndResize && op.getRoi();
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < rank; ++i) {
      bool whole = !crops || (roi && (*roi)[i] == 0 && (*roi)[rank + i] == 1);
      bool same = scales && (*scales)[i] == 1 &&
                  context.extents.dim(op.getInput(), i) == context.extents.dim(op.getResult(), i);
      if (!whole || !same)
        dims.push_back(i);
    }
    return dims;
  }

  //===--------------------------------------------------------------------===//
  // Whole factors
  //===--------------------------------------------------------------------===//

  static std::optional<SmallVector<int64_t>> repeatCounts(ResizeOp op, ArrayRef<int64_t> dims) {
    auto scales = constantFloats(op.getScales());
    auto from = op.getInput().getType(), to = op.getResult().getType();
    SmallVector<int64_t> counts(from.getRank(), 1);
    for (int64_t dim : dims) {
      if (!scales || from.isDynamicDim(dim) || to.isDynamicDim(dim))
        return std::nullopt;
      auto times = repeatsOf(op, from.getDimSize(dim), to.getDimSize(dim), (*scales)[dim]);
      if (!times)
        return std::nullopt;
      counts[dim] = *times;
    }
    return counts;
  }

  /// Every element `counts` times along every dimension: dimensions of the result split in two.
  FailureOr<Value> repeat(ResizeOp op, Value input, ArrayRef<int64_t> counts,
                          ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    SmallVector<OpFoldResult> sizes;
    SmallVector<int64_t> shape;
    SmallVector<ReassociationIndices> groups;
    SmallVector<AffineExpr> exprs(from.getRank());
    for (int64_t dim : memoryOrder(to)) {
      auto size = dimSize(rewriter, loc, op.getInput(), dim, context);
      if (failed(size))
        return failure();
      groups.push_back({static_cast<int64_t>(sizes.size())});
      exprs[dim] = rewriter.getAffineDimExpr(sizes.size());
      sizes.push_back(*size);
      shape.push_back(getConstantIntValue(*size).value_or(ShapedType::kDynamic));
      if (counts[dim] == 1)
        continue;
      groups.back().push_back(sizes.size());
      sizes.push_back(rewriter.getIndexAttr(counts[dim]));
      shape.push_back(counts[dim]);
    }
    int64_t loops = shape.size();
    auto expanded = RankedTensorType::get(shape, elementOf(*init));
    Value target = castTensor(rewriter, loc, *init, tensor::CollapseShapeOp::inferCollapsedType(expanded, groups));
    target = tensor::ExpandShapeOp::create(rewriter, loc, expanded, target, groups, sizes);
    AffineMap maps[] = {memoryMap(from, loops, exprs, op.getContext()), rewriter.getMultiDimIdentityMap(loops)};
    SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
    auto result = createGeneric(rewriter, loc, input, target, maps, iterators,
                                [](OpBuilder &, Location, ValueRange args) -> FailureOr<Value> { return args[0]; });
    if (failed(result))
      return failure();
    Value collapsed = tensor::CollapseShapeOp::create(rewriter, loc, *result, groups);
    return castTensor(rewriter, loc, collapsed, init->getType());
  }

  //===--------------------------------------------------------------------===//
  // Samples
  //===--------------------------------------------------------------------===//

  FailureOr<Value> sample(ResizeOp op, OpAdaptor adaptor, ArrayRef<int64_t> dims, Value init,
                          ConversionPatternRewriter &rewriter) const {
    auto axes = makeAxes(op, adaptor, dims, rewriter);
    if (failed(axes))
      return failure();
    auto to = op.getResult().getType();
    Stage stage{adaptor.getInput(), op.getInput().getType(), context.extents.dims(op.getInput())};
    Type compute = computeType(to.getElementType());
    if (!isa<FloatType>(compute))
      compute = rewriter.getF32Type();
    for (ArrayRef<ResizeAxis> rest = *axes; !rest.empty();) {
      ArrayRef<ResizeAxis> now = rest.take_front(axesAtOnce(op));
      rest = rest.drop_front(now.size());
      Stage next = stage;
      for (const ResizeAxis &axis : now)
        next.extents[axis.dim] = context.extents.dim(op.getResult(), axis.dim);
      next.type = RankedTensorType::get(to.getShape(), rest.empty() ? to.getElementType() : compute, to.getEncoding());
      FailureOr<Value> target = init;
      if (!rest.empty())
        target = createEmptyOf(rewriter, op.getLoc(), toMemory<Extent>(to, next.extents), compute, context);
      if (failed(target))
        return failure();
      auto value =
          createGather(rewriter, op.getLoc(), next.type, *target, [&](OpBuilder &b, Location at, ValueRange indices) {
            return sampleElement(op, now, stage, next.type.getElementType(), compute, b, at, indices);
          });
      if (failed(value))
        return failure();
      next.value = *value;
      stage = std::move(next);
    }
    return stage.value;
  }

  /// Dimensions whose taps are combined in one body.
  static size_t axesAtOnce(ResizeOp op) {
    switch (op.getMode()) {
    case Interpolation::Nearest:
      return SIZE_MAX;
    case Interpolation::Linear:
      return op.getAntialias() ? 1 : 3;
    case Interpolation::Cubic:
      return op.getAntialias() ? 1 : 2;
    }
    return 1;
  }

  FailureOr<SmallVector<ResizeAxis>> makeAxes(ResizeOp op, OpAdaptor adaptor, ArrayRef<int64_t> dims,
                                              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    bool wide = op.getMode() != Interpolation::Nearest && op.getInput().getType().getElementType().isF64();
    auto element = [&](std::optional<SmallVector<float>> known, Value tensor, int64_t position) -> Value {
      if (known)
        return floatConstant(rewriter, loc, f32, (*known)[position]);
      Value at = arith::ConstantIndexOp::create(rewriter, loc, position);
      return tensor::ExtractOp::create(rewriter, loc, tensor, at);
    };
    auto scales = constantFloats(op.getScales()), roi = constantFloats(op.getRoi());
    SmallVector<ResizeAxis> axes;
    for (int64_t dim : dims) {
      ResizeAxisInput input{dim, {}, {}, element(scales, adaptor.getScales(), dim), {}, {}};
      auto extent = dimIndex(rewriter, loc, op.getInput(), dim, context),
           result = dimIndex(rewriter, loc, op.getResult(), dim, context);
      if (failed(extent) || failed(result))
        return failure();
      input.extent = *extent;
      input.result = *result;
      if (op.getRoi() && op.getCoordinate() == Coordinate::TfCropAndResize) {
        input.roiStart = element(roi, adaptor.getRoi(), dim);
        input.roiEnd = element(roi, adaptor.getRoi(), rankOf(op.getInput()) + dim);
      }
      axes.push_back(makeResizeAxis(rewriter, loc, op, input, wide ? rewriter.getF64Type() : f32));
    }
    return axes;
  }

  /// The element of the next stage at `indices`, in its storage type.
  static FailureOr<Value> sampleElement(ResizeOp op, ArrayRef<ResizeAxis> axes, const Stage &stage, Type element,
                                        Type compute, OpBuilder &b, Location loc, ValueRange indices) {
    SmallVector<Value> places(indices);
    Value number, outside;
    if (axes.front().numTaps) {
      auto read = [&](OpBuilder &nested, Location at, Value place) {
        places[axes.front().dim] = place;
        return load(nested, at, stage, places, compute);
      };
      number = sumTaps(b, loc, op, axes.front(), indices[axes.front().dim], read, outside);
    } else {
      SmallVector<ResizeTaps> taps;
      for (const ResizeAxis &axis : axes) {
        taps.push_back(makeTaps(b, loc, op, axis, indices[axis.dim]));
        if (Value bit = taps.back().outside)
          outside = outside ? arith::OrIOp::create(b, loc, outside, bit).getResult() : bit;
      }
      if (op.getMode() == Interpolation::Nearest)
        return nearest(op, axes, taps, stage, outside, compute, b, loc, places);
      number = weightedSum(axes, taps, stage, compute, b, loc, places);
    }
    if (outside) {
      Value value = floatConstant(b, loc, compute, op.getExtrapolation().convertToDouble());
      number = arith::SelectOp::create(b, loc, outside, value, number);
    }
    return store(b, loc, number, element);
  }

  /// Copies storage, whatever the type.
  static Value nearest(ResizeOp op, ArrayRef<ResizeAxis> axes, ArrayRef<ResizeTaps> taps, const Stage &stage,
                       Value outside, Type compute, OpBuilder &b, Location loc, MutableArrayRef<Value> places) {
    for (auto [axis, tap] : llvm::zip(axes, taps))
      places[axis.dim] = tap.places.front();
    Value stored = extractElement(b, loc, stage.value, stage.type, places);
    if (!outside)
      return stored;
    Value value = floatConstant(b, loc, compute, op.getExtrapolation().convertToDouble());
    return arith::SelectOp::create(b, loc, outside, store(b, loc, value, stage.type.getElementType()), stored);
  }

  static Value weightedSum(ArrayRef<ResizeAxis> axes, ArrayRef<ResizeTaps> taps, const Stage &stage, Type compute,
                           OpBuilder &b, Location loc, SmallVector<Value> places) {
    if (axes.empty())
      return load(b, loc, stage, places, compute);
    Value sum;
    for (auto [place, weight] : llvm::zip(taps.front().places, taps.front().weights)) {
      places[axes.front().dim] = place;
      Value number = weightedSum(axes.drop_front(), taps.drop_front(), stage, compute, b, loc, places);
      Value product = arith::MulFOp::create(b, loc, number, weight);
      sum = sum ? arith::AddFOp::create(b, loc, sum, product).getResult() : product;
    }
    return sum;
  }

  static Value load(OpBuilder &b, Location loc, const Stage &stage, ArrayRef<Value> places, Type compute) {
    Value stored = extractElement(b, loc, stage.value, stage.type, places);
    return extendElement(b, loc, stored, stage.type.getElementType(), compute);
  }

  /// Interpolated integers round and stay within their type.
  static Value store(OpBuilder &b, Location loc, Value number, Type element) {
    if (isa<FloatType>(element))
      return storeElement(b, loc, number, element);
    if (element.isInteger(1))
      return castElement(b, loc, number, number.getType(), element);
    bool unsignedElement = isUnsigned(element);
    unsigned width = element.getIntOrFloatBitWidth();
    double low = unsignedElement ? 0 : -std::ldexp(1.0, width - 1),
           high = std::ldexp(1.0, unsignedElement ? width : width - 1);
    Value rounded = math::RoundEvenOp::create(b, loc, number);
    Type type = number.getType();
    // The largest number has no exact float when the type is wide: one that is below it.
    double below = width <= 24 ? high - 1 : high - std::ldexp(high, type.isF64() ? -53 : -24);
    rounded = arith::MaxNumFOp::create(b, loc, rounded, floatConstant(b, loc, type, low));
    rounded = arith::MinNumFOp::create(b, loc, rounded, floatConstant(b, loc, type, below));
    return storeElement(b, loc, floatToInt(b, loc, rounded, storageType(element), unsignedElement), element);
  }
};

} // namespace

void hone::graph_to_linalg::populateResize(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ResizePattern>(patterns, context);
}
