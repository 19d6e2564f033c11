//===- Movement.cpp - Ranges, views, transposition, repetition ------------===//
//
// Every element of the result is a copy of one element of the input at a position that is affine in
// its own, so most of this is linalg.generic with the right maps.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

static SmallVector<utils::IteratorType> parallelLoops(int64_t count) {
  return SmallVector<utils::IteratorType>(count, utils::IteratorType::parallel);
}

static FailureOr<Value> yieldFirst(OpBuilder &, Location, ValueRange args) { return args[0]; }

namespace {

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// start + i * delta, in the compute type of the elements.
struct RangePattern : GraphPattern<RangeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(RangeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    auto type = op.getResult().getType();
    Type element = type.getElementType();
    auto scalar = [&](Value tensor) {
      return loadElement(rewriter, loc, tensor::ExtractOp::create(rewriter, loc, tensor, ValueRange()), element);
    };
    Value start = scalar(adaptor.getStart()), delta = scalar(adaptor.getDelta());
    auto result = createGather(
        rewriter, loc, type, *init, [&](OpBuilder &b, Location at, ValueRange indices) -> FailureOr<Value> {
          Type compute = start.getType();
          Value number;
          if (isa<FloatType>(compute)) {
            Value integer = arith::IndexCastOp::create(b, at, b.getI64Type(), indices[0]);
            number = arith::SIToFPOp::create(b, at, compute, integer);
            number = arith::AddFOp::create(b, at, start, arith::MulFOp::create(b, at, number, delta));
          } else {
            number = arith::IndexCastOp::create(b, at, compute, indices[0]);
            number = arith::AddIOp::create(b, at, start, arith::MulIOp::create(b, at, number, delta));
          }
          return storeElement(b, at, number, element);
        });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct ShapePattern : GraphPattern<ShapeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ShapeOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto sizes = dimIndices(rewriter, loc, op.getInput(), context);
    if (failed(sizes))
      return failure();
    RankedTensorType type = context.convert(op.getResult());
    if (sizes->empty()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, ArrayRef<int64_t>()));
      return success();
    }
    for (Value &size : *sizes)
      size = rewriter.createOrFold<arith::IndexCastOp>(loc, rewriter.getI64Type(), size);
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(op, type, *sizes);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

struct ReshapePattern : GraphPattern<ReshapeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ReshapeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    // Elements are numbered row-major whatever the layouts: both sides go by a row-major tensor.
    auto rowMajor = RankedTensorType::get(from.getShape(), from.getElementType());
    auto input = toLayoutOf(rewriter, loc, adaptor.getInput(), op.getInput(), rowMajor, context);
    if (failed(input))
      return failure();
    RankedTensorType converted = context.convert(op.getResult());
    auto plain = RankedTensorType::get(to.getShape(), converted.getElementType());
    auto result = reshapeTensor(rewriter, loc, *input, plain, context.extents.dims(op.getInput()),
                                context.extents.dims(op.getResult()), context);
    if (failed(result))
      return failure();
    if (memoryMap(to, to.getRank(), logicalLoops(plain), op.getContext()).isIdentity()) {
      rewriter.replaceOp(op, castTensor(rewriter, loc, *result, converted));
      return success();
    }
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    auto copy = createCopy(rewriter, loc, *result, plain, *init, to);
    if (failed(copy))
      return failure();
    rewriter.replaceOp(op, *copy);
    return success();
  }
};

