//===- ReducedSpace.cpp - Loops over a tensor and its reductions ----------===//

#include "passes/Conversion/GraphToLinalg/ReducedSpace.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

ReducedSpace::ReducedSpace(Value value, ArrayRef<int64_t> dims, Value like, LoweringContext &context,
                           ConversionPatternRewriter &rewriter)
    : value(value), dims(dims), like(like), context(context), rewriter(rewriter),
      loc(like.getDefiningOp() ? like.getDefiningOp()->getLoc() : value.getLoc()) {
  SmallVector<int64_t> remaining;
  for (int64_t dim = 0; dim < rankOf(value); ++dim)
    if (!isReduced(dim))
      remaining.push_back(dim);
  bool hasAll = rankOf(like) == rankOf(value);
  for (int64_t dim : memoryOrder(typeOf(like))) {
    if (!hasAll)
      kept.push_back(remaining[dim]);
    else if (!isReduced(dim))
      kept.push_back(dim);
  }
  for (int64_t dim : memoryOrder(typeOf(value)))
    loopKinds.push_back(isReduced(dim) ? utils::IteratorType::reduction : utils::IteratorType::parallel);
}

AffineMap ReducedSpace::fullMap(RankedTensorType type) const {
  SmallVector<AffineExpr> indices;
  for (int64_t dim = 0; dim < rankOf(value); ++dim)
    indices.push_back(rewriter.getAffineDimExpr(loopOf(dim)));
  return memoryMap(type, indices.size(), indices, rewriter.getContext());
}

AffineMap ReducedSpace::keptMap() const {
  SmallVector<AffineExpr> indices;
  for (int64_t dim : kept)
    indices.push_back(rewriter.getAffineDimExpr(loopOf(dim)));
  return AffineMap::get(rankOf(value), 0, indices, rewriter.getContext());
}

FailureOr<Value> ReducedSpace::createKept(Type element) const {
  SmallVector<graph::Extent> extents;
  for (int64_t dim : kept)
    extents.push_back(context.extents.dim(value, dim));
  return createEmptyOf(rewriter, loc, extents, element, context);
}

FailureOr<Value> ReducedSpace::reduce(ValueRange inputs, ArrayRef<AffineMap> maps, const Accumulator &accumulator,
                                      BodyFn body) const {
  FailureOr<Value> empty = createKept(accumulator.type());
  if (failed(empty))
    return failure();
  Value init = createFill(rewriter, loc, accumulator.identity(rewriter, loc), *empty);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(keptMap());
  return createGeneric(rewriter, loc, inputs, init, allMaps, loopKinds,
                       [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                         FailureOr<Value> number = body(builder, nested, arguments);
                         if (failed(number))
                           return failure();
                         return accumulator.combine(builder, nested, arguments.back(), *number);
                       });
}

FailureOr<Value> ReducedSpace::map(ValueRange inputs, ArrayRef<AffineMap> maps, Value init, RankedTensorType type,
                                   BodyFn body) const {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(fullMap(type));
  SmallVector<utils::IteratorType> parallel(rankOf(value), utils::IteratorType::parallel);
  return createGeneric(rewriter, loc, inputs, init, allMaps, parallel, body);
}

FailureOr<Value> ReducedSpace::mapKept(Value tensor, BodyFn body) const {
  SmallVector<utils::IteratorType> parallel(kept.size(), utils::IteratorType::parallel);
  // Reads an input, not what it overwrites: fused into a larger loop, it may run more than once per element.
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(kept.size()));
  return createGeneric(rewriter, loc, {tensor}, tensor, maps, parallel, body);
}

Value ReducedSpace::restoreDims(Value tensor) const {
  if (rankOf(like) != rankOf(value) || dims.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tensor), restored;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> reassociation(type.getRank());
  int64_t next = 0;
  for (auto [position, dim] : llvm::enumerate(memoryOrder(typeOf(like)))) {
    bool isKept = !isReduced(dim);
    restored.push_back(isKept ? sizes[next] : OpFoldResult(rewriter.getIndexAttr(1)));
    shape.push_back(isKept ? type.getDimSize(next) : 1);
    next += isKept;
    // Extents of 1 go with the dimension before them, or with the first one.
    if (!reassociation.empty())
      reassociation[std::max<int64_t>(next - 1, 0)].push_back(position);
  }
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), tensor, reassociation, restored);
}
