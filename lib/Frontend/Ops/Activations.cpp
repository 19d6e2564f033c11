//===- Activations.cpp - Activation functions as sentences ----------------===//
//
// Narrow floats compute in f32 and are rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/ActivationsDetail.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::Predicate;
using graph::UnaryKind;

namespace {

/// An activation: from the (widened) input to the result.
using Formula = Value (*)(NodeBuilder &, Value x);

template <Formula formula> LogicalResult importActivation(NodeBuilder &node) {
  Value x = node.required(0);
  node.setOutput(0, node.cast(formula(node, node.widen(x)), node.elementOf(x)));
  return success(!node.failed());
}

Value number(NodeBuilder &node, double v, Value like) { return node.scalarLike(v, like); }
Value isNegative(NodeBuilder &node, Value x) { return node.compare(Predicate::Lt, x, number(node, 0, x)); }

/// exp(x) - 1
Value expMinusOne(NodeBuilder &node, Value x) { return node.sub(node.exp(x), number(node, 1, x)); }

/// Between 0 and 1.
Value unitClip(NodeBuilder &node, Value x) { return node.max(number(node, 0, x), node.min(number(node, 1, x), x)); }

Value relu(NodeBuilder &node, Value x) { return node.max(x, number(node, 0, x)); }

Value leakyRelu(NodeBuilder &node, Value x) {
  double alpha = node.getFloat("alpha", 0.01f);
  return node.select(isNegative(node, x), node.mul(x, number(node, alpha, x)), x);
}

Value thresholdedRelu(NodeBuilder &node, Value x) {
  Value alpha = number(node, node.getFloat("alpha", 1.0f), x);
  return node.select(node.compare(Predicate::Gt, x, alpha), x, number(node, 0, x));
}

Value pRelu(NodeBuilder &node, Value x) {
  Value slope = node.required(1);
  if (!x || !slope)
    return {};
  return node.select(isNegative(node, x), node.mul(x, node.cast(slope, node.elementOf(x))), x);
}

Value elu(NodeBuilder &node, Value x) {
  Value alpha = number(node, node.getFloat("alpha", 1.0f), x);
  return node.select(isNegative(node, x), node.mul(alpha, expMinusOne(node, x)), x);
}

Value selu(NodeBuilder &node, Value x) {
  Value alpha = number(node, node.getFloat("alpha", 1.67326319217681884765625f), x);
  Value gamma = number(node, node.getFloat("gamma", 1.05070102214813232421875f), x);
  Value positive = node.compare(Predicate::Gt, x, number(node, 0, x));
  return node.mul(gamma, node.select(positive, x, node.mul(alpha, expMinusOne(node, x))));
}

Value celu(NodeBuilder &node, Value x) {
  double a = node.getFloat("alpha", 1.0f);
  Value zero = number(node, 0, x), alpha = number(node, a, x);
  Value scaled = a == 1.0 ? x : node.div(x, alpha);
  return node.add(node.max(zero, x), node.min(zero, node.mul(alpha, expMinusOne(node, scaled))));
}

Value hardSigmoid(NodeBuilder &node, Value x) {
  Value alpha = number(node, node.getFloat("alpha", 0.2f), x), beta = number(node, node.getFloat("beta", 0.5f), x);
  return unitClip(node, node.add(node.mul(alpha, x), beta));
}

Value hardSwish(NodeBuilder &node, Value x) {
  Value gate = node.add(node.mul(x, number(node, 1.0 / 6.0, x)), number(node, 0.5, x));
  return node.mul(x, unitClip(node, gate));
}

Value mish(NodeBuilder &node, Value x) {
  return node.mul(x, node.unary(UnaryKind::Tanh, node.unary(UnaryKind::Softplus, x)));
}

Value gelu(NodeBuilder &node, Value x) {
  std::string approximate = node.getString("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return node.failValue("attribute 'approximate' must be none or tanh");
  Value half = number(node, 0.5, x), one = number(node, 1, x), inner;
  if (approximate == "none") {
    inner = node.unary(UnaryKind::Erf, node.mul(x, number(node, 0.70710678118654752440, x)));
  } else {
    Value cube = node.mul(node.mul(x, x), x);
    Value sum = node.add(x, node.mul(number(node, 0.044715, x), cube));
    inner = node.unary(UnaryKind::Tanh, node.mul(number(node, 0.79788456080286535588, x), sum));
  }
  return node.mul(node.mul(half, x), node.add(one, inner));
}

Value swish(NodeBuilder &node, Value x) {
  double alpha = node.getFloat("alpha", 1.0f);
  Value scaled = alpha == 1.0 ? x : node.mul(x, number(node, alpha, x));
  return node.mul(x, node.unary(UnaryKind::Sigmoid, scaled));
}

Value softsign(NodeBuilder &node, Value x) {
  return node.div(x, node.add(number(node, 1, x), node.unary(UnaryKind::Abs, x)));
}

Value shrink(NodeBuilder &node, Value x) {
  if (!x)
    return {};
  // The thresholds are fractions for integers, too.
  Value wide = node.isFloat(x) ? x : node.cast(x, node.builder().getF32Type());
  double lambda = node.getFloat("lambd", 0.5f), bias = node.getFloat("bias", 0.0f);
  Value low = node.compare(Predicate::Lt, wide, number(node, -lambda, wide));
  Value high = node.compare(Predicate::Gt, wide, number(node, lambda, wide));
  Value offset = number(node, bias, wide);
  Value inner = node.select(high, node.sub(wide, offset), number(node, 0, wide));
  return node.select(low, node.add(wide, offset), inner);
}

} // namespace

void frontend::registerActivations(OpRegistry &registry) {
  registry.add("", "Relu", importActivation<relu>);
  registry.add("", "LeakyRelu", importActivation<leakyRelu>);
  registry.add("", "ThresholdedRelu", importActivation<thresholdedRelu>);
  registry.add("", "PRelu", importActivation<pRelu>);
  registry.add("", "Elu", importActivation<elu>);
  registry.add("", "Selu", importActivation<selu>);
  registry.add("", "Celu", importActivation<celu>);
  registry.add("", "HardSigmoid", importActivation<hardSigmoid>);
  registry.add("", "HardSwish", importActivation<hardSwish>);
  registry.add("", "Mish", importActivation<mish>);
  registry.add("", "Gelu", importActivation<gelu>);
  registry.add("", "Swish", importActivation<swish>);
  registry.add("", "Softsign", importActivation<softsign>);
  registry.add("", "Shrink", importActivation<shrink>);
}
