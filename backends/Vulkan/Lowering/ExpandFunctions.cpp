//===- ExpandFunctions.cpp - Functions that devices lack ------------------===//

#include "backends/Vulkan/Lowering/FloatFunctions.h"
#include "backends/Vulkan/Lowering/Pipeline.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hone::vulkan {
#define GEN_PASS_DEF_EXPANDFUNCTIONSPASS
#include "backends/Vulkan/Lowering/Passes.h.inc"
} // namespace hone::vulkan

using namespace mlir;
using namespace hone;
using vulkan::FloatFunctions;

namespace {

template <typename FunctionOp, Value (FloatFunctions::*Function)(Value) const>
struct UnaryPattern : OpRewritePattern<FunctionOp> {
  using OpRewritePattern<FunctionOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(FunctionOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!FloatFunctions::has(element))
      return rewriter.notifyMatchFailure(op, "is neither f32 nor f64");
    FloatFunctions functions(rewriter, op.getLoc(), element);
    rewriter.replaceOp(op, (functions.*Function)(op.getOperand()));
    return success();
  }
};

template <typename FunctionOp, Value (FloatFunctions::*Function)(Value, Value) const>
struct BinaryPattern : OpRewritePattern<FunctionOp> {
  using OpRewritePattern<FunctionOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(FunctionOp op, PatternRewriter &rewriter) const override {
    if (!FloatFunctions::has(op.getType()))
      return rewriter.notifyMatchFailure(op, "is neither f32 nor f64");
    FloatFunctions functions(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, (functions.*Function)(op.getOperand(0), op.getOperand(1)));
    return success();
  }
};

/// Mesa's llvmpipe truncates f64 where it should round.
struct RoundPattern : OpRewritePattern<math::RoundEvenOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundEvenOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF64())
      return rewriter.notifyMatchFailure(op, "is exact on devices");
    rewriter.replaceOp(op, FloatFunctions(rewriter, op.getLoc(), element).roundEven(op.getOperand()));
    return success();
  }
};

/// Computes in f32 what is asked of f16.
struct WidenPattern : RewritePattern {
  explicit WidenPattern(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool isFunction = isa_and_nonnull<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
    if (!isFunction || op->getNumResults() != 1 || !op->getResult(0).getType().isF16() ||
        isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp, math::SqrtOp>(op))
      return failure();
    Location loc = op->getLoc();
    SmallVector<Value> wide;
    for (Value operand : op->getOperands()) {
      bool isHalf = operand.getType().isF16();
      wide.push_back(isHalf ? arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), operand) : operand);
    }
    OperationState state(loc, op->getName(), wide, rewriter.getF32Type(), op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, rewriter.getF16Type(), result);
    return success();
  }
};

/// Signed comparisons of booleans, of which true is -1, are unsigned ones the other way round.
struct BooleanPattern : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    using arith::CmpIPredicate;
    static const std::pair<CmpIPredicate, CmpIPredicate> rows[] = {{CmpIPredicate::slt, CmpIPredicate::ugt},
                                                                   {CmpIPredicate::sle, CmpIPredicate::uge},
                                                                   {CmpIPredicate::sgt, CmpIPredicate::ult},
                                                                   {CmpIPredicate::sge, CmpIPredicate::ule}};
    if (!getElementTypeOrSelf(op.getLhs().getType()).isInteger(1))
      return rewriter.notifyMatchFailure(op, "compares no booleans");
    for (auto [isSigned, isUnsigned] : rows) {
      if (op.getPredicate() != isSigned)
        continue;
      rewriter.modifyOpInPlace(op, [&, predicate = isUnsigned] { op.setPredicate(predicate); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "is unsigned already");
  }
};

/// Divisions of f32 that are there from the start: those of functions are accounted for in their errors.
void refineDivisions(Operation *root) {
  SmallVector<arith::DivFOp> divisions;
  root->walk([&](arith::DivFOp op) {
    if (getElementTypeOrSelf(op.getType()).isF32())
      divisions.push_back(op);
  });
  for (arith::DivFOp op : divisions) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        FloatFunctions(builder, op.getLoc(), builder.getF32Type()).quotient(op.getLhs(), op.getRhs()));
    op.erase();
  }
}

struct ExpandFunctionsPass final : vulkan::impl::ExpandFunctionsPassBase<ExpandFunctionsPass> {
  void runOnOperation() override {
    refineDivisions(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<UnaryPattern<math::ExpOp, &FloatFunctions::exp>, UnaryPattern<math::ExpM1Op, &FloatFunctions::expm1>,
                 UnaryPattern<math::LogOp, &FloatFunctions::log>, UnaryPattern<math::Log1pOp, &FloatFunctions::log1p>,
                 UnaryPattern<math::SinOp, &FloatFunctions::sin>, UnaryPattern<math::CosOp, &FloatFunctions::cos>,
                 UnaryPattern<math::TanOp, &FloatFunctions::tan>, UnaryPattern<math::AsinOp, &FloatFunctions::asin>,
                 UnaryPattern<math::AcosOp, &FloatFunctions::acos>, UnaryPattern<math::AtanOp, &FloatFunctions::atan>,
                 UnaryPattern<math::TanhOp, &FloatFunctions::tanh>, UnaryPattern<math::ErfOp, &FloatFunctions::erf>,
                 BinaryPattern<math::PowFOp, &FloatFunctions::pow>,
                 BinaryPattern<arith::RemFOp, &FloatFunctions::remainder>, RoundPattern, WidenPattern, BooleanPattern>(
        &getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
