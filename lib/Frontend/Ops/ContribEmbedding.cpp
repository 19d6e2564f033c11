//===- ContribEmbedding.cpp - Microsoft's embedding layers ----------------===//
//
// Rows of three tables, added up and normalized; and how many tokens of a mask count.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// The parameters of an embedding layer. A table and its reader: rows are gathered before they become real numbers.
struct Embedding {
  using Rows = llvm::function_ref<Value(unsigned table, Value at)>;
  Rows rows; ///< of input `table`, as real numbers
  Value gamma, beta, positions;
};

LogicalResult finishEmbedding(NodeBuilder &node, const Embedding &embedding) {
  ShapeMath math(node);
  Value ids = node.required(0), segments = node.input(1);
  if (!ids || node.rankOf(ids) != 2)
    return node.fail("input_ids need rank 2");
  Value places = embedding.positions ? embedding.positions : math.range(math.dim(ids, 1));
  Value sum = node.add(embedding.rows(2, ids), embedding.rows(3, places));
  if (node.hasInput(4) && segments)
    sum = node.add(sum, embedding.rows(4, segments));
  if (!sum || !embedding.gamma || !embedding.beta)
    return failure();
  Value y = node.make<graph::NormalizeOp>(graph::NormKind::Layer, sum, SmallVector<int64_t>{node.rankOf(sum) - 1},
                                          APFloat(double(node.getFloat("epsilon", 1e-12f))));
  node.setOutput(0, node.add(node.mul(y, embedding.gamma), embedding.beta));
  if (node.wantsOutput(2))
    node.setOutput(2, sum);
  if (!node.wantsOutput(1))
    return success(!node.failed());
  // How many tokens count, for each sequence.
  Type i32 = node.builder().getI32Type();
  Value counts = node.broadcastTo(node.scalarInt(0, i32), math.dim(ids, 0));
  if (Value mask = node.input(7)) {
    Value ones = node.compare(graph::Predicate::Eq, mask, node.scalarInt(1, node.elementOf(mask)));
    counts = node.reduce(graph::ReduceKind::Sum, node.cast(ones, i32), {1}, /*keepDims=*/false);
  }
  node.setOutput(1, counts);
  return success(!node.failed());
}

Value gatherRows(NodeBuilder &node, Value table, Value at) {
  return node.gather(table, node.cast(at, node.builder().getI64Type()), 0);
}

LogicalResult importEmbedLayerNormalization(NodeBuilder &node) {
  auto rows = [&](unsigned table, Value at) { return gatherRows(node, node.required(table), at); };
  return finishEmbedding(node, {rows, node.required(5), node.required(6), node.input(8)});
}

/// The same with tables and parameters of 8 bits: scales from input 8 on, zero points from input 13 on.
LogicalResult importQEmbedLayerNormalization(NodeBuilder &node) {
  auto real = [&](unsigned i, Value x) { return realNumbers(node, x, node.required(i + 6), node.input(i + 11)); };
  auto rows = [&](unsigned table, Value at) { return real(table, gatherRows(node, node.required(table), at)); };
  return finishEmbedding(node, {rows, real(5, node.required(5)), real(6, node.required(6)), {}});
}

} // namespace

void frontend::registerContribEmbedding(OpRegistry &registry) {
  addContrib<importEmbedLayerNormalization>(registry, "EmbedLayerNormalization");
  addContrib<importQEmbedLayerNormalization>(registry, "QEmbedLayerNormalization");
}
