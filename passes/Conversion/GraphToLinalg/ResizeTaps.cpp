//===- ResizeTaps.cpp - Which elements a sample is made of ----------------===//

#include "passes/Conversion/GraphToLinalg/ResizeTaps.h"

#include "passes/Conversion/GraphToLinalg/FloatMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace hone::graph;

namespace hone::graph_to_linalg {
namespace {

/// How far the kernel of an interpolation reaches.
int64_t radiusOf(Interpolation mode) { return mode == Interpolation::Cubic ? 2 : 1; }

/// Weight of a neighbour at `distance`, between 0 and the radius.
Value kernelAt(const FloatMath &f, ResizeOp op, Value distance) {
  Value x = f.abs(distance), zero = f.num(x, 0), one = f.num(x, 1);
  if (op.getMode() == Interpolation::Linear)
    return f.clamp(f.sub(one, x), zero, one);
  return f.cubicKernel(x, op.getCubicCoefficient().convertToDouble());
}

/// The input position of result position `x`.
Value sourceOf(const FloatMath &f, const ResizeAxis &axis, Value x) {
  Value number = f.fromIndex(x, axis.scale.getType());
  if (axis.step)
    return f.add(f.mul(number, axis.step), axis.origin);
  if (axis.shift)
    number = f.add(number, axis.shift);
  number = f.div(number, axis.divisor);
  return axis.origin ? f.add(number, axis.origin) : number;
}

Value isOutside(const FloatMath &f, const ResizeAxis &axis, Value source) {
  if (!axis.extrapolates)
    return nullptr;
  Value below = f.compare(arith::CmpFPredicate::OLT, source, f.num(source, 0));
  return arith::OrIOp::create(f.b, f.loc, below, f.compare(arith::CmpFPredicate::OGT, source, axis.last));
}

/// Result extent that coordinates are computed with: the scaled extent where that is not whole.
Value scaledLength(const FloatMath &f, const ResizeAxis &axis) {
  Value whole = f.fromIndex(axis.result, axis.scale.getType());
  Value scaled = f.mul(f.fromIndex(axis.extent, axis.scale.getType()), axis.scale);
  // A scale made from a whole result comes back with a rounding error.
  Value limit = f.add(whole, f.mul(whole, f.num(whole, 1e-6)));
  return f.select(f.compare(arith::CmpFPredicate::OGT, scaled, limit), scaled, whole);
}

void setCoordinates(const FloatMath &f, ResizeOp op, const ResizeAxisInput &input, ResizeAxis &axis) {
  Value zero = f.num(axis.scale, 0), one = f.num(axis.scale, 1), half = f.num(axis.scale, 0.5);
  auto span = [&](Value size) {
    Value length = scaledLength(f, axis), isOne = f.compare(arith::CmpFPredicate::OEQ, length, one);
    Value step = f.div(size, f.sub(length, one));
    return std::make_pair(isOne, f.select(isOne, zero, step));
  };
  switch (op.getCoordinate()) {
  case Coordinate::HalfPixel:
  case Coordinate::PytorchHalfPixel: {
    axis.shift = half;
    axis.origin = f.num(axis.scale, -0.5);
    if (op.getCoordinate() == Coordinate::HalfPixel)
      return;
    // A result of one element is that at 0.
    Value isOne = f.compare(arith::CmpFPredicate::OEQ, scaledLength(f, axis), one);
    axis.divisor = f.select(isOne, f.num(axis.scale, INFINITY), axis.scale);
    axis.origin = f.select(isOne, zero, axis.origin);
    return;
  }
  case Coordinate::HalfPixelSymmetric: {
    // Counted from the middle of both sides: exact there, where a whole number decides what `ceil` is.
    Value extent = f.fromIndex(axis.extent, axis.scale.getType());
    Value result = f.fromIndex(axis.result, axis.scale.getType());
    axis.shift = f.sub(half, f.mul(result, half));
    axis.origin = f.sub(f.mul(extent, half), half);
    return;
  }
  case Coordinate::Asymmetric:
    return;
  case Coordinate::AlignCorners:
    axis.step = span(axis.last).second;
    axis.origin = zero;
    return;
  case Coordinate::TfCropAndResize: {
    Value start = input.roiStart ? input.roiStart : zero, end = input.roiEnd ? input.roiEnd : one;
    Value size = f.mul(f.sub(end, start), axis.last);
    auto [isOne, step] = span(size);
    Value origin = f.mul(start, axis.last);
    axis.step = step;
    axis.origin = f.add(origin, f.select(isOne, f.mul(size, half), zero));
    axis.extrapolates = true;
    return;
  }
  }
}

/// 0 for a neighbour that does not exist.
Value maskOutside(const FloatMath &f, const ResizeAxis &axis, Value place, Value weight) {
  IndexMath math(f.b, f.loc);
  Value zero = math.constant(0), nothing = f.num(weight, 0);
  weight = f.select(math.less(place, zero), nothing, weight);
  return f.select(math.less(place, axis.extent), weight, nothing);
}

/// `sum`, or 1 where it is 0.
Value divisorOf(const FloatMath &f, Value sum) {
  return f.select(f.compare(arith::CmpFPredicate::OEQ, sum, f.num(sum, 0)), f.num(sum, 1), sum);
}

/// Whether the right one of two neighbours, `ratio` in [0, 1) apart from the left one, is nearest.
Value takesRight(const FloatMath &f, NearestMode mode, Value ratio) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return f.compare(arith::CmpFPredicate::OGT, ratio, f.num(ratio, 0.5));
  case NearestMode::RoundPreferCeil:
    return f.compare(arith::CmpFPredicate::OGE, ratio, f.num(ratio, 0.5));
  case NearestMode::Ceil:
    return f.compare(arith::CmpFPredicate::OGT, ratio, f.num(ratio, 0));
  case NearestMode::Floor:
    break;
  }
  return nullptr;
}

} // namespace

