//===- CausalConvolution.cpp - CausalConvWithState ------------------------===//

#include "lib/Frontend/Ops/ShapeMath.h"
#include "lib/Frontend/Ops/Window.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

/// The number of channels, if the type of an operand tells it.
static std::optional<int64_t> knownChannels(NodeBuilder &node, Value x, Value weights) {
  for (int64_t extent : {node.shapeOf(x)[1], node.shapeOf(weights)[0]})
    if (!ShapedType::isDynamic(extent))
      return extent;
  return std::nullopt;
}

/// Every channel of `x`, [N, C, L + k - 1], convolved with its own row of `weights`, [C, 1, k].
static Value convolveChannels(NodeBuilder &node, Value x, Value weights, Value length) {
  if (auto channels = knownChannels(node, x, weights))
    return node.call("Conv", {x, weights}, {{"group", *channels}});
  // A convolution has as many groups as its attribute says; of channels that only a run counts, the windows meet the
  // weights in a product.
  ShapeMath math(node);
  Value at = node.add(node.unsqueeze(math.range(length), {1}), math.range(math.dim(weights, 2)));
  Value windows = node.gather(x, at, 2), rows = node.squeeze(weights, {1});
  SmallVector<int64_t> windowDims = {0, 1, 2, 3}, rowDims = {1, 3}, resultDims = {0, 1, 2};
  return node.make<graph::ContractOp>(windows, rows, windowDims, rowDims, resultDims, node.elementOf(x));
}

static LogicalResult importCausalConv(NodeBuilder &node) {
  Value x = node.required(0), weights = node.required(1), bias = node.input(2), past = node.input(3);
  if (node.failed())
    return failure();
  for (Value tensor : {x, weights, past})
    if (tensor && node.rankOf(tensor) != 3)
      return node.fail("needs an input, weights and a state of rank 3, not " + Twine(node.rankOf(tensor)));
  if (bias && node.rankOf(bias) != 1)
    return node.fail("the bias has rank " + Twine(node.rankOf(bias)) + ", not 1");
  std::string activation = node.getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.fail("attribute 'activation' is '" + activation + "', not none, silu or swish");

  ShapeMath math(node);
  Value length = math.dim(x, 2), kept = math.sub(math.dim(weights, 2), math.number(1));
  Value padded;
  if (past)
    padded = node.concat({node.reshape(past, math.concat({math.part(math.shape(past), 0, 2), kept})), x}, 2);
  else
    padded = node.make<graph::PadOp>(graph::PadMode::Constant, x,
                                     math.concat({math.repeat(0, 2), kept, math.repeat(0, 3)}), node.scalarLike(0, x));
  Value y = convolveChannels(node, padded, weights, length);
  if (bias)
    y = node.add(y, node.perChannel(bias, 3));
  if (activation != "none") {
    // Rounded before and behind, as ONNX defines it for narrow floats.
    Value wide = node.widen(y);
    y = node.cast(node.mul(wide, node.unary(graph::UnaryKind::Sigmoid, wide)), node.elementOf(x));
  }
  node.setOutput(0, y);
  Value end = math.dim(padded, 2);
  node.setOutput(1, node.make<graph::SliceOp>(padded, math.sub(end, kept), end, math.number(1), ArrayRef<int64_t>{2}));
  return success(!node.failed());
}

void frontend::registerCausalConvolution(OpRegistry &registry) {
  registry.add("", "CausalConvWithState", importCausalConv);
}
