//===- ReductionOps.cpp - Shapes of reductions ----------------------------===//

#include "dialects/Graph/IR/Shapes.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

/// `input` without `dims`, or with extents of 1 there.
static SmallVector<Extent> reducedDims(ExtentBuilder &extents, Value input, ArrayRef<int64_t> dims, bool keep) {
  SmallVector<Extent> result;
  for (auto [i, extent] : llvm::enumerate(extents.dims(input))) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      result.push_back(extent);
    else if (keep)
      result.push_back(extents.constant(1));
  }
  return result;
}

LogicalResult ReduceOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type element = elementOf(adaptor.getInput());
  bool logical = adaptor.getKind() == ReduceKind::All || adaptor.getKind() == ReduceKind::Any;
  if (failed(checkDims(loc, "dims", adaptor.getDims(), rankOf(adaptor.getInput()))))
    return failure();
  if (logical != element.isInteger(1))
    return refuse(loc, "'" + Twine(stringifyReduceKind(adaptor.getKind())) + "' is not defined on elements of type " +
                           str(element));
  results.push_back({element, reducedDims(extents, adaptor.getInput(), adaptor.getDims(), adaptor.getKeepDims())});
  return success();
}

LogicalResult ArgReduceOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, "dim", dim, rankOf(adaptor.getInput()))))
    return failure();
  results.push_back({IntegerType::get(adaptor.getInput().getContext(), 64),
                     reducedDims(extents, adaptor.getInput(), {dim}, adaptor.getKeepDims())});
  return success();
}

/// An op that works along one dimension and keeps the shape.
static LogicalResult alongDim(OptLoc loc, ExtentBuilder &extents, Value input, int64_t dim, Results &results) {
  if (failed(checkDim(loc, "dim", dim, rankOf(input))))
    return failure();
  results.push_back({elementOf(input), extents.dims(input)});
  return success();
}

LogicalResult ScanOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (elementOf(adaptor.getInput()).isInteger(1))
    return refuse(loc, "cannot accumulate bools");
  return alongDim(loc, extents, adaptor.getInput(), adaptor.getDim(), results);
}

LogicalResult SoftmaxOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (!isa<FloatType>(elementOf(adaptor.getInput())))
    return refuse(loc, "softmax of elements of type " + Twine(str(elementOf(adaptor.getInput()))));
  return alongDim(loc, extents, adaptor.getInput(), adaptor.getDim(), results);
}

LogicalResult NormalizeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (!isa<FloatType>(elementOf(adaptor.getInput())))
    return refuse(loc, "normalizes elements of type " + Twine(str(elementOf(adaptor.getInput()))));
  if (failed(checkDims(loc, "dims", adaptor.getDims(), rankOf(adaptor.getInput()))))
    return failure();
  results.push_back({elementOf(adaptor.getInput()), extents.dims(adaptor.getInput())});
  return success();
}

LogicalResult NonZeroOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type i64 = IntegerType::get(adaptor.getInput().getContext(), 64);
  Extent rank = extents.constant(std::max<int64_t>(rankOf(adaptor.getInput()), 1));
  results.push_back({i64, {rank, extents.product(extents.dims(adaptor.getInput()))}});
  results.push_back({i64, {extents.constant(1)}});
  return success();
}

LogicalResult TopKOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  int64_t dim = adaptor.getDim();
  auto k = extents.elements(adaptor.getK());
  if (failed(checkDim(loc, "dim", dim, rankOf(adaptor.getInput()))))
    return failure();
  if (!k || k->size() != 1)
    return refuse(loc, "k must be a tensor of one element");
  SmallVector<Extent> dims = extents.dims(adaptor.getInput());
  auto have = constantExtent(dims[dim]), want = constantExtent(k->front());
  if (have && want && (*want < 0 || *want > *have))
    return refuse(loc, "takes " + Twine(*want) + " of " + Twine(*have) + " elements");
  extents.require(extents.sub(extents.constant(1), extents.lt(dims[dim], k->front())),
                  "takes more elements than there are");
  extents.requireExtent(k->front(), "takes a negative number of elements");
  dims[dim] = k->front();
  results.push_back({elementOf(adaptor.getInput()), dims});
  results.push_back({IntegerType::get(adaptor.getInput().getContext(), 64), dims});
  return success();
}

HalfSafety ReduceOp::getHalfSafety() {
  switch (getKind()) {
  case ReduceKind::Min:
  case ReduceKind::Max:
    return HalfSafety::Moves;
  case ReduceKind::Sum:
    return HalfSafety::Sums;
  default:
    return HalfSafety::Single;
  }
}