ResizeAxis makeResizeAxis(OpBuilder &builder, Location loc, ResizeOp op, const ResizeAxisInput &input, Type number) {
  FloatMath f{builder, loc};
  IndexMath math(builder, loc);
  auto widen = [&](Value value) -> Value {
    return !value || value.getType() == number ? value : builder.createOrFold<arith::ExtFOp>(loc, number, value);
  };
  ResizeAxisInput wide{input.dim,          input.extent,          input.result,
                       widen(input.scale), widen(input.roiStart), widen(input.roiEnd)};
  ResizeAxis axis;
  axis.dim = wide.dim;
  axis.extent = wide.extent;
  axis.result = wide.result;
  axis.scale = axis.divisor = wide.scale;
  axis.last = f.fromIndex(math.sub(axis.extent, math.constant(1)), number);
  setCoordinates(f, op, wide, axis);
  if (!op.getAntialias() || op.getMode() == Interpolation::Nearest)
    return axis;
  Value one = f.num(axis.scale, 1), radius = f.num(axis.scale, static_cast<double>(radiusOf(op.getMode())));
  axis.kernelScale = f.clamp(axis.scale, f.num(axis.scale, 0), one);
  // A scale of at least 1 / extent keeps the kernel below this; others are the model's fault.
  Value most = f.mul(f.add(axis.last, f.num(axis.last, 3)), f.num(axis.last, 4));
  Value reach = f.clamp(f.div(radius, axis.kernelScale), one, most);
  Value first = f.add(f.floor(f.sub(f.num(reach, 0), reach)), one);
  axis.firstTap = f.toIndex(first);
  axis.numTaps = math.sub(math.constant(2), math.add(axis.firstTap, axis.firstTap));
  return axis;
}

