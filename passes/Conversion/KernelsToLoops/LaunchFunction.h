//===- LaunchFunction.h - Grid and scratch bytes of a kernel ----*- C++ -*-===//

#ifndef PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H
#define PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace hone::kernels_to_loops {

/// The function `<kernel>.launch`: from the kernel's scalars (`graph.scalars`) to its number of work
/// items and scratch bytes. Index arithmetic of the kernel is copied into it; there, extents of
/// memref arguments are scalars (`graph.dims`).
class LaunchFunction {
public:
  /// Creates the function behind `kernel`.
  explicit LaunchFunction(mlir::func::FuncOp kernel);

  /// At the end of what has been copied so far.
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Value constant(int64_t value);
  /// The value of `value`, an index of the kernel, in terms of its scalars; null when it depends on
  /// more than those.
  mlir::Value copy(mlir::Value value);
  void finish(mlir::Value grid, mlir::Value scratch);

private:
  mlir::Value extent(mlir::memref::DimOp dim);

  mlir::func::FuncOp kernel, function;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  llvm::StringMap<mlir::Value> byName;
};

} // namespace hone::kernels_to_loops

#endif // PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H
