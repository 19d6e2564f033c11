//===- RecognizeSoftmax.cpp - Softmax and its logarithm -------------------===//
//
// Only what takes the maximum off is one: without that, large elements overflow.
//
//===----------------------------------------------------------------------===//

#include "passes/Substitution/Composite.h"
#include "passes/Substitution/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hone::substitution {
#define GEN_PASS_DEF_RECOGNIZESOFTMAXPASS
#include "passes/Substitution/Passes.h.inc"
} // namespace hone::substitution

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::substitution;

static constexpr auto kRemark = remark::RemarkOpts::name("RecognizeSoftmax").category("substitution");

namespace {

/// With d = x - max(x): exp(d) / sum(exp(d)), or d - log(sum(exp(d))).
struct RecognizeSoftmax final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    Value x, d, power;
    ReduceOp largest, sum;
    Matcher distance = binary(BinaryKind::Sub, any(x), reduce(ReduceKind::Max, largest, same(x)));
    Matcher powers = both(any(power), unary(UnaryKind::Exp, distance));
    Matcher softmax = quotient(powers, reduce(ReduceKind::Sum, sum, same(power)));
    Matcher logSum = unary(UnaryKind::Log, reduce(ReduceKind::Sum, sum, unary(UnaryKind::Exp, same(d))));
    Matcher logarithm = binary(BinaryKind::Sub, both(any(d), distance), logSum);
    Trail trail;
    bool isLog = logarithm(op, trail);
    if (!isLog && !softmax(op, trail))
      return rewriter.notifyMatchFailure(op, "expected exponentials and their sum");
    if (largest.getDims().size() != 1 || largest.getDims() != sum.getDims() || !haveEqualShapes(x, op, trail))
      return rewriter.notifyMatchFailure(op, "expected one dimension to be reduced");
    if (!trail.isClosed()) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("a value within is also used elsewhere");
      return rewriter.notifyMatchFailure(op, "a value within has other uses");
    }
    Location loc = trail.getLoc(rewriter);
    Type element = op.getType().getElementType();
    Value wide = widenTo(rewriter, loc, x, element);
    Value result = SoftmaxOp::create(rewriter, loc, wide.getType(), wide, largest.getDims().front(), isLog);
    rewriter.replaceOp(op, castTo(rewriter, loc, result, element));
    remark::passed(loc, kRemark) << remark::reason("these are a softmax");
    return success();
  }
};

struct RecognizeSoftmaxPass final : substitution::impl::RecognizeSoftmaxPassBase<RecognizeSoftmaxPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeSoftmax, NarrowComposite<SoftmaxOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
