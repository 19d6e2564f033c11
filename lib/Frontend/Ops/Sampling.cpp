//===- Sampling.cpp - Grids, affine grids, regions of interest ------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/ResizeDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static LogicalResult importGridSample(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), grid = node.required(1);
  if (node.failed())
    return failure();
  std::string modeName = node.getString("mode", "linear"), outsideName = node.getString("padding_mode", "zeros");
  auto mode = llvm::StringSwitch<std::optional<graph::Interpolation>>(modeName)
                  .Case("nearest", graph::Interpolation::Nearest)
                  .Cases({"linear", "bilinear"}, graph::Interpolation::Linear)
                  .Cases({"cubic", "bicubic"}, graph::Interpolation::Cubic)
                  .Default(std::nullopt);
  auto outside = graph::symbolizeOutside(outsideName);
  if (!mode)
    return node.fail("attribute 'mode' is '" + modeName + "', not nearest, linear or cubic");
  if (!outside)
    return node.fail("attribute 'padding_mode' is '" + outsideName + "', not zeros, border or reflection");
  int64_t spatial = node.rankOf(x) - 2;
  if (spatial < 1 || node.rankOf(grid) != spatial + 2)
    return node.fail("input and grid have ranks " + Twine(node.rankOf(x)) + " and " + Twine(node.rankOf(grid)) +
                     "; equal ranks of at least 3 are needed");

  // From [-1, 1] to elements of the input: (g + 1) / 2 * (n - 1), or ((g + 1) * n - 1) / 2.
  bool alignCorners = node.getInt("align_corners", 0) != 0;
  grid = node.widen(grid);
  SmallVector<int64_t> lastFirst = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(2, 2 + spatial)));
  Value extents = math.pick(math.shape(x), lastFirst), one = node.scalarLike(1, grid),
        half = node.scalarLike(0.5, grid);
  Value shifted = node.add(grid, one), positions;
  if (alignCorners)
    positions = node.mul(node.mul(shifted, half), node.cast(math.sub(extents, math.number(1)), node.elementOf(grid)));
  else
    positions = node.mul(node.sub(node.mul(shifted, node.cast(extents, node.elementOf(grid))), one), half);
  node.setOutput(0, node.make<graph::GridSampleOp>(*mode, x, positions, *outside, alignCorners));
  return success(!node.failed());
}

/// Coordinates in [-1, 1] of `count` positions.
static Value normalizedPositions(NodeBuilder &node, Value count, bool alignCorners, Type element) {
  ShapeMath math(node);
  Value index = node.cast(math.range(count), element), two = node.scalar(2, element), one = node.scalar(1, element);
  if (alignCorners) {
    Value last = node.cast(math.sub(count, math.number(1)), element);
    return node.sub(node.div(node.mul(index, two), last), one);
  }
  Value odd = node.add(node.mul(index, two), one);
  return node.sub(node.div(odd, node.cast(count, element)), one);
}

