//===- ContribGroupedAttention.cpp - Attention with positions and caches --===//
//
// Pairs of elements are turned by angles of their position; new keys and values go into a cache that may have more
// rows than count.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribAttentionDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using namespace hone::frontend::attention;
using graph::BinaryKind;
using graph::Predicate;

namespace {

//===----------------------------------------------------------------------===//
// RotaryEmbedding
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

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

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

/// The first columns of [B, heads, S, T], as many as the only element of `count` says; the last one again and again
/// where there are fewer.
Value columns(NodeBuilder &node, Value x, Value count) {
  ShapeMath math(node);
  auto wanted = node.constantInts(count);
  if (x && wanted && node.shapeOf(x)[3] == wanted->front())
    return x;
  return node.gather(x, math.min(math.range(count), math.sub(node.dim(x, 3), math.number(1))), 3);
}

/// Which rows of a cache, [., ., ., capacity], a query attends to, as numbers to add to its scores.
Value visibleRows(NodeBuilder &node, Value rows, Value capacity, Value starts, Value ends) {
  int64_t window = node.getInt("local_window_size", -1);
  if (!node.getInt("causal", 1)) {
    if (window >= 0)
      return node.failValue("attribute 'local_window_size' needs causal attention");
    Value held = node.compare(Predicate::Lt, iotaAlong(node, capacity, 3), node.reshapeTo(ends, {-1, 1, 1, 1}));
    return penalty(node, held, std::numeric_limits<float>::lowest());
  }
  Value bias = causalPenalty(node, rows, capacity, starts);
  if (window < 0)
    return bias;
  Value oldest = node.sub(node.add(iotaAlong(node, rows, 2), starts), node.constant({window - 1}));
  // The place itself counts.
  Value inside = node.compare(Predicate::Ge, iotaAlong(node, capacity, 3), oldest);
  return node.select(inside, bias, node.scalarLike(std::numeric_limits<float>::lowest(), bias));
}

/// Root mean square normalization of each head, with one weight for each of its elements.
Value normalizeHeads(NodeBuilder &node, Value x, Value weight) {
  if (!weight)
    return x;
  Value y = node.make<graph::NormalizeOp>(graph::NormKind::Rms, x, SmallVector<int64_t>{3},
                                          APFloat(double(node.getFloat("qk_norm_epsilon", 1e-6f))));
  return node.mul(y, weight);
}

LogicalResult refuseQuantizedCache(NodeBuilder &node) {
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (std::string type = node.getString(name, "NONE"); type != "NONE" && !type.empty())
      return node.fail("attribute '" + name + "' is '" + type + "': quantized caches are not supported");
  return success();
}

LogicalResult importGroupQueryAttention(NodeBuilder &node) {
  ShapeMath math(node);
  Value q = node.required(0), k = node.input(1), v = node.input(2), past = node.input(3), pastValues = node.input(4);
  Value lengths = node.required(5), total = math.integers(node.required(6));
  int64_t heads = node.getInt("num_heads", 0), shared = node.getInt("kv_num_heads", 0);
  if (failed(refuseAttributes(node, {"sliding_window_cache"})) || failed(refuseQuantizedCache(node)) || !q ||
      !lengths || !total)
    return failure();
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
  q = normalizeHeads(node, q, node.input(14)), k = normalizeHeads(node, k, node.input(15));
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

  Value visible = visibleRows(node, rows, capacity, starts, ends);
  Scores scores{node.getFloat("scale", 0), node.getFloat("softcap", 0), visible, node.input(11)};
  // The bias has a column for each row that counts, the cache may have more.
  if (Value bias = node.input(10))
    scores.bias = plus(node, scores.bias, columns(node, bias, capacity));
  if (!scores.sink && node.getInt("smooth_softmax", -1) == 1)
    scores.sink = node.splat(0, node.elementOf(q), {heads});
  Attended attended = attend(node, q, k, v, scores);
  node.setOutput(0, mergeHeads(node, attended.result));
  if (node.wantsOutput(3)) {
    int64_t which = node.getInt("qk_output", 0);
    if (which != 1 && which != 2)
      return node.fail("attribute 'qk_output' is " + Twine(which) + ", but the scores are an output");
    // Rows that do not count have the score 0 there.
    Value zero = node.scalarLike(0, attended.scores);
    Value counts = node.compare(Predicate::Eq, visible, node.scalarLike(0, visible));
    Value output = which == 1 ? node.select(counts, attended.scores, zero) : attended.weights;
    node.setOutput(3, columns(node, output, total));
  }
  return success(!node.failed());
}

} // namespace

void frontend::registerContribGroupedAttention(OpRegistry &registry) {
  addContrib<importRotaryEmbedding>(registry, "RotaryEmbedding", "no scale, no packed batches");
  addContrib<importGroupQueryAttention>(registry, "GroupQueryAttention", "no quantized or sliding caches");
}