struct TransposePattern : GraphPattern<TransposeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    SmallVector<Extent> fromExtents = toMemory<Extent>(from, context.extents.dims(op.getInput()));
    SmallVector<Extent> toExtents = toMemory<Extent>(to, context.extents.dims(op.getResult()));
    FailureOr<Value> result = failure();
    if (op.isView()) {
      result = reshapeTensor(rewriter, loc, adaptor.getInput(), context.convert(op.getResult()), fromExtents, toExtents,
                             context);
    } else {
      auto init = createEmpty(rewriter, loc, op.getResult(), context);
      if (failed(init))
        return failure();
      result = createCopy(rewriter, loc, adaptor.getInput(), from, *init, to, op.getPerm());
    }
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// Stretched dimensions are constants of the indexing map. A dimension of which only the run will
/// tell whether it is stretched reads at min(position, extent - 1).
struct BroadcastPattern : GraphPattern<BroadcastOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    int64_t rank = from.getRank(), shift = to.getRank() - rank;
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    SmallVector<AffineExpr> loops = logicalLoops(to), exprs;
    SmallVector<bool> open(rank);
    SmallVector<Extent> unknown;
    for (int64_t i = 0; i < rank; ++i) {
      Extent have = context.extents.dim(op.getInput(), i), want = context.extents.dim(op.getResult(), i + shift);
      auto number = constantExtent(have);
      open[i] = have != want && !number && constantExtent(want) != 1;
      if (open[i])
        unknown.push_back(have);
      exprs.push_back(have != want && number == 1 ? rewriter.getAffineConstantExpr(0) : loops[i + shift]);
    }
    FailureOr<Value> result = failure();
    if (unknown.empty()) {
      AffineMap maps[] = {memoryMap(from, to.getRank(), exprs, op.getContext()),
                          rewriter.getMultiDimIdentityMap(to.getRank())};
      result = createGeneric(rewriter, loc, adaptor.getInput(), *init, maps, parallelLoops(to.getRank()), yieldFirst);
    } else {
      result = createUnlessEmpty(rewriter, loc, unknown, context,
                                 [&] { return readClamped(op, adaptor.getInput(), *init, exprs, open, rewriter); });
    }
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> readClamped(BroadcastOp op, Value input, Value init, ArrayRef<AffineExpr> exprs, ArrayRef<bool> open,
                               ConversionPatternRewriter &rewriter) const {
    auto from = op.getInput().getType(), to = op.getResult().getType();
    int64_t shift = to.getRank() - from.getRank();
    auto sizes = dimIndices(rewriter, op.getLoc(), op.getInput(), context);
    if (failed(sizes))
      return failure();
    return createGather(rewriter, op.getLoc(), to, init,
                        [&](OpBuilder &b, Location at, ValueRange indices) -> FailureOr<Value> {
                          IndexMath math(b, at);
                          SmallVector<Value> places;
                          for (auto [i, size] : llvm::enumerate(*sizes)) {
                            Value place = isa<AffineConstantExpr>(exprs[i]) ? math.constant(0) : indices[i + shift];
                            places.push_back(open[i] ? math.min(place, math.sub(size, math.constant(1))) : place);
                          }
                          return extractElement(b, at, input, from, places);
                        });
  }
};

/// A repeated dimension is computed as two, repetition outside of element, so that every access stays
/// affine and the innermost loop contiguous.
struct TilePattern : GraphPattern<TileOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(TileOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    int64_t rank = from.getRank();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    // Loops, and the extents of the expanded result, in its memory order.
    SmallVector<Extent> extents;
    SmallVector<ReassociationIndices> groups;
    SmallVector<AffineExpr> exprs(rank);
    bool known = true;
    for (int64_t dim : memoryOrder(to)) {
      Extent size = context.extents.dim(op.getInput(), dim);
      Extent times = context.extents.max(elementExtent(context, op.getRepeats(), dim), context.extents.constant(0));
      groups.emplace_back();
      auto addLoop = [&](Extent extent) {
        groups.back().push_back(extents.size());
        extents.push_back(extent);
        return rewriter.getAffineDimExpr(extents.size() - 1);
      };
      if (constantExtent(size) == 1) {
        addLoop(context.extents.dim(op.getResult(), dim));
        exprs[dim] = rewriter.getAffineConstantExpr(0);
        continue;
      }
      if (constantExtent(times) != 1)
        addLoop(times);
      exprs[dim] = addLoop(size);
      known &= constantExtent(times).has_value();
    }
    // A buffer whose extents are data would be needed for the result in its expanded form.
    FailureOr<Value> expanded = known ? expand(loc, *init, extents, groups, rewriter) : Value();
    if (failed(expanded))
      return failure();
    auto result = *expanded ? repeat(op, adaptor.getInput(), *expanded, exprs, groups, rewriter)
                            : readModulo(op, adaptor.getInput(), *init, rewriter);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, castTensor(rewriter, loc, *result, init->getType()));
    return success();
  }