/// Sum over j of theta[:, :, j] times the j-th coordinate, the last spatial dimension being the first, plus theta's
/// last column.
static LogicalResult importAffineGrid(NodeBuilder &node) {
  ShapeMath math(node);
  Value theta = node.required(0), size = math.withLength(math.integers(node.required(1)), math.declaredRank());
  if (node.failed())
    return failure();
  auto rank = math.length(size);
  if (!rank || (*rank != 4 && *rank != 5))
    return node.fail("input 'size' must have 4 or 5 elements");
  int64_t spatial = *rank - 2;
  ArrayRef<int64_t> shape = node.shapeOf(theta);
  if (shape.size() != 3 || (!ShapedType::isDynamic(shape[1]) && shape[1] != spatial) ||
      (!ShapedType::isDynamic(shape[2]) && shape[2] != spatial + 1))
    return node.fail("input 'theta' must have the shape [N, " + Twine(spatial) + ", " + Twine(spatial + 1) + "]");
  Type element = node.elementOf(theta);
  Value wide = node.widen(theta);
  auto column = [&](int64_t j) {
    Value picked = node.slice(wide, j, j + 1, 2);
    SmallVector<Value> target = {math.dim(theta, 0), math.repeat(1, spatial), math.number(spatial)};
    return node.reshape(picked, math.concat(target));
  };
  Value sum = column(spatial);
  for (int64_t j = 0; j < spatial; ++j) {
    int64_t d = spatial - 1 - j;
    SmallVector<int64_t> others;
    for (int64_t i = 0; i < spatial + 2; ++i)
      if (i != d + 1)
        others.push_back(i);
    Value along =
        normalizedPositions(node, math.at(size, d + 2), node.getInt("align_corners", 0) != 0, node.elementOf(wide));
    sum = node.add(sum, node.mul(column(j), node.unsqueeze(along, others)));
  }
  node.setOutput(0, node.cast(sum, element));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

static LogicalResult importRoiAlign(NodeBuilder &node) {
  Value x = node.required(0), rois = node.required(1), batch = node.required(2);
  if (node.failed())
    return failure();
  std::string mode = node.getString("mode", "avg"),
              coordinates = node.getString("coordinate_transformation_mode", "half_pixel");
  if (mode != "avg" && mode != "max")
    return node.fail("attribute 'mode' is '" + mode + "', not avg or max");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return node.fail("attribute 'coordinate_transformation_mode' is '" + coordinates +
                     "', not half_pixel or output_half_pixel");
  SmallVector<int64_t> size = {node.getInt("output_height", 1), node.getInt("output_width", 1)};
  auto kind = mode == "avg" ? graph::PoolKind::Avg : graph::PoolKind::Max;
  node.setOutput(0,
                 node.make<graph::RoiAlignOp>(kind, x, rois, batch, size, node.getInt("sampling_ratio", 0),
                                              llvm::APFloat(static_cast<double>(node.getFloat("spatial_scale", 1.0f))),
                                              coordinates == "half_pixel"));
  return success(!node.failed());
}

/// Which of `count` positions belong to which of `bins` bins of [start, end], for every region: [R, bins, count].
static Value binMembership(NodeBuilder &node, Value start, Value end, int64_t bins, Value count) {
  ShapeMath math(node);
  Type f32 = node.builder().getF32Type();
  Value zero = node.scalar(0, f32), one = node.scalar(1, f32);
  Value side = node.max(node.add(node.sub(end, start), one), one), step = node.div(side, node.scalar(bins, f32));
  Value bin = node.cast(math.iota(bins), f32), extent = node.cast(count, f32);
  step = node.unsqueeze(step, {1});
  start = node.unsqueeze(start, {1});
  auto bound = [&](Value index, graph::UnaryKind rounding) {
    Value at = node.add(node.unary(rounding, node.mul(index, step)), start);
    return node.unsqueeze(node.min(node.max(at, zero), extent), {2});
  };
  Value first = bound(bin, graph::UnaryKind::Floor), last = bound(node.add(bin, one), graph::UnaryKind::Ceil);
  Value position = node.cast(math.range(count), f32);
  return node.binary(graph::BinaryKind::And, node.compare(graph::Predicate::Ge, position, first),
                     node.compare(graph::Predicate::Lt, position, last));
}

/// Largest element of each bin of each region: rows first, then columns; an empty bin gives 0.
static LogicalResult importMaxRoiPool(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), rois = node.required(1);
  if (node.failed())
    return failure();
  auto pooled = node.getInts("pooled_shape");
  if (!pooled || pooled->size() != 2 ||
      llvm::any_of(*pooled, [](int64_t extent) { return extent < 1 || extent > (1 << 20); }))
    return node.fail("attribute 'pooled_shape' must hold two extents of at least 1");
  if (node.rankOf(x) != 4 || node.rankOf(rois) != 2)
    return node.fail("needs an input of rank 4 and regions of rank 2");
  Type f32 = node.builder().getF32Type();
  Value scale = node.scalar(node.getFloat("spatial_scale", 1.0f), f32), half = node.scalar(0.5, f32);
  auto coordinate = [&](int64_t i) { return node.cast(node.squeeze(node.slice(rois, i, i + 1, 1), {1}), f32); };
  auto rounded = [&](int64_t i) {
    return node.unary(graph::UnaryKind::Floor, node.add(node.mul(coordinate(i), scale), half));
  };
  Value rows = binMembership(node, rounded(2), rounded(4), (*pooled)[0], math.dim(x, 2));
  Value columns = binMembership(node, rounded(1), rounded(3), (*pooled)[1], math.dim(x, 3));
  Value images = node.gather(x, node.cast(coordinate(0), node.builder().getI64Type()), 0);
  Value nothing = node.scalarLike(-std::numeric_limits<double>::infinity(), x);

  // [R, C, 1, H, W] with [R, 1, bins, H, 1], then [R, C, bins, 1, W] with [R, 1, 1, bins, W].
  Value byRow = node.select(node.unsqueeze(rows, {1, 4}), node.unsqueeze(images, {2}), nothing);
  byRow = node.reduce(graph::ReduceKind::Max, byRow, {3}, /*keepDims=*/false);
  Value byColumn = node.select(node.unsqueeze(columns, {1, 2}), node.unsqueeze(byRow, {3}), nothing);
  Value y = node.reduce(graph::ReduceKind::Max, byColumn, {4}, /*keepDims=*/false);
  Value anyRow = node.reduce(graph::ReduceKind::Any, rows, {2}, /*keepDims=*/false);
  Value anyColumn = node.reduce(graph::ReduceKind::Any, columns, {2}, /*keepDims=*/false);
  Value filled = node.binary(graph::BinaryKind::And, node.unsqueeze(anyRow, {1, 3}), node.unsqueeze(anyColumn, {1, 2}));
  node.setOutput(0, node.select(filled, y, node.scalarLike(0, x)));
  return success(!node.failed());
}

void frontend::registerSampling(OpRegistry &registry) {
  registry.add("", "GridSample", importGridSample);
  registry.add("", "AffineGrid", importAffineGrid);
  registry.add("", "RoiAlign", importRoiAlign);
  registry.add("", "MaxRoiPool", importMaxRoiPool);
}
