//===- SamplingReference.cpp - Samples at computed positions, boxes -------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// An element that a sample reads along one dimension. What lies outside and
/// counts as 0 has no weight.
struct Tap {
  int64_t at;
  double weight;
};
using Taps = SmallVector<Tap, 4>;

} // namespace

//===----------------------------------------------------------------------===//
// grid_sample
//===----------------------------------------------------------------------===//

/// Mirrors `x` at the borders until it is between them.
static double mirrored(double x, double low, double high) {
  double range = high - low;
  if (range <= 0)
    return low;
  double outside = x < low ? low - x : x > high ? x - high : 0;
  if (outside == 0)
    return x;
  double turns = std::floor(outside / range), rest = outside - turns * range;
  bool fromLow = (x < low) == (std::fmod(turns, 2) == 0);
  return fromLow ? low + rest : high - rest;
}

/// The element that `at` reads, or -1 for 0.
static int64_t elementAt(Outside outside, double at, int64_t extent, double low, double high) {
  if (at >= 0 && at < static_cast<double>(extent))
    return static_cast<int64_t>(at);
  switch (outside) {
  case Outside::Zeros:
    return -1;
  case Outside::Border:
    return at < 0 ? 0 : extent - 1;
  case Outside::Reflection: {
    auto inside = static_cast<int64_t>(mirrored(at, low, high));
    return std::clamp<int64_t>(inside, 0, extent - 1);
  }
  }
  llvm_unreachable("unknown outside");
}

/// Keys' cubic kernel with coefficient -0.75.
static double cubicWeight(double distance) {
  constexpr double a = -0.75;
  double x = std::fabs(distance);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

static Taps tapsAt(GridSampleOp op, double x, int64_t extent) {
  double low = op.getAlignCorners() ? 0 : -0.5;
  double high = static_cast<double>(extent) - (op.getAlignCorners() ? 1 : 0.5);
  Outside outside = op.getOutside();
  bool isNearest = op.getMode() == Interpolation::Nearest;
  if (isNearest)
    x = std::nearbyint(x);
  // Of a cubic sample, only the neighbours are brought into the tensor.
  bool isMoved = op.getMode() != Interpolation::Cubic;
  if (isMoved && outside == Outside::Border && (x < low || x > high))
    x = std::clamp(x, 0.0, static_cast<double>(extent - 1));
  if (isMoved && outside == Outside::Reflection)
    x = mirrored(x, low, high);
  if (!std::isfinite(x))
    x = -2; // beyond every neighbour
  double left = std::floor(x);
  Taps taps;
  auto add = [&](double at, double weight) {
    int64_t element = elementAt(outside, at, extent, low, high);
    taps.push_back({std::max<int64_t>(element, 0), element < 0 ? 0 : weight});
  };
  if (isNearest)
    add(std::nearbyint(x), 1);
  else if (op.getMode() == Interpolation::Linear)
    for (int i = 0; i <= 1; ++i)
      add(left + i, 1 - std::fabs(left + i - x));
  else
    for (int i = -1; i <= 2; ++i)
      add(left + i, cubicWeight(left + i - x));
  return taps;
}

/// Sum over the product of the taps of all dimensions.
static double sampled(const double *plane, ArrayRef<Taps> taps, ArrayRef<int64_t> strides) {
  if (taps.empty())
    return *plane;
  double sum = 0;
  for (const Tap &tap : taps.front())
    if (tap.weight != 0)
      sum += tap.weight * sampled(plane + tap.at * strides.front(), taps.drop_front(), strides.drop_front());
  return sum;
}

static Result evalGridSample(GridSampleOp op, Operands operands) {
  const Tensor &input = operands[0], &grid = operands[1];
  int64_t spatial = input.getRank() - 2;
  if (spatial < 1 || grid.getRank() < 2 || grid.getShape().back() != spatial || grid.dim(0) != input.dim(0))
    return op.emitError() << "samples " << shapeText(input.getShape()) << " at positions "
                          << shapeText(grid.getShape());
  Shape extents(input.getShape().drop_front(2));
  Shape strides = rowMajorStrides(extents);
  Shape shape{input.dim(0), input.dim(1)};
  llvm::append_range(shape, grid.getShape().drop_front().drop_back());
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result) || result->size() == 0)
    return result;
  int64_t plane = *elementCount(extents), channels = input.dim(1);
  int64_t points = result->size() / (shape[0] * shape[1]);
  if (plane == 0)
    return op.emitError("samples an image without elements");
  std::vector<double> values = input.doubles(), positions = grid.doubles();
  std::vector<double> samples(result->size());
  for (int64_t n = 0; n < input.dim(0); ++n)
    for (int64_t p = 0; p < points; ++p) {
      const double *position = positions.data() + (n * points + p) * spatial;
      SmallVector<Taps> taps;
      for (int64_t d = 0; d < spatial; ++d)
        taps.push_back(tapsAt(op, position[spatial - 1 - d], extents[d]));
      for (int64_t c = 0; c < channels; ++c)
        samples[(n * channels + c) * points + p] = sampled(values.data() + (n * channels + c) * plane, taps, strides);
    }
  result->setDoubles(samples);
  return result;
}

