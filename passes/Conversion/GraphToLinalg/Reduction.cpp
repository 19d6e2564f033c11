//===- Reduction.cpp - Reductions, positions of extrema, running sums -----===//

#include "passes/Conversion/GraphToLinalg/ReducedSpace.h"
#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

/// The number of the first argument.
auto loadFirst(Type element) {
  return [element](OpBuilder &builder, Location loc, ValueRange arguments) -> FailureOr<Value> {
    return loadElement(builder, loc, arguments[0], element);
  };
}

struct ReducePattern : GraphPattern<graph::ReduceOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = elementOf(op.getInput());
    Accumulator accumulator{op.getKind(), element};
    ReducedSpace space(op.getInput(), op.getDims(), op.getResult(), context, rewriter);
    FailureOr<Value> kept = space.reduce({adaptor.getInput()}, {space.fullMap()}, accumulator, loadFirst(element));
    if (failed(kept))
      return rewriter.notifyMatchFailure(op, "no such reduction of these elements");
    FailureOr<Value> stored =
        storeAccumulated(rewriter, op.getLoc(), space.restoreDims(*kept), accumulator, op.getResult(), context);
    if (failed(stored))
      return failure();
    rewriter.replaceOp(op, *stored);
    return success();
  }
};

struct ArgReducePattern : GraphPattern<graph::ArgReduceOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ArgReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = elementOf(op.getInput());
    int64_t dim = op.getDim();
    ReducedSpace space(op.getInput(), {dim}, op.getResult(), context, rewriter);
    FailureOr<Value> best = space.createKept(storageType(element));
    FailureOr<Value> positions = space.createKept(rewriter.getI64Type());
    if (failed(best) || failed(positions))
      return failure();
    bool wantsMax = op.getKind() == graph::ArgKind::Max;
    graph::Predicate better = op.getLast() ? (wantsMax ? graph::Predicate::Ge : graph::Predicate::Le)
                                           : (wantsMax ? graph::Predicate::Gt : graph::Predicate::Lt);
    FailureOr<Value> kept = createArgExtremum(
        rewriter, op.getLoc(), {adaptor.getInput()}, *best, *positions, {space.fullMap(), space.keptMap()},
        space.iterators(), element, better, [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Candidate {
          Value index = linalg::IndexOp::create(builder, loc, space.loopOf(dim));
          Value position = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
          return {loadElement(builder, loc, arguments[0], element), position, nullptr};
        });
    if (failed(kept))
      return failure();
    rewriter.replaceOp(op, castToResult(rewriter, op.getLoc(), space.restoreDims(*kept), op.getResult(), context));
    return success();
  }
};

/// A loop along the dimension over slices of extent 1; the running values are a slice, too.
struct ScanPattern : GraphPattern<graph::ScanOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = op.getDim();
    Accumulator accumulator{op.getKind() == graph::ScanKind::Add ? graph::ReduceKind::Sum : graph::ReduceKind::Prod,
                            elementOf(op.getInput())};
    FailureOr<Value> result = createEmpty(rewriter, loc, op.getResult(), context);
    // Slices keep the dimension, with an extent of 1: among other extents of 1 MLIR would guess which one is dropped.
    SmallVector<graph::Extent> extents;
    for (int64_t i : memoryOrder(typeOf(op.getInput())))
      extents.push_back(i == dim ? context.extents.constant(1) : context.extents.dim(op.getInput(), i));
    FailureOr<Value> empty = createEmptyOf(rewriter, loc, extents, accumulator.type(), context);
    FailureOr<Value> extent = dimIndex(rewriter, loc, op.getInput(), dim, context);
    if (failed(result) || failed(empty) || failed(extent))
      return failure();
    Value running = createFill(rewriter, loc, accumulator.identity(rewriter, loc), *empty);

    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto loop = scf::ForOp::create(rewriter, loc, zero, *extent, one, ValueRange{*result, running});
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    if (op.getReverse())
      index = arith::SubIOp::create(rewriter, loc, arith::SubIOp::create(rewriter, loc, *extent, one), index);
    FailureOr<SmallVector<Value>> next =
        step(op, adaptor.getInput(), accumulator, index, loop.getRegionIterArgs(), rewriter);
    if (failed(next))
      return failure();
    scf::YieldOp::create(rewriter, loc, *next);
    rewriter.replaceOp(op, loop.getResult(0));
    return success();
  }

private:
  /// The result and the running values after the slice at `index`.
  FailureOr<SmallVector<Value>> step(graph::ScanOp op, Value input, const Accumulator &accumulator, Value index,
                                     ValueRange carried, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value result = carried[0], running = carried[1];
    Slice from = slice(rewriter, loc, input, memoryDim(typeOf(op.getInput()), op.getDim()), index);
    Slice to = slice(rewriter, loc, result, memoryDim(typeOf(op.getResult()), op.getDim()), index);
    Value numbers = tensor::ExtractSliceOp::create(rewriter, loc, input, from.offsets, from.sizes, from.strides);
    auto insert = [&]() -> FailureOr<Value> {
      FailureOr<Value> stored = store(op, running, accumulator, to, rewriter);
      if (failed(stored))
        return failure();
      return tensor::InsertSliceOp::create(rewriter, loc, *stored, result, to.offsets, to.sizes, to.strides)
          .getResult();
    };
    // What goes to the result is copied there before it is updated in place.
    FailureOr<Value> inserted = failure();
    if (op.getExclusive() && failed(inserted = insert()))
      return failure();
    FailureOr<Value> updated =
        elementwise(rewriter, loc, numbers, running, [&](OpBuilder &builder, Location nested, ValueRange arguments) {
          Value number = loadElement(builder, nested, arguments[0], accumulator.element);
          return accumulator.combine(builder, nested, arguments[1], number);
        });
    if (failed(updated))
      return failure();
    running = *updated;
    if (!op.getExclusive() && failed(inserted = insert()))
      return failure();
    return SmallVector<Value>{*inserted, running};
  }

  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };

  static Slice slice(OpBuilder &builder, Location loc, Value tensor, int64_t dim, Value index) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    Slice result{SmallVector<OpFoldResult>(rank, builder.getIndexAttr(0)), tensor::getMixedSizes(builder, loc, tensor),
                 SmallVector<OpFoldResult>(rank, builder.getIndexAttr(1))};
    result.offsets[dim] = index;
    result.sizes[dim] = builder.getIndexAttr(1);
    return result;
  }

  static FailureOr<Value> elementwise(ConversionPatternRewriter &rewriter, Location loc, Value input, Value init,
                                      BodyFn body) {
    int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> parallel(rank, utils::IteratorType::parallel);
    return createGeneric(rewriter, loc, {input}, init, maps, parallel, body);
  }

  /// The running values as elements of the result, in its memory order.
  FailureOr<Value> store(graph::ScanOp op, Value running, const Accumulator &accumulator, const Slice &to,
                         ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, to.sizes, storageType(accumulator.element));
    int64_t rank = to.sizes.size();
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : memoryOrder(typeOf(op.getInput())))
      exprs.push_back(rewriter.getAffineDimExpr(memoryDim(typeOf(op.getResult()), dim)));
    SmallVector<AffineMap> maps{AffineMap::get(rank, 0, exprs, rewriter.getContext()),
                                rewriter.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> parallel(rank, utils::IteratorType::parallel);
    return createGeneric(rewriter, loc, {running}, empty, maps, parallel,
                         [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                           return storeElement(builder, nested, arguments[0], accumulator.element);
                         });
  }
};

} // namespace

void graph_to_linalg::populateReduction(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ReducePattern, ArgReducePattern, ScanPattern>(patterns, context);
}
