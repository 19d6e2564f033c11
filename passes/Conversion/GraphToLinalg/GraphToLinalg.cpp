//===- GraphToLinalg.cpp - Expresses graph ops as loops over elements -----===//
//
// One dialect conversion; the patterns live in the files of this folder, by theme.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/Passes.h"

#include "passes/Conversion/GraphToLinalg/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone::graph_to_linalg {

#define GEN_PASS_DEF_GRAPHTOLINALGPASS
#include "passes/Conversion/GraphToLinalg/Passes.h.inc"

using namespace mlir;

namespace {

/// Splat constants end up inside of bodies and extents in types: what they came from may be dead.
void eraseDeadOps(func::FuncOp function) {
  function->walk<WalkOrder::PostOrder>([](Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  });
}

/// The names of the extents of a tensor in memory order; null when there are none.
ArrayAttr memoryNames(Attribute names, Type graphType) {
  auto array = dyn_cast_or_null<ArrayAttr>(names);
  auto type = dyn_cast<RankedTensorType>(graphType);
  if (!array || !type || static_cast<int64_t>(array.size()) != type.getRank())
    return nullptr;
  return ArrayAttr::get(array.getContext(), toMemory(type, array.getValue()));
}

/// `graph.dims` names the dimensions of what the function takes and gives now: in memory order.
void permuteDimNames(func::FuncOp function, FunctionType graphType) {
  for (auto [index, type] : llvm::enumerate(graphType.getInputs()))
    if (ArrayAttr names = memoryNames(function.getArgAttr(index, "graph.dims"), type))
      function.setArgAttr(index, "graph.dims", names);
  for (auto [index, type] : llvm::enumerate(graphType.getResults()))
    if (ArrayAttr names = memoryNames(function.getResultAttr(index, "graph.dims"), type))
      function.setResultAttr(index, "graph.dims", names);
}

struct GraphToLinalgPass final : impl::GraphToLinalgPassBase<GraphToLinalgPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    StorageTypeConverter types;
    LoweringContext context(function, types);

    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<graph::GraphDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()) && types.isLegal(&op.getBody()); });
    target.addDynamicallyLegalOp<func::ReturnOp>([&](func::ReturnOp op) { return types.isLegal(op); });

    RewritePatternSet patterns(&getContext());
    populateStructure(patterns, context);
    populateElementwise(patterns, context);
    populateContraction(patterns, context);
    populateConvolution(patterns, context);
    populateReduction(patterns, context);
    populateNormalization(patterns, context);
    populateWindow(patterns, context);
    populateMovement(patterns, context);
    populateIndexing(patterns, context);
    populateResize(patterns, context);
    populateQuantization(patterns, context);
    FunctionType graphType = function.getFunctionType();
    if (failed(applyPartialConversion(function, target, std::move(patterns))))
      return signalPassFailure();
    permuteDimNames(function, graphType);
    eraseDeadOps(function);
  }
};

} // namespace
} // namespace hone::graph_to_linalg
