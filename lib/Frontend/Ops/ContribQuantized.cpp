//===- ContribQuantized.cpp - Microsoft's quantized operators -------------===//
//
// QLinear operators compute on real numbers between dequantization and quantization; products of integers stay products
// of integers.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;
using graph::UnaryKind;

Value frontend::realNumbers(NodeBuilder &node, Value x, Value scale, Value zeroPoint) {
  if (!x || !scale)
    return {};
  Optional zero = zeroPoint ? node.scalarOf(zeroPoint) : Value();
  return node.make<graph::DequantizeOp>(x, node.scalarOf(scale), zero, node.builder().getF32Type(), /*axis=*/0,
                                        /*block=*/0);
}

namespace {

//===----------------------------------------------------------------------===//
// Real numbers in, real numbers out
//===----------------------------------------------------------------------===//

/// Inputs i, i + 1 and i + 2 (a tensor, its scale, its zero point or nothing) as real numbers.
Value realInput(NodeBuilder &node, unsigned i) {
  return realNumbers(node, node.required(i), node.required(i + 1), node.input(i + 2));
}

/// Defines the output from real numbers, the scale of input `i` and the zero point behind it; without that one, 0 of
/// the type of input 0.
LogicalResult setQuantized(NodeBuilder &node, Value real, unsigned i, Value like = {}) {
  Value zero = node.input(i + 1);
  if (!zero)
    zero = node.scalarInt(0, node.elementOf(like ? like : node.required(0)));
  node.setOutput(0, requantize(node, real, node.required(i), zero));
  return success(!node.failed());
}

template <BinaryKind kind> LogicalResult importQLinearBinary(NodeBuilder &node) {
  return setQuantized(node, node.binary(kind, realInput(node, 0), realInput(node, 3)), 6);
}

LogicalResult importQLinearSigmoid(NodeBuilder &node) {
  return setQuantized(node, node.unary(UnaryKind::Sigmoid, realInput(node, 0)), 3);
}

LogicalResult importQLinearLeakyRelu(NodeBuilder &node) {
  return setQuantized(node, node.call("LeakyRelu", {realInput(node, 0)}), 3);
}

LogicalResult importQLinearSoftmax(NodeBuilder &node) {
  Value x = realInput(node, 0);
  // Before opset 13 the axis and all behind it were one.
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  if (!axis || node.getInt("opset", 13) >= 13)
    return setQuantized(node, node.call("Softmax", {x}), 3);
  ShapeMath math(node);
  Value shape = node.shape(x);
  Value flat = node.reshape(x, math.concat({math.part(shape, 0, *axis), math.number(-1)}));
  return setQuantized(node, node.reshape(node.call("Softmax", {flat}, {{"axis", -1}}), shape), 3);
}

LogicalResult importQLinearConcat(NodeBuilder &node) {
  SmallVector<Value> parts;
  if (node.numInputs() < 5 || (node.numInputs() - 2) % 3)
    return node.fail("needs scale and zero point, then as many of each as tensors");
  for (unsigned i = 2; i < node.numInputs(); i += 3)
    parts.push_back(realInput(node, i));
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(parts.front()));
  if (node.failed() || !axis)
    return failure();
  return setQuantized(node, node.concat(parts, *axis), 0, node.input(2));
}

LogicalResult importQLinearWhere(NodeBuilder &node) {
  return setQuantized(node, node.select(node.required(0), realInput(node, 1), realInput(node, 4)), 7, node.input(1));
}

/// `compute` on [N, C, spatial...], whatever the attribute `channels_last` says of `x`.
Value withChannelsFirst(NodeBuilder &node, Value x, llvm::function_ref<Value(Value)> compute) {
  if (!x || node.rankOf(x) < 3 || !node.getInt("channels_last", 0))
    return compute(x);
  return toChannelsLast(node, compute(toChannelsFirst(node, x)));
}

/// A pool of real numbers; the attributes are those of the operator `opType`.
LogicalResult importQLinearPool(NodeBuilder &node, StringRef opType) {
  Value y = withChannelsFirst(node, realInput(node, 0), [&](Value x) { return node.call(opType, {x}); });
  return setQuantized(node, y, 3);
}

LogicalResult importQLinearAveragePool(NodeBuilder &node) { return importQLinearPool(node, "AveragePool"); }
LogicalResult importQLinearGlobalAveragePool(NodeBuilder &node) { return importQLinearPool(node, "GlobalAveragePool"); }

LogicalResult importNhwcMaxPool(NodeBuilder &node) {
  node.setOutput(0, toChannelsLast(node, node.call("MaxPool", {toChannelsFirst(node, node.required(0))})));
  return success(!node.failed());
}

