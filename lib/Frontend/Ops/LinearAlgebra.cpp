//===- LinearAlgebra.cpp - Det --------------------------------------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/Loops.h"
#include "lib/Frontend/Ops/ShapeMath.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::Predicate;

/// Matrices of networks are this small as a rule: steps without a loop around become few kernels.
static constexpr int64_t kMaxUnrolledOrder = 4;

namespace {

/// Gaussian elimination with partial pivoting on matrices [batch..., n, n], whose extents never change: a step leaves
/// alone what earlier ones have done with.
class Elimination {
public:
  Elimination(NodeBuilder &node, Value matrices)
      : node(node), rowDim(node.rankOf(matrices) - 2), columnDim(rowDim + 1),
        rows(ShapeMath(node).range(node.dim(matrices, rowDim))) {}

  /// Eliminates column `k`, a scalar, from the rows below row `k` of `matrices`, and multiplies `product`, [batch...],
  /// by what the column contributes to the determinant.
  void step(Value k, Value &matrices, Value &product) {
    Value zero = node.scalarLike(0, matrices), one = node.scalarLike(1, matrices), minusOne = node.neg(one);
    Value column = node.gather(matrices, k, columnDim);
    Value size = node.select(node.compare(Predicate::Ge, rows, k), node.unary(graph::UnaryKind::Abs, column), minusOne);
    Value best = node.make<graph::ArgReduceOp>(graph::ArgKind::Max, size, rowDim, /*keepDims=*/true, /*last=*/false);
    Value isPivot = node.unsqueeze(node.compare(Predicate::Eq, rows, best), {columnDim});
    Value pivotRow = node.reduce(graph::ReduceKind::Sum, node.select(isPivot, matrices, zero), {rowDim}, true);
    Value pivot = node.gather(pivotRow, k, columnDim);
    Value sign = node.select(node.compare(Predicate::Eq, best, k), one, minusOne);
    product = node.mul(product, node.squeeze(node.mul(pivot, sign), {rowDim}));

    // Row k is not needed any more: the pivot's place takes it.
    Value rowK = node.gather(matrices, node.vectorOf(k), rowDim);
    Value swapped = node.select(isPivot, rowK, matrices);
    // A column of zeros leaves nothing to eliminate.
    Value divisor = node.select(node.compare(Predicate::Eq, pivot, zero), one, pivot);
    Value factor = node.div(node.gather(swapped, k, columnDim), divisor);
    factor = node.select(node.compare(Predicate::Gt, rows, k), factor, zero);
    matrices = node.sub(swapped, node.mul(node.unsqueeze(factor, {columnDim}), pivotRow));
  }

private:
  NodeBuilder &node;
  int64_t rowDim, columnDim;
  Value rows; ///< 0, 1, ..., n - 1
};

/// `x` with its last two extents equal, as a run checks where they are unknown; null after a diagnostic.
Value square(NodeBuilder &node, Value x) {
  int64_t rank = node.rankOf(x);
  if (rank < 2)
    return node.failValue("needs matrices, not a tensor of rank " + Twine(rank));
  int64_t rows = node.shapeOf(x)[rank - 2], columns = node.shapeOf(x)[rank - 1];
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns)) {
    SmallVector<Piece> shape;
    for (int64_t d = 0; d < rank - 2; ++d)
      shape.push_back(node.piece(x, d));
    shape.append(2, node.piece(x, ShapedType::isDynamic(rows) ? rank - 1 : rank - 2));
    return node.reshape(x, shape);
  }
  if (rows != columns)
    return node.failValue("needs square matrices, not " + Twine(rows) + " by " + Twine(columns));
  return x;
}

LogicalResult importDet(NodeBuilder &node) {
  Value x = node.required(0);
  Value matrices = x ? square(node, x) : Value();
  if (!matrices)
    return failure();
  ShapeMath math(node);
  int64_t rank = node.rankOf(matrices), order = node.shapeOf(matrices).back();
  matrices = node.widen(matrices);
  Value product = node.broadcastTo(node.scalarLike(1, matrices), math.part(math.shape(matrices), 0, rank - 2));
  Elimination elimination(node, matrices);
  if (!ShapedType::isDynamic(order) && order <= kMaxUnrolledOrder) {
    for (int64_t k = 0; k < order; ++k)
      elimination.step(node.scalarI64(k), matrices, product);
  } else {
    Value always = node.scalar(1, node.builder().getI1Type()), count = node.scalarOf(node.dim(matrices, rank - 1));
    if (node.failed())
      return failure();
    auto trip = [&](Value k, ValueRange carried) -> std::optional<SmallVector<Value>> {
      Value rest = carried[0], partial = carried[1];
      elimination.step(k, rest, partial);
      return node.failed() ? std::nullopt : std::optional(SmallVector<Value>{always, rest, partial});
    };
    graph::LoopOp loop = buildLoop(node, count, always, {matrices, product}, trip);
    if (!loop)
      return failure();
    product = loop.getResult(1);
  }
  node.setOutput(0, node.cast(product, node.elementOf(x)));
  return success(!node.failed());
}

} // namespace

void frontend::registerLinearAlgebra(OpRegistry &registry) { registry.add("", "Det", importDet); }
