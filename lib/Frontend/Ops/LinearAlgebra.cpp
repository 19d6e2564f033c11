//===- LinearAlgebra.cpp - Det --------------------------------------------===//

#include "lib/Frontend/NodeBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::Predicate;

/// Elimination is spelled out step by step; larger matrices are not what determinants are taken of in networks.
static constexpr int64_t kMaxOrder = 64;

namespace {

/// Gaussian elimination with partial pivoting on [batch, n, n].
class Elimination {
public:
  Elimination(NodeBuilder &node, Value matrices) : node(node), rest(matrices) {}

  Value determinant(int64_t order) {
    Value result = step();
    for (int64_t k = 1; k < order; ++k)
      result = node.mul(result, step());
    return result;
  }

private:
  /// Eliminates the first column of `rest`; the factor it contributes, [batch].
  Value step() {
    if (!rest)
      return {};
    Value zero = node.scalarLike(0, rest), one = node.scalarLike(1, rest), minusOne = node.scalarLike(-1, rest);
    Value column = node.squeeze(node.slice(rest, 0, 1, 2), {2});
    Value size = node.unary(graph::UnaryKind::Abs, column);
    Value best = node.make<graph::ArgReduceOp>(graph::ArgKind::Max, size, 1, /*keepDims=*/true, /*last=*/false);
    Value rows = node.make<graph::RangeOp>(node.scalarI64(0), node.scalarOf(node.dim(rest, 1)), node.scalarI64(1));
    Value isPivot = node.unsqueeze(node.compare(Predicate::Eq, rows, best), {2});

    Value pivotRow = node.reduce(graph::ReduceKind::Sum, node.select(isPivot, rest, zero), {1}, /*keepDims=*/true);
    Value pivot = node.slice(pivotRow, 0, 1, 2);
    Value first = node.slice(rest, 0, 1, 1);
    Value swapped = node.select(isPivot, first, rest);
    Value sign = node.select(node.compare(Predicate::Eq, best, node.scalarI64(0)), one, minusOne);

    Value below = node.slice(swapped, 1, INT64_MAX, 1);
    // A column of zeros leaves nothing to eliminate.
    Value isSingular = node.compare(Predicate::Eq, pivot, zero);
    Value factor = node.div(node.slice(below, 0, 1, 2), node.select(isSingular, one, pivot));
    rest = node.sub(node.slice(below, 1, INT64_MAX, 2), node.mul(factor, node.slice(pivotRow, 1, INT64_MAX, 2)));
    return node.mul(node.squeeze(pivot, {1, 2}), node.squeeze(sign, {1}));
  }

  NodeBuilder &node;
  Value rest;
};

LogicalResult importDet(NodeBuilder &node) {
  Value x = node.required(0);
  int64_t rank = node.rankOf(x);
  if (!x || rank < 2)
    return node.fail("needs matrices");
  ArrayRef<int64_t> shape = node.shapeOf(x);
  int64_t order = shape[rank - 1];
  if (order < 1 || order > kMaxOrder || shape[rank - 2] != order)
    return node.fail("needs square matrices of an order from 1 to " + Twine(kMaxOrder) +
                     " that is known at compile time");
  SmallVector<Piece> batch;
  for (int64_t d = 0; d < rank - 2; ++d)
    batch.push_back(node.piece(x, d));
  Value wide = node.widen(x);
  Value matrices = node.reshapeTo(wide, {-1, order, order});
  Value result = node.reshape(Elimination(node, matrices).determinant(order), batch);
  node.setOutput(0, node.cast(result, node.elementOf(x)));
  return success(!node.failed());
}

} // namespace

void frontend::registerLinearAlgebra(OpRegistry &registry) {
  registry.add("", "Det", importDet, "order up to 64, known at compile time");
}
