//===- ContribAttention.cpp - Microsoft's attention operators -------------===//
//
// All of them bring queries, keys and values into [B, heads, T, size], add up masks, and call `attend`.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribAttentionDetail.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using namespace hone::frontend::attention;
using graph::BinaryKind;
using graph::Predicate;

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

Value attention::splitHeads(NodeBuilder &node, Value x, int64_t heads) {
  if (!x || node.rankOf(x) != 3)
    return node.failValue("needs operands of rank 3");
  int64_t width = node.shapeOf(x)[2];
  if (heads < 1 || (!ShapedType::isDynamic(width) && width % heads))
    return node.failValue(Twine(heads) + " heads do not divide a width of " + Twine(width));
  Piece size = ShapedType::isDynamic(width) ? Piece(-1) : Piece(width / heads);
  return node.transpose(node.reshape(x, {node.piece(x, 0), node.piece(x, 1), Piece(heads), size}), {0, 2, 1, 3});
}

Value attention::mergeHeads(NodeBuilder &node, Value x) {
  if (!x)
    return {};
  int64_t heads = node.shapeOf(x)[1], size = node.shapeOf(x)[3];
  bool known = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(size);
  Value rows = node.transpose(x, {0, 2, 1, 3});
  return node.reshape(rows, {node.piece(rows, 0), node.piece(rows, 1), known ? Piece(heads * size) : Piece(-1)});
}

SmallVector<Value> attention::splitLast(NodeBuilder &node, Value x, ArrayRef<int64_t> sizes) {
  SmallVector<Value> parts;
  int64_t at = 0, last = node.rankOf(x) - 1;
  for (int64_t size : sizes) {
    parts.push_back(node.slice(x, at, at + size, last));
    at += size;
  }
  return parts;
}

/// softmax(`scores`) along the last dimension of [B, heads, S, T].
static Value weigh(NodeBuilder &node, Value scores, Value sink) {
  if (!sink)
    return node.call("Softmax", {scores}, {{"axis", -1}});
  Value column = node.reshapeTo(node.cast(sink, node.elementOf(scores)), {1, -1, 1, 1});
  Value shape = node.concat({node.dim(scores, 0), node.dim(scores, 1), node.dim(scores, 2), node.constant({1})}, 0);
  Value all = node.concat({scores, node.broadcastTo(column, shape)}, 3);
  Value weights = node.call("Softmax", {all}, {{"axis", -1}});
  return weights ? node.slice(weights, 0, -1, 3) : Value();
}

Attended attention::attend(NodeBuilder &node, Value q, Value k, Value v, const Scores &scores) {
  if (!q || !k || !v)
    return {};
  auto failed = [&](const Twine &message) { return Attended{node.failValue(message), {}, {}}; };
  int64_t heads = node.shapeOf(q)[1], shared = node.shapeOf(k)[1], size = node.shapeOf(q)[3];
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(shared) || ShapedType::isDynamic(size) || shared < 1 ||
      heads % shared)
    return failed("the numbers of heads and their size must be known, and fit");
  double scale = scores.scale != 0 ? scores.scale : 1 / std::sqrt(double(size));
  Value batch = node.dim(q, 0), rows = node.dim(q, 2);
  Type element = node.elementOf(q);
  // Heads that share keys are rows of one product.
  Value grouped = node.reshape(q, node.concat({batch, node.constant({shared}),
                                               node.mul(rows, node.constant({heads / shared})), node.constant({size})},
                                              0));
  Value products = node.matmul(grouped, node.transpose(k, {0, 1, 3, 2}));
  Value all = node.reshape(products, node.concat({batch, node.constant({heads}), rows, node.dim(k, 2)}, 0));
  Value wide = node.widen(all);
  wide = node.mul(wide, node.scalarLike(scale, wide));
  if (scores.softcap != 0)
    wide = node.mul(node.unary(graph::UnaryKind::Tanh, node.div(wide, node.scalarLike(scores.softcap, wide))),
                    node.scalarLike(scores.softcap, wide));
  if (scores.bias)
    wide = node.add(wide, node.cast(scores.bias, node.elementOf(wide)));
  Value weights = node.cast(weigh(node, wide, scores.sink), element);
  Value y = node.matmul(node.reshape(weights, node.shape(products)), v);
  y = node.reshape(y, node.concat({batch, node.constant({heads}), rows, node.dim(v, 3)}, 0));
  return {y, node.cast(wide, element), weights};
}

//===----------------------------------------------------------------------===//
// Masks: numbers to add to the scores
//===----------------------------------------------------------------------===//

Value attention::plus(NodeBuilder &node, Value a, Value b) { return a && b ? node.add(a, b) : (a ? a : b); }

