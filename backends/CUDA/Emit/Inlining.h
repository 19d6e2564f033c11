//===- Inlining.h - Which values get no name --------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_INLINING_H
#define BACKENDS_CUDA_EMIT_INLINING_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace hone::cuda {

/// The ops below `root` that are printed where their result is used: constants, and what a single other
/// op of the same block reads. A load moves across nothing that may write.
llvm::DenseSet<mlir::Operation *> chooseInlined(mlir::Operation *root);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_INLINING_H
