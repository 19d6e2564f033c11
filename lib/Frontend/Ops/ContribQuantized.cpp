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

namespace {

//===----------------------------------------------------------------------===//
// Real numbers in, real numbers out
//===----------------------------------------------------------------------===//

/// Inputs i, i + 1 and i + 2 (a tensor, its scale, its zero point or nothing) as real numbers.
Value realInput(NodeBuilder &node, unsigned i) {
  Value x = node.required(i), scale = node.required(i + 1), zero = node.input(i + 2);
  if (!x || !scale)
    return {};
  Type f32 = node.builder().getF32Type();
  return node.make<graph::DequantizeOp>(x, node.scalarOf(scale), Optional(zero ? node.scalarOf(zero) : Value()), f32,
                                        /*axis=*/0, /*block=*/0);
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
  int64_t rank = node.rankOf(x);
  if (!x || rank < 3 || !node.getInt("channels_last", 0))
    return compute(x);
  SmallVector<int64_t> toFirst{0, rank - 1}, toLast{0};
  for (int64_t d = 2; d < rank; ++d) {
    toFirst.push_back(d - 1);
    toLast.push_back(d);
  }
  toLast.push_back(1);
  Value y = compute(node.transpose(x, toFirst));
  return y ? node.transpose(y, toLast) : y;
}

/// A pool of real numbers; the attributes are those of the operator `opType`.
LogicalResult importQLinearPool(NodeBuilder &node, StringRef opType) {
  Value y = withChannelsFirst(node, realInput(node, 0), [&](Value x) { return node.call(opType, {x}); });
  return setQuantized(node, y, 3);
}

LogicalResult importQLinearAveragePool(NodeBuilder &node) { return importQLinearPool(node, "AveragePool"); }
LogicalResult importQLinearGlobalAveragePool(NodeBuilder &node) { return importQLinearPool(node, "GlobalAveragePool"); }

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
// Weights of few bits
//===----------------------------------------------------------------------===//

/// Numbers of `bits` bits in the bytes of [N, M], lowest first, as [N, M * 8 / bits].
Value unpackBits(NodeBuilder &node, Value bytes, int64_t bits) {
  if (bits == 8 || !bytes)
    return bytes;
  Type element = node.elementOf(bytes);
  Value mask = node.scalarInt((1 << bits) - 1, element);
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value shifted = node.binary(BinaryKind::Shr, bytes, node.scalarInt(shift, element));
    parts.push_back(node.unsqueeze(node.binary(BinaryKind::And, shifted, mask), {2}));
  }
  return node.reshapeTo(node.concat(parts, 2), {node.shapeOf(bytes)[0], -1});
}

LogicalResult importMatMulNBits(NodeBuilder &node) {
  Value a = node.required(0), packed = node.required(1), scales = node.required(2), zeros = node.input(3);
  int64_t k = node.getInt("K", 0), n = node.getInt("N", 0), bits = node.getInt("bits", 4);
  int64_t block = node.getInt("block_size", 0);
  if (!a || !packed || !scales)
    return failure();
  if (bits != 2 && bits != 4 && bits != 8)
    return node.fail("attribute 'bits' is " + Twine(bits) + ", not 2, 4 or 8");
  if (k < 1 || n < 1 || block < 16 || block > (1 << 20) || k > INT32_MAX || n > INT32_MAX)
    return node.fail("attributes 'K', 'N' and 'block_size' are missing or out of range");
  if (node.hasInput(4))
    return node.fail("input 'g_idx' is not supported");
  int64_t blocks = (k + block - 1) / block, bytes = block * bits / 8;
  auto elements = [&](Value v) { return node.typeOf(v).hasStaticShape() ? node.typeOf(v).getNumElements() : -1; };
  if (elements(packed) != n * blocks * bytes || elements(scales) != n * blocks)
    return node.fail("operands 'B' and 'scales' need " + Twine(n * blocks * bytes) + " and " + Twine(n * blocks) +
                     " elements");
  Type element = node.elementOf(scales);
  auto perBlock = [&](Value v) { return node.reshapeTo(v, {n, blocks, 1}); };
  Value offset = node.scalar(1 << (bits - 1), element);
  if (zeros) {
    bool isPacked = !node.isFloat(zeros);
    int64_t row = isPacked ? (blocks * bits + 7) / 8 : blocks;
    if (elements(zeros) != n * row)
      return node.fail("operand 'zero_points' needs " + Twine(n * row) + " elements");
    Value rows = node.reshapeTo(zeros, {n, row});
    offset = perBlock(node.slice(isPacked ? unpackBits(node, rows, bits) : rows, 0, blocks, 1));
    offset = node.cast(offset, element);
  }
  Value whole = unpackBits(node, node.reshapeTo(packed, {n, blocks * bytes}), bits);
  Value weights = node.cast(node.reshapeTo(whole, {n, blocks, block}), element);
  weights = node.mul(node.sub(weights, offset), perBlock(scales));
  weights = node.slice(node.reshapeTo(weights, {n, blocks * block}), 0, k, 1);
  Value y = node.matmul(a, node.cast(node.transpose(weights, {1, 0}), node.elementOf(a)));
  if (Value bias = node.input(5))
    y = node.add(y, bias);
  node.setOutput(0, y);
  return success(!node.failed());
}

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
  registry.add(kContribDomain, "QLinearAdd", importQLinearBinary<BinaryKind::Add>);
  registry.add(kContribDomain, "QLinearMul", importQLinearBinary<BinaryKind::Mul>);
  registry.add(kContribDomain, "QLinearSigmoid", importQLinearSigmoid);
  registry.add(kContribDomain, "QLinearLeakyRelu", importQLinearLeakyRelu);
  registry.add(kContribDomain, "QLinearSoftmax", importQLinearSoftmax);
  registry.add(kContribDomain, "QLinearConcat", importQLinearConcat);
  registry.add(kContribDomain, "QLinearWhere", importQLinearWhere);
  registry.add(kContribDomain, "QLinearAveragePool", importQLinearAveragePool);
  registry.add(kContribDomain, "QLinearGlobalAveragePool", importQLinearGlobalAveragePool);
  registry.add(kContribDomain, "QLinearConv", importQLinearConv);
  registry.add(kContribDomain, "MatMulIntegerToFloat", importMatMulIntegerToFloat);
  registry.add(kContribDomain, "DynamicQuantizeMatMul", importDynamicQuantizeMatMul);
  registry.add(kContribDomain, "QGemm", importQGemm);
  registry.add(kContribDomain, "MatMulNBits", importMatMulNBits, "no g_idx; computes in the type of A");
  registry.add(kContribDomain, "DynamicQuantizeLSTM", importDynamicQuantizeLSTM,
               "weights only: inputs and states are not rounded to 8 bits");
}
