//===- ResizeReference.cpp - Sampling on another grid ---------------------===//
//
// Interpolation is separable: one dimension after the other, each result
// position a weighted sum of a few input positions.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// How one dimension is sampled.
struct Axis {
  int64_t extent, result;
  double scale;
  double roiStart = 0, roiEnd = 1;
};

/// The input positions one result position reads. Extrapolated ones read
/// nothing.
struct Sample {
  int64_t first = 0;
  SmallVector<double, 8> weights;
  bool extrapolated = false;
};

} // namespace

/// The input position that result position `x` maps to.
static double sourceOf(Coordinate mode, const Axis &axis, double x) {
  auto extent = static_cast<double>(axis.extent);
  double resized = axis.scale * extent;
  double halfPixel = (x + 0.5) / axis.scale - 0.5;
  switch (mode) {
  case Coordinate::HalfPixel:
    return halfPixel;
  case Coordinate::HalfPixelSymmetric:
    // Counted from the middle of both sides: exact there, where a whole number decides what `ceil` is.
    return extent / 2 + (x + 0.5 - static_cast<double>(axis.result) / 2) / axis.scale - 0.5;
  case Coordinate::PytorchHalfPixel:
    return resized == 1 ? 0 : halfPixel;
  case Coordinate::AlignCorners:
    return resized == 1 ? 0 : x * (extent - 1) / (resized - 1);
  case Coordinate::Asymmetric:
    return x / axis.scale;
  case Coordinate::TfCropAndResize: {
    double span = (axis.roiEnd - axis.roiStart) * (extent - 1);
    double start = axis.roiStart * (extent - 1);
    return start + (resized == 1 ? span / 2 : x * span / (resized - 1));
  }
  }
  llvm_unreachable("unknown coordinate mode");
}

//===----------------------------------------------------------------------===//
// Weights of neighbours
//===----------------------------------------------------------------------===//

/// Cubic convolution with parameter `a` at distance `x`.
static double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((x - 5) * x + 8) * x * a - 4 * a;
  return 0;
}

/// Whether the right one of two neighbours is taken; `ratio` in (0, 1] is the
/// distance from the left one.
static bool takesRight(NearestMode mode, double ratio) {
  if (ratio == 1)
    return true;
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return ratio > 0.5;
  case NearestMode::RoundPreferCeil:
    return ratio >= 0.5;
  case NearestMode::Floor:
    return false;
  case NearestMode::Ceil:
    return true;
  }
  llvm_unreachable("unknown nearest mode");
}

/// Samples a kernel of radius `radius` stretched to cover 1 / scale input
/// elements, so that shrinking averages.
template <typename Kernel>
static void antialiased(Sample &sample, int64_t left, double ratio, double scale, int64_t radius, Kernel kernel) {
  scale = std::min(scale, 1.0);
  auto start = static_cast<int64_t>(std::floor(-static_cast<double>(radius) / scale) + 1);
  int64_t count = 2 - 2 * start;
  for (int64_t i = 0; i < count; ++i)
    sample.weights.push_back(kernel((static_cast<double>(start + i) - ratio) * scale));
  sample.first = left + start;
  double sum = std::accumulate(sample.weights.begin(), sample.weights.end(), 0.0);
  for (double &weight : sample.weights)
    weight /= sum;
}

/// Weights of the neighbours of a position `ratio` in (0, 1] right of `left`.
static Sample neighbours(ResizeOp op, const Axis &axis, int64_t left, double ratio) {
  Sample sample;
  double a = op.getCubicCoefficient().convertToDouble();
  switch (op.getMode()) {
  case Interpolation::Nearest:
    sample.first = takesRight(op.getNearest(), ratio) ? left + 1 : left;
    sample.weights = {1};
    break;
  case Interpolation::Linear:
    if (op.getAntialias()) {
      antialiased(sample, left, ratio, axis.scale, 1, [](double x) { return std::clamp(1 - std::fabs(x), 0.0, 1.0); });
      break;
    }
    sample.first = left;
    sample.weights = {1 - ratio, ratio};
    break;
  case Interpolation::Cubic:
    if (op.getAntialias()) {
      antialiased(sample, left, ratio, axis.scale, 2, [&](double x) { return cubic(x, a); });
      break;
    }
    sample.first = left - 1;
    for (int i = -1; i <= 2; ++i)
      sample.weights.push_back(cubic(i - ratio, a));
    break;
  }
  return sample;
}

/// Removes what lies outside and lets the rest weigh 1 again.
static void excludeOutside(Sample &sample, int64_t extent) {
  double sum = 0;
  for (auto [i, weight] : llvm::enumerate(sample.weights)) {
    int64_t at = sample.first + static_cast<int64_t>(i);
    if (at < 0 || at >= extent)
      weight = 0;
    sum += weight;
  }
  if (sum != 0)
    for (double &weight : sample.weights)
      weight /= sum;
}

