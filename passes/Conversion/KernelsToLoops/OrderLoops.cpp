//===- OrderLoops.cpp - Parallel loops first ------------------------------===//
//
// What is outside of the first reduction becomes the grid of a device: loops in the order of a tensor's dimensions
// would leave a sum over its first one to a single workgroup.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_ORDERLOOPSPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

/// Whether an input's neighbours in memory are neighbours along `loop`.
static bool readsAlong(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() != 0 && map.getResults().back().isFunctionOfDim(loop);
  });
}

/// The loops of `op`, the parallel ones first. Each kind keeps its order, so sums add up in the order that they had;
/// but of the parallel loops the last is one that inputs are read along, if there is one: neighbouring threads then
/// read neighbours.
static SmallVector<unsigned> orderOf(linalg::GenericOp op) {
  SmallVector<unsigned> order, rest;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (linalg::isParallelIterator(kind) ? order : rest).push_back(loop);
  if (!order.empty() && !readsAlong(op, order.back())) {
    auto *along = llvm::find_if(order, [&](unsigned loop) { return readsAlong(op, loop); });
    if (along != order.end())
      std::rotate(along, along + 1, order.end());
  }
  order.append(rest);
  return order;
}

namespace {

struct OrderLoopsPass final : kernels_to_loops::impl::OrderLoopsPassBase<OrderLoopsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      SmallVector<unsigned> order = orderOf(op);
      if (op.getNumReductionLoops() == 0 || llvm::is_sorted(order))
        return;
      rewriter.setInsertionPoint(op);
      if (failed(linalg::interchangeGenericOp(rewriter, op, order)))
        signalPassFailure();
    });
  }
};

} // namespace
