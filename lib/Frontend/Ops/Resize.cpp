//===- Resize.cpp - Resize and Upsample -----------------------------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/ResizeDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {
/// What the importers below fill in: one entry per dimension of the input.
struct Grid {
  Value sizes;  ///< i64
  Value scales; ///< f32, for the coordinate mapping
  Value roi;    ///< f32, starts then ends; null when not used
};
/// Attributes of Resize that ask for another meaning of `sizes`.
enum class Aspect { Stretch, NotLarger, NotSmaller };
} // namespace

/// Whether input `i` is there and has elements: old exporters pass empty tensors for absent ones.
static bool isGiven(NodeBuilder &node, unsigned i) {
  return node.hasInput(i) && !llvm::is_contained(node.shapeOf(node.input(i)), 0);
}

/// `values` (for `axes`) spread over `rank` dimensions, the others taking `others`.
static Value spread(NodeBuilder &node, Value values, ArrayRef<int64_t> axes, Value others) {
  ShapeMath math(node);
  int64_t rank = node.shapeOf(others).empty() ? 0 : node.shapeOf(others)[0];
  if (llvm::equal(axes, llvm::seq<int64_t>(0, rank)))
    return values;
  SmallVector<Value> parts;
  for (int64_t d = 0; d < rank; ++d) {
    const auto *at = llvm::find(axes, d);
    int64_t i = at - axes.begin();
    parts.push_back(at == axes.end() ? node.slice(others, d, d + 1, 0) : node.slice(values, i, i + 1, 0));
  }
  return node.concat(parts, 0);
}

/// The extent of dimension `d` times `scale`, rounded down in f32 as runtimes do.
static Value scaledExtent(NodeBuilder &node, Value x, int64_t d, float scale) {
  ShapeMath math(node);
  int64_t extent = node.shapeOf(x)[d];
  if (!ShapedType::isDynamic(extent)) {
    float scaled = std::floor(static_cast<float>(extent) * scale);
    if (!(scaled >= 0 && scaled < 1e15f))
      return node.failValue("an extent of " + Twine(extent) + " times the scale is out of range");
    return math.number(static_cast<int64_t>(scaled));
  }
  if (scale == std::floor(scale) && scale < 1e9f)
    return math.mul(math.dim(x, d), math.number(static_cast<int64_t>(scale)));
  float inverse = 1.0f / scale;
  if (inverse == std::floor(inverse) && inverse < 1e9f)
    return math.div(math.dim(x, d), math.number(static_cast<int64_t>(inverse)));
  Type f32 = node.builder().getF32Type();
  Value scaled = node.mul(node.cast(math.dim(x, d), f32), node.scalar(scale, f32));
  return node.cast(node.unary(graph::UnaryKind::Floor, scaled), node.builder().getI64Type());
}

/// Fills the grid from `scales`, one number for each of `axes`.
static LogicalResult gridFromScales(NodeBuilder &node, Value x, Value scales, ArrayRef<int64_t> axes, Grid &grid) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  Type f32 = node.builder().getF32Type(), i64 = node.builder().getI64Type();
  scales = math.ofLength(scales, static_cast<int64_t>(axes.size()), "scales");
  if (node.failed())
    return failure();
  auto known = node.constantFloats(scales);
  if (known && !grid.roi) {
    SmallVector<float> all(rank, 1.0f);
    SmallVector<Value> sizes;
    for (auto [axis, scale] : llvm::zip(axes, *known)) {
      if (!(scale > 0))
        return node.fail("input 'scales' holds " + std::to_string(scale) + "; scales are above 0");
      all[axis] = static_cast<float>(scale);
    }
    for (int64_t d = 0; d < rank; ++d)
      sizes.push_back(scaledExtent(node, x, d, all[d]));
    grid.sizes = math.concat(sizes);
    grid.scales = node.floats(all);
    return success(!node.failed());
  }
  grid.scales = spread(node, node.cast(scales, f32), axes, node.floats(SmallVector<float>(rank, 1.0f)));
  Value extents = node.cast(math.shape(x), f32);
  if (grid.roi)
    extents = node.mul(extents, node.sub(node.slice(grid.roi, rank, 2 * rank, 0), node.slice(grid.roi, 0, rank, 0)));
  grid.sizes = node.cast(node.unary(graph::UnaryKind::Floor, node.mul(extents, grid.scales)), i64);
  return success(!node.failed());
}