static Sample sampleAt(ResizeOp op, const Axis &axis, int64_t x) {
  double source = sourceOf(op.getCoordinate(), axis, static_cast<double>(x));
  Sample sample;
  if (op.getCoordinate() == Coordinate::TfCropAndResize &&
      (source < 0 || source > static_cast<double>(axis.extent - 1))) {
    sample.extrapolated = true;
    return sample;
  }
  // An exact hit counts as the right end of an interval.
  double left = std::ceil(source) - 1;
  sample = neighbours(op, axis, static_cast<int64_t>(left), source - left);
  if (op.getExcludeOutside())
    excludeOutside(sample, axis.extent);
  return sample;
}

/// Resizes dimension `dim` of `values` (of shape `shape`).
static std::vector<double> resizeDim(ResizeOp op, const Axis &axis, const std::vector<double> &values,
                                     ArrayRef<int64_t> shape, int64_t dim) {
  Split split(shape, dim);
  std::vector<double> result(split.outer * axis.result * split.inner, 0);
  double extrapolation = op.getExtrapolation().convertToDouble();
  for (int64_t x = 0; x < axis.result; ++x) {
    Sample sample = sampleAt(op, axis, x);
    for (int64_t o = 0; o < split.outer; ++o) {
      double *to = result.data() + (o * axis.result + x) * split.inner;
      if (sample.extrapolated)
        std::fill(to, to + split.inner, extrapolation);
      for (auto [i, weight] : llvm::enumerate(sample.weights)) {
        // Outside, the border element is repeated.
        int64_t at = std::clamp<int64_t>(sample.first + static_cast<int64_t>(i), 0, axis.extent - 1);
        const double *from = values.data() + (o * split.extent + at) * split.inner;
        if (weight != 0)
          for (int64_t n = 0; n < split.inner; ++n)
            to[n] += weight * from[n];
      }
    }
  }
  return result;
}

/// Whether resizing along `axis` changes nothing.
static bool isIdentity(ResizeOp op, const Axis &axis) {
  return axis.result == axis.extent && axis.scale == 1 &&
         (op.getCoordinate() != Coordinate::TfCropAndResize || (axis.roiStart == 0 && axis.roiEnd == 1));
}

static FailureOr<SmallVector<Axis>> axesOf(ResizeOp op, Operands operands) {
  const Tensor &input = operands[0];
  std::vector<int64_t> sizes = operands[1].ints();
  std::vector<double> scales = operands[2].doubles(), roi;
  auto rank = static_cast<size_t>(input.getRank());
  if (operands.size() > 3)
    roi = operands[3].doubles();
  if (sizes.size() != rank || scales.size() != rank || (!roi.empty() && roi.size() != 2 * rank))
    return op.emitError("needs one size and scale per dimension");
  SmallVector<Axis> axes;
  for (size_t d = 0; d < rank; ++d) {
    Axis axis{input.dim(d), sizes[d], scales[d]};
    // Scales are f32: where one is a ratio of extents, the exact ratio is meant.
    double ratio = static_cast<double>(axis.result) / static_cast<double>(std::max<int64_t>(axis.extent, 1));
    if (static_cast<float>(ratio) == static_cast<float>(axis.scale))
      axis.scale = ratio;
    if (axis.result < 0 || (axis.result > 0 && axis.extent == 0))
      return op.emitError() << "cannot resize " << axis.extent << " elements to " << axis.result;
    if (!(axis.scale > 0) && axis.result > 0)
      return op.emitError() << "has a scale of " << axis.scale;
    if (!roi.empty()) {
      axis.roiStart = roi[d];
      axis.roiEnd = roi[rank + d];
    }
    axes.push_back(axis);
  }
  return axes;
}

static Result evalResize(ResizeOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<SmallVector<Axis>> axes = axesOf(op, operands);
  if (failed(axes))
    return failure();
  Shape shape(input.getShape()), wanted;
  for (const Axis &axis : *axes)
    wanted.push_back(axis.result);
  Result result = allocate(op, input.getElementType(), wanted);
  if (failed(result))
    return failure();
  std::vector<double> values = input.doubles();
  for (auto [d, axis] : llvm::enumerate(*axes)) {
    if (!isIdentity(op, axis))
      values = resizeDim(op, axis, values, shape, d);
    shape[d] = axis.result;
  }
  if (!input.isFloat())
    for (double &value : values) {
      // Interpolated integers round and stay within their type.
      double span = std::ldexp(1.0, input.getWidth());
      double least = input.isUnsigned() ? 0 : -span / 2;
      value = std::clamp(std::nearbyint(value), least, least + span - 1);
    }
  result->setDoubles(values);
  return result;
}

void addResize(OpTable &table) { table.add<ResizeOp>(evalResize); }

} // namespace hone::reference
