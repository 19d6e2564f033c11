//===- Normalization.cpp - Layer, batch, group, local ---------------------===//

#include "lib/Frontend/NodeBuilder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::NormKind;
using graph::ReduceKind;
using graph::UnaryKind;

namespace {

Value normalize(NodeBuilder &node, NormKind kind, Value x, ArrayRef<int64_t> dims, double epsilon) {
  return node.make<graph::NormalizeOp>(kind, x, dims, APFloat(epsilon));
}

SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(first, rank)); }

/// `x` in the precision that attribute `stash_type` asks for, where that is more than it has.
Value stashed(NodeBuilder &node, Value x) {
  Type type = node.elementType(node.getInt("stash_type", 1));
  if (!x || !isa_and_nonnull<FloatType>(type))
    return x;
  return type.getIntOrFloatBitWidth() > node.elementOf(x).getIntOrFloatBitWidth() ? node.cast(x, type) : x;
}

LogicalResult importLayerNormalization(NodeBuilder &node) {
  Value x = node.required(0), scale = node.required(1);
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  if (!x || !scale || !axis)
    return failure();
  SmallVector<int64_t> dims = dimsFrom(*axis, node.rankOf(x));
  double epsilon = node.getFloat("epsilon", 1e-5f);
  Value y = normalize(node, NormKind::Layer, x, dims, epsilon);
  y = node.mul(y, scale);
  if (Value bias = node.input(2))
    y = node.add(y, bias);
  node.setOutput(0, y);
  if (!node.wantsOutput(1) && !node.wantsOutput(2))
    return success(!node.failed());

  Type stash = node.elementType(node.getInt("stash_type", 1));
  Value wide = stashed(node, x);
  Value mean = node.mean(wide, dims, /*keepDims=*/true);
  Value centered = node.sub(wide, mean);
  Value variance = node.mean(node.mul(centered, centered), dims, /*keepDims=*/true);
  Value deviation = node.unary(UnaryKind::Sqrt, node.add(variance, node.scalarLike(epsilon, variance)));
  node.setOutput(1, node.cast(mean, stash));
  node.setOutput(2, node.cast(node.unary(UnaryKind::Reciprocal, deviation), stash));
  return success(!node.failed());
}

LogicalResult importRMSNormalization(NodeBuilder &node) {
  Value x = node.required(0), scale = node.required(1);
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  if (!x || !scale || !axis)
    return failure();
  Value y = normalize(node, NormKind::Rms, x, dimsFrom(*axis, node.rankOf(x)), node.getFloat("epsilon", 1e-5f));
  node.setOutput(0, node.mul(node.cast(y, node.elementOf(scale)), scale));
  return success(!node.failed());
}

/// Scale and shift, one number per channel.
Value perChannelAffine(NodeBuilder &node, Value y, Value scale, Value bias) {
  if (!y)
    return {};
  int64_t rank = node.rankOf(y);
  return node.add(node.mul(y, node.perChannel(scale, rank)), node.perChannel(bias, rank));
}

LogicalResult importInstanceNormalization(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x || node.rankOf(x) < 3)
    return node.fail("the input needs spatial dimensions");
  Value y = normalize(node, NormKind::Layer, x, dimsFrom(2, node.rankOf(x)), node.getFloat("epsilon", 1e-5f));
  node.setOutput(0, perChannelAffine(node, y, node.required(1), node.required(2)));
  return success(!node.failed());
}