Value attention::penalty(NodeBuilder &node, Value keep, double filter) {
  Type f32 = node.builder().getF32Type();
  return node.select(keep, node.scalar(0, f32), node.scalar(filter, f32));
}

Value attention::iotaAlong(NodeBuilder &node, Value count, int64_t dim) {
  SmallVector<Piece> shape(4, Piece(1));
  shape[dim] = Piece(-1);
  return node.reshape(ShapeMath(node).range(count), shape);
}

Value attention::causalPenalty(NodeBuilder &node, Value queries, Value keys, Value offset) {
  Value place = node.add(iotaAlong(node, queries, 2), offset);
  return penalty(node, node.compare(Predicate::Le, iotaAlong(node, keys, 3), place),
                 std::numeric_limits<float>::lowest());
}

namespace {

/// The mask operand of Attention and MultiHeadAttention: lengths [B], lengths and starts [2 B], or what is kept as
/// [B, T] or [B, S, T].
Value maskPenalty(NodeBuilder &node, Value mask, Value batch, Value keys) {
  if (!mask)
    return {};
  double filter = node.getFloat("mask_filter_value", -10000.0f);
  int64_t rank = node.rankOf(mask);
  if (rank == 2 || rank == 3) {
    Value keep = node.compare(Predicate::Gt, mask, node.scalarInt(0, node.elementOf(mask)));
    return penalty(node, node.unsqueeze(keep, rank == 2 ? ArrayRef<int64_t>{1, 2} : ArrayRef<int64_t>{1}), filter);
  }
  if (rank != 1)
    return node.failValue("a mask of rank " + Twine(rank) +
                          " is not supported; lengths, [batch, keys] and [batch, "
                          "queries, keys] are");
  auto counts = node.constantInts(batch);
  int64_t entries = node.shapeOf(mask)[0];
  int64_t per = counts && !ShapedType::isDynamic(entries) && counts->front() > 0 ? entries / counts->front() : 1;
  if (per > 2)
    return node.failValue("a mask of cumulated lengths is not supported");
  Value all = node.cast(mask, node.builder().getI64Type()), place = iotaAlong(node, keys, 3);
  auto column = [&](Value v) { return node.reshapeTo(v, {-1, 1, 1, 1}); };
  if (per == 1)
    return penalty(node, node.compare(Predicate::Lt, place, column(all)), filter);
  int64_t n = counts->front();
  Value before = node.compare(Predicate::Lt, place, column(node.slice(all, 0, n, 0)));
  Value behind = node.compare(Predicate::Ge, place, column(node.slice(all, n, 2 * n, 0)));
  return penalty(node, node.binary(BinaryKind::And, before, behind), filter);
}

//===----------------------------------------------------------------------===//
// Attention, QAttention
//===----------------------------------------------------------------------===//

/// What follows the projection, [B, S, q + k + v]; `past` is [2, B, heads, P, size].
LogicalResult finishAttention(NodeBuilder &node, Value projected, Value mask, Value past, Value bias) {
  if (!projected || node.rankOf(projected) != 3)
    return node.fail("needs an input of rank 3");
  int64_t heads = node.getInt("num_heads", 0), width = node.shapeOf(projected)[2];
  if (ShapedType::isDynamic(width))
    return node.fail("the width of the weights must be known");
  auto sizes = node.getInts("qkv_hidden_sizes").value_or(SmallVector<int64_t>(3, width / 3));
  if (sizes.size() != 3 || sizes[0] < 1 || sizes[1] != sizes[0] || sizes[2] < 1 ||
      sizes[0] + sizes[1] + sizes[2] != width)
    return node.fail("attribute 'qkv_hidden_sizes' does not fit weights of width " + Twine(width));
  auto parts =
      llvm::map_to_vector(splitLast(node, projected, sizes), [&](Value v) { return splitHeads(node, v, heads); });
  if (node.failed())
    return failure();
  Value before = node.constant(ArrayRef<int64_t>{0});
  if (past) {
    for (int64_t i : {0, 1})
      parts[i + 1] = node.concat({node.squeeze(node.slice(past, i, i + 1, 0), {0}), parts[i + 1]}, 2);
    before = node.dim(past, 3);
  }
  if (node.wantsOutput(1))
    node.setOutput(1, node.concat({node.unsqueeze(parts[1], {0}), node.unsqueeze(parts[2], {0})}, 0));
  Value keys = node.dim(parts[1], 2);
  Scores scores{
      node.getFloat("scale", 0), 0, plus(node, maskPenalty(node, mask, node.dim(projected, 0), keys), bias), {}};
  if (node.getInt("unidirectional", 0))
    scores.bias = plus(node, scores.bias, causalPenalty(node, node.dim(projected, 1), keys, before));
  node.setOutput(0, mergeHeads(node, attend(node, parts[0], parts[1], parts[2], scores).result));
  return success(!node.failed());
}

LogicalResult importAttention(NodeBuilder &node) {
  if (failed(refuseAttributes(node, {"do_rotary", "past_present_share_buffer"})))
    return failure();
  Value projected = node.matmul(node.required(0), node.required(1));
  if (Value bias = node.input(2))
    projected = node.add(projected, bias);
  return finishAttention(node, projected, node.input(3), node.input(4), node.input(5));
}

LogicalResult importQAttention(NodeBuilder &node) {
  if (failed(refuseAttributes(node, {"do_rotary", "past_present_share_buffer"})))
    return failure();
  Value a = withoutZeroPoint(node, node.required(0), node.input(6));
  Value b = withoutZeroPoint(node, node.required(1), node.input(7));
  Value scale = node.mul(node.scalarOf(node.required(3)), node.required(4));
  Value product = node.cast(node.matmul(a, b, node.builder().getI32Type()), node.elementOf(scale));
  Value projected = node.add(node.mul(product, scale), node.required(2));
  return finishAttention(node, projected, node.input(5), node.input(8), {});
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Element `i` of dimension 3 of [B, T, heads, n, size], as [B, T, heads * size].
Value unpacked(NodeBuilder &node, Value packed, int64_t i) {
  Value part = node.squeeze(node.slice(packed, i, i + 1, 3), {3});
  if (!part)
    return {};
  int64_t heads = node.getInt("num_heads", 0), size = node.shapeOf(part)[3];
  Piece width = ShapedType::isDynamic(size) ? Piece(-1) : Piece(heads * size);
  return node.reshape(part, {node.piece(part, 0), node.piece(part, 1), width});
}

LogicalResult importMultiHeadAttention(NodeBuilder &node) {
  Value q = node.required(0), k = node.input(1), v = node.input(2), bias = node.input(3);
  int64_t heads = node.getInt("num_heads", 0);
  if (q && node.rankOf(q) == 5) {
    Value packed = q;
    q = unpacked(node, packed, 0), k = unpacked(node, packed, 1), v = unpacked(node, packed, 2);
  } else if (k && node.rankOf(k) == 5) {
    Value packed = k;
    k = unpacked(node, packed, 0), v = unpacked(node, packed, 1);
  }
  if (!q || !k || !v)
    return node.fail("needs queries, keys and values");
  bool ready = node.rankOf(k) == 4;
  if (bias) {
    int64_t width = node.shapeOf(q)[2], total = node.shapeOf(bias)[0];
    if (ready || ShapedType::isDynamic(width) || ShapedType::isDynamic(total))
      return node.fail("a bias needs keys of rank 3 and a known width");
    auto parts = splitLast(node, bias, {width, width, total - 2 * width});
    q = node.add(q, parts[0]), k = node.add(k, parts[1]), v = node.add(v, parts[2]);
  }
  q = splitHeads(node, q, heads);
  if (!ready)
    k = splitHeads(node, k, heads), v = splitHeads(node, v, heads);
  Value before = node.constant(ArrayRef<int64_t>{0});
  if (Value past = node.input(6)) {
    before = node.dim(past, 2);
    k = node.concat({past, k}, 2), v = node.concat({node.required(7), v}, 2);
  }
  if (node.failed())
    return failure();
  if (node.wantsOutput(1))
    node.setOutput(1, k);
  if (node.wantsOutput(2))
    node.setOutput(2, v);
  Value keys = node.dim(k, 2);
  Scores scores{node.getFloat("scale", 0),
                0,
                plus(node, maskPenalty(node, node.input(4), node.dim(q, 0), keys), node.input(5)),
                {}};
  if (node.getInt("unidirectional", 0))
    scores.bias = plus(node, scores.bias, causalPenalty(node, node.dim(q, 2), keys, before));
  Attended attended = attend(node, q, k, v, scores);
  node.setOutput(0, mergeHeads(node, attended.result));
  if (node.wantsOutput(3))
    node.setOutput(3, attended.scores);
  return success(!node.failed());
}

} // namespace

void frontend::registerContribAttention(OpRegistry &registry) {
  constexpr StringLiteral limits = "no rotary embedding, shared buffers or masks of rank 4";
  addContrib<importAttention>(registry, "Attention", limits);
  addContrib<importQAttention>(registry, "QAttention", limits);
  addContrib<importMultiHeadAttention>(registry, "MultiHeadAttention",
                                       "no cumulated lengths, shared buffers or beam search");
}
