//===- NodeResult.h - The ends of importers ---------------------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_NODERESULT_H
#define LIB_FRONTEND_OPS_NODERESULT_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// `y` is the node's only output, unless something has failed.
inline mlir::LogicalResult finish(NodeBuilder &node, mlir::Value y) {
  node.setOutput(0, y);
  return mlir::success(!node.failed());
}

/// Attribute `axis` counted from 0, or nullopt after a diagnostic.
inline std::optional<int64_t> readAxis(NodeBuilder &node, int64_t fallback, int64_t rank) {
  return node.failed() ? std::nullopt : node.normalizeAxis(node.getInt("axis", fallback), rank);
}

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_NODERESULT_H
