//===- Contraction.h - Sums of products -------------------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_CONTRACTION_H
#define PASSES_CONVERSION_GRAPHTOLINALG_CONTRACTION_H

#include "passes/Conversion/GraphToLinalg/Lowering.h"

namespace hone::graph_to_linalg {

/// sums[...] = sum of operands[0] * operands[1], in the element type of the empty tensor `sums`.
/// `elements` are the graph's element types of the operands.
mlir::FailureOr<mlir::Value> createSumOfProducts(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                                                 llvm::ArrayRef<mlir::Value> operands,
                                                 llvm::ArrayRef<mlir::Type> elements, mlir::Value sums,
                                                 llvm::ArrayRef<mlir::AffineMap> maps,
                                                 llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_CONTRACTION_H
