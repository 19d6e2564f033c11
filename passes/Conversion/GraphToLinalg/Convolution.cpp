//===- Convolution.cpp - Convolutions as sums over windows ----------------===//
//
// Groups split the channels in two dimensions. A transposed convolution is a plain one over the
// input with zeros between its elements and a window that is read backwards.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/Accumulator.h"
#include "passes/Conversion/GraphToLinalg/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

/// `tensor` with memory dimension `dim` split in `groups` and the rest.
Value splitDim(OpBuilder &builder, Location loc, Value tensor, int64_t dim, int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  SmallVector<int64_t> shape(type.getShape());
  OpFoldResult rest;
  if (type.isDynamicDim(dim)) {
    Value whole = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
    rest =
        arith::DivSIOp::create(builder, loc, whole, arith::ConstantIndexOp::create(builder, loc, groups)).getResult();
  } else {
    rest = builder.getIndexAttr(shape[dim] / groups);
    shape[dim] /= groups;
  }
  shape.insert(shape.begin() + dim, groups);
  sizes[dim] = rest;
  sizes.insert(sizes.begin() + dim, builder.getIndexAttr(groups));
  SmallVector<ReassociationIndices> reassociation;
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
    reassociation.push_back({next++});
    if (i == dim)
      reassociation.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor, reassociation, sizes);
}

/// `tensor` with memory dimensions `dim` and `dim` + 1 joined.
Value joinDims(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  SmallVector<ReassociationIndices> reassociation;
  for (int64_t i = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); i < rank; ++i) {
    reassociation.push_back({i});
    if (i == dim)
      reassociation.back().push_back(++i);
  }
  return tensor::CollapseShapeOp::create(builder, loc, tensor, reassociation);
}

/// The loops of a convolution: [n, group, o, spatial..., c, window...], numbered in the memory order
/// of the result, then of the input.
class ConvolutionLoops {
public:
  ConvolutionLoops(Value input, Value result, bool grouped, MLIRContext *context)
      : at(rankOf(result) - 2), window(rankOf(result) - 2), grouped(grouped), context(context) {
    for (int64_t dim : memoryOrder(typeOf(result))) {
      if (dim == 1 && grouped)
        group = parallel();
      (dim == 0 ? n : dim == 1 ? o : at[dim - 2]) = parallel();
    }
    for (int64_t dim : memoryOrder(typeOf(input))) {
      if (dim == 1)
        c = reduction();
      else if (dim >= 2)
        window[dim - 2] = reduction();
    }
  }

  /// Memory map of a tensor from its logical indices; the channel index of a grouped dimension
  /// is preceded by the group.
  AffineMap map(Value value, ArrayRef<AffineExpr> logical, int64_t groupedDim) const {
    SmallVector<AffineExpr> results;
    for (int64_t dim : memoryOrder(typeOf(value))) {
      if (grouped && dim == groupedDim)
        results.push_back(group);
      results.push_back(logical[dim]);
    }
    return AffineMap::get(iterators.size(), 0, results, context);
  }

  AffineExpr n, group, o, c;
  SmallVector<AffineExpr> at, window;
  SmallVector<utils::IteratorType> iterators;

private:
  AffineExpr parallel() { return add(utils::IteratorType::parallel); }
  AffineExpr reduction() { return add(utils::IteratorType::reduction); }
  AffineExpr add(utils::IteratorType iterator) {
    iterators.push_back(iterator);
    return getAffineDimExpr(iterators.size() - 1, context);
  }

  bool grouped;
  MLIRContext *context;
};

/// Sums over windows of `source` (memory order of `input`), stored as `result`.
struct WindowSum {
  Value input, weights, result;
  int64_t groups;
  /// Logical dimension of the weights that the groups share out.
  int64_t weightGroupDim;

