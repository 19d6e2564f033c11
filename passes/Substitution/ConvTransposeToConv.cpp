//===- ConvTransposeToConv.cpp - Upsampling by convolution and shuffle ----===//

#include "passes/Substitution/Passes.h"

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace hone::substitution {
#define GEN_PASS_DEF_CONVTRANSPOSETOCONVPASS
#include "passes/Substitution/Passes.h.inc"
} // namespace hone::substitution

using namespace mlir;
using namespace hone;
using namespace hone::graph;

static constexpr auto kRemark = remark::RemarkOpts::name("conv-transpose-to-conv").category("substitution");

namespace {

struct ConvTransposeToConv final : OpRewritePattern<ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    auto weightType = op.getWeights().getType();
    auto allAre = [](ArrayRef<int64_t> values, int64_t wanted) {
      return llvm::all_of(values, [=](int64_t value) { return value == wanted; });
    };
    if (op.getInput().getType().getRank() != 4 || !weightType.hasStaticShape() ||
        !matchPattern(op.getWeights(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "not two-dimensional with constant weights");
    if (weightType.getShape().drop_front(2) != op.getStrides() || !allAre(op.getDilations(), 1) ||
        !allAre(op.getPads(), 0) || !allAre(op.getOutputPadding(), 0) || op.getGroups() != 1) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("the windows overlap, are cropped or grouped");
      return rewriter.notifyMatchFailure(op, "windows overlap, are cropped or grouped");
    }
    Location loc = op.getLoc();
    int64_t inputs = weightType.getDimSize(0), outputs = weightType.getDimSize(1), kh = weightType.getDimSize(2),
            kw = weightType.getDimSize(3);
    Value flipped = TransposeOp::create(rewriter, loc, op.getWeights(), ArrayRef<int64_t>{1, 2, 3, 0});
    Value weights =
        ReshapeOp::create(rewriter, loc, flipped, integers(rewriter, loc, {outputs * kh * kw, inputs, 1, 1}));
    Value blocks = ConvOp::create(rewriter, loc, op.getInput(), weights, ArrayRef<int64_t>{1, 1},
                                  ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{0, 0, 0, 0}, 1, op.getTo());
    Value shape = ShapeOp::create(rewriter, loc, op.getInput());
    Value n = extent(rewriter, loc, shape, 0), h = extent(rewriter, loc, shape, 2), w = extent(rewriter, loc, shape, 3);
    Value split = concat(rewriter, loc, {n, integers(rewriter, loc, {outputs, kh, kw}), h, w});
    Value parts = ReshapeOp::create(rewriter, loc, blocks, split);
    Value shuffled = TransposeOp::create(rewriter, loc, parts, ArrayRef<int64_t>{0, 1, 4, 2, 5, 3});
    Value rows = BinaryOp::create(rewriter, loc, BinaryKind::Mul, h, integers(rewriter, loc, {kh}));
    Value columns = BinaryOp::create(rewriter, loc, BinaryKind::Mul, w, integers(rewriter, loc, {kw}));
    Value joined = concat(rewriter, loc, {n, integers(rewriter, loc, {outputs}), rows, columns});
    Value result = ReshapeOp::create(rewriter, loc, shuffled, joined);
    result.setType(op.getResult().getType());
    rewriter.replaceOp(op, result);
    remark::passed(loc, kRemark) << remark::reason("computed as a 1x1 convolution");
    return success();
  }

private:
  static Value integers(OpBuilder &builder, Location loc, ArrayRef<int64_t> values) {
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
    return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, values));
  }
  static Value extent(OpBuilder &builder, Location loc, Value shape, int64_t dim) {
    return GatherOp::create(builder, loc, shape, integers(builder, loc, {dim}), 0);
  }
  static Value concat(OpBuilder &builder, Location loc, ArrayRef<Value> parts) {
    return ConcatOp::create(builder, loc, ValueRange(parts), 0);
  }
};

struct ConvTransposeToConvPass final : substitution::impl::ConvTransposeToConvPassBase<ConvTransposeToConvPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvTransposeToConv>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
