//===- RecognizeNormalization.cpp - Layer and RMS normalization -----------===//
//
// Exporters write normalizations in small ops. First what divides by the root of the mean square becomes an RMS
// normalization; one of a value without its mean is a layer normalization then.
//
//===----------------------------------------------------------------------===//

#include "passes/Substitution/Composite.h"
#include "passes/Substitution/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace hone::substitution {
#define GEN_PASS_DEF_RECOGNIZENORMALIZATIONPASS
#include "passes/Substitution/Passes.h.inc"
} // namespace hone::substitution

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::substitution;

static constexpr auto kRemark = remark::RemarkOpts::name("RecognizeNormalization").category("substitution");

namespace {

/// x / sqrt(mean(x * x) + epsilon)
struct RecognizeRms final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    Value x;
    ReduceOp sum;
    double epsilon = 0;
    Matcher meanSquare = mean(sum, binary(BinaryKind::Mul, same(x), same(x)));
    Matcher shifted = either({binary(BinaryKind::Add, meanSquare, number(epsilon)), meanSquare});
    Matcher formula = either({quotient(any(x), unary(UnaryKind::Sqrt, shifted)),
                              binary(BinaryKind::Mul, any(x), unary(UnaryKind::Rsqrt, shifted))});
    Trail trail;
    if (!formula(op, trail))
      return rewriter.notifyMatchFailure(op, "expected a value and the root of its mean square");
    if (x.getType() != op.getType() || !haveEqualShapes(x, op, trail) || !std::isfinite(epsilon) || epsilon < 0)
      return rewriter.notifyMatchFailure(op, "the formula differs from that of a normalization");
    if (!trail.isClosed()) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("what it divides by is also used elsewhere");
      return rewriter.notifyMatchFailure(op, "a value within has other uses");
    }
    SmallVector<int64_t> dims(sum.getDims());
    llvm::sort(dims);
    Location loc = trail.getLoc(rewriter);
    rewriter.replaceOp(op, NormalizeOp::create(rewriter, loc, op.getType(), NormKind::Rms, x, dims, APFloat(epsilon)));
    // Now, for the value to have no users that are dead when the next pattern asks.
    for (Operation *dead : ArrayRef(trail.ops).drop_front())
      if (dead->use_empty())
        rewriter.eraseOp(dead);
    remark::passed(loc, kRemark) << remark::reason("these are a normalization");
    return success();
  }
};

/// The RMS normalization of x - mean(x) is the layer normalization of x.
struct RecognizeLayer final : OpRewritePattern<NormalizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NormalizeOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != NormKind::Rms)
      return rewriter.notifyMatchFailure(op, "takes the mean off by itself");
    Value x;
    ReduceOp sum;
    Matcher centered = binary(BinaryKind::Sub, any(x), mean(sum, same(x)));
    Trail trail;
    if (!centered(op.getInput(), trail) || !haveEqualDims(sum.getDims(), op.getDims()) ||
        !haveEqualShapes(x, op, trail))
      return rewriter.notifyMatchFailure(op, "expected a value without its mean along the same dimensions");
    if (!trail.isClosed(op)) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("the value without its mean is also used elsewhere");
      return rewriter.notifyMatchFailure(op, "a value within has other uses");
    }
    Location loc = rewriter.getFusedLoc({trail.getLoc(rewriter), op.getLoc()});
    Type element = op.getType().getElementType();
    Value wide = widenTo(rewriter, loc, x, element);
    Value layer =
        NormalizeOp::create(rewriter, loc, wide.getType(), NormKind::Layer, wide, op.getDims(), op.getEpsilon());
    rewriter.replaceOp(op, castTo(rewriter, loc, layer, element));
    return success();
  }
};

struct RecognizeNormalizationPass final
    : substitution::impl::RecognizeNormalizationPassBase<RecognizeNormalizationPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeRms, RecognizeLayer, NarrowComposite<NormalizeOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
