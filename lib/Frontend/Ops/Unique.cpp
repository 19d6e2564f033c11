//===- Unique.cpp - Unique as sorts, nonzero and scatters -----------------===//
//
// Equal rows are neighbours after a stable sort; the first of each run is a unique row, and stability
// makes it the row's first occurrence. Rows of several elements are sorted column by column, from
// the last to the first.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/SelectionDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

/// Positions that sort the vector `key` ascending, equal elements in order.
static Value sortingOrder(NodeBuilder &node, Value key) {
  auto sorted = node.makeOp<graph::TopKOp>(key, node.dim(key, 0), 0, /*largest=*/false);
  return sorted ? Value(sorted.getIndices()) : Value();
}

/// Positions that sort the rows of `rows` ([n, m]) lexicographically.
static Value sortingOrderOfRows(NodeBuilder &node, Value rows) {
  ShapeMath math(node);
  Value start = math.range(math.dim(rows, 0)), columns = node.scalarOf(math.dim(rows, 1));
  if (!start || !columns)
    return {};
  OpBuilder &builder = node.builder();
  Type i64 = builder.getI64Type();
  auto orderType = RankedTensorType::get({node.shapeOf(rows)[0]}, i64);
  auto always = builder.getBoolAttr(true);
  Value go = node.constant(DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()), always.getValue()));
  if (start.getType() != orderType)
    orderType = node.typeOf(start);
  auto loop = graph::LoopOp::create(builder, node.loc(), TypeRange{orderType}, columns, go, ValueRange{start});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&loop.getBody(), {}, {columns.getType(), orderType}, {node.loc(), node.loc()});
  Value trip = body->getArgument(0), order = body->getArgument(1);
  Value column = node.sub(node.sub(columns, node.scalarI64(1)), trip);
  Value key = node.gather(node.gather(rows, column, 1), order, 0);
  Value next = node.gather(order, sortingOrder(node, key), 0);
  if (!next)
    return {};
  graph::YieldOp::create(builder, node.loc(), ValueRange{go, next});
  return loop.getResult(0);
}

namespace {
/// Unique rows in one order: `firsts` and `counts` per unique row, `inverse` per row.
struct UniqueRows {
  Value firsts, counts, inverse;
};
} // namespace

/// Unique rows in the order of the sort.
static UniqueRows findUnique(NodeBuilder &node, Value rows) {
  ShapeMath math(node);
  bool single = node.rankOf(rows) == 1;
  Value order = single ? sortingOrder(node, rows) : sortingOrderOfRows(node, rows);
  Value sorted = node.gather(rows, order, 0), all = math.range(math.dim(rows, 0));
  Value zero = node.scalarI64(0), one = node.scalarI64(1);
  Value before = node.gather(sorted, node.max(node.sub(all, one), zero), 0);
  Value differs = node.compare(graph::Predicate::Ne, sorted, before);
  if (!single)
    differs = node.reduce(graph::ReduceKind::Any, differs, {1}, /*keepDims=*/false);
  Value isFirst = node.binary(graph::BinaryKind::Or, differs, node.compare(graph::Predicate::Eq, all, zero));

  Value group =
      node.make<graph::ScanOp>(graph::ScanKind::Add, node.cast(isFirst, node.builder().getI64Type()), 0, false, false);
  group = node.sub(group, one);
  UniqueRows result;
  result.firsts = node.gather(order, positionsOfTrue(node, isFirst), 0);
  Value none = node.broadcastTo(zero, node.shape(result.firsts)), shape = math.shape(all);
  result.counts =
      node.make<graph::ScatterElementsOp>(graph::ScatterKind::Add, none, group, node.broadcastTo(one, shape), 0);
  result.inverse =
      node.make<graph::ScatterElementsOp>(graph::ScatterKind::Assign, node.broadcastTo(zero, shape), order, group, 0);
  return result;
}

/// `unique` in order of first occurrence.
static UniqueRows inOrderOfOccurrence(NodeBuilder &node, UniqueRows unique) {
  ShapeMath math(node);
  Value order = sortingOrder(node, unique.firsts);
  Value none = node.broadcastTo(node.scalarI64(0), node.shape(unique.firsts));
  Value place = node.make<graph::ScatterElementsOp>(graph::ScatterKind::Assign, none, order,
                                                    math.range(node.dim(unique.firsts, 0)), 0);
  return {node.gather(unique.firsts, order, 0), node.gather(unique.counts, order, 0),
          node.gather(place, unique.inverse, 0)};
}

LogicalResult frontend::importUnique(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t axis = 0, rank = node.rankOf(x);
  Value source = x, rows;
  if (node.hasAttribute("axis")) {
    auto given = node.normalizeAxis(node.getInt("axis", 0), rank);
    if (!given)
      return failure();
    axis = *given;
    SmallVector<int64_t> perm = {axis};
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis)
        perm.push_back(d);
    Value front = node.transpose(x, perm);
    rows = rank == 1
               ? x
               : node.reshape(front,
                              math.concat({math.dim(x, axis), math.product(math.part(math.shape(front), 1, rank))}));
  } else {
    source = rows = node.vectorOf(x);
  }
  // Bools are sorted as numbers.
  if (rows && node.isBool(rows))
    rows = node.cast(rows, node.builder().getIntegerType(32));
  UniqueRows unique = findUnique(node, rows);
  if (node.getInt("sorted", 1) == 0)
    unique = inOrderOfOccurrence(node, unique);
  if (node.wantsOutput(0))
    node.setOutput(0, node.gather(source, unique.firsts, axis));
  if (node.wantsOutput(1))
    node.setOutput(1, unique.firsts);
  if (node.wantsOutput(2))
    node.setOutput(2, unique.inverse);
  if (node.wantsOutput(3))
    node.setOutput(3, unique.counts);
  return success(!node.failed());
}
