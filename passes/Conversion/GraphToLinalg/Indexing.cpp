//===- Indexing.cpp - Gathers ---------------------------------------------===//
//
// Indices are data: negative ones count from the end, and what a model gets wrong is clamped, so that
// nothing outside of a tensor is ever read.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

namespace {

/// Loops over the memory of the result; the indices are an input of the loops, so that they are read
/// once per slice and the slices themselves contiguously.
struct GatherPattern : GraphPattern<GatherOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    Extent extent = context.extents.dim(op.getInput(), op.getDim());
    auto result =
        createUnlessEmpty(rewriter, loc, extent, context, [&] { return gather(op, adaptor, *init, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> gather(GatherOp op, OpAdaptor adaptor, Value init, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    auto indices = op.getIndices().getType();
    int64_t dim = op.getDim(), count = indices.getRank();
    auto size = dimIndex(rewriter, loc, op.getInput(), dim, context);
    if (failed(size))
      return failure();
    SmallVector<AffineExpr> loops = logicalLoops(to);
    AffineMap maps[] = {memoryMap(indices, to.getRank(), ArrayRef(loops).slice(dim, count), op.getContext()),
                        rewriter.getMultiDimIdentityMap(to.getRank())};
    SmallVector<utils::IteratorType> iterators(to.getRank(), utils::IteratorType::parallel);
    return createGeneric(rewriter, loc, adaptor.getIndices(), init, maps, iterators,
                         [&](OpBuilder &b, Location at, ValueRange args) -> FailureOr<Value> {
                           SmallVector<Value> places;
                           for (int64_t i = 0; i < from.getRank(); ++i) {
                             int64_t logical = i < dim ? i : i + count - 1;
                             places.push_back(i == dim
                                                  ? IndexMath(b, at).position(args[0], *size)
                                                  : linalg::IndexOp::create(b, at, memoryDim(to, logical)).getResult());
                           }
                           return extractElement(b, at, adaptor.getInput(), from, places);
                         });
  }
};

struct GatherElementsPattern : GraphPattern<GatherElementsOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    // Elsewhere than along `dim` positions are used as they are, where they are known to lie inside.
    SmallVector<Extent> read;
    SmallVector<bool> checked;
    for (auto [i, extent] : llvm::enumerate(context.extents.dims(op.getInput()))) {
      Extent result = context.extents.dim(op.getResult(), i);
      auto have = constantExtent(extent), want = constantExtent(result);
      checked.push_back(extent != result && !(have && want && *want <= *have));
      if (checked.back() || i == op.getDim())
        read.push_back(extent);
    }
    auto result =
        createUnlessEmpty(rewriter, loc, read, context, [&] { return gather(op, adaptor, *init, checked, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> gather(GatherElementsOp op, OpAdaptor adaptor, Value init, ArrayRef<bool> checked,
                          ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    auto sizes = dimIndices(rewriter, loc, op.getInput(), context);
    if (failed(sizes))
      return failure();
    AffineMap maps[] = {memoryMap(op.getIndices().getType(), to.getRank(), logicalLoops(to), op.getContext()),
                        rewriter.getMultiDimIdentityMap(to.getRank())};
    SmallVector<utils::IteratorType> iterators(to.getRank(), utils::IteratorType::parallel);
    return createGeneric(rewriter, loc, adaptor.getIndices(), init, maps, iterators,
                         [&](OpBuilder &b, Location at, ValueRange args) -> FailureOr<Value> {
                           IndexMath math(b, at);
                           SmallVector<Value> places;
                           for (int64_t i = 0; i < from.getRank(); ++i) {
                             if (i == static_cast<int64_t>(op.getDim())) {
                               places.push_back(math.position(args[0], (*sizes)[i]));
                               continue;
                             }
                             Value index = linalg::IndexOp::create(b, at, memoryDim(to, i));
                             places.push_back(checked[i] ? math.clamp(index, (*sizes)[i]) : index);
                           }
                           return extractElement(b, at, adaptor.getInput(), from, places);
                         });
  }
};

struct GatherNDPattern : GraphPattern<GatherNDOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(GatherNDOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    int64_t batch = op.getBatchDims(), length = op.getIndices().getType().getShape().back();
    SmallVector<Extent> read;
    for (int64_t i = 0; i < batch + length; ++i) {
      Extent extent = context.extents.dim(op.getInput(), i);
      if (i >= batch || extent != context.extents.dim(op.getIndices(), i))
        read.push_back(extent);
    }
    auto result = createUnlessEmpty(rewriter, loc, read, context, [&] { return gather(op, adaptor, *init, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> gather(GatherNDOp op, OpAdaptor adaptor, Value init, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), to = op.getResult().getType();
    auto indices = op.getIndices().getType();
    int64_t batch = op.getBatchDims(), outer = indices.getRank() - 1, length = indices.getShape().back();
    auto sizes = dimIndices(rewriter, loc, op.getInput(), context);
    if (failed(sizes))
      return failure();
    return createGather(rewriter, loc, to, init, [&](OpBuilder &b, Location at, ValueRange result) -> FailureOr<Value> {
      IndexMath math(b, at);
      SmallVector<Value> places;
      for (int64_t i = 0; i < batch; ++i) {
        bool same = context.extents.dim(op.getInput(), i) == context.extents.dim(op.getIndices(), i);
        places.push_back(same ? result[i] : math.clamp(result[i], (*sizes)[i]));
      }
      SmallVector<Value> tuple(result.begin(), result.begin() + outer);
      tuple.emplace_back();
      for (int64_t i = 0; i < length; ++i) {
        tuple.back() = math.constant(i);
        Value stored = extractElement(b, at, adaptor.getIndices(), indices, tuple);
        places.push_back(math.position(stored, (*sizes)[batch + i]));
      }
      for (int64_t i = batch + length; i < from.getRank(); ++i)
        places.push_back(result[outer + i - batch - length]);
      return extractElement(b, at, adaptor.getInput(), from, places);
    });
  }
};

} // namespace

void hone::graph_to_linalg::populateIndexing(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<GatherPattern, GatherElementsPattern, GatherNDPattern>(patterns, context);
  populateScatter(patterns, context);
  populateSelection(patterns, context);
  populateSampling(patterns, context);
  populateBoxes(patterns, context);
}
