//===- Quantization.cpp - Quantize, dequantize, integer products ----------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"
#include "lib/Frontend/Ops/Window.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::ReduceKind;
using graph::UnaryKind;

//===----------------------------------------------------------------------===//
// Shared pieces
//===----------------------------------------------------------------------===//

/// A parameter of one element as a scalar.
static Value scalarIfOne(NodeBuilder &node, Value parameter) {
  if (!parameter || !node.typeOf(parameter).hasStaticShape() || node.typeOf(parameter).getNumElements() != 1)
    return parameter;
  return node.scalarOf(parameter);
}

Value frontend::withoutZeroPoint(NodeBuilder &node, Value x, Value zeroPoint) {
  if (!x || !zeroPoint)
    return x;
  auto known = node.constantInts(zeroPoint);
  if (known && llvm::all_of(*known, [](int64_t zero) { return zero == 0; }))
    return x;
  Type wide = node.builder().getI32Type();
  return node.sub(node.cast(x, wide), node.cast(scalarIfOne(node, zeroPoint), wide));
}

Value frontend::requantize(NodeBuilder &node, Value real, Value scale, Value zeroPoint) {
  if (!real || !scale || !zeroPoint)
    return {};
  Type to = node.elementOf(zeroPoint);
  scale = node.cast(scalarIfOne(node, scale), node.elementOf(real));
  zeroPoint = scalarIfOne(node, zeroPoint);
  if (node.rankOf(scale) == 0 && node.rankOf(zeroPoint) == 0)
    return node.make<graph::QuantizeOp>(real, scale, Optional{zeroPoint}, to, /*axis=*/0, /*block=*/0,
                                        /*saturate=*/true);
  // One number per row of a matrix: spelled out.
  auto column = [&](Value v) { return node.rankOf(v) == 1 ? node.unsqueeze(v, {1}) : v; };
  Value zero = node.cast(column(zeroPoint), node.elementOf(real));
  Value rounded = node.add(node.unary(UnaryKind::RoundEven, node.div(real, column(scale))), zero);
  unsigned bits = to.getIntOrFloatBitWidth();
  double low = to.isUnsignedInteger() ? 0.0 : -double(int64_t(1) << (bits - 1));
  double high = to.isUnsignedInteger() ? double((int64_t(1) << bits) - 1) : double((int64_t(1) << (bits - 1)) - 1);
  Value clamped = node.min(node.max(rounded, node.scalarLike(low, rounded)), node.scalarLike(high, rounded));
  return node.cast(clamped, to);
}

//===----------------------------------------------------------------------===//
// QuantizeLinear, DequantizeLinear
//===----------------------------------------------------------------------===//

namespace {
/// Where scales apply: per tensor, per index of an axis, or per block of it.
struct Granularity {
  Value scale, zeroPoint;
  int64_t axis = 0, block = 0;
};
} // namespace

static std::optional<Granularity> readGranularity(NodeBuilder &node, Value x) {
  Granularity result;
  result.scale = node.required(1);
  result.zeroPoint = node.input(2);
  if (!x || !result.scale)
    return std::nullopt;
  result.block = node.getInt("block_size", 0);
  if (result.block < 0) {
    (void)node.fail("attribute 'block_size' is negative");
    return std::nullopt;
  }
  if (result.block == 0) {
    result.scale = scalarIfOne(node, result.scale);
    result.zeroPoint = scalarIfOne(node, result.zeroPoint);
  }
  // One number where the other parameter is one.
  if (node.rankOf(result.scale) == 0 && result.zeroPoint)
    result.zeroPoint = node.scalarOf(result.zeroPoint);
  if (result.zeroPoint && node.rankOf(result.zeroPoint) == 0)
    result.scale = node.scalarOf(result.scale);
  if (node.failed())
    return std::nullopt;
  if (node.rankOf(result.scale) == 0)
    return result;
  int64_t rank = node.rankOf(x);
  // A vector is quantized along its only dimension, whatever the default axis says.
  auto axis = rank == 1 ? std::optional<int64_t>(0) : node.normalizeAxis(node.getInt("axis", 1), rank);
  if (!axis)
    return std::nullopt;
  result.axis = *axis;
  // How many there are shows when run: one per index of the axis, or one for all.
  if (result.block == 0)
    for (Value *parameter : {&result.scale, &result.zeroPoint})
      if (*parameter && node.rankOf(*parameter) == 1 && !node.typeOf(*parameter).hasStaticShape())
        *parameter = node.broadcastTo(*parameter, node.dim(x, *axis));
  return node.failed() ? std::nullopt : std::optional(result);
}