  FailureOr<Value> create(ConversionPatternRewriter &rewriter, Location loc, Value source, Value convertedWeights,
                          const ConvolutionLoops &loops, ArrayRef<AffineExpr> inputIndices,
                          ArrayRef<AffineExpr> weightIndices, LoweringContext &context) const {
    bool grouped = groups > 1;
    Type number = computeType(elementOf(result));
    SmallVector<graph::Extent> extents;
    for (int64_t dim : memoryOrder(typeOf(result))) {
      graph::Extent extent = context.extents.dim(result, dim);
      if (dim == 1 && grouped) {
        extents.push_back(context.extents.constant(groups));
        extent = context.extents.div(extent, context.extents.constant(groups));
      }
      extents.push_back(extent);
    }
    FailureOr<Value> sums = grouped ? createEmptyOf(rewriter, loc, extents, number, context)
                                    : createEmptyLike(rewriter, loc, result, number, context);
    if (failed(sums))
      return failure();
    if (grouped) {
      source = splitDim(rewriter, loc, source, memoryDim(typeOf(input), 1), groups);
      convertedWeights = splitDim(rewriter, loc, convertedWeights, memoryDim(typeOf(weights), weightGroupDim), groups);
    }
    SmallVector<AffineExpr> resultIndices{loops.n, loops.o};
    llvm::append_range(resultIndices, loops.at);
    sums = createSumOfProducts(rewriter, loc, {source, convertedWeights}, {elementOf(input), elementOf(weights)}, *sums,
                               {loops.map(input, inputIndices, 1), loops.map(weights, weightIndices, weightGroupDim),
                                loops.map(result, resultIndices, 1)},
                               loops.iterators);
    if (failed(sums))
      return failure();
    if (grouped)
      sums = joinDims(rewriter, loc, *sums, memoryDim(typeOf(result), 1));
    return storeResult(rewriter, loc, *sums, result, context);
  }
};

struct ConvPattern : GraphPattern<graph::ConvOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t groups = op.getGroups(), spatial = rankOf(op.getInput()) - 2;
    ConvolutionLoops loops(op.getInput(), op.getResult(), groups > 1, rewriter.getContext());

    SmallVector<OpFoldResult> low(2, rewriter.getIndexAttr(0)), high(2, rewriter.getIndexAttr(0));
    SmallVector<AffineExpr> inputIndices{loops.n, loops.c}, weightIndices{loops.o, loops.c};
    for (int64_t i = 0; i < spatial; ++i) {
      low.push_back(rewriter.getIndexAttr(op.getPads()[i]));
      high.push_back(rewriter.getIndexAttr(op.getPads()[spatial + i]));
      inputIndices.push_back(loops.at[i] * op.getStrides()[i] + loops.window[i] * op.getDilations()[i]);
      weightIndices.push_back(loops.window[i]);
    }
    RankedTensorType inputType = typeOf(op.getInput());
    Value zero = numberConstant(rewriter, loc, storageType(inputType.getElementType()), 0);
    Value padded = createPad(rewriter, loc, adaptor.getInput(), toMemory<OpFoldResult>(inputType, low),
                             toMemory<OpFoldResult>(inputType, high), zero);
    WindowSum sum{op.getInput(), op.getWeights(), op.getResult(), groups, /*weightGroupDim=*/0};
    FailureOr<Value> stored =
        sum.create(rewriter, loc, padded, adaptor.getWeights(), loops, inputIndices, weightIndices, context);
    if (failed(stored))
      return failure();
    rewriter.replaceOp(op, *stored);
    return success();
  }
};

struct ConvTransposePattern : GraphPattern<graph::ConvTransposeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ConvTransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t groups = op.getGroups(), spatial = rankOf(op.getInput()) - 2;
    graph::ExtentBuilder &extents = context.extents;
    // From the first to the last element of a window.
    SmallVector<graph::Extent> reach;
    for (int64_t i = 0; i < spatial; ++i) {
      graph::Extent last = extents.sub(extents.dim(op.getWeights(), i + 2), extents.constant(1));
      reach.push_back(extents.mul(last, extents.constant(op.getDilations()[i])));
    }
    FailureOr<Value> spread = spreadInput(op, adaptor.getInput(), reach, rewriter);
    if (failed(spread))
      return failure();
    // Backwards in the indexing map if it is constant how far, otherwise by reversed weights.
    FailureOr<Value> weights = adaptor.getWeights();
    bool isStatic = llvm::all_of(reach, [](graph::Extent extent) { return graph::constantExtent(extent).has_value(); });
    if (!isStatic)
      weights = reverseWindow(op, adaptor.getWeights(), rewriter);
    if (failed(weights))
      return failure();
    ConvolutionLoops loops(op.getInput(), op.getResult(), groups > 1, rewriter.getContext());
    SmallVector<AffineExpr> inputIndices{loops.n, loops.c}, weightIndices{loops.c, loops.o};
    for (int64_t i = 0; i < spatial; ++i) {
      AffineExpr step = loops.window[i] * op.getDilations()[i];
      inputIndices.push_back(isStatic ? loops.at[i] - step + *graph::constantExtent(reach[i]) : loops.at[i] + step);
      weightIndices.push_back(loops.window[i]);
    }
    WindowSum sum{op.getInput(), op.getWeights(), op.getResult(), groups, /*weightGroupDim=*/0};
    FailureOr<Value> stored =
        sum.create(rewriter, op.getLoc(), *spread, *weights, loops, inputIndices, weightIndices, context);
    if (failed(stored))
      return failure();
    rewriter.replaceOp(op, *stored);
    return success();
  }

