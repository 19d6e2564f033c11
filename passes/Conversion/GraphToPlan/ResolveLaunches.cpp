//===- ResolveLaunches.cpp - Grids and scratch memory of launches ---------===//
//
// Only a lowered kernel knows how it splits its work and what memory it needs beside its operands.
// It says so in a function of its scalars, whose arithmetic is copied into the plan.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace hone::graph_to_plan {
#define GEN_PASS_DEF_RESOLVELAUNCHESPASS
#include "passes/Conversion/GraphToPlan/Passes.h.inc"
} // namespace hone::graph_to_plan

using namespace mlir;
using namespace hone;

namespace {

struct ResolveLaunchesPass final : graph_to_plan::impl::ResolveLaunchesPassBase<ResolveLaunchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
    if (!kernels)
      return;
    SymbolTable functions(kernels), symbols(module);
    module.walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel)
        return;
      auto function = functions.lookup<func::FuncOp>((kernel.getEntryName() + graph_to_plan::kLaunchSuffix).str());
      if (function && failed(resolve(launch, kernel, function)))
        signalPassFailure();
    });
    for (auto function : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>()))
      if (function.getName().ends_with(graph_to_plan::kLaunchSuffix))
        function.erase();
  }

  LogicalResult resolve(plan::LaunchOp launch, plan::KernelOp kernel, func::FuncOp function) {
    if (function.getNumArguments() != launch.getScalars().size())
      return launch.emitOpError() << "passes " << launch.getScalars().size() << " scalars to a kernel that takes "
                                  << function.getNumArguments();
    OpBuilder builder(launch);
    IRMapping mapping;
    mapping.map(function.getArguments(), launch.getScalars());
    Block &body = function.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    Value grid = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
    Value scratch = mapping.lookupOrDefault(body.getTerminator()->getOperand(1));
    launch.getGridMutable().assign(grid);
    if (!matchPattern(scratch, m_Zero())) {
      Value buffer = plan::AllocOp::create(builder, launch.getLoc(), scratch);
      SmallVector<int64_t> writes(launch.getWrites());
      writes.push_back(launch.getBuffers().size());
      launch.getBuffersMutable().append(buffer);
      launch.setWrites(writes);
    }
    kernel.setBuffers(launch.getBuffers().size());
    return success();
  }
};

} // namespace