//===----------------------------------------------------------------------===//
// roi_align
//===----------------------------------------------------------------------===//

/// The two neighbours of a point of a region; none where it is too far out.
static Taps neighboursOf(double x, int64_t extent) {
  if (!(x >= -1 && x <= static_cast<double>(extent)))
    return {};
  x = std::max(x, 0.0);
  auto low = static_cast<int64_t>(x);
  if (low >= extent - 1)
    return {{extent - 1, 1}, {extent - 1, 0}};
  double ratio = x - static_cast<double>(low);
  return {{low, 1 - ratio}, {low + 1, ratio}};
}

/// Points of bin `bin` along one dimension of a region.
static SmallVector<Taps> pointsOf(RoiAlignOp op, double start, double length, int64_t bin, int64_t bins,
                                  int64_t extent) {
  double side = length / static_cast<double>(bins);
  int64_t count = op.getSampling();
  if (count <= 0)
    count = static_cast<int64_t>(std::clamp(std::ceil(side), 0.0, 1048576.0));
  SmallVector<Taps> points;
  for (int64_t i = 0; i < count; ++i)
    points.push_back(neighboursOf(start + static_cast<double>(bin) * side +
                                      (static_cast<double>(i) + 0.5) * side / static_cast<double>(count),
                                  extent));
  return points;
}

static double pooledBin(RoiAlignOp op, const double *plane, int64_t width, ArrayRef<Taps> rows,
                        ArrayRef<Taps> columns) {
  bool isMax = op.getKind() == PoolKind::Max;
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  for (const Taps &row : rows)
    for (const Taps &column : columns) {
      if (row.empty() || column.empty())
        largest = std::max(largest, 0.0);
      for (const Tap &y : row)
        for (const Tap &x : column) {
          double part = y.weight * x.weight * plane[y.at * width + x.at];
          sum += part;
          largest = std::max(largest, part);
        }
    }
  auto count = static_cast<double>(rows.size() * columns.size());
  if (count == 0)
    return 0;
  return isMax ? largest : sum / count;
}

static Result evalRoiAlign(RoiAlignOp op, Operands operands) {
  const Tensor &input = operands[0], &rois = operands[1];
  std::vector<int64_t> images = operands[2].ints();
  if (input.getRank() != 4 || rois.getRank() != 2 || rois.dim(1) != 4 ||
      rois.dim(0) != static_cast<int64_t>(images.size()))
    return op.emitError() << "pools regions " << shapeText(rois.getShape()) << " of " << shapeText(input.getShape());
  int64_t channels = input.dim(1), height = input.dim(2), width = input.dim(3);
  int64_t rows = op.getSize()[0], columns = op.getSize()[1];
  Result result = allocate(op, input.getElementType(), {rois.dim(0), channels, rows, columns});
  if (failed(result) || result->size() == 0)
    return result;
  if (height == 0 || width == 0)
    return op.emitError("pools regions of images without elements");
  std::vector<double> values = input.doubles(), corners = rois.doubles();
  std::vector<double> bins(result->size());
  double scale = op.getScale().convertToDouble();
  double offset = op.getHalfPixel() ? 0.5 : 0, least = op.getHalfPixel() ? -std::numeric_limits<double>::infinity() : 1;
  for (auto [r, image] : llvm::enumerate(images)) {
    if (image < 0 || image >= input.dim(0))
      return op.emitError() << "region " << r << " is of image " << image << ", there are " << input.dim(0);
    const double *corner = corners.data() + r * 4;
    double left = corner[0] * scale - offset, top = corner[1] * scale - offset;
    double wide = std::max(corner[2] * scale - offset - left, least);
    double high = std::max(corner[3] * scale - offset - top, least);
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        auto ys = pointsOf(op, top, high, y, rows, height);
        auto xs = pointsOf(op, left, wide, x, columns, width);
        for (int64_t c = 0; c < channels; ++c)
          bins[((r * channels + c) * rows + y) * columns + x] =
              pooledBin(op, values.data() + (image * channels + c) * height * width, width, ys, xs);
      }
  }
  result->setDoubles(bins);
  return result;
}

