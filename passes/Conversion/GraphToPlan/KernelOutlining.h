//===- KernelOutlining.h - Kernels as functions -----------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOPLAN_KERNELOUTLINING_H
#define PASSES_CONVERSION_GRAPHTOPLAN_KERNELOUTLINING_H

#include "dialects/Graph/IR/Graph.h"
#include "dialects/Plan/IR/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace hone::graph_to_plan {

/// A kernel and what a launch of it passes.
struct OutlinedKernel {
  std::string name;                         ///< of the launch: unique
  mlir::func::FuncOp function;              ///< shared by equal kernels
  llvm::SmallVector<mlir::Value> inputs;    ///< captured tensors, in order of the arguments
  llvm::SmallVector<graph::Extent> scalars; ///< run-time extents, in order
};

/// Outlines kernels into functions of one module, equal ones once.
class KernelOutliner {
public:
  KernelOutliner(mlir::ModuleOp kernels, graph::ExtentBuilder &extents) : kernels(kernels), extents(extents) {}

  OutlinedKernel outline(graph::KernelOp kernel);

private:
  mlir::ArrayAttr dimNames(mlir::Value tensor, OutlinedKernel &kernel);

  mlir::ModuleOp kernels;
  graph::ExtentBuilder &extents;
  llvm::StringMap<mlir::func::FuncOp> byText;
  unsigned count = 0;
};

/// Notes tensors and arithmetic of the kernel, which is still made of graph ops (lib/Target/KernelFacts.h).
void describeKernel(plan::KernelOp kernel, mlir::func::FuncOp function);

/// The bytes of `constant` in the layout of `type`, as a 1-D i8 tensor.
mlir::FailureOr<mlir::ElementsAttr> packConstant(mlir::Location loc, mlir::ElementsAttr constant,
                                                 mlir::RankedTensorType type);

} // namespace hone::graph_to_plan

#endif // PASSES_CONVERSION_GRAPHTOPLAN_KERNELOUTLINING_H
