//===- LowerReshapes.cpp - Reshapes of buffers ----------------------------===//
//
// Upstream's expand-strided-metadata crashes on two kinds of reshape: to rank 0 of a buffer with an
// offset, and into several run-time extents at once. Contiguous buffers need no strides to be traced,
// so all their reshapes are lowered here.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/KernelsToLoops/Extents.h"
#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

namespace {

/// `source`, contiguous, as a row-major buffer of `type` with the extents `sizes`.
void replaceContiguous(PatternRewriter &rewriter, Operation *op, Value source, MemRefType type,
                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    strides[i] = kernels_to_loops::product(rewriter, op->getLoc(), sizes.drop_front(i + 1));
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, type, source, rewriter.getIndexAttr(0), sizes, strides);
}

struct LowerExpand final : OpRewritePattern<memref::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::ExpandShapeOp op, PatternRewriter &rewriter) const override {
    if (!op.getSrcType().getLayout().isIdentity() || !op.getResultType().getLayout().isIdentity())
      return rewriter.notifyMatchFailure(op, "not contiguous");
    replaceContiguous(rewriter, op, op.getSrc(), op.getResultType(), op.getMixedOutputShape());
    return success();
  }
};

struct LowerCollapse final : OpRewritePattern<memref::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CollapseShapeOp op, PatternRewriter &rewriter) const override {
    MemRefType from = op.getSrcType(), to = op.getResultType();
    if (to.getRank() == 0) {
      auto parts = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(), op.getSrc());
      rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, to, parts.getBaseBuffer(),
                                                             parts.getConstifiedMixedOffset(), ArrayRef<OpFoldResult>(),
                                                             ArrayRef<OpFoldResult>());
      return success();
    }
    if (!from.getLayout().isIdentity() || !to.getLayout().isIdentity())
      return rewriter.notifyMatchFailure(op, "not contiguous");
    SmallVector<OpFoldResult> sizes;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      SmallVector<OpFoldResult> factors;
      for (int64_t dim : group)
        factors.push_back(memref::getMixedSize(rewriter, op.getLoc(), op.getSrc(), dim));
      sizes.push_back(kernels_to_loops::product(rewriter, op.getLoc(), factors));
    }
    replaceContiguous(rewriter, op, op.getSrc(), to, sizes);
    return success();
  }
};

struct LowerReshapesPass final : kernels_to_loops::impl::LowerReshapesPassBase<LowerReshapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerExpand, LowerCollapse>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
