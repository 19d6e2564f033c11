//===- HalfRange.h - How large values are, as far as can be told -*- C++ -*-===//
//
// Ranges of a graph's values, from constants and functions that are bounded. Where nothing bounds a value but
// a network has been trained to keep it moderate (its inputs, what contractions and normalizations give), a
// usual range is assumed: what grows out of that by sums of squares, exponentials or large constants is
// predicted to overflow. What a run has shown counts more than what is predicted.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_QUANTIZATION_HALFRANGE_H
#define PASSES_QUANTIZATION_HALFRANGE_H

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hone::quantization {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = -low;

  bool isKnown() const { return magnitude() < std::numeric_limits<double>::infinity(); }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  /// The smallest range that holds both.
  Interval with(const Interval &other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
};

/// On an argument of a function: a tensor that a run may be given.
inline constexpr llvm::StringLiteral kExampleAttribute = "graph.example";
/// On an argument or an op: the ends of what lay in it, or in each of its results, in a run on examples.
inline constexpr llvm::StringLiteral kObservedAttribute = "graph.observed";

class HalfRange {
public:
  HalfRange(mlir::func::FuncOp function, mlir::FloatType half);

  Interval of(mlir::Value value) const;
  /// Whether the value is a position or a size, or grew out of those alone.
  bool counts(mlir::Value value) const { return counting.contains(value); }
  /// Whether it is known to fit into a half, with room for a sum behind it.
  bool fits(mlir::Value value) const { return of(value).magnitude() <= limit && !counts(value) && !isFaint(value); }
  /// Whether nothing says that it does not.
  bool mayFit(mlir::Value value) const {
    return (!of(value).isKnown() || fits(value)) && !counts(value) && !isFaint(value);
  }
  /// Whether a run has shown that halves are too coarse for so small a value.
  bool isFaint(mlir::Value value) const { return faint.contains(value); }
  /// Whether its range is that of a run, not a prediction.
  bool isObserved(mlir::Value value) const { return observed.contains(value); }

  /// Why a constant may not become one of halves; empty when it may.
  std::string refuseConstant(mlir::Value constant) const;
  mlir::FloatType type() const { return half; }
  double largestFinite() const { return largest; }

private:
  struct Fact {
    Interval range;
    bool counts = false;
  };
  void set(mlir::Value value, const Fact &fact);
  void visit(mlir::Block &block);
  void visitBranch(graph::IfOp branch);
  void visitLoop(graph::LoopOp loop);
  Fact join(mlir::Value a, mlir::Value b) const;
  Interval predict(mlir::Operation *op) const;
  Interval atEnds(mlir::Operation *op) const;
  bool predictCounting(mlir::Operation *op) const;

  mlir::FloatType half;
  double largest, limit, least;
  llvm::DenseMap<mlir::Value, Interval> ranges;
  llvm::DenseSet<mlir::Value> counting, observed, faint;
  mutable llvm::DenseMap<mlir::Value, Interval> constants;
};

} // namespace hone::quantization

#endif // PASSES_QUANTIZATION_HALFRANGE_H
