//===- ContribAttention.cpp - Microsoft's attention operators -------------===//
//
// All of them bring queries, keys and values into [B, heads, T, size], add up masks, and call `attend`.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;
using graph::Predicate;

namespace {

/// [B, T, heads * size] as [B, heads, T, size].
Value splitHeads(NodeBuilder &node, Value x, int64_t heads) {
  if (!x || node.rankOf(x) != 3)
    return node.failValue("needs operands of rank 3");
  int64_t width = node.shapeOf(x)[2];
  if (heads < 1 || (!ShapedType::isDynamic(width) && width % heads))
    return node.failValue(Twine(heads) + " heads do not divide a width of " + Twine(width));
  Piece size = ShapedType::isDynamic(width) ? Piece(-1) : Piece(width / heads);
  return node.transpose(node.reshape(x, {node.piece(x, 0), node.piece(x, 1), Piece(heads), size}), {0, 2, 1, 3});
}

Value mergeHeads(NodeBuilder &node, Value x) {
  if (!x)
    return {};
  int64_t heads = node.shapeOf(x)[1], size = node.shapeOf(x)[3];
  bool known = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(size);
  Value rows = node.transpose(x, {0, 2, 1, 3});
  return node.reshape(rows, {node.piece(rows, 0), node.piece(rows, 1), known ? Piece(heads * size) : Piece(-1)});
}

struct Scores {
  double scale = 0;   ///< 0: one over the root of the head size
  double softcap = 0; ///< 0: none
  Value bias;         ///< broadcasts to [B, heads, S, T]; may be null
};

/// softmax(q * k' * scale + bias) * v; several heads of `q` may share one of `k` and `v`.
Value attend(NodeBuilder &node, Value q, Value k, Value v, const Scores &scores) {
  if (!q || !k || !v)
    return {};
  int64_t heads = node.shapeOf(q)[1], shared = node.shapeOf(k)[1], size = node.shapeOf(q)[3];
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(shared) || ShapedType::isDynamic(size) || shared < 1 ||
      heads % shared)
    return node.failValue("the numbers of heads and their size must be known, and fit");
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
  Value weights = node.cast(node.call("Softmax", {wide}, {{"axis", -1}}), element);
  weights = node.reshape(weights, node.shape(products));
  Value y = node.matmul(weights, v);
  return node.reshape(y, node.concat({batch, node.constant({heads}), rows, node.dim(v, 3)}, 0));
}

//===----------------------------------------------------------------------===//
// Masks: numbers to add to the scores
//===----------------------------------------------------------------------===//

Value plus(NodeBuilder &node, Value a, Value b) { return a && b ? node.add(a, b) : (a ? a : b); }

/// `filter` where `keep` is false, else 0, in f32.
Value penalty(NodeBuilder &node, Value keep, double filter) {
  Type f32 = node.builder().getF32Type();
  return node.select(keep, node.scalar(0, f32), node.scalar(filter, f32));
}

/// The numbers 0, 1, ... below the only element of `count`, along dimension `dim` of 4.
Value iotaAlong(NodeBuilder &node, Value count, int64_t dim) {
  SmallVector<Piece> shape(4, Piece(1));
  shape[dim] = Piece(-1);
  return node.reshape(ShapeMath(node).range(count), shape);
}

/// Hides keys behind the query's own place, which is `offset` (a vector of one, or [B, 1, 1, 1]) behind its number.
Value causalPenalty(NodeBuilder &node, Value queries, Value keys, Value offset) {
  Value place = node.add(iotaAlong(node, queries, 2), offset);
  return penalty(node, node.compare(Predicate::Le, iotaAlong(node, keys, 3), place),
                 std::numeric_limits<float>::lowest());
}

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

/// Parts of the last dimension, `sizes` wide.
SmallVector<Value> splitLast(NodeBuilder &node, Value x, ArrayRef<int64_t> sizes) {
  SmallVector<Value> parts;
  int64_t at = 0, last = node.rankOf(x) - 1;
  for (int64_t size : sizes) {
    parts.push_back(node.slice(x, at, at + size, last));
    at += size;
  }
  return parts;
}

LogicalResult refuseAttributes(NodeBuilder &node, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (node.getInt(name, 0) != 0)
      return node.fail("attribute '" + name + "' is not supported");
  return success();
}

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
  Scores scores{node.getFloat("scale", 0), 0, plus(node, maskPenalty(node, mask, node.dim(projected, 0), keys), bias)};
  if (node.getInt("unidirectional", 0))
    scores.bias = plus(node, scores.bias, causalPenalty(node, node.dim(projected, 1), keys, before));
  node.setOutput(0, mergeHeads(node, attend(node, parts[0], parts[1], parts[2], scores)));
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
  int64_t heads = node.shapeOf(part)[2], size = node.shapeOf(part)[3];
  bool known = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(size);
  return node.reshape(part, {node.piece(part, 0), node.piece(part, 1), known ? Piece(heads * size) : Piece(-1)});
}