//===----------------------------------------------------------------------===//
// nms
//===----------------------------------------------------------------------===//

namespace {
struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};
} // namespace

static Box boxAt(const double *at, bool centers) {
  if (centers)
    return {at[1] - at[3] / 2, at[0] - at[2] / 2, at[1] + at[3] / 2, at[0] + at[2] / 2};
  return {std::min(at[0], at[2]), std::min(at[1], at[3]), std::max(at[0], at[2]), std::max(at[1], at[3])};
}

static bool overlaps(const Box &a, const Box &b, double threshold) {
  Box common{std::max(a.top, b.top), std::max(a.left, b.left), std::min(a.bottom, b.bottom),
             std::min(a.right, b.right)};
  if (common.bottom <= common.top || common.right <= common.left || a.area() <= 0 || b.area() <= 0)
    return false;
  double together = a.area() + b.area() - common.area();
  return together > 0 && common.area() / together > threshold;
}

/// Positions of the boxes that are kept, best first.
static std::vector<int64_t> keptBoxes(ArrayRef<Box> boxes, const double *scores, int64_t limit, double iouThreshold,
                                      double scoreThreshold) {
  std::vector<int64_t> order, kept;
  for (int64_t i = 0; i < static_cast<int64_t>(boxes.size()); ++i)
    if (scores[i] > scoreThreshold)
      order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); });
  for (int64_t candidate : order) {
    if (static_cast<int64_t>(kept.size()) >= limit)
      break;
    if (llvm::none_of(kept, [&](int64_t better) { return overlaps(boxes[candidate], boxes[better], iouThreshold); }))
      kept.push_back(candidate);
  }
  return kept;
}

static Results evalNms(NmsOp op, Operands operands) {
  const Tensor &boxes = operands[0], &scores = operands[1];
  if (boxes.getRank() != 3 || scores.getRank() != 3 || boxes.dim(2) != 4 || boxes.dim(0) != scores.dim(0) ||
      boxes.dim(1) != scores.dim(2) || operands[2].size() != 1)
    return op.emitError() << "boxes " << shapeText(boxes.getShape()) << " and scores " << shapeText(scores.getShape())
                          << " do not fit";
  int64_t images = boxes.dim(0), count = boxes.dim(1), classes = scores.dim(1);
  int64_t limit = std::max<int64_t>(operands[2].asInt(0), 0);
  std::vector<double> corners = boxes.doubles(), numbers = scores.doubles();
  std::vector<int64_t> rows;
  for (int64_t n = 0; n < images; ++n) {
    SmallVector<Box> ofImage;
    for (int64_t b = 0; b < count; ++b)
      ofImage.push_back(boxAt(corners.data() + (n * count + b) * 4, op.getCenters()));
    for (int64_t c = 0; c < classes; ++c)
      for (int64_t b : keptBoxes(ofImage, numbers.data() + (n * classes + c) * count, limit, operands[3].asDouble(0),
                                 operands[4].asDouble(0)))
        rows.insert(rows.end(), {n, c, b});
  }
  int64_t found = static_cast<int64_t>(rows.size()) / 3;
  Result selected = allocate(op, resultElement(op), {images * classes * std::min(count, limit), 3});
  Result total = fromInts(op, resultElement(op, 1), {1}, {found});
  if (failed(selected) || failed(total))
    return failure();
  selected->setInts(rows);
  return SmallVector<Tensor>{*selected, *total};
}

void addSampling(OpTable &table) {
  table.add<GridSampleOp>(evalGridSample);
  table.add<RoiAlignOp>(evalRoiAlign);
  table.add<NmsOp>(evalNms);
}

} // namespace hone::reference
