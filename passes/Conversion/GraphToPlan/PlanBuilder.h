//===- PlanBuilder.h - A function of kernels becomes a program --*- C++ -*-===//
//
// Follows the ops of @main in order. Every tensor has a buffer or is an alias of one; every extent
// becomes integer arithmetic when it is first needed.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOPLAN_PLANBUILDER_H
#define PASSES_CONVERSION_GRAPHTOPLAN_PLANBUILDER_H

#include "dialects/Plan/IR/Plan.h"
#include "lib/Target/TargetBackend.h"
#include "passes/Conversion/GraphToPlan/KernelOutlining.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hone::graph_to_plan {

/// How the per-trip values of a loop come to lie one behind the other.
struct LoopStack {
  mlir::Value tensor;              ///< of one trip
  mlir::Value buffer;              ///< room for all trips; null: growing memory
  mlir::Value stride;              ///< bytes of one value, with `buffer`
  int64_t memory = 0;              ///< number of the growing memory
  unsigned carried = 0;            ///< where the loop carries the stride, and behind it the extents of `dims`
  llvm::SmallVector<int64_t> dims; ///< dimensions whose extents only a trip knows
};

class PlanBuilder {
public:
  PlanBuilder(mlir::func::FuncOp main, mlir::ModuleOp module, const TargetInfo &target)
      : main(main), module(module), target(target), builder(module.getContext()), constants(module.getContext()),
        materializer([this](mlir::OpBuilder &, graph::Extent extent) { return leaf(extent); }) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertKernel(graph::KernelOp op);
  mlir::LogicalResult convertIf(graph::IfOp op);
  mlir::LogicalResult convertLoop(graph::LoopOp op);
  mlir::LogicalResult checkSizes(mlir::Operation *op);
  mlir::LogicalResult require(const graph::ShapeRequirement &requirement, mlir::Location loc);
  mlir::LogicalResult convertReturn(mlir::func::ReturnOp op);

  // ControlFlow.cpp
  bool hasRoomForAllTrips(graph::LoopOp op, mlir::Value tensor);
  mlir::FailureOr<LoopStack> openStack(graph::LoopOp op, mlir::Value tensor, mlir::Value trips,
                                       llvm::SmallVectorImpl<mlir::Value> &inits);
  mlir::LogicalResult pushToStack(const LoopStack &stack, plan::LoopOp loop,
                                  llvm::SmallVectorImpl<mlir::Value> &yielded);
  void closeStack(const LoopStack &stack, plan::LoopOp loop, mlir::Value result);
  void bindCarried(mlir::ValueRange tensors, mlir::ValueRange values);
  mlir::LogicalResult appendCarried(mlir::ValueRange values, mlir::ValueRange results, mlir::Location loc,
                                    llvm::SmallVectorImpl<mlir::Value> &list);

  plan::TensorAttr describe(mlir::DictionaryAttr attributes, mlir::Type type, llvm::StringRef fallback);
  mlir::Value leaf(graph::Extent extent);
  mlir::Value index(graph::Extent extent, mlir::Location loc);
  mlir::Value constantIndex(int64_t value, mlir::Location loc) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value bytesOf(mlir::Value tensor, mlir::Location loc);
  mlir::FailureOr<mlir::Value> bufferOf(mlir::Value tensor);
  mlir::FailureOr<mlir::Value> scalarOf(mlir::Value tensor, mlir::Location loc);
  mlir::FailureOr<mlir::Value> conditionOf(mlir::Value tensor, mlir::Location loc);
  mlir::Value allocate(mlir::Value tensor, mlir::Location loc);
  llvm::SmallVector<mlir::Value> dynamicDims(mlir::Value tensor, mlir::Value like, mlir::Location loc);
  void bindDims(mlir::Value tensor, mlir::ValueRange dims);

  mlir::func::FuncOp main;
  mlir::ModuleOp module;
  const TargetInfo &target;
  mlir::OpBuilder builder, constants;
  graph::ExtentBuilder extents;
  graph::ExtentMaterializer materializer;
  std::unique_ptr<KernelOutliner> outliner;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> boundDims; ///< of values carried through control flow
  llvm::DenseMap<mlir::Value, mlir::Value> boundScalars;                  ///< trip numbers
  llvm::DenseMap<mlir::Value, unsigned> directOutputs;                    ///< computed straight into the output
  llvm::DenseSet<mlir::Value> unplanned;                                  ///< results of what an error was reported for
  llvm::SmallVector<graph::ExtentMaterializer::Cache, 2> scopes;
  llvm::DenseMap<graph::Extent, mlir::Block *> checked; ///< requirements, and where they were checked last
  int64_t numGrowing = 0;
  mlir::ModuleOp kernels;
};

} // namespace hone::graph_to_plan

#endif // PASSES_CONVERSION_GRAPHTOPLAN_PLANBUILDER_H
