//===- KernelSizes.h - Extents of buffers in a kernel -----------*- C++ -*-===//
//
// Every extent of a kernel's buffer follows from its scalars: the device receives addresses alone.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_KERNELSIZES_H
#define PASSES_CONVERSION_LOOPSTODEVICE_KERNELSIZES_H

#include "passes/Conversion/KernelsToLoops/Extents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace hone::loops_to_device {

/// The scalars of a kernel that has been given them as arguments (`addScalars`): its last ones.
llvm::ArrayRef<mlir::BlockArgument> scalarsOf(mlir::func::FuncOp kernel);

/// Appends an index argument for every name of `graph.scalars`.
void addScalars(mlir::func::FuncOp kernel);

/// Extents of buffers as index arithmetic over the scalars.
class KernelSizes {
public:
  explicit KernelSizes(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// All extents of `buffer`; null values where one cannot be told.
  llvm::SmallVector<mlir::OpFoldResult> get(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer);

  /// Replaces every memref.dim of the kernel. An extent that cannot be told is an error.
  mlir::LogicalResult resolveDims();

private:
  mlir::OpFoldResult argumentExtent(mlir::BlockArgument argument, int64_t dim);

  mlir::func::FuncOp kernel;
};

/// Bytes of one element in memory: a byte for what is smaller.
int64_t elementBytes(mlir::Type element);

using kernels_to_loops::product;

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_KERNELSIZES_H
