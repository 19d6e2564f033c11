//===- ShapeMath.h - Arithmetic on shapes while importing -------*- C++ -*-===//
//
// Shapes, pads, starts: 1-D i64 tensors. What is known at import becomes a constant at once, the
// rest becomes elementwise ops that the extent algebra of the graph dialect reads again.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_OPS_SHAPEMATH_H
#define LIB_FRONTEND_OPS_SHAPEMATH_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// Vectors of i64; operands of one element stretch. Null flows through.
class ShapeMath {
public:
  explicit ShapeMath(NodeBuilder &node) : node(node) {}

  mlir::Value number(int64_t value) { return node.constant({value}); }
  mlir::Value numbers(llvm::ArrayRef<int64_t> values) { return node.constant(values); }
  /// `count` times `value`.
  mlir::Value repeat(int64_t value, int64_t count);
  /// 0, 1, ..., count - 1.
  mlir::Value iota(int64_t count);
  mlir::Value shape(mlir::Value tensor) { return node.shape(tensor); }
  mlir::Value dim(mlir::Value tensor, int64_t d) { return node.dim(tensor, d); }
  /// 0, 1, ... before the only element of `count`.
  mlir::Value range(mlir::Value count);
  /// Any integer tensor of rank 0 or 1 as a vector of i64.
  mlir::Value integers(mlir::Value tensor);
  /// `vector`, which must have `count` elements: where its extent is dynamic, a run checks that.
  mlir::Value ofLength(mlir::Value vector, int64_t count, llvm::StringRef name);
  /// `vector`, with `count` elements where its type does not tell how many and `count` does: a run checks that.
  mlir::Value withLength(mlir::Value vector, std::optional<int64_t> count);
  /// The rank of the node's first output, if the model tells it beforehand: the length of a list may follow.
  std::optional<int64_t> declaredRank();

  mlir::Value add(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Add, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Sub, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Mul, a, b); }
  /// For numbers that are not negative.
  mlir::Value div(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Div, a, b); }
  mlir::Value ceilDiv(mlir::Value a, int64_t b) { return div(add(a, number(b - 1)), number(b)); }
  /// The sign of the divisor.
  mlir::Value mod(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Mod, a, b); }
  mlir::Value min(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Min, a, b); }
  mlir::Value max(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Max, a, b); }
  /// Where `predicate` holds between `a` and `b`: `yes`, else `no`.
  mlir::Value selectIf(graph::Predicate predicate, mlir::Value a, mlir::Value b, mlir::Value yes, mlir::Value no);
  mlir::Value selectEqual(mlir::Value a, mlir::Value b, mlir::Value yes, mlir::Value no) {
    return selectIf(graph::Predicate::Eq, a, b, yes, no);
  }

  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts);
  /// Elements [begin, end) of `vector`.
  mlir::Value part(mlir::Value vector, int64_t begin, int64_t end);
  mlir::Value at(mlir::Value vector, int64_t i) { return part(vector, i, i + 1); }
  /// vector[positions[i]] for each i.
  mlir::Value pick(mlir::Value vector, llvm::ArrayRef<int64_t> positions);
  /// Product of the elements, a vector of one.
  mlir::Value product(mlir::Value vector);
  /// `count` times `value`, a vector of one each.
  mlir::Value repeat(mlir::Value value, mlir::Value count) { return node.broadcastTo(value, count); }
  /// `base` with base[positions[i]] = values[i]; positions may count from the end.
  mlir::Value put(mlir::Value base, mlir::Value positions, mlir::Value values);

  /// The number of elements of `vector`, or nullopt when its extent is dynamic.
  std::optional<int64_t> length(mlir::Value vector);

private:
  mlir::Value binary(graph::BinaryKind kind, mlir::Value a, mlir::Value b);
  /// `vector` as a constant when its elements are known.
  mlir::Value settle(mlir::Value vector);

  NodeBuilder &node;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_SHAPEMATH_H