/// Fills the grid from constant `sizes` and extents.
static LogicalResult gridFromKnownSizes(NodeBuilder &node, ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes,
                                        ArrayRef<int64_t> axes, Aspect aspect, Grid &grid) {
  SmallVector<int64_t> result(shape);
  SmallVector<float> scales(shape.size(), 1.0f);
  double common = 0;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (sizes[i] < 0)
      return node.fail("input 'sizes' holds " + Twine(sizes[i]));
    if (shape[axis] == 0)
      return node.fail("cannot resize dimension " + Twine(axis) + ", which has no elements");
    double scale = static_cast<double>(sizes[i]) / shape[axis];
    bool replaces = i == 0 || (aspect == Aspect::NotLarger ? scale < common : scale > common);
    common = replaces ? scale : common;
    result[axis] = sizes[i];
    scales[axis] = static_cast<float>(scale);
  }
  if (aspect != Aspect::Stretch)
    for (int64_t axis : axes) {
      double scaled = std::floor(common * shape[axis] + 0.5);
      if (!(scaled < 1e15))
        return node.fail("an extent of " + Twine(shape[axis]) + " times the common scale is out of range");
      result[axis] = static_cast<int64_t>(scaled);
      scales[axis] = static_cast<float>(common);
    }
  grid.sizes = node.constant(result);
  grid.scales = node.floats(scales);
  return success();
}

/// Fills the grid from `sizes`, one extent for each of `axes`.
static LogicalResult gridFromSizes(NodeBuilder &node, Value x, Value sizes, ArrayRef<int64_t> axes, Aspect aspect,
                                   Grid &grid) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  if (!sizes)
    return failure();
  sizes = math.ofLength(sizes, static_cast<int64_t>(axes.size()), "sizes");
  if (node.failed())
    return failure();
  auto known = node.constantInts(sizes);
  ArrayRef<int64_t> shape = node.shapeOf(x);
  if (known && llvm::none_of(axes, [&](int64_t d) { return ShapedType::isDynamic(shape[d]); }) &&
      llvm::none_of(shape, ShapedType::isDynamic))
    return gridFromKnownSizes(node, shape, *known, axes, aspect, grid);

  Type f32 = node.builder().getF32Type(), i64 = node.builder().getI64Type();
  Value extents = node.cast(math.pick(math.shape(x), axes), f32), ones = node.floats(SmallVector<float>(rank, 1.0f));
  Value scales = node.div(node.cast(sizes, f32), extents);
  if (aspect != Aspect::Stretch) {
    auto kind = aspect == Aspect::NotLarger ? graph::ReduceKind::Min : graph::ReduceKind::Max;
    Value common = node.reduce(kind, scales, {0}, /*keepDims=*/true);
    Value rounded = node.unary(graph::UnaryKind::Floor, node.add(node.mul(extents, common), node.scalar(0.5, f32)));
    sizes = node.cast(rounded, i64);
    scales = node.broadcastTo(common, {static_cast<int64_t>(axes.size())});
  }
  grid.scales = spread(node, scales, axes, ones);
  grid.sizes = spread(node, sizes, axes, math.shape(x));
  return success(!node.failed());
}

/// Reads the region of interest if the coordinate mode uses one.
static LogicalResult readRoi(NodeBuilder &node, graph::Coordinate coordinate, int64_t rank, ArrayRef<int64_t> axes,
                             Grid &grid) {
  if (coordinate != graph::Coordinate::TfCropAndResize)
    return success();
  if (!isGiven(node, 1))
    return node.fail("coordinate mode tf_crop_and_resize needs input 'roi'");
  int64_t count = axes.size();
  Value roi = node.cast(node.input(1), node.builder().getF32Type());
  roi = ShapeMath(node).ofLength(roi, 2 * count, "roi");
  if (node.failed())
    return failure();
  Value starts = spread(node, node.slice(roi, 0, count, 0), axes, node.floats(SmallVector<float>(rank, 0.0f)));
  Value ends = spread(node, node.slice(roi, count, 2 * count, 0), axes, node.floats(SmallVector<float>(rank, 1.0f)));
  grid.roi = node.concat({starts, ends}, 0);
  return success(!node.failed());
}

