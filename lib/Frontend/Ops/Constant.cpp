//===- Constant.cpp - Constant, Identity, Dropout, optionals --------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/CreationDetail.h"
#include "lib/Frontend/Ops/Pieces.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

static ElementsAttr constantValue(NodeBuilder &node) {
  Builder &builder = node.builder();
  if (node.hasAttribute("value"))
    return node.getTensor("value");
  if (node.hasAttribute("value_float"))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getF32Type()), node.getFloat("value_float", 0));
  if (node.hasAttribute("value_int"))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), node.getInt("value_int", 0));
  if (auto values = node.getFloats("value_floats")) {
    auto type = RankedTensorType::get({int64_t(values->size())}, builder.getF32Type());
    return DenseElementsAttr::get(type, ArrayRef<float>(*values));
  }
  if (auto values = node.getInts("value_ints")) {
    auto type = RankedTensorType::get({int64_t(values->size())}, builder.getI64Type());
    return DenseElementsAttr::get(type, ArrayRef<int64_t>(*values));
  }
  if (node.hasAttribute("value_string") || node.hasAttribute("value_strings"))
    (void)node.fail("strings are not supported");
  else
    (void)node.fail("has no supported value attribute");
  return {};
}

static LogicalResult importConstant(NodeBuilder &node) {
  ElementsAttr value = constantValue(node);
  if (!value)
    return failure();
  // Beside the initializers: a constant inside a loop is the same in every trip.
  node.setOutput(0, node.graph().materialize(value, node.loc()));
  return success(!node.failed());
}

static LogicalResult importIdentity(NodeBuilder &node) {
  setItem(node, 0, requiredItem(node, 0));
  return success(!node.failed());
}

/// Drops elements at random where the node trains; see Random.cpp for what random is.
static void dropAtRandom(NodeBuilder &node, Value x, Value ratio, Value training) {
  Type f32 = node.builder().getF32Type(), i1 = node.builder().getI1Type();
  Value dropped = ratio ? node.cast(node.scalarOf(ratio), f32) : node.scalar(0.5, f32);
  Value trains = node.scalarOf(training);
  Value drawn = randomUniform(node, node.shape(x), node.builder().getF32Type());
  Value keeps = node.compare(graph::Predicate::Ge, drawn, dropped);
  Value wide = node.widen(x);
  Value scale = node.div(node.scalar(1, f32), node.sub(node.scalar(1, f32), dropped));
  Value scaled = node.cast(node.mul(wide, node.cast(scale, node.elementOf(wide))), node.elementOf(x));
  node.setOutput(0, node.select(trains, node.select(keeps, scaled, node.scalarLike(0, x)), x));
  if (node.wantsOutput(1))
    node.setOutput(1, node.select(trains, keeps, node.scalar(1, i1)));
}

static LogicalResult importDropout(NodeBuilder &node) {
  Value x = node.required(0), ratio = node.input(1), training = node.input(2);
  std::optional<double> mode = training ? node.constantNumber(training) : 0.0;
  std::optional<double> dropped = ratio ? node.constantNumber(ratio) : 0.5;
  bool keepsAll = (mode && *mode == 0) || (dropped && *dropped == 0);
  if (!keepsAll) {
    dropAtRandom(node, x, ratio, training);
    return success(!node.failed());
  }
  node.setOutput(0, x);
  if (node.wantsOutput(1))
    node.setOutput(1, node.broadcastTo(node.scalar(1, node.builder().getI1Type()), node.shape(x)));
  return success(!node.failed());
}

/// An optional that is known to hold a tensor is that tensor.
static LogicalResult importOptionalHasElement(NodeBuilder &node) {
  node.setOutput(0, node.scalar(node.hasInput(0) || isSequence(itemOf(node, 0)), node.builder().getI1Type()));
  return success(!node.failed());
}

void frontend::registerConstant(OpRegistry &registry) {
  registry.add("", "Constant", importConstant, "no strings");
  registry.add("", "Identity", importIdentity);
  registry.add("", "Dropout", importDropout);
  constexpr llvm::StringLiteral note = "known while importing; an optional input of the model is always given";
  registry.add("", "Optional", importIdentity, note);
  registry.add("", "OptionalGetElement", importIdentity, note);
  registry.add("", "OptionalHasElement", importOptionalHasElement, note);
}