LogicalResult importGroupNormalization(NodeBuilder &node) {
  Value x = node.required(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (!x || node.rankOf(x) < 2)
    return node.fail("the input needs a channel dimension");
  if (int64_t channels = node.shapeOf(x)[1]; groups < 1 || (channels >= 0 && channels % groups))
    return node.fail("attribute 'num_groups' is " + Twine(groups) + ", which does not divide the channels");
  Value grouped = node.reshape(x, {node.piece(x, 0), Piece(groups), Piece(-1)});
  Value y = normalize(node, NormKind::Layer, grouped, {2}, node.getFloat("epsilon", 1e-5f));
  node.setOutput(0, perChannelAffine(node, node.reshape(y, node.shape(x)), node.required(1), node.required(2)));
  return success(!node.failed());
}

LogicalResult importMeanVarianceNormalization(NodeBuilder &node) {
  Value x = node.required(0);
  auto axes = node.normalizeAxes(node.getInts("axes").value_or(SmallVector<int64_t>{0, 2, 3}), node.rankOf(x));
  if (!x || !axes)
    return failure();
  Value wide = node.widen(x);
  Value centered = node.sub(wide, node.mean(wide, *axes, /*keepDims=*/true));
  Value variance = node.mean(node.mul(centered, centered), *axes, /*keepDims=*/true);
  // ONNX's function adds this, so that a constant input gives zeros.
  Value deviation = node.add(node.unary(UnaryKind::Sqrt, variance), node.scalarLike(1e-9, wide));
  node.setOutput(0, node.cast(node.div(centered, deviation), node.elementOf(x)));
  return success(!node.failed());
}

LogicalResult importLpNormalization(NodeBuilder &node) {
  Value x = node.required(0);
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  int64_t p = node.getInt("p", 2);
  if (!x || !axis)
    return failure();
  if (p != 1 && p != 2)
    return node.fail("attribute 'p' must be 1 or 2");
  Value wide = node.widen(x);
  Value terms = p == 1 ? node.unary(UnaryKind::Abs, wide) : node.mul(wide, wide);
  Value norm = node.reduce(ReduceKind::Sum, terms, {*axis}, /*keepDims=*/true);
  if (p == 2)
    norm = node.unary(UnaryKind::Sqrt, norm);
  // A vector of zeros stays one.
  Value zero = node.scalarLike(0, wide);
  Value y = node.select(node.compare(graph::Predicate::Eq, norm, zero), zero, node.div(wide, norm));
  node.setOutput(0, node.cast(y, node.elementOf(x)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

/// x * a + b with a and b made of the statistics: constants in a trained model.
Value applyStatistics(NodeBuilder &node, Value x, Value mean, Value variance) {
  Value scale = node.required(1), bias = node.required(2);
  if (!x || !mean || !variance || !scale || !bias)
    return {};
  Value wide = node.widen(x);
  Type element = node.elementOf(wide);
  auto asWide = [&](Value v) { return node.cast(v, element); };
  Value epsilon = node.scalar(node.getFloat("epsilon", 1e-5f), element);
  Value deviation = node.unary(UnaryKind::Sqrt, node.add(asWide(variance), epsilon));
  Value a = node.div(asWide(scale), deviation);
  Value b = node.sub(asWide(bias), node.mul(asWide(mean), a));
  return node.cast(perChannelAffine(node, wide, a, b), node.elementOf(x));
}

LogicalResult importTrainingBatchNormalization(NodeBuilder &node, Value x, Value oldMean, Value oldVariance) {
  SmallVector<int64_t> dims{0};
  dims.append(dimsFrom(2, node.rankOf(x)));
  Value wide = node.widen(x);
  Value mean = node.mean(wide, dims, /*keepDims=*/true);
  Value centered = node.sub(wide, mean);
  Value variance = node.mean(node.mul(centered, centered), dims, /*keepDims=*/false);
  mean = node.squeeze(mean, dims);
  node.setOutput(0, applyStatistics(node, x, mean, variance));
  double momentum = node.getFloat("momentum", 0.9f);
  auto update = [&](unsigned i, Value old, Value current) {
    if (!node.wantsOutput(i))
      return;
    Value kept = node.mul(node.cast(old, node.elementOf(current)), node.scalarLike(momentum, current));
    Value added = node.mul(current, node.scalarLike(1 - momentum, current));
    node.setOutput(i, node.cast(node.add(kept, added), node.elementOf(old)));
  };
  update(1, oldMean, mean);
  update(2, oldVariance, variance);
  return success(!node.failed());
}

LogicalResult importBatchNormalization(NodeBuilder &node) {
  Value x = node.required(0), mean = node.required(3), variance = node.required(4);
  if (!x || !mean || !variance)
    return failure();
  if (node.rankOf(x) < 1)
    return node.fail("the input has no dimensions");
  // Without a channel dimension there is one channel.
  if (node.rankOf(x) == 1)
    return node.fail("an input of rank 1 is not supported");
  if (node.getInt("training_mode", 0))
    return importTrainingBatchNormalization(node, x, mean, variance);
  node.setOutput(0, applyStatistics(node, x, mean, variance));
  return success(!node.failed());
}

/// The window over channels is an average pool over [N, 1, C, everything else].
LogicalResult importLRN(NodeBuilder &node) {
  Value x = node.required(0);
  int64_t size = node.getInt("size", 0);
  if (!x || node.rankOf(x) < 2)
    return node.fail("the input needs a channel dimension");
  if (size < 1 || size > (1 << 20))
    return node.fail("attribute 'size' is " + Twine(size));
  Value wide = node.widen(x);
  Value square = node.mul(wide, wide);
  Value planes = node.reshape(square, {node.piece(x, 0), Piece(1), node.piece(x, 1), Piece(-1)});
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  Value mean =
      node.make<graph::PoolOp>(graph::PoolKind::Avg, planes, ArrayRef<int64_t>{size, 1}, ArrayRef<int64_t>{1, 1},
                               ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{before, 0, after, 0},
                               /*ceilMode=*/false, /*countPad=*/true, /*p=*/2);
  mean = node.reshape(mean, node.shape(x));
  Value base = node.add(node.scalarLike(node.getFloat("bias", 1.0f), wide),
                        node.mul(mean, node.scalarLike(node.getFloat("alpha", 1e-4f), wide)));
  Value power = node.binary(graph::BinaryKind::Pow, base, node.scalarLike(node.getFloat("beta", 0.75f), wide));
  node.setOutput(0, node.cast(node.div(wide, power), node.elementOf(x)));
  return success(!node.failed());
}

} // namespace

void frontend::registerNormalization(OpRegistry &registry) {
  registry.add("", "LayerNormalization", importLayerNormalization);
  registry.add("", "RMSNormalization", importRMSNormalization);
  registry.add("", "InstanceNormalization", importInstanceNormalization);
  registry.add("", "GroupNormalization", importGroupNormalization);
  registry.add("", "MeanVarianceNormalization", importMeanVarianceNormalization);
  registry.add("", "LpNormalization", importLpNormalization);
  registry.add("", "BatchNormalization", importBatchNormalization);
  registry.add("", "LRN", importLRN);
}
