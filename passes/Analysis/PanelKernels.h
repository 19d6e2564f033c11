//===- PanelKernels.h - Contractions with packed weights --------*- C++ -*-===//
//
// Which contractions a CPU computes with its register-tiled kernels, and in which layout these want
// their weights. Asked by the layout phase, which packs, and by the CPU backend, which emits.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_ANALYSIS_PANELKERNELS_H
#define PASSES_ANALYSIS_PANELKERNELS_H

#include "dialects/Graph/IR/Graph.h"
#include "lib/Target/TargetBackend.h"

namespace hone {

/// Size of a register tile: rows (pixels) times vectors (output channels).
struct RegisterTile {
  int64_t lanes = 0;   ///< f32 elements of a vector
  int64_t vectors = 0; ///< vectors per row
  int64_t rows = 0;
  bool byLane = false; ///< activations are loaded as vectors, whose lanes multiply
  int64_t width() const { return lanes * vectors; }
};

/// The tile for `columns` output columns on a machine.
RegisterTile chooseTile(const TargetInfo &info, int64_t columns);

enum class PanelFamily {
  None,
  Conv,      ///< 2-D convolution, NHWC, packed weights
  Depthwise, ///< one filter per channel, NHWC, weights [KH][KW][C]
  MatMul,    ///< rows of the left operand times a packed constant matrix
};

/// As reports call it: "packed convolution".
llvm::StringRef familyName(PanelFamily family);

/// The family that computes `op`, judged by shapes and element types alone.
PanelFamily panelFamily(mlir::Operation *op);

/// The dimensions of a `contract` that is a matrix product: result[rows..., n] = lhs[rows..., k] * rhs{k, n}.
struct MatMulDims {
  int64_t rhsK = 0, rhsN = 0; ///< positions in the right operand
};
std::optional<MatMulDims> matMulDims(graph::ContractOp op);

/// A product of two computed operands: result[outer..., m, n] = sum over k of lhs[outer..., m, k] * rhs[outer..., k,
/// n], the dimensions of the operands in any order. Operands may lack outer dimensions.
struct ProductDims {
  llvm::SmallVector<int64_t> lhsOuter, rhsOuter; ///< positions of the result's outer dimensions; -1 for none
  int64_t lhsM = 0, lhsK = 0, rhsK = 0, rhsN = 0;
};
/// The dimensions of an f32 `contract` that is such a product.
std::optional<ProductDims> productDims(graph::ContractOp op);

/// The layout of the right operand of a product: its columns innermost. Null when it is so already.
graph::LayoutAttr productLayout(graph::ContractOp op, const ProductDims &dims);

/// The layout of the weights of a family member.
graph::LayoutAttr weightLayout(mlir::Operation *op, const TargetInfo &info);

/// NHWC.
graph::LayoutAttr channelsLast(mlir::MLIRContext *context);

} // namespace hone

#endif // PASSES_ANALYSIS_PANELKERNELS_H
