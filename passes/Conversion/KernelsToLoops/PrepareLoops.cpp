//===- PrepareLoops.cpp - Flat and reorderable loops ----------------------===//

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_PREPARELOOPSPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

/// All loops of `op` when its operands are read in order or are scalars; nothing otherwise.
static SmallVector<ReassociationIndices> flatten(linalg::LinalgOp op) {
  if (op.getNumLoops() < 2 || op.getNumReductionLoops() != 0 || op.hasIndexSemantics())
    return {};
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isIdentity() && map.getNumResults() != 0)
      return {};
  ReassociationIndices all;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    all.push_back(i);
  return {all};
}

/// Lets the additions and multiplications that carry a reduction be reordered.
static void allowReassociation(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  op.getBlock()->walk([](arith::ArithFastMathInterface number) {
    if (isa<arith::AddFOp, arith::MulFOp>(number.getOperation()))
      number->setAttr(number.getFastMathAttrName(),
                      arith::FastMathFlagsAttr::get(number->getContext(),
                                                    arith::FastMathFlags::reassoc | arith::FastMathFlags::contract));
  });
}

namespace {

struct PrepareLoopsPass final : kernels_to_loops::impl::PrepareLoopsPassBase<PrepareLoopsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateCollapseDimensions(patterns, [](linalg::LinalgOp op) { return flatten(op); });
    // What is written is made in the shape it is written in: it can then be the kernel's result.
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([](linalg::LinalgOp op) { allowReassociation(op); });
  }
};

} // namespace
