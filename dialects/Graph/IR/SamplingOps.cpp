//===- SamplingOps.cpp - Shapes of samples and boxes ----------------------===//

#include "dialects/Graph/IR/Shapes.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

static LogicalResult checkFloat(OptLoc loc, StringRef what, Value value) {
  if (isa<FloatType>(elementOf(value)))
    return success();
  return refuse(loc, Twine(what) + " has elements of type " + str(elementOf(value)) + "; a float type is needed");
}

static LogicalResult checkRank(OptLoc loc, StringRef what, Value value, int64_t rank) {
  if (rankOf(value) == rank)
    return success();
  return refuse(loc, Twine(what) + " has rank " + Twine(rankOf(value)) + " instead of " + Twine(rank));
}

LogicalResult GridSampleOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value input = adaptor.getInput(), grid = adaptor.getGrid();
  int64_t spatial = rankOf(input) - 2, points = rankOf(grid) - 2;
  if (spatial < 1 || points < 0)
    return refuse(loc, "samples " + Twine(str(input.getType())) + " at positions " + str(grid.getType()));
  if (elementOf(input).isInteger(1))
    return refuse(loc, "cannot interpolate bools");
  if (failed(checkFloat(loc, "grid", grid)))
    return failure();
  if (failed(
          checkEqual(loc, extents, "batch extents of input and grid", extents.dim(input, 0), extents.dim(grid, 0))) ||
      failed(checkEqual(loc, extents, "number of coordinates and of spatial dimensions", extents.dim(grid, points + 1),
                        extents.constant(spatial))))
    return failure();
  TensorShape shape{elementOf(input), {extents.dim(input, 0), extents.dim(input, 1)}};
  for (int64_t i = 1; i <= points; ++i)
    shape.dims.push_back(extents.dim(grid, i));
  results.push_back(std::move(shape));
  return success();
}

LogicalResult RoiAlignOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value input = adaptor.getInput(), rois = adaptor.getRois(), batch = adaptor.getBatch();
  if (failed(checkRank(loc, "input", input, 4)) || failed(checkRank(loc, "rois", rois, 2)) ||
      failed(checkRank(loc, "batch", batch, 1)) || failed(checkFloat(loc, "input", input)) ||
      failed(checkFloat(loc, "rois", rois)))
    return failure();
  if (adaptor.getKind() == PoolKind::Lp)
    return refuse(loc, "pools regions by 'avg' or 'max' only");
  if (adaptor.getSize().size() != 2 || llvm::any_of(adaptor.getSize(), [](int64_t extent) { return extent < 1; }))
    return refuse(loc, "size needs two extents of at least 1");
  if (static_cast<int64_t>(adaptor.getSampling()) < 0)
    return refuse(loc, "sampling is negative");
  if (failed(checkEqual(loc, extents, "numbers of regions and of image indices", extents.dim(rois, 0),
                        extents.dim(batch, 0))) ||
      failed(checkEqual(loc, extents, "numbers of coordinates", extents.dim(rois, 1), extents.constant(4))))
    return failure();
  results.push_back({elementOf(input),
                     {extents.dim(rois, 0), extents.dim(input, 1), extents.constant(adaptor.getSize()[0]),
                      extents.constant(adaptor.getSize()[1])}});
  return success();
}

LogicalResult NmsOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Value boxes = adaptor.getBoxes(), scores = adaptor.getScores();
  if (failed(checkRank(loc, "boxes", boxes, 3)) || failed(checkRank(loc, "scores", scores, 3)) ||
      failed(checkFloat(loc, "boxes", boxes)) || failed(checkFloat(loc, "scores", scores)))
    return failure();
  auto limit = extents.elements(adaptor.getLimit());
  if (!limit || limit->size() != 1)
    return refuse(loc, "limit must be a tensor of one element");
  if (failed(checkEqual(loc, extents, "batch extents of boxes and scores", extents.dim(boxes, 0),
                        extents.dim(scores, 0))) ||
      failed(checkEqual(loc, extents, "numbers of boxes and scores", extents.dim(boxes, 1), extents.dim(scores, 2))) ||
      failed(checkEqual(loc, extents, "numbers of coordinates", extents.dim(boxes, 2), extents.constant(4))))
    return failure();
  Type i64 = IntegerType::get(boxes.getContext(), 64);
  Extent taken = extents.max(extents.min(extents.dim(boxes, 1), limit->front()), extents.constant(0));
  results.push_back(
      {i64, {extents.product({extents.dim(scores, 0), extents.dim(scores, 1), taken}), extents.constant(3)}});
  results.push_back({i64, {extents.constant(1)}});
  return success();
}