LogicalResult importQLinearConv(NodeBuilder &node) {
  Value y = withChannelsFirst(node, node.required(0), [&](Value x) {
    SmallVector<Optional> operands{x};
    for (unsigned i = 1; i < node.numInputs(); ++i)
      operands.push_back(node.input(i));
    return node.call("QLinearConv", operands);
  });
  node.setOutput(0, y);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

/// The product without zero points, scaled: one number, or one for each column.
Value scaledProduct(NodeBuilder &node, Value a, Value aZero, Value b, Value bZero, Value aScale, Value bScale) {
  Type i32 = node.builder().getI32Type();
  Value product = node.matmul(withoutZeroPoint(node, a, aZero), withoutZeroPoint(node, b, bZero), i32);
  Value scale = node.mul(aScale, bScale);
  return node.mul(node.cast(product, node.elementOf(scale)), scale);
}

LogicalResult importMatMulIntegerToFloat(NodeBuilder &node) {
  Value y = scaledProduct(node, node.required(0), node.input(4), node.required(1), node.input(5), node.required(2),
                          node.required(3));
  if (Value bias = node.input(6))
    y = node.add(y, bias);
  node.setOutput(0, y);
  return success(!node.failed());
}

/// The quantization that DynamicQuantizeLinear gives `x`.
struct Quantized {
  Value values, scale, zeroPoint;
};

Quantized quantizeDynamically(NodeBuilder &node, Value x) {
  Type u8 = IntegerType::get(node.context(), 8, IntegerType::Unsigned);
  if (!x)
    return {};
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, node.rankOf(x)));
  Value zero = node.scalarLike(0, x), most = node.scalarLike(255, x);
  Value low = node.min(zero, node.reduce(graph::ReduceKind::Min, x, all, /*keepDims=*/false));
  Value high = node.max(zero, node.reduce(graph::ReduceKind::Max, x, all, /*keepDims=*/false));
  Value scale = node.div(node.sub(high, low), most);
  scale = node.select(node.compare(graph::Predicate::Eq, scale, zero), node.scalarLike(1, x), scale);
  Value point = node.unary(UnaryKind::RoundEven, node.min(most, node.max(zero, node.neg(node.div(low, scale)))));
  Value zeroPoint = node.cast(point, u8);
  return {node.make<graph::QuantizeOp>(x, scale, Optional(zeroPoint), u8, 0, 0, true), scale, zeroPoint};
}

LogicalResult importDynamicQuantizeMatMul(NodeBuilder &node) {
  Quantized a = quantizeDynamically(node, node.required(0));
  Value y = scaledProduct(node, a.values, a.zeroPoint, node.required(1), node.input(3), a.scale, node.required(2));
  if (Value bias = node.input(4))
    y = node.add(y, bias);
  node.setOutput(0, y);
  return success(!node.failed());
}

LogicalResult importQGemm(NodeBuilder &node) {
  auto turned = [&](Value x, StringRef flag) { return node.getInt(flag, 0) && x ? node.transpose(x, {1, 0}) : x; };
  Value a = node.required(0), b = node.required(3);
  if (!a || !b || node.rankOf(a) != 2 || node.rankOf(b) != 2)
    return node.fail("operands A and B need rank 2");
  // Zero points of B are one for each of its columns, turned or not.
  a = turned(withoutZeroPoint(node, a, node.input(2)), "transA");
  b = withoutZeroPoint(node, turned(b, "transB"), node.input(5));
  Value sum = node.matmul(a, b, node.builder().getI32Type());
  if (Value c = node.input(6))
    sum = node.add(sum, c);
  Value scale = node.mul(node.required(1), node.required(4));
  scale = node.mul(scale, node.scalarLike(node.getFloat("alpha", 1.0f), scale));
  Value real = node.mul(node.cast(sum, node.builder().getF32Type()), scale);
  if (node.hasInput(7))
    return setQuantized(node, real, 7);
  node.setOutput(0, real);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Recurrences
//===----------------------------------------------------------------------===//

/// Weights [directions, I, gates * H] as real numbers [directions, gates * H, I].
Value recurrentWeights(NodeBuilder &node, unsigned i, unsigned scaleInput) {
  Value weights = node.required(i), scale = node.required(scaleInput), zero = node.required(scaleInput + 1);
  if (!weights || !scale || !zero || node.rankOf(weights) != 3)
    return node.failValue("needs weights of rank 3");
  // One number for each direction, or for each of its gates' rows.
  auto spread = [&](Value v) {
    return node.unsqueeze(v, node.rankOf(v) == 1 ? ArrayRef<int64_t>{1, 2} : ArrayRef<int64_t>{1});
  };
  Type f32 = node.builder().getF32Type();
  Value real = node.sub(node.cast(weights, f32), node.cast(spread(zero), f32));
  return node.transpose(node.mul(real, spread(scale)), {0, 2, 1});
}

LogicalResult importDynamicQuantizeLSTM(NodeBuilder &node) {
  SmallVector<Optional> operands{node.required(0), recurrentWeights(node, 1, 8), recurrentWeights(node, 2, 10)};
  for (unsigned i = 3; i < 8; ++i)
    operands.push_back(node.input(i));
  auto outputs = node.callAll("LSTM", operands, 3);
  for (auto [i, output] : llvm::enumerate(outputs))
    if (node.wantsOutput(i))
      node.setOutput(i, output);
  return success(!node.failed());
}

} // namespace

void frontend::registerContribQuantized(OpRegistry &registry) {
  addContrib<importQLinearBinary<BinaryKind::Add>>(registry, "QLinearAdd");
  addContrib<importQLinearBinary<BinaryKind::Mul>>(registry, "QLinearMul");
  addContrib<importQLinearSigmoid>(registry, "QLinearSigmoid");
  addContrib<importQLinearLeakyRelu>(registry, "QLinearLeakyRelu");
  addContrib<importQLinearSoftmax>(registry, "QLinearSoftmax");
  addContrib<importQLinearConcat>(registry, "QLinearConcat");
  addContrib<importQLinearWhere>(registry, "QLinearWhere");
  addContrib<importQLinearAveragePool>(registry, "QLinearAveragePool");
  addContrib<importQLinearGlobalAveragePool>(registry, "QLinearGlobalAveragePool");
  addContrib<importNhwcMaxPool>(registry, "NhwcMaxPool");
  addContrib<importQLinearConv>(registry, "QLinearConv");
  addContrib<importMatMulIntegerToFloat>(registry, "MatMulIntegerToFloat");
  addContrib<importDynamicQuantizeMatMul>(registry, "DynamicQuantizeMatMul");
  addContrib<importQGemm>(registry, "QGemm");
  addContrib<importDynamicQuantizeLSTM>(registry, "DynamicQuantizeLSTM",
                                        "weights only: inputs and states are not rounded to 8 bits");
}