private:
  FailureOr<Value> repeat(TileOp op, Value input, Value expanded, ArrayRef<AffineExpr> exprs,
                          ArrayRef<ReassociationIndices> groups, ConversionPatternRewriter &rewriter) const {
    int64_t loops = rankOf(expanded);
    AffineMap maps[] = {memoryMap(op.getInput().getType(), loops, exprs, op.getContext()),
                        rewriter.getMultiDimIdentityMap(loops)};
    auto result = createGeneric(rewriter, op.getLoc(), input, expanded, maps, parallelLoops(loops), yieldFirst);
    if (failed(result) || groups.size() == static_cast<size_t>(loops))
      return result;
    return tensor::CollapseShapeOp::create(rewriter, op.getLoc(), *result, groups).getResult();
  }

  /// Element by element, for when nothing about the extents is known.
  FailureOr<Value> readModulo(TileOp op, Value input, Value init, ConversionPatternRewriter &rewriter) const {
    auto sizes = dimIndices(rewriter, op.getLoc(), op.getInput(), context);
    if (failed(sizes))
      return failure();
    return createGather(rewriter, op.getLoc(), op.getResult().getType(), init,
                        [&](OpBuilder &b, Location at, ValueRange indices) -> FailureOr<Value> {
                          IndexMath math(b, at);
                          SmallVector<Value> places;
                          for (auto [i, index] : llvm::enumerate(indices)) {
                            bool same = context.extents.dim(op.getInput(), i) == context.extents.dim(op.getResult(), i);
                            places.push_back(same ? index : math.mod(index, (*sizes)[i]));
                          }
                          return extractElement(b, at, input, op.getInput().getType(), places);
                        });
  }

  /// `init` with its dimensions split into `groups` of `extents`; null when they cannot be split.
  FailureOr<Value> expand(Location loc, Value init, ArrayRef<Extent> extents, ArrayRef<ReassociationIndices> groups,
                          ConversionPatternRewriter &rewriter) const {
    SmallVector<OpFoldResult> sizes;
    SmallVector<int64_t> shape;
    for (Extent extent : extents) {
      auto size = materialize(rewriter, loc, extent, context);
      if (failed(size))
        return failure();
      sizes.push_back(*size);
      shape.push_back(getConstantIntValue(*size).value_or(ShapedType::kDynamic));
    }
    Type element = elementOf(init);
    auto type = RankedTensorType::get(shape, element);
    SmallVector<int64_t> collapsed;
    for (const ReassociationIndices &group : groups) {
      int64_t extent = 1;
      for (int64_t loop : group)
        extent = ShapedType::isDynamic(extent) || ShapedType::isDynamic(shape[loop]) ? ShapedType::kDynamic
                                                                                     : extent * shape[loop];
      collapsed.push_back(extent);
    }
    if (!isExpandable(type, groups))
      return Value();
    init = castTensor(rewriter, loc, init, RankedTensorType::get(collapsed, element));
    if (groups.size() == extents.size())
      return init;
    return tensor::ExpandShapeOp::create(rewriter, loc, type, init, groups, sizes).getResult();
  }
};

} // namespace

void hone::graph_to_linalg::populateMovement(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<RangePattern, ShapePattern, ReshapePattern, TransposePattern, BroadcastPattern, TilePattern>(patterns,
                                                                                                           context);
  populateSlicing(patterns, context);
}