/// The case of `symbolize` that attribute `name` holds, or nullopt after a diagnostic.
template <typename Enum>
static std::optional<Enum> readCase(NodeBuilder &node, StringRef name, StringRef fallback,
                                    std::optional<Enum> (*symbolize)(StringRef)) {
  std::string text = node.getString(name, fallback);
  auto value = symbolize(text);
  if (!value)
    (void)node.fail("attribute '" + name + "' is '" + text + "', which Resize does not know");
  return value;
}

static std::optional<Aspect> symbolizeAspect(StringRef text) {
  if (text == "stretch")
    return Aspect::Stretch;
  if (text == "not_larger")
    return Aspect::NotLarger;
  return text == "not_smaller" ? std::optional(Aspect::NotSmaller) : std::nullopt;
}

static LogicalResult importResize(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x);
  auto mode = readCase<graph::Interpolation>(node, "mode", "nearest", graph::symbolizeInterpolation);
  auto coordinate =
      readCase<graph::Coordinate>(node, "coordinate_transformation_mode", "half_pixel", graph::symbolizeCoordinate);
  auto nearest = readCase<graph::NearestMode>(node, "nearest_mode", "round_prefer_floor", graph::symbolizeNearestMode);
  auto aspect = readCase<Aspect>(node, "keep_aspect_ratio_policy", "stretch", symbolizeAspect);
  auto axes = node.normalizeAxes(node.getInts("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(0, rank))), rank);
  if (!mode || !coordinate || !nearest || !aspect || !axes)
    return failure();
  bool antialias = node.getInt("antialias", 0) != 0, excludeOutside = node.getInt("exclude_outside", 0) != 0;
  if (antialias && *mode == graph::Interpolation::Nearest)
    return node.fail("attribute 'antialias' is not defined for mode nearest");
  if (isGiven(node, 2) == isGiven(node, 3))
    return node.fail("needs either input 'scales' or input 'sizes'");
  if (node.isBool(x) && *mode != graph::Interpolation::Nearest)
    return node.fail("cannot interpolate bools");

  Grid grid;
  if (mlir::failed(readRoi(node, *coordinate, rank, *axes, grid)))
    return failure();
  LogicalResult filled = isGiven(node, 2)
                             ? gridFromScales(node, x, node.input(2), *axes, grid)
                             : gridFromSizes(node, x, ShapeMath(node).integers(node.input(3)), *axes, *aspect, grid);
  if (mlir::failed(filled))
    return failure();
  node.setOutput(0, node.make<graph::ResizeOp>(
                        *mode, x, grid.sizes, grid.scales, Optional{grid.roi}, *coordinate, *nearest,
                        llvm::APFloat(static_cast<double>(node.getFloat("cubic_coeff_a", -0.75f))), excludeOutside,
                        antialias, llvm::APFloat(static_cast<double>(node.getFloat("extrapolation_value", 0.0f)))));
  return success(!node.failed());
}

/// The deprecated form: scales only, positions divided by the scale.
static LogicalResult importUpsample(NodeBuilder &node) {
  Value x = node.required(0), scales = node.required(1);
  if (node.failed())
    return failure();
  std::string mode = node.getString("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear")
    return node.fail("attribute 'mode' is '" + mode + "', not nearest or linear");
  Grid grid;
  if (mlir::failed(gridFromScales(node, x, scales, llvm::to_vector(llvm::seq<int64_t>(0, node.rankOf(x))), grid)))
    return failure();
  auto interpolation = mode == "nearest" ? graph::Interpolation::Nearest : graph::Interpolation::Linear;
  node.setOutput(0, node.make<graph::ResizeOp>(interpolation, x, grid.sizes, grid.scales, Optional{},
                                               graph::Coordinate::Asymmetric, graph::NearestMode::Floor,
                                               llvm::APFloat(-0.75), false, false, llvm::APFloat(0.0)));
  return success(!node.failed());
}

void frontend::registerResize(OpRegistry &registry) {
  registry.add("", "Resize", importResize);
  registry.add("", "Upsample", importUpsample);
  registerSampling(registry);
}
