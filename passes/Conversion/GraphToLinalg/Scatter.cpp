//===- Scatter.cpp - Writes at computed positions -------------------------===//
//
// Updates may meet at one place, so they are applied one after the other, in row-major order, to a
// copy of the input. Positions are clamped into the tensor; a tensor without elements takes none.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

/// The function that `kind` stands for; none for assignment.
static std::optional<BinaryKind> functionOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Assign:
    return std::nullopt;
  case ScatterKind::Add:
    return BinaryKind::Add;
  case ScatterKind::Mul:
    return BinaryKind::Mul;
  case ScatterKind::Min:
    return BinaryKind::Min;
  case ScatterKind::Max:
    return BinaryKind::Max;
  }
  return std::nullopt;
}

/// Old value and update -> new value, in storage types.
static FailureOr<Value> combine(OpBuilder &builder, Location loc, ScatterKind kind, Value old, Value update,
                                Type element) {
  auto function = functionOf(kind);
  if (!function)
    return update;
  auto number = binaryFunction(builder, loc, *function, loadElement(builder, loc, old, element),
                               loadElement(builder, loc, update, element), element);
  if (failed(number))
    return failure();
  return storeElement(builder, loc, *number, element);
}

/// `bound`, or 0 when one of `sizes` is 0.
static Value boundUnlessEmpty(const IndexMath &math, Value bound, ArrayRef<Value> sizes) {
  Value zero = math.constant(0);
  for (Value size : sizes)
    bound = math.select(math.less(zero, size), bound, zero);
  return bound;
}

namespace {

struct ScatterElementsPattern : GraphPattern<ScatterElementsOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto to = op.getResult().getType();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    auto sizes = dimIndices(rewriter, loc, op.getResult(), context),
         bounds = dimIndices(rewriter, loc, op.getUpdates(), context);
    if (failed(init) || failed(sizes) || failed(bounds))
      return failure();
    auto copy = createWritableCopy(rewriter, loc, adaptor.getInput(), op.getInput().getType(), *init, to);
    if (failed(copy))
      return failure();
    IndexMath math(rewriter, loc);
    SmallVector<bool> checked;
    SmallVector<Value> written;
    for (int64_t i = 0; i < to.getRank(); ++i) {
      Extent size = context.extents.dim(op.getResult(), i), bound = context.extents.dim(op.getUpdates(), i);
      auto have = constantExtent(size), want = constantExtent(bound);
      checked.push_back(size != bound && !(have && want && *want <= *have));
      if (!context.extents.atLeast(size, 1))
        written.push_back((*sizes)[i]);
    }
    (*bounds)[0] = boundUnlessEmpty(math, (*bounds)[0], written);
    auto result = createLoops(rewriter, loc, *bounds, *copy,
                              [&](OpBuilder &b, Location at, ValueRange positions, ValueRange carried) {
                                return apply(op, adaptor, *sizes, checked, b, at, positions, carried[0]);
                              });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, result->front());
    return success();
  }

private:
  FailureOr<SmallVector<Value>> apply(ScatterElementsOp op, OpAdaptor adaptor, ArrayRef<Value> sizes,
                                      ArrayRef<bool> checked, OpBuilder &b, Location at, ValueRange positions,
                                      Value into) const {
    IndexMath math(b, at);
    auto to = op.getResult().getType();
    SmallVector<Value> where(positions), places;
    Value stored = extractElement(b, at, adaptor.getIndices(), op.getIndices().getType(), where);
    Value update = extractElement(b, at, adaptor.getUpdates(), op.getUpdates().getType(), where);
    for (auto [i, position] : llvm::enumerate(where)) {
      if (i == op.getDim())
        places.push_back(math.position(stored, sizes[i]));
      else
        places.push_back(checked[i] ? math.clamp(position, sizes[i]) : position);
    }
    SmallVector<Value> memory = toMemory<Value>(to, places);
    Value old =
        op.getKind() == ScatterKind::Assign ? update : tensor::ExtractOp::create(b, at, into, memory).getResult();
    auto value = combine(b, at, op.getKind(), old, update, to.getElementType());
    if (failed(value))
      return failure();
    return SmallVector<Value>{tensor::InsertOp::create(b, at, *value, into, memory)};
  }
};

