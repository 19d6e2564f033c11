//===- Comparison.cpp - How far two tensors are apart ---------------------===//

#include "tools/hone/Comparison.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::driver;
using reference::Tensor;

/// The bits of element `i` as an integer whose order is that of the values.
static int64_t orderOf(const Tensor &tensor, int64_t i) {
  unsigned width = tensor.getElementBytes();
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes().data() + i * width, width);
  uint64_t sign = uint64_t(1) << (8 * width - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

static uint64_t ulpsBetween(const Tensor &a, const Tensor &b, int64_t i) {
  int64_t x = orderOf(a, i), y = orderOf(b, i);
  return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
               : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
}

static std::string describeType(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream(text) << tensor.getType();
  return text;
}

Tolerance Tolerance::of(StringRef precision) {
  // Some twenty roundings of the type: half a unit of 11 or 8 digits each.
  static const std::pair<StringLiteral, double> rows[] = {{"tf32", 1e-2}, {"f16", 1e-2}, {"bf16", 8e-2}};
  Tolerance tolerance;
  for (auto [name, ofRange] : rows)
    if (name == precision)
      tolerance.ofRange = ofRange;
  return tolerance;
}

Deviation hone::driver::compareTensors(const Tensor &given, const Tensor &expected, const Tolerance &tolerance) {
  Deviation result;
  if (given.getElementType() != expected.getElementType() || given.getShape() != expected.getShape()) {
    result.mismatch = describeType(given) + " instead of " + describeType(expected);
    result.diverges = true;
    result.relative = INFINITY;
    return result;
  }
  result.shape.assign(expected.getShape().begin(), expected.getShape().end());
  if (given.bytes() == expected.bytes())
    return result;
  double low = INFINITY, high = -INFINITY;
  bool isFloat = expected.isFloat();
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = given.asDouble(i), b = expected.asDouble(i);
    if (std::isfinite(b)) {
      low = std::min(low, b);
      high = std::max(high, b);
    }
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : INFINITY;
    if (isFloat && std::isfinite(distance))
      result.ulps = std::max(result.ulps, ulpsBetween(given, expected, i));
    if (result.at >= 0 && distance <= result.absolute)
      continue;
    result.absolute = distance;
    result.at = i;
    result.given = a;
    result.expected = b;
  }
  if (result.at < 0)
    return result;
  // Of a constant, its magnitude.
  double range = high > low ? high - low : std::abs(high);
  result.relative = std::isfinite(range) && range > 0 ? result.absolute / range : result.absolute;
  result.diverges = !isFloat || !(result.absolute <=
                                  tolerance.absolute + (tolerance.relative + tolerance.ofRange) * std::max(range, 0.0));
  return result;
}

std::string hone::driver::describeDeviation(const Deviation &deviation) {
  ArrayRef<int64_t> shape = deviation.shape;
  if (!deviation.mismatch.empty())
    return deviation.mismatch;
  if (deviation.at < 0)
    return "no difference";
  SmallVector<int64_t> position(shape.size());
  int64_t rest = deviation.at;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    position[dim] = rest % std::max<int64_t>(shape[dim], 1);
    rest /= std::max<int64_t>(shape[dim], 1);
  }
  std::string where;
  for (int64_t at : position)
    where += (where.empty() ? "" : ", ") + std::to_string(at);
  // As many digits as tell floats apart.
  std::string values;
  llvm::raw_string_ostream(values) << llvm::format("%.9g instead of %.9g", deviation.given, deviation.expected);
  return llvm::formatv("{0:E2} ({1} ULP), {2:E2} of the range, at [{3}]: {4}", deviation.absolute, deviation.ulps,
                       deviation.relative, where, values)
      .str();
}
