//===- ContribDetail.h - Parts of Microsoft's operators ---------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_CONTRIBDETAIL_H
#define LIB_FRONTEND_OPS_CONTRIBDETAIL_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// The domain of the operators that ONNX Runtime adds to ONNX's.
inline constexpr llvm::StringLiteral kContribDomain = "com.microsoft";

/// Fails at the first attribute or input of the node that the table of ContribOptions.cpp does not have: what an
/// importer does not read would change the result without a word.
mlir::LogicalResult checkContribOptions(NodeBuilder &node);

/// An importer behind that check.
template <ImportFn import> mlir::LogicalResult withKnownOptions(NodeBuilder &node) {
  return mlir::success(mlir::succeeded(checkContribOptions(node)) && mlir::succeeded(import(node)));
}

template <ImportFn import> void addContrib(OpRegistry &registry, llvm::StringRef opType, llvm::StringRef note = "") {
  registry.add(kContribDomain, opType, withKnownOptions<import>, note);
}

/// Fails at the first of these attributes, integers, that is not 0.
mlir::LogicalResult refuseAttributes(NodeBuilder &node, llvm::ArrayRef<llvm::StringRef> names);

/// [N, spatial..., C] as [N, C, spatial...], and back. Null flows through.
mlir::Value toChannelsFirst(NodeBuilder &node, mlir::Value x);
mlir::Value toChannelsLast(NodeBuilder &node, mlir::Value x);

/// `x` as real numbers; the scale, and the zero point where there is one, have one element.
mlir::Value realNumbers(NodeBuilder &node, mlir::Value x, mlir::Value scale, mlir::Value zeroPoint);

void registerContribAttention(OpRegistry &registry);
void registerContribGroupedAttention(OpRegistry &registry);
void registerContribEmbedding(OpRegistry &registry);
void registerContribQuantized(OpRegistry &registry);
void registerContribWeights(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_CONTRIBDETAIL_H
