//===- LaunchFunction.h - Grid and scratch bytes of a kernel ----*- C++ -*-===//

#ifndef PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H
#define PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace hone::kernels_to_loops {

/// One launch of a kernel: a function beside it and how many work items (workgroups) run it.
struct LaunchStage {
  std::string function;
  mlir::Value grid;
};

/// The function `<kernel>.launch`: from the kernel's scalars (`graph.scalars`) to its scratch bytes
/// and the grid of each of its stages, which `stages` names. Index arithmetic of the kernel is copied into it; there,
/// extents of memref arguments are scalars (`graph.dims`).
class LaunchFunction {
public:
  /// Creates the function behind `kernel`.
  explicit LaunchFunction(mlir::func::FuncOp kernel);

  /// At the end of what has been copied so far.
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Value constant(int64_t value);
  /// Makes values of the kernel known as its scalars, in order.
  void bindScalars(mlir::ValueRange scalars) { mapping.map(scalars, function.getArguments()); }
  /// The value of `value`, an index of the kernel, in terms of its scalars; null when it depends on
  /// more than those.
  mlir::Value copy(mlir::Value value);
  void finish(mlir::Value scratch, llvm::ArrayRef<LaunchStage> stages);

private:
  mlir::Value extent(mlir::memref::DimOp dim);

  mlir::func::FuncOp kernel, function;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  llvm::StringMap<mlir::Value> byName;
};

} // namespace hone::kernels_to_loops

#endif // PASSES_CONVERSION_KERNELSTOLOOPS_LAUNCHFUNCTION_H