LogicalResult importMultiHeadAttention(NodeBuilder &node) {
  Value q = node.required(0), k = node.input(1), v = node.input(2), bias = node.input(3);
  int64_t heads = node.getInt("num_heads", 0);
  if (node.hasInput(9))
    return node.fail("input 'cache_indirection' is not supported");
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
  Scores scores{node.getFloat("scale", 0), 0,
                plus(node, maskPenalty(node, node.input(4), node.dim(q, 0), keys), node.input(5))};
  if (node.getInt("unidirectional", 0))
    scores.bias = plus(node, scores.bias, causalPenalty(node, node.dim(q, 2), keys, before));
  node.setOutput(0, mergeHeads(node, attend(node, q, k, v, scores)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding, GroupQueryAttention
//===----------------------------------------------------------------------===//

/// Turns the pairs of `x` ([B, heads, S, size]) by the angles of `positions` ([B or 1, S]).
Value rotate(NodeBuilder &node, Value x, Value positions, Value cosines, Value sines, bool interleaved) {
  if (!x || !positions || !cosines || !sines || node.rankOf(cosines) != 2)
    return node.failValue("needs tables of cosines and sines of rank 2");
  int64_t size = node.shapeOf(x)[3], half = node.shapeOf(cosines)[1];
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(half) || 2 * half > size)
    return node.failValue("the size of a head must be known, and at least twice that of the tables");
  auto rows = [&](Value table) {
    return node.cast(node.unsqueeze(node.gather(table, positions, 0), {1}), node.elementOf(x));
  };
  Value c = rows(cosines), s = rows(sines);
  auto part = [&](int64_t begin, int64_t end, int64_t step) { return node.slice(x, {begin}, {end}, {step}, {3}); };
  Value a = interleaved ? part(0, 2 * half, 2) : part(0, half, 1);
  Value b = interleaved ? part(1, 2 * half, 2) : part(half, 2 * half, 1);
  Value left = node.sub(node.mul(a, c), node.mul(b, s)), right = node.add(node.mul(b, c), node.mul(a, s));
  SmallVector<Value> parts{left, right};
  if (interleaved) {
    Value pairs = node.concat({node.unsqueeze(left, {4}), node.unsqueeze(right, {4})}, 4);
    parts = {node.reshape(pairs, {node.piece(x, 0), node.piece(x, 1), node.piece(x, 2), Piece(2 * half)})};
  }
  if (2 * half < size)
    parts.push_back(part(2 * half, size, 1));
  return node.failed() ? Value() : node.concat(parts, 3);
}

LogicalResult importRotaryEmbedding(NodeBuilder &node) {
  Value x = node.required(0), positions = node.required(1), cosines = node.required(2), sines = node.required(3);
  if (failed(refuseAttributes(node, {"is_packed_batching"})) || !x || !positions || !cosines || !sines)
    return failure();
  if (node.getFloat("scale", 1.0f) != 1.0f)
    return node.fail("attribute 'scale' is not supported");
  bool flat = node.rankOf(x) == 3;
  int64_t heads = node.getInt("num_heads", 0);
  if (flat && !heads) {
    int64_t width = node.shapeOf(x)[2], half = node.rankOf(cosines) == 2 ? node.shapeOf(cosines)[1] : 0;
    if (ShapedType::isDynamic(width) || half < 1)
      return node.fail("the width and the size of the tables must be known without 'num_heads'");
    heads = width / (2 * half);
  }
  Value split = flat ? splitHeads(node, x, heads) : x;
  if (!split || node.rankOf(split) != 4)
    return node.fail("needs an input of rank 3 or 4");
  if (node.rankOf(positions) < 2) {
    Value all = ShapeMath(node).range(node.dim(split, 2));
    positions = node.unsqueeze(node.add(all, node.vectorOf(positions)), {0});
  }
  Value y = rotate(node, split, positions, cosines, sines, node.getInt("interleaved", 0) != 0);
  node.setOutput(0, flat ? mergeHeads(node, y) : y);
  return success(!node.failed());
}

/// The cache with new rows: row t of the result is row t of `past` before `start` ([B, 1, 1, 1]), then `fresh`.
Value updateCache(NodeBuilder &node, Value past, Value fresh, Value start, Value capacity) {
  if (!past)
    return fresh;
  Value both = node.concat({past, fresh}, 2), rows = iotaAlong(node, capacity, 2), held = node.dim(past, 2);
  Value added = node.dim(fresh, 2);
  Value isNew = node.binary(BinaryKind::And, node.compare(Predicate::Ge, rows, start),
                            node.compare(Predicate::Lt, rows, node.add(start, added)));
  Value kept = node.min(rows, node.sub(node.add(held, added), node.constant({1})));
  Value from = node.select(isNew, node.add(node.sub(rows, start), held), kept);
  Value shape = node.concat({node.dim(both, 0), node.dim(both, 1), capacity, node.dim(both, 3)}, 0);
  return node.make<graph::GatherElementsOp>(both, node.broadcastTo(from, shape), 2);
}

LogicalResult importGroupQueryAttention(NodeBuilder &node) {
  ShapeMath math(node);
  Value q = node.required(0), k = node.input(1), v = node.input(2), past = node.input(3), pastValues = node.input(4);
  Value lengths = node.required(5), total = math.integers(node.required(6));
  int64_t heads = node.getInt("num_heads", 0), shared = node.getInt("kv_num_heads", 0);
  if (failed(refuseAttributes(node, {"smooth_softmax", "qk_output", "k_quant_type", "v_quant_type"})) || !q ||
      !lengths || !total)
    return failure();
  if (node.hasInput(11))
    return node.fail("input 'head_sink' is not supported");
  if (heads < 1 || shared < 1 || heads % shared)
    return node.fail("attributes 'num_heads' and 'kv_num_heads' do not fit");
  if (!k) {
    int64_t width = node.rankOf(q) == 3 ? node.shapeOf(q)[2] : 0;
    if (width < 1 || width % (heads + 2 * shared))
      return node.fail("packed queries, keys and values need a known width that the heads divide");
    int64_t size = width / (heads + 2 * shared);
    auto parts = splitLast(node, q, {heads * size, shared * size, shared * size});
    q = parts[0], k = parts[1], v = parts[2];
  }
  q = splitHeads(node, q, heads), k = splitHeads(node, k, shared), v = splitHeads(node, v, shared);
  if (node.failed())
    return failure();

  // Where the new rows of each sequence start.
  Value rows = node.dim(q, 2);
  Value ends = node.add(node.cast(node.vectorOf(lengths), node.builder().getI64Type()), node.constant({1}));
  Value isPrompt = node.compare(Predicate::Eq, rows, total);
  Value start = node.select(isPrompt, node.constant(ArrayRef<int64_t>{0}), node.sub(ends, rows));
  Value starts = node.reshapeTo(start, {-1, 1, 1, 1});
  if (node.getInt("do_rotary", 0)) {
    Value positions = node.input(9);
    if (!positions)
      positions = node.add(node.reshapeTo(start, {-1, 1}), node.unsqueeze(math.range(rows), {0}));
    bool interleaved = node.getInt("rotary_interleaved", 0) != 0;
    q = rotate(node, q, positions, node.required(7), node.required(8), interleaved);
    k = rotate(node, k, positions, node.required(7), node.required(8), interleaved);
  }
  Value capacity = past ? math.max(node.dim(past, 2), total) : rows;
  k = updateCache(node, past, k, starts, capacity);
  v = updateCache(node, pastValues, v, starts, capacity);
  if (node.failed())
    return failure();
  if (node.wantsOutput(1))
    node.setOutput(1, k);
  if (node.wantsOutput(2))
    node.setOutput(2, v);

  Scores scores{node.getFloat("scale", 0), node.getFloat("softcap", 0), causalPenalty(node, rows, capacity, starts)};
  if (int64_t window = node.getInt("local_window_size", -1); window >= 0) {
    Value oldest = node.sub(node.add(iotaAlong(node, rows, 2), starts), node.constant({window - 1}));
    // The place itself counts.
    Value inside = node.compare(Predicate::Ge, iotaAlong(node, capacity, 3), oldest);
    scores.bias = node.select(inside, scores.bias, node.scalarLike(std::numeric_limits<float>::lowest(), scores.bias));
  }
  scores.bias = plus(node, scores.bias, node.input(10));
  node.setOutput(0, mergeHeads(node, attend(node, q, k, v, scores)));
  return success(!node.failed());
}

} // namespace

void frontend::registerContribAttention(OpRegistry &registry) {
  registry.add(kContribDomain, "Attention", importAttention, "no rotary embedding, shared buffers or masks of rank 4");
  registry.add(kContribDomain, "QAttention", importQAttention,
               "no rotary embedding, shared buffers or masks of rank 4");
  registry.add(kContribDomain, "MultiHeadAttention", importMultiHeadAttention,
               "no cumulated lengths, beam search or output of the scores");
  registry.add(kContribDomain, "RotaryEmbedding", importRotaryEmbedding, "no scale, no packed batches");
  registry.add(kContribDomain, "GroupQueryAttention", importGroupQueryAttention,
               "no smooth softmax, sinks, quantized caches or output of the scores");
}