ResizeTaps makeTaps(OpBuilder &builder, Location loc, ResizeOp op, const ResizeAxis &axis, Value position) {
  FloatMath f{builder, loc};
  IndexMath math(builder, loc);
  Value source = sourceOf(f, axis, position), zero = f.num(source, 0);
  ResizeTaps taps;
  taps.outside = isOutside(f, axis, source);
  bool cubic = op.getMode() == Interpolation::Cubic;
  // Beyond the border only the cubic kernel still tells positions apart.
  source =
      cubic ? f.clamp(source, f.num(source, -3), f.add(axis.last, f.num(source, 3))) : f.clamp(source, zero, axis.last);
  Value left = f.floor(source), ratio = f.sub(source, left), base = f.toIndex(left);
  if (op.getMode() == Interpolation::Nearest) {
    if (Value right = takesRight(f, op.getNearest(), ratio))
      base = math.add(base, math.select(right, math.constant(1), math.constant(0)));
    taps.places.push_back(math.clamp(base, axis.extent));
    return taps;
  }
  if (!cubic) {
    taps.places = {math.clamp(base, axis.extent), math.clamp(math.add(base, math.constant(1)), axis.extent)};
    taps.weights = {f.sub(f.num(ratio, 1), ratio), ratio};
    return taps;
  }
  Value sum;
  for (int64_t i = -1; i <= 2; ++i) {
    Value place = math.add(base, math.constant(i));
    Value weight = kernelAt(f, op, f.sub(ratio, f.num(ratio, static_cast<double>(i))));
    if (op.getExcludeOutside()) {
      weight = maskOutside(f, axis, place, weight);
      sum = sum ? f.add(sum, weight) : weight;
    }
    taps.places.push_back(math.clamp(place, axis.extent));
    taps.weights.push_back(weight);
  }
  if (sum)
    for (Value &weight : taps.weights)
      weight = f.div(weight, divisorOf(f, sum));
  return taps;
}

Value sumTaps(OpBuilder &builder, Location loc, ResizeOp op, const ResizeAxis &axis, Value position, ReadFn read,
              Value &outside) {
  FloatMath f{builder, loc};
  IndexMath math(builder, loc);
  Value source = sourceOf(f, axis, position), zero = f.num(source, 0);
  outside = isOutside(f, axis, source);
  source = f.clamp(source, f.num(source, -3), f.add(axis.last, f.num(source, 3)));
  Value left = f.floor(source), ratio = f.sub(source, left), base = f.toIndex(left);
  auto loop = scf::ForOp::create(
      builder, loc, math.constant(0), axis.numTaps, math.constant(1), ValueRange{zero, zero},
      [&](OpBuilder &b, Location at, Value i, ValueRange sums) {
        FloatMath g{b, at};
        IndexMath inner(b, at);
        Value tap = inner.add(axis.firstTap, i), place = inner.add(base, tap);
        Value weight = kernelAt(g, op, g.mul(g.sub(g.fromIndex(tap, ratio.getType()), ratio), axis.kernelScale));
        if (op.getExcludeOutside())
          weight = maskOutside(g, axis, place, weight);
        Value number = read(b, at, inner.clamp(place, axis.extent));
        scf::YieldOp::create(b, at, ValueRange{g.add(sums[0], g.mul(weight, number)), g.add(sums[1], weight)});
      });
  return f.div(loop.getResult(0), divisorOf(f, loop.getResult(1)));
}

//===----------------------------------------------------------------------===//
// At compile time
//===----------------------------------------------------------------------===//

std::optional<int64_t> repeatsOf(ResizeOp op, int64_t extent, int64_t result, float scale) {
  if (extent <= 0 || result % extent != 0 || op.getMode() != Interpolation::Nearest)
    return std::nullopt;
  int64_t times = result / extent;
  bool halves =
      op.getCoordinate() == Coordinate::HalfPixel || (op.getCoordinate() == Coordinate::PytorchHalfPixel && result > 1);
  if (scale != static_cast<float>(times) || (!halves && op.getCoordinate() != Coordinate::Asymmetric))
    return std::nullopt;
  for (int64_t x = 0; x < result; ++x) {
    float source = halves ? (static_cast<float>(x) + 0.5f) / scale - 0.5f : static_cast<float>(x) / scale;
    float left = std::floor(source), ratio = source - left;
    bool right = (op.getNearest() == NearestMode::RoundPreferFloor && ratio > 0.5f) ||
                 (op.getNearest() == NearestMode::RoundPreferCeil && ratio >= 0.5f) ||
                 (op.getNearest() == NearestMode::Ceil && ratio > 0);
    int64_t place = static_cast<int64_t>(left) + right;
    if (std::clamp<int64_t>(place, 0, extent - 1) != x / times)
      return std::nullopt;
  }
  return times;
}

} // namespace hone::graph_to_linalg
