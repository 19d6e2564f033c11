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

/// Convolutions with a sum and an activation behind; with channels last where the operator's name says so.
template <bool channelsLast> LogicalResult importFusedConv(NodeBuilder &node) {
  Value x = node.required(0), sum = node.input(3);
  int64_t rank = node.rankOf(x);
  if (!x || rank < 3)
    return node.fail("the input needs spatial dimensions");
  SmallVector<int64_t> toFirst{0, rank - 1}, toLast{0};
  for (int64_t d = 2; d < rank; ++d) {
    toFirst.push_back(d - 1);
    toLast.push_back(d);
  }
  toLast.push_back(1);
  auto first = [&](Value v) { return channelsLast && v ? node.transpose(v, toFirst) : v; };
  Value y = plus(node, node.call("Conv", {first(x), node.required(1), node.input(2)}), first(sum));
  auto parameters = node.getFloats("activation_params").value_or(SmallVector<float>());
  y = activate(node, y, node.getString("activation", ""), parameters);
  node.setOutput(0, channelsLast ? node.transpose(y, toLast) : y);
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

/// Sum of the input, a skip and a bias, normalized; the sum is an output as well.
template <NormKind kind> LogicalResult importSkipNormalization(NodeBuilder &node) {
  constexpr bool hasBeta = kind == NormKind::Layer;
  Value gamma = node.required(2), beta = hasBeta ? node.input(3) : Value(), bias = node.input(hasBeta ? 4 : 3);
  Value sum = plus(node, node.add(node.required(0), node.required(1)), bias);
  node.setOutput(0, normalized(node, kind, sum, gamma, beta));
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
  Value wide = node.widen(x);
  Value square = node.mean(node.mul(wide, wide), llvm::to_vector(llvm::seq<int64_t>(*axis, node.rankOf(x))), true);
  Value deviation = node.add(square, node.scalarLike(node.getFloat("epsilon", 1e-5f), square));
  node.setOutput(1, node.unary(UnaryKind::Reciprocal, node.unary(UnaryKind::Sqrt, deviation)));
  return success(!node.failed());
}

LogicalResult importEmbedLayerNormalization(NodeBuilder &node) {
  ShapeMath math(node);
  Value ids = node.required(0), segments = node.input(1), words = node.required(2), places = node.required(3);
  if (!ids || node.rankOf(ids) != 2)
    return node.fail("input_ids need rank 2");
  auto rows = [&](Value table, Value at) { return node.gather(table, node.cast(at, node.builder().getI64Type()), 0); };
  Value positions = node.input(8);
  Value sum = node.add(rows(words, ids), rows(places, positions ? positions : math.range(math.dim(ids, 1))));
  if (Value table = node.input(4); table && segments)
    sum = node.add(sum, rows(table, segments));
  node.setOutput(0, normalized(node, NormKind::Layer, sum, node.required(5), node.required(6)));
  if (node.wantsOutput(2))
    node.setOutput(2, sum);
  if (!node.wantsOutput(1))
    return success(!node.failed());
  // How many tokens count, for each sequence.
  Type i32 = node.builder().getI32Type();
  Value counts = node.broadcastTo(node.scalarInt(0, i32), math.dim(ids, 0));
  if (Value mask = node.input(7)) {
    Value ones = node.compare(graph::Predicate::Eq, mask, node.scalarInt(1, node.elementOf(mask)));
    counts = node.reduce(ReduceKind::Sum, node.cast(ones, i32), {1}, /*keepDims=*/false);
  }
  node.setOutput(1, counts);
  return success(!node.failed());
}

} // namespace

void frontend::registerContrib(OpRegistry &registry) {
  for (StringRef name :
       {"DequantizeLinear", "GatherND", "Gelu", "GridSample", "Pad", "QuantizeLinear", "Range", "Trilu"})
    registry.add(kContribDomain, name, importAsOnnx);
  registry.add(kContribDomain, "ExpandDims", importExpandDims);
  registry.add(kContribDomain, "BiasGelu", importBiasGelu);
  registry.add(kContribDomain, "FastGelu", importFastGelu);
  registry.add(kContribDomain, "QuickGelu", importQuickGelu);
  registry.add(kContribDomain, "FusedMatMul", importFusedMatMul);
  registry.add(kContribDomain, "TransposeMatMul", importFusedMatMul);
  registry.add(kContribDomain, "FusedGemm", importFusedGemm);
  registry.add(kContribDomain, "FusedConv", importFusedConv<false>);
  registry.add(kContribDomain, "NhwcConv", importFusedConv<true>);
  registry.add(kContribDomain, "NhwcFusedConv", importFusedConv<true>);
  constexpr StringLiteral noStatistics = "mean and inv_std_var are not given";
  registry.add(kContribDomain, "SkipLayerNormalization", importSkipNormalization<NormKind::Layer>, noStatistics);
  registry.add(kContribDomain, "SkipSimplifiedLayerNormalization", importSkipNormalization<NormKind::Rms>,
               noStatistics);
  registry.add(kContribDomain, "SimplifiedLayerNormalization", importSimplifiedLayerNormalization);
  registry.add(kContribDomain, "EmbedLayerNormalization", importEmbedLayerNormalization);
  registerContribAttention(registry);
  registerContribQuantized(registry);
}
