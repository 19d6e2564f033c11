//===- ConversionReference.cpp - Casts and quantization -------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"
#include "lib/Reference/Storage.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {

static RoundTo roundingOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return RoundTo::Nearest;
  case Rounding::Up:
    return RoundTo::Up;
  case Rounding::Down:
    return RoundTo::Down;
  }
  llvm_unreachable("unknown rounding");
}

/// Saturation is for the small floats; f16 and bf16 overflow to infinity.
static Overflow overflowOf(Type to, bool saturate) {
  return saturate && to.getIntOrFloatBitWidth() <= 8 ? Overflow::Saturate : Overflow::Ieee;
}

static Result evalCast(CastOp op, Operands operands) {
  const Tensor &input = operands[0];
  Type to = op.getTo();
  Result result = allocate(op, to, input.getShape());
  if (failed(result))
    return failure();
  if (isa<Float8E8M0FNUType>(to)) {
    auto &format = FloatFormat::get(cast<FloatType>(to).getFloatSemantics());
    Overflow overflow = overflowOf(to, op.getSaturate());
    std::vector<double> values = input.doubles();
    MutableArrayRef<char> bytes = result->mutableBytes();
    for (auto [i, value] : llvm::enumerate(values))
      bytes[i] = static_cast<char>(format.encodePowerOfTwo(value, overflow, roundingOf(op.getRounding())));
  } else if (!input.isFloat() && (!result->isFloat() || to.isF32()) && !(result->isFloat() && input.isUnsigned())) {
    result->setInts(input.ints()); // no detour of int64 over double
  } else {
    result->setDoubles(input.doubles(), overflowOf(to, op.getSaturate()));
  }
  return result;
}

static Result evalBitcast(BitcastOp op, Operands operands) {
  Type to = op.getTo();
  Result result = allocate(op, to, operands[0].getShape());
  if (failed(result))
    return failure();
  if (result->getElementBytes() != operands[0].getElementBytes() ||
      to.getIntOrFloatBitWidth() != operands[0].getWidth())
    return op.emitError() << "changes the width of elements";
  // Sub-byte integers are kept extended: the sign may change here.
  Tensor bits = operands[0].reinterpreted(to);
  if (isa<IntegerType>(to))
    bits.setInts(bits.ints());
  else if (to.getIntOrFloatBitWidth() < 8)
    for (char &byte : bits.mutableBytes())
      byte &= static_cast<char>((1u << to.getIntOrFloatBitWidth()) - 1);
  return bits;
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// Which element of a scale belongs to each element of the input.
static FailureOr<std::vector<int64_t>> scaleIndices(Operation *op, const Tensor &input, const Tensor &scale,
                                                    int64_t axis, int64_t block) {
  std::vector<int64_t> indices(input.size(), 0);
  if (scale.size() == 1 && scale.getRank() <= 1)
    return indices;
  FailureOr<int64_t> dim = checkedDim(op, axis, input.getRank());
  if (failed(dim))
    return failure();
  int64_t step = std::max<int64_t>(block, 1);
  Shape expected;
  if (block > 0) {
    expected.assign(input.getShape().begin(), input.getShape().end());
    expected[*dim] = llvm::divideCeil(expected[*dim], step);
  } else {
    expected = {input.dim(*dim)};
  }
  if (scale.getShape() != ArrayRef<int64_t>(expected))
    return op->emitError() << "scale or zero point has shape " << shapeText(scale.getShape()) << " instead of "
                           << shapeText(expected);
  Shape strides = rowMajorStrides(expected);
  int64_t i = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t &at = indices[i++];
    if (block <= 0) {
      at = index[*dim];
      return;
    }
    for (auto [d, position] : llvm::enumerate(index))
      at += strides[d] * (static_cast<int64_t>(d) == *dim ? position / step : position);
  });
  return indices;
}

/// Scale and zero point for each element of an input.
struct Quantization {
  std::vector<double> scales, zeros;
  std::vector<int64_t> indices;
  double scale(int64_t i) const { return scales[indices[i]]; }
  double zero(int64_t i) const { return zeros.empty() ? 0 : zeros[indices[i]]; }
};

static FailureOr<Quantization> quantizationOf(Operation *op, Operands operands, int64_t axis, int64_t block) {
  const Tensor &scale = operands[1];
  FailureOr<std::vector<int64_t>> indices = scaleIndices(op, operands[0], scale, axis, block);
  if (failed(indices))
    return failure();
  Quantization result{scale.doubles(), {}, std::move(*indices)};
  if (operands.size() > 2) {
    if (operands[2].size() != scale.size())
      return op->emitError() << "zero point has shape " << shapeText(operands[2].getShape()) << ", the scale "
                             << shapeText(scale.getShape());
    result.zeros = operands[2].doubles();
  }
  return result;
}

static Result evalQuantize(QuantizeOp op, Operands operands) {
  const Tensor &input = operands[0];
  Type to = op.getTo();
  Result result = allocate(op, to, input.getShape());
  FailureOr<Quantization> by = quantizationOf(op, operands, op.getAxis(), op.getBlock());
  if (failed(result) || failed(by))
    return failure();
  // The quotient is one of the input's precision, at least f32's: ties to
  // even depend on it.
  bool wide = input.getElementType().isF64();
  auto quotient = [&](double x, double scale) {
    return wide ? x / scale : static_cast<double>(static_cast<float>(x / scale));
  };
  std::vector<double> values = input.doubles();
  if (auto integer = dyn_cast<IntegerType>(to)) {
    double span = std::ldexp(1.0, integer.getWidth());
    double least = integer.isUnsigned() ? 0 : -span / 2;
    for (auto [i, x] : llvm::enumerate(values)) {
      double q = std::nearbyint(quotient(x, by->scale(i))) + by->zero(i);
      x = std::isnan(q) ? by->zero(i) : std::clamp(q, least, least + span - 1);
    }
    result->setDoubles(values);
    return result;
  }
  for (auto [i, x] : llvm::enumerate(values))
    x = quotient(x, by->scale(i)) + by->zero(i);
  result->setDoubles(values, overflowOf(to, op.getSaturate()));
  return result;
}

static Result evalDequantize(DequantizeOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Quantization> by = quantizationOf(op, operands, op.getAxis(), op.getBlock());
  if (failed(by))
    return failure();
  std::vector<double> values = input.doubles();
  for (auto [i, x] : llvm::enumerate(values))
    x = (x - by->zero(i)) * by->scale(i);
  return fromDoubles(op, op.getTo(), input.getShape(), values);
}

void addConversions(OpTable &table) {
  table.add<CastOp>(evalCast);
  table.add<BitcastOp>(evalBitcast);
  table.add<QuantizeOp>(evalQuantize);
  table.add<DequantizeOp>(evalDequantize);
}

} // namespace hone::reference
