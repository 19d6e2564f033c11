//===- Contrib.cpp - Microsoft's fused operators --------------------------===//
//
// What ONNX Runtime's optimizers leave in models: products, convolutions and normalizations with what is around them,
// and operators that ONNX has as well.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::NormKind;
using graph::ReduceKind;
using graph::UnaryKind;

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

Value frontend::toChannelsFirst(NodeBuilder &node, Value x) {
  SmallVector<int64_t> perm{0, node.rankOf(x) - 1};
  for (int64_t d = 1; d + 1 < node.rankOf(x); ++d)
    perm.push_back(d);
  return x ? node.transpose(x, perm) : x;
}

Value frontend::toChannelsLast(NodeBuilder &node, Value x) {
  SmallVector<int64_t> perm{0};
  for (int64_t d = 2; d < node.rankOf(x); ++d)
    perm.push_back(d);
  perm.push_back(1);
  return x ? node.transpose(x, perm) : x;
}

namespace {

//===----------------------------------------------------------------------===//
// Operators that ONNX has as well
//===----------------------------------------------------------------------===//

/// All inputs and attributes as they are, to the operator of the same name.
LogicalResult importAsOnnx(NodeBuilder &node) {
  SmallVector<Optional> operands;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    operands.push_back(node.input(i));
  node.setOutput(0, node.call(node.opType(), operands));
  return success(!node.failed());
}

LogicalResult importExpandDims(NodeBuilder &node) {
  Value axis = ShapeMath(node).integers(node.required(1));
  node.setOutput(0, node.call("Unsqueeze", {node.required(0), axis}));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value plus(NodeBuilder &node, Value x, Value bias) { return bias ? node.add(x, bias) : x; }

LogicalResult importBiasGelu(NodeBuilder &node) {
  node.setOutput(0, node.call("Gelu", {node.add(node.required(0), node.required(1))}));
  return success(!node.failed());
}

LogicalResult importFastGelu(NodeBuilder &node) {
  Value x = plus(node, node.required(0), node.input(1)), wide = node.widen(x);
  Value cube = node.mul(node.mul(wide, wide), wide);
  Value sum = node.add(wide, node.mul(node.scalarLike(0.044715, wide), cube));
  Value inner = node.unary(UnaryKind::Tanh, node.mul(node.scalarLike(0.79788456080286535588, wide), sum));
  Value y = node.mul(node.mul(node.scalarLike(0.5, wide), wide), node.add(node.scalarLike(1, wide), inner));
  node.setOutput(0, node.cast(y, node.elementOf(x)));
  return success(!node.failed());
}

LogicalResult importQuickGelu(NodeBuilder &node) {
  Value x = node.required(0), wide = node.widen(x);
  Value scaled = node.mul(wide, node.scalarLike(node.getFloat("alpha", 1.702f), wide));
  node.setOutput(0, node.cast(node.mul(wide, node.unary(UnaryKind::Sigmoid, scaled)), node.elementOf(x)));
  return success(!node.failed());
}

/// What follows a fused product: the activation of that name with its parameters in order.
Value activate(NodeBuilder &node, Value x, StringRef name, ArrayRef<float> parameters) {
  auto parameter = [&](size_t i, float fallback) { return i < parameters.size() ? parameters[i] : fallback; };
  if (name.empty())
    return x;
  if (name == "Clip")
    return node.min(node.max(x, node.scalarLike(parameter(0, std::numeric_limits<float>::lowest()), x)),
                    node.scalarLike(parameter(1, std::numeric_limits<float>::max()), x));
  if (name == "LeakyRelu")
    return node.call(name, {x}, {}, {{"alpha", parameter(0, 0.01f)}});
  if (name == "HardSigmoid")
    return node.call(name, {x}, {}, {{"alpha", parameter(0, 0.2f)}, {"beta", parameter(1, 0.5f)}});
  if (name == "Relu" || name == "Sigmoid" || name == "Tanh" || name == "HardSwish")
    return node.call(name, {x});
  return node.failValue("activation '" + name + "' is not supported");
}

//===----------------------------------------------------------------------===//
// Products and convolutions
//===----------------------------------------------------------------------===//

/// An operand of FusedMatMul: `batch` moves the first dimension behind the others but the last, `last` swaps the last
/// two.
Value transposed(NodeBuilder &node, Value x, bool batch, bool last) {
  int64_t rank = node.rankOf(x);
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank < 2)
    return x;
  if (batch)
    std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (last)
    std::swap(perm[rank - 1], perm[rank - 2]);
  return node.transpose(x, perm);
}

LogicalResult importFusedMatMul(NodeBuilder &node) {
  auto flag = [&](StringRef name) { return node.getInt(name, 0) != 0; };
  Value a = transposed(node, node.required(0), flag("transBatchA"), flag("transA"));
  Value b = transposed(node, node.required(1), flag("transBatchB"), flag("transB"));
  Value y = node.matmul(a, b);
  double alpha = node.getFloat("alpha", 1.0f);
  node.setOutput(0, alpha == 1.0 ? y : node.mul(y, node.scalarLike(alpha, y)));
  return success(!node.failed());
}

LogicalResult importFusedGemm(NodeBuilder &node) {
  Value y = node.call("Gemm", {node.required(0), node.required(1), node.input(2)});
  std::string name = node.getString("activation", "");
  SmallVector<float> parameters;
  for (StringRef each : {"activation_alpha", "activation_beta"})
    if (node.hasAttribute(each))
      parameters.push_back(node.getFloat(each, 0));
  node.setOutput(0, activate(node, y, name, parameters));
  return success(!node.failed());
}

struct ConvLayout {
  bool channelsLast;        ///< of the input, the sum and the result
  bool weightsChannelsLast; ///< [O, spatial..., I] instead of [O, I, spatial...]
};
constexpr ConvLayout kChannelsFirst{false, false}, kNhwc{true, false}, kAllNhwc{true, true};

/// Convolutions with a sum and an activation behind.
template <const ConvLayout &layout> LogicalResult importFusedConv(NodeBuilder &node) {
  Value x = node.required(0), weights = node.required(1), sum = node.input(3);
  if (!x || node.rankOf(x) < 3 || !weights || node.rankOf(weights) != node.rankOf(x))
    return node.fail("the input needs spatial dimensions, and weights as many");
  auto first = [&](Value v) { return layout.channelsLast && v ? toChannelsFirst(node, v) : v; };
  if (layout.weightsChannelsLast)
    weights = toChannelsFirst(node, weights);
  Value y = plus(node, node.call("Conv", {first(x), weights, node.input(2)}), first(sum));
  auto parameters = node.getFloats("activation_params").value_or(SmallVector<float>());
  y = activate(node, y, node.getString("activation", ""), parameters);
  node.setOutput(0, layout.channelsLast ? toChannelsLast(node, y) : y);
  return success(!node.failed());
}

/// Bias, then a residual.
LogicalResult importBiasAdd(NodeBuilder &node) {
  node.setOutput(0, node.add(node.add(node.required(0), node.required(1)), node.required(2)));
  return success(!node.failed());
}

/// The first half of x + bias, times GELU of the second.
LogicalResult importBiasSplitGelu(NodeBuilder &node) {
  Value x = node.add(node.required(0), node.required(1));
  int64_t last = node.rankOf(x) - 1, width = x && last >= 0 ? node.shapeOf(x)[last] : 0;
  if (!x || width < 2 || width % 2)
    return node.fail("needs an even last extent that is known");
  Value gate = node.call("Gelu", {node.slice(x, width / 2, width, last)});
  node.setOutput(0, node.mul(node.slice(x, 0, width / 2, last), gate));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

Value normalized(NodeBuilder &node, NormKind kind, Value x, Value gamma, Value beta) {
  if (!x || !gamma)
    return {};
  Value y = node.make<graph::NormalizeOp>(kind, x, SmallVector<int64_t>{node.rankOf(x) - 1},
                                          APFloat(double(node.getFloat("epsilon", 1e-12f))));
  return plus(node, node.mul(y, gamma), beta);
}

/// 1 / sqrt(mean of squares + epsilon), over the dimensions from `axis` on.
Value inverseDeviation(NodeBuilder &node, Value wide, int64_t axis, float epsilon) {
  Value square = node.mean(node.mul(wide, wide), llvm::to_vector(llvm::seq<int64_t>(axis, node.rankOf(wide))), true);
  Value deviation = node.add(square, node.scalarLike(epsilon, square));
  return node.unary(UnaryKind::Reciprocal, node.unary(UnaryKind::Sqrt, deviation));
}

/// Sum of the input, a skip and a bias, normalized; the sum is an output as well, and what it was normalized with, in
/// f32.
template <NormKind kind> LogicalResult importSkipNormalization(NodeBuilder &node) {
  constexpr bool hasBeta = kind == NormKind::Layer;
  Value gamma = node.required(2), beta = hasBeta ? node.input(3) : Value(), bias = node.input(hasBeta ? 4 : 3);
  Value sum = plus(node, node.add(node.required(0), node.required(1)), bias);
  node.setOutput(0, normalized(node, kind, sum, gamma, beta));
  bool wantsMean = hasBeta && node.wantsOutput(1), wantsDeviation = node.wantsOutput(2);
  if (sum && (wantsMean || wantsDeviation)) {
    Value centered = node.widen(sum);
    int64_t axis = node.rankOf(sum) - 1;
    if (hasBeta) {
      Value mean = node.mean(centered, {axis}, /*keepDims=*/true);
      if (wantsMean)
        node.setOutput(1, node.cast(mean, node.builder().getF32Type()));
      centered = node.sub(centered, mean);
    }
    if (wantsDeviation)
      node.setOutput(2, node.cast(inverseDeviation(node, centered, axis, node.getFloat("epsilon", 1e-12f)),
                                  node.builder().getF32Type()));
  }
  if (node.wantsOutput(3))
    node.setOutput(3, sum);
  return success(!node.failed());
}

LogicalResult importSimplifiedLayerNormalization(NodeBuilder &node) {
  Value x = node.required(0);
  node.setOutput(0, node.call("RMSNormalization", {x, node.required(1)}));
  if (!node.wantsOutput(1))
    return success(!node.failed());
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  if (!axis)
    return failure();
  node.setOutput(1, inverseDeviation(node, node.widen(x), *axis, node.getFloat("epsilon", 1e-5f)));
  return success(!node.failed());
}

/// Group normalization and an activation behind it of `x`, whose channels are where attribute 'channels_last' says.
Value groupNormalized(NodeBuilder &node, Value x) {
  Value gamma = node.required(1), beta = node.required(2);
  int64_t activation = node.getInt("activation", 0);
  bool last = node.getInt("channels_last", 1) != 0;
  if (!x || !gamma || !beta)
    return {};
  if (activation != 0 && activation != 1)
    return node.failValue("attribute 'activation' is " + Twine(activation) + ", not 0 or 1");
  // Scale and shift may be wider than what they scale.
  Value wide = node.widen(x), y = last ? toChannelsFirst(node, wide) : wide;
  y = node.call("GroupNormalization", {y, node.widen(gamma), node.widen(beta)},
                {{"num_groups", node.getInt("groups", 0)}, {"stash_type", 1}});
  if (activation == 1 && y)
    y = node.mul(y, node.unary(UnaryKind::Sigmoid, y));
  return node.cast(last ? toChannelsLast(node, y) : y, node.elementOf(x));
}

LogicalResult importGroupNorm(NodeBuilder &node) {
  node.setOutput(0, groupNormalized(node, node.required(0)));
  return success(!node.failed());
}

LogicalResult importSkipGroupNorm(NodeBuilder &node) {
  Value x = node.required(0), skip = node.required(3), bias = node.input(4);
  if (!x || !skip || node.rankOf(x) < 3)
    return node.fail("the input needs spatial dimensions");
  bool last = node.getInt("channels_last", 1) != 0;
  // One number for each channel, of each image or of all.
  auto stretched = [&](Value v) {
    if (!v || node.rankOf(v) == node.rankOf(x) || (last && node.rankOf(v) == 1))
      return v;
    SmallVector<int64_t> dims;
    for (int64_t d = 1, end = node.rankOf(x) - 1; d < end; ++d)
      dims.push_back(last ? d : d + 1);
    return node.unsqueeze(node.rankOf(v) == 1 ? node.unsqueeze(v, {0}) : v, dims);
  };
  Value sum = plus(node, node.add(x, stretched(skip)), stretched(bias));
  node.setOutput(0, groupNormalized(node, sum));
  if (node.wantsOutput(1))
    node.setOutput(1, sum);
  return success(!node.failed());
}

} // namespace

void frontend::registerContrib(OpRegistry &registry) {
  for (StringRef name : {"DequantizeLinear", "GatherND", "Gelu", "GridSample", "LayerNormalization", "Pad",
                         "QuantizeLinear", "Range", "Trilu"})
    addContrib<importAsOnnx>(registry, name);
  addContrib<importExpandDims>(registry, "ExpandDims");
  addContrib<importBiasGelu>(registry, "BiasGelu");
  addContrib<importFastGelu>(registry, "FastGelu");
  addContrib<importQuickGelu>(registry, "QuickGelu");
  addContrib<importBiasAdd>(registry, "BiasAdd");
  addContrib<importBiasSplitGelu>(registry, "BiasSplitGelu");
  addContrib<importFusedMatMul>(registry, "FusedMatMul");
  addContrib<importFusedMatMul>(registry, "TransposeMatMul");
  addContrib<importFusedGemm>(registry, "FusedGemm");
  addContrib<importFusedConv<kChannelsFirst>>(registry, "FusedConv");
  // Its schema says [O, I, spatial...] of weights, but they are as its one implementation and all models have them.
  addContrib<importFusedConv<kAllNhwc>>(registry, "NhwcConv", "weights with channels last");
  addContrib<importFusedConv<kNhwc>>(registry, "NhwcFusedConv");
  addContrib<importSkipNormalization<NormKind::Layer>>(registry, "SkipLayerNormalization");
  addContrib<importSkipNormalization<NormKind::Rms>>(registry, "SkipSimplifiedLayerNormalization", "mean is not given");
  addContrib<importSimplifiedLayerNormalization>(registry, "SimplifiedLayerNormalization");
  addContrib<importGroupNorm>(registry, "GroupNorm");
  addContrib<importSkipGroupNorm>(registry, "SkipGroupNorm");
  registerContribAttention(registry);
  registerContribGroupedAttention(registry);
  registerContribEmbedding(registry);
  registerContribQuantized(registry);
  registerContribWeights(registry);
}