private:
  /// The input with stride - 1 zeros between elements and room for the window on both sides: of
  /// extent result + reach. Elements that no window reaches are left out.
  FailureOr<Value> spreadInput(graph::ConvTransposeOp op, Value input, ArrayRef<graph::Extent> reach,
                               ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    graph::ExtentBuilder &extents = context.extents;
    graph::Extent zero = extents.constant(0);
    int64_t spatial = reach.size();
    SmallVector<graph::Extent> room{extents.dim(op.getInput(), 0), extents.dim(op.getInput(), 1)}, kept = room;
    SmallVector<graph::Extent> skipped(2, zero), offsets(2, zero), steps(2, extents.constant(1));
    for (int64_t i = 0; i < spatial; ++i) {
      graph::Extent stride = extents.constant(op.getStrides()[i]), begin = extents.constant(op.getPads()[i]);
      graph::Extent end = extents.constant(op.getPads()[spatial + i] - op.getOutputPadding()[i]);
      graph::Extent first = extents.max(extents.ceilDiv(extents.sub(begin, reach[i]), stride), zero);
      graph::Extent last = extents.max(extents.ceilDiv(extents.sub(end, reach[i]), stride), zero);
      graph::Extent whole = extents.dim(op.getInput(), i + 2);
      kept.push_back(extents.max(extents.sub(whole, extents.add(first, last)), zero));
      room.push_back(extents.add(extents.dim(op.getResult(), i + 2), reach[i]));
      skipped.push_back(first);
      offsets.push_back(extents.add(extents.sub(reach[i], begin), extents.mul(first, stride)));
      steps.push_back(stride);
    }
    RankedTensorType type = typeOf(op.getInput());
    Type element = storageType(type.getElementType());
    FailureOr<Value> empty = createEmptyOf(rewriter, loc, toMemory<graph::Extent>(type, room), element, context);
    FailureOr<SmallVector<OpFoldResult>> sizes = materializeAll(op, kept, rewriter);
    FailureOr<SmallVector<OpFoldResult>> from = materializeAll(op, skipped, rewriter);
    FailureOr<SmallVector<OpFoldResult>> to = materializeAll(op, offsets, rewriter);
    FailureOr<SmallVector<OpFoldResult>> strides = materializeAll(op, steps, rewriter);
    if (failed(empty) || failed(sizes) || failed(from) || failed(to) || failed(strides))
      return failure();
    Value zeros = createFill(rewriter, loc, numberConstant(rewriter, loc, element, 0), *empty);
    if (kept != extents.dims(op.getInput()) || !typeOf(input).hasStaticShape()) {
      SmallVector<OpFoldResult> ones(2 + spatial, rewriter.getIndexAttr(1));
      input = tensor::ExtractSliceOp::create(rewriter, loc, input, *from, *sizes, ones);
    }
    return tensor::InsertSliceOp::create(rewriter, loc, input, zeros, *to, *sizes, *strides).getResult();
  }

  /// One number for each memory dimension of the input.
  FailureOr<SmallVector<OpFoldResult>> materializeAll(graph::ConvTransposeOp op, ArrayRef<graph::Extent> extents,
                                                      ConversionPatternRewriter &rewriter) const {
    SmallVector<OpFoldResult> result;
    for (graph::Extent extent : toMemory<graph::Extent>(typeOf(op.getInput()), extents)) {
      FailureOr<OpFoldResult> size = materialize(rewriter, op.getLoc(), extent, context);
      if (failed(size))
        return failure();
      result.push_back(*size);
    }
    return result;
  }

  FailureOr<Value> reverseWindow(graph::ConvTransposeOp op, Value weights, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    RankedTensorType type = typeOf(op.getWeights());
    SmallVector<Value> last(2);
    for (int64_t dim = 2; dim < type.getRank(); ++dim) {
      graph::Extent extent =
          context.extents.sub(context.extents.dim(op.getWeights(), dim), context.extents.constant(1));
      FailureOr<Value> index = materializeIndex(rewriter, loc, extent, context);
      if (failed(index))
        return failure();
      last.push_back(*index);
    }
    Value init = tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, weights),
                                         storageType(type.getElementType()));
    return createGather(rewriter, loc, type, init,
                        [&](OpBuilder &builder, Location nested, ValueRange indices) -> FailureOr<Value> {
                          SmallVector<Value> mirrored(indices);
                          for (size_t dim = 2; dim < mirrored.size(); ++dim)
                            mirrored[dim] = arith::SubIOp::create(builder, nested, last[dim], mirrored[dim]);
                          return extractElement(builder, nested, weights, type, mirrored);
                        });
  }
};

} // namespace

void graph_to_linalg::populateConvolution(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ConvPattern, ConvTransposePattern>(patterns, context);
}
