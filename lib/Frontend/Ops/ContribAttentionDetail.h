//===- ContribAttentionDetail.h - Parts of attention operators --*- C++ -*-===//
//
// Queries, keys and values are [B, heads, T, size], scores [B, heads, S, T]. Null values flow through.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_OPS_CONTRIBATTENTIONDETAIL_H
#define LIB_FRONTEND_OPS_CONTRIBATTENTIONDETAIL_H

#include "lib/Frontend/Ops/ContribDetail.h"

namespace hone::frontend::attention {

/// [B, T, heads * size] as [B, heads, T, size], and back.
mlir::Value splitHeads(NodeBuilder &node, mlir::Value x, int64_t heads);
mlir::Value mergeHeads(NodeBuilder &node, mlir::Value x);
/// Parts of the last dimension, `sizes` wide.
llvm::SmallVector<mlir::Value> splitLast(NodeBuilder &node, mlir::Value x, llvm::ArrayRef<int64_t> sizes);

struct Scores {
  double scale = 0;   ///< 0: one over the root of the head size
  double softcap = 0; ///< 0: none
  mlir::Value bias;   ///< broadcasts to [B, heads, S, T]; may be null
  mlir::Value sink;   ///< [heads]: a score of each head that takes part in its sums alone; may be null
};

struct Attended {
  mlir::Value result;          ///< [B, heads, S, size]
  mlir::Value scores, weights; ///< [B, heads, S, T], before and behind softmax
};

/// softmax(q * k' * scale + bias) * v; several heads of `q` may share one of `k` and `v`.
Attended attend(NodeBuilder &node, mlir::Value q, mlir::Value k, mlir::Value v, const Scores &scores);

// Masks: numbers to add to the scores.

/// The sum of those that are not null.
mlir::Value plus(NodeBuilder &node, mlir::Value a, mlir::Value b);
/// `filter` where `keep` is false, else 0, in f32.
mlir::Value penalty(NodeBuilder &node, mlir::Value keep, double filter);
/// The numbers 0, 1, ... below the only element of `count`, along dimension `dim` of 4.
mlir::Value iotaAlong(NodeBuilder &node, mlir::Value count, int64_t dim);
/// Hides keys behind the query's own place, which is `offset` (a vector of one, or [B, 1, 1, 1]) behind its number.
mlir::Value causalPenalty(NodeBuilder &node, mlir::Value queries, mlir::Value keys, mlir::Value offset);

} // namespace hone::frontend::attention

#endif // LIB_FRONTEND_OPS_CONTRIBATTENTIONDETAIL_H
