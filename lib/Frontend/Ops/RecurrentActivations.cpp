//===- RecurrentActivations.cpp - Activations of recurrent ops -===//

#include "lib/Frontend/Ops/RecurrentActivations.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::Predicate;
using graph::UnaryKind;

namespace {

struct Entry {
  StringRef name;
  CellActivation::Fn function;
  float alpha, beta;
  bool takesAlpha, takesBeta;
};

Value like(NodeBuilder &node, double value, Value x) { return node.scalarLike(value, x); }

Value relu(NodeBuilder &node, Value x, float, float) { return node.max(x, like(node, 0, x)); }
Value tanh(NodeBuilder &node, Value x, float, float) { return node.unary(UnaryKind::Tanh, x); }
Value sigmoid(NodeBuilder &node, Value x, float, float) { return node.unary(UnaryKind::Sigmoid, x); }
Value softplus(NodeBuilder &node, Value x, float, float) { return node.unary(UnaryKind::Softplus, x); }
Value softsign(NodeBuilder &node, Value x, float, float) {
  return node.div(x, node.add(node.unary(UnaryKind::Abs, x), like(node, 1, x)));
}
Value affine(NodeBuilder &node, Value x, float alpha, float beta) {
  return node.add(node.mul(x, like(node, alpha, x)), like(node, beta, x));
}
Value leakyRelu(NodeBuilder &node, Value x, float alpha, float) {
  return node.select(node.compare(Predicate::Ge, x, like(node, 0, x)), x, node.mul(x, like(node, alpha, x)));
}
Value thresholdedRelu(NodeBuilder &node, Value x, float alpha, float) {
  return node.select(node.compare(Predicate::Ge, x, like(node, alpha, x)), x, like(node, 0, x));
}
Value scaledTanh(NodeBuilder &node, Value x, float alpha, float beta) {
  return node.mul(node.unary(UnaryKind::Tanh, node.mul(x, like(node, beta, x))), like(node, alpha, x));
}
Value hardSigmoid(NodeBuilder &node, Value x, float alpha, float beta) {
  return node.min(node.max(affine(node, x, alpha, beta), like(node, 0, x)), like(node, 1, x));
}
Value elu(NodeBuilder &node, Value x, float alpha, float) {
  Value below = node.mul(node.sub(node.exp(node.min(x, like(node, 0, x))), like(node, 1, x)), like(node, alpha, x));
  return node.select(node.compare(Predicate::Ge, x, like(node, 0, x)), x, below);
}

constexpr Entry kEntries[] = {
    {"relu", relu, 0, 0, false, false},
    {"tanh", tanh, 0, 0, false, false},
    {"sigmoid", sigmoid, 0, 0, false, false},
    {"softplus", softplus, 0, 0, false, false},
    {"softsign", softsign, 0, 0, false, false},
    {"affine", affine, 1, 0, true, true},
    {"leakyrelu", leakyRelu, 0.01f, 0, true, false},
    {"thresholdedrelu", thresholdedRelu, 1, 0, true, false},
    {"scaledtanh", scaledTanh, 1, 1, true, true},
    {"hardsigmoid", hardSigmoid, 0.2f, 0.5f, true, true},
    {"elu", elu, 1, 0, true, false},
};

} // namespace

Value CellActivation::apply(NodeBuilder &node, Value x) const {
  if (clip > 0)
    x = node.min(node.max(x, like(node, -clip, x)), like(node, clip, x));
  return function(node, x, alpha, beta);
}

std::optional<SmallVector<CellActivation>> frontend::readActivations(NodeBuilder &node, ArrayRef<StringRef> defaults,
                                                                     int64_t directions) {
  SmallVector<std::string> names;
  for (int64_t i = 0; i < directions; ++i)
    for (StringRef name : defaults)
      names.push_back(name.str());
  if (auto given = node.getStrings("activations"); given && !given->empty()) {
    if (given->size() < names.size()) {
      (void)node.fail("attribute 'activations' names " + Twine(given->size()) + " functions, " + Twine(names.size()) +
                      " are needed");
      return std::nullopt;
    }
    // RNN's default of the schema names two even for one direction.
    names.assign(given->begin(), given->begin() + names.size());
  }
  float clip = node.getFloat("clip", 0.0f);
  if (node.hasAttribute("clip") && !(clip > 0)) {
    (void)node.fail("attribute 'clip' must be above 0");
    return std::nullopt;
  }
  auto alphas = node.getFloats("activation_alpha").value_or(SmallVector<float>());
  auto betas = node.getFloats("activation_beta").value_or(SmallVector<float>());
  SmallVector<CellActivation> result;
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string &name : names) {
    const Entry *entry =
        llvm::find_if(kEntries, [&](const Entry &e) { return StringRef(name).equals_insensitive(e.name); });
    if (entry == std::end(kEntries)) {
      (void)node.fail("activation '" + name + "' is unknown");
      return std::nullopt;
    }
    CellActivation activation{entry->function, entry->alpha, entry->beta, clip};
    if (entry->takesAlpha && nextAlpha < alphas.size())
      activation.alpha = alphas[nextAlpha++];
    if (entry->takesBeta && nextBeta < betas.size())
      activation.beta = betas[nextBeta++];
    result.push_back(activation);
  }
  return result;
}
