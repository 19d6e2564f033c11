//===- SelectionDetail.h - Parts of the selection family --------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_SELECTIONDETAIL_H
#define LIB_FRONTEND_OPS_SELECTIONDETAIL_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// The first `count` (a 1-element vector) slices of `x` along `dim`.
mlir::Value takeFirst(NodeBuilder &node, mlir::Value x, mlir::Value count, int64_t dim);

/// Positions of the true elements of a 1-D tensor of bools: a vector of a length known at run time.
mlir::Value positionsOfTrue(NodeBuilder &node, mlir::Value flags);

/// Unique as a sentence over stable sorts, nonzero and scatters.
mlir::LogicalResult importUnique(NodeBuilder &node);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_SELECTIONDETAIL_H