/// One tuple of indices after the other; the slice it names is combined as a whole.
struct ScatterNDPattern : GraphPattern<ScatterNDOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(ScatterNDOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto to = op.getResult().getType();
    int64_t length = op.getIndices().getType().getShape().back();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    auto sizes = dimIndices(rewriter, loc, op.getResult(), context),
         bounds = dimIndices(rewriter, loc, op.getIndices(), context);
    if (failed(init) || failed(sizes) || failed(bounds))
      return failure();
    auto copy = createWritableCopy(rewriter, loc, adaptor.getInput(), op.getInput().getType(), *init, to);
    if (failed(copy))
      return failure();
    bounds->pop_back();
    SmallVector<Value> written;
    for (int64_t i = 0; i < length; ++i)
      if (!context.extents.atLeast(context.extents.dim(op.getResult(), i), 1))
        written.push_back((*sizes)[i]);
    if (bounds->empty())
      bounds->push_back(IndexMath(rewriter, loc).constant(1));
    bounds->front() = boundUnlessEmpty(IndexMath(rewriter, loc), bounds->front(), written);
    auto result = createLoops(rewriter, loc, *bounds, *copy,
                              [&](OpBuilder &b, Location at, ValueRange positions, ValueRange carried) {
                                return apply(op, adaptor, *sizes, b, at, positions, carried[0]);
                              });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, result->front());
    return success();
  }

private:
  FailureOr<SmallVector<Value>> apply(ScatterNDOp op, OpAdaptor adaptor, ArrayRef<Value> sizes, OpBuilder &b,
                                      Location at, ValueRange positions, Value into) const {
    IndexMath math(b, at);
    auto to = op.getResult().getType(), updates = op.getUpdates().getType(), indices = op.getIndices().getType();
    int64_t outer = indices.getRank() - 1, length = indices.getShape().back();
    SmallVector<Value> tuple(positions.begin(), positions.begin() + outer), places;
    SmallVector<Value> row(tuple);
    tuple.emplace_back();
    for (int64_t i = 0; i < length; ++i) {
      tuple.back() = math.constant(i);
      places.push_back(math.position(extractElement(b, at, adaptor.getIndices(), indices, tuple), sizes[i]));
    }
    if (length < to.getRank())
      return applySlice(op, adaptor.getUpdates(), sizes, b, at, row, places, into);
    Value update = extractElement(b, at, adaptor.getUpdates(), updates, row);
    SmallVector<Value> memory = toMemory<Value>(to, places);
    Value old =
        op.getKind() == ScatterKind::Assign ? update : tensor::ExtractOp::create(b, at, into, memory).getResult();
    auto value = combine(b, at, op.getKind(), old, update, to.getElementType());
    if (failed(value))
      return failure();
    return SmallVector<Value>{tensor::InsertOp::create(b, at, *value, into, memory)};
  }

  /// Unit extents at the indexed dimensions are kept in the slice of the result, dropped in that of the
  /// updates: the maps say which is which, whatever the layouts.
  FailureOr<SmallVector<Value>> applySlice(ScatterNDOp op, Value updatesValue, ArrayRef<Value> sizes, OpBuilder &b,
                                           Location at, ArrayRef<Value> row, ArrayRef<Value> places, Value into) const {
    auto to = op.getResult().getType(), updates = op.getUpdates().getType();
    int64_t outer = row.size(), length = places.size(), rank = to.getRank();
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets(rank, zero), shape(rank, one), updateOffsets(updates.getRank(), zero),
        updateShape(updates.getRank(), one);
    for (int64_t i = 0; i < outer; ++i)
      updateOffsets[i] = row[i];
    for (int64_t i = 0; i < rank; ++i) {
      if (i < length)
        offsets[i] = places[i];
      else
        shape[i] = updateShape[outer + i - length] = getAsOpFoldResult(sizes[i]);
    }
    SmallVector<OpFoldResult> ones(rank, one), updateOnes(updates.getRank(), one);
    Value update = tensor::ExtractSliceOp::create(b, at, updatesValue, toMemory<OpFoldResult>(updates, updateOffsets),
                                                  toMemory<OpFoldResult>(updates, updateShape), updateOnes);
    SmallVector<OpFoldResult> memoryOffsets = toMemory<OpFoldResult>(to, offsets),
                              memoryShape = toMemory<OpFoldResult>(to, shape);
    Value old = tensor::ExtractSliceOp::create(b, at, into, memoryOffsets, memoryShape, ones);
    SmallVector<AffineExpr> loops = logicalLoops(to), exprs(outer, b.getAffineConstantExpr(0));
    exprs.append(loops.begin() + length, loops.end());
    AffineMap maps[] = {memoryMap(updates, rank, exprs, op.getContext()), b.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto value =
        createGeneric(b, at, update, old, maps, iterators, [&](OpBuilder &nested, Location where, ValueRange args) {
          return combine(nested, where, op.getKind(), args[1], args[0], to.getElementType());
        });
    if (failed(value))
      return failure();
    return SmallVector<Value>{tensor::InsertSliceOp::create(b, at, *value, into, memoryOffsets, memoryShape, ones)};
  }
};

} // namespace

void hone::graph_to_linalg::populateScatter(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ScatterElementsPattern, ScatterNDPattern>(patterns, context);
}
