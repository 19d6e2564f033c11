//===- Extents.h - Arithmetic on extents of buffers -------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_KERNELSTOLOOPS_EXTENTS_H
#define PASSES_CONVERSION_KERNELSTOLOOPS_EXTENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace hone::kernels_to_loops {

/// The product of `factors`, folded as far as it is known.
mlir::OpFoldResult product(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> factors);

} // namespace hone::kernels_to_loops

#endif // PASSES_CONVERSION_KERNELSTOLOOPS_EXTENTS_H