static LogicalResult importQuantizeLinear(NodeBuilder &node) {
  Value x = node.required(0);
  auto granularity = readGranularity(node, x);
  if (!granularity)
    return failure();
  Type to = IntegerType::get(node.context(), 8, IntegerType::Unsigned);
  if (granularity->zeroPoint)
    to = node.elementOf(granularity->zeroPoint);
  if (int64_t type = node.getInt("output_dtype", 0))
    to = node.elementType(type);
  if (!to)
    return failure();
  if (granularity->zeroPoint && node.elementOf(granularity->zeroPoint) != to)
    return node.fail("attribute 'output_dtype' differs from the type of the zero point");
  Value scale = granularity->scale;
  if (int64_t type = node.getInt("precision", 0)) {
    Type precision = node.elementType(type);
    x = node.cast(x, precision);
    scale = node.cast(scale, precision);
  } else if (!node.isFloat(x)) {
    x = node.cast(x, node.builder().getF32Type());
  }
  node.setOutput(0, node.make<graph::QuantizeOp>(x, scale, Optional{granularity->zeroPoint}, to, granularity->axis,
                                                 granularity->block, node.getInt("saturate", 1) != 0));
  return success(!node.failed());
}

static LogicalResult importDequantizeLinear(NodeBuilder &node) {
  Value x = node.required(0);
  auto granularity = readGranularity(node, x);
  if (!granularity)
    return failure();
  Type to = node.elementOf(granularity->scale);
  if (int64_t type = node.getInt("output_dtype", 0))
    to = node.elementType(type);
  if (!to)
    return failure();
  node.setOutput(0, node.make<graph::DequantizeOp>(x, granularity->scale, Optional{granularity->zeroPoint}, to,
                                                   granularity->axis, granularity->block));
  return success(!node.failed());
}

static LogicalResult importDynamicQuantizeLinear(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  SmallVector<int64_t> all;
  for (int64_t d = 0; d < node.rankOf(x); ++d)
    all.push_back(d);
  Value zero = node.scalarLike(0, x), most = node.scalarLike(255, x);
  Value low = node.min(zero, node.reduce(ReduceKind::Min, x, all, /*keepDims=*/false));
  Value high = node.max(zero, node.reduce(ReduceKind::Max, x, all, /*keepDims=*/false));
  Value scale = node.div(node.sub(high, low), most);
  // All zeros: any scale will do but 0.
  scale = node.select(node.compare(graph::Predicate::Eq, scale, zero), node.scalarLike(1, x), scale);
  Value point = node.unary(UnaryKind::RoundEven, node.min(most, node.max(zero, node.sub(zero, node.div(low, scale)))));
  Type to = IntegerType::get(node.context(), 8, IntegerType::Unsigned);
  Value zeroPoint = node.cast(point, to);
  node.setOutput(0, node.make<graph::QuantizeOp>(x, scale, Optional{zeroPoint}, to, 0, 0, true));
  node.setOutput(1, scale);
  node.setOutput(2, zeroPoint);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Convolutions of integers
//===----------------------------------------------------------------------===//

/// One number per output channel, as [O, 1, 1, ...].
static Value perFilter(NodeBuilder &node, Value parameter, Value weights) {
  parameter = scalarIfOne(node, parameter);
  if (!parameter || !weights || node.rankOf(parameter) == 0)
    return parameter;
  return node.perChannel(parameter, node.rankOf(weights), 0);
}

/// The product of what is left when zero points are subtracted: then padding is 0.
static Value convolve(NodeBuilder &node, Value input, Value inputZero, Value weights, Value weightsZero) {
  Value x = withoutZeroPoint(node, input, inputZero);
  Value w = withoutZeroPoint(node, weights, perFilter(node, weightsZero, weights));
  auto window = readWindow(node, x, w);
  int64_t groups = node.getInt("group", 1);
  if (!window || !x)
    return {};
  if (groups < 1)
    return node.failValue("attribute 'group' is " + Twine(groups) + "; 1 or more is needed");
  Value padded = applyAutoPad(node, *window, x, node.scalarLike(0, x));
  fitWindow(node, *window, padded, /*stretch=*/false);
  return node.make<graph::ConvOp>(padded, window->weights, window->strides, window->dilations, window->pads, groups,
                                  node.builder().getI32Type());
}

static LogicalResult importConvInteger(NodeBuilder &node) {
  node.setOutput(0, convolve(node, node.required(0), node.input(2), node.required(1), node.input(3)));
  return success(!node.failed());
}

static LogicalResult importQLinearConv(NodeBuilder &node) {
  Value y = convolve(node, node.required(0), node.required(2), node.required(3), node.required(5));
  if (!y)
    return failure();
  int64_t rank = node.rankOf(y);
  if (Value bias = node.input(8))
    y = node.add(y, node.perChannel(bias, rank));
  Value weightScale = scalarIfOne(node, node.required(4));
  Value scale = node.mul(scalarIfOne(node, node.required(1)),
                         weightScale && node.rankOf(weightScale) ? node.perChannel(weightScale, rank) : weightScale);
  Value real = node.mul(node.cast(y, node.builder().getF32Type()), scale);
  node.setOutput(0, requantize(node, real, node.required(6), node.required(7)));
  return success(!node.failed());
}

void frontend::registerQuantization(OpRegistry &registry) {
  registry.add("", "QuantizeLinear", importQuantizeLinear);
  registry.add("", "DequantizeLinear", importDequantizeLinear);
  registry.add("", "DynamicQuantizeLinear", importDynamicQuantizeLinear);
  registry.add("", "ConvInteger", importConvInteger);
  registry.add("", "QLinearConv", importQLinearConv);
}
