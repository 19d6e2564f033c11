//===- GraphReduction.cpp - How graphs shrink -----------------------------===//
//
// Ops with users cannot be erased, only replaced: by an operand, which keeps what feeds the program, or by a
// constant, which cuts it off. Whether the program is still interesting is for the tester to say.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-reduce/GraphReduction.h"
#include "dialects/Graph/IR/Graph.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;
using namespace hone;

namespace {

bool isGraphOp(Operation *op) { return isa_and_nonnull<graph::GraphDialect>(op->getDialect()); }

struct ReplaceByOperand : RewritePattern {
  explicit ReplaceByOperand(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isGraphOp(op) || op->getNumResults() != 1)
      return failure();
    for (Value operand : op->getOperands())
      if (operand.getType() == op->getResult(0).getType()) {
        rewriter.replaceOp(op, operand);
        return success();
      }
    return failure();
  }
};

struct ReplaceByZeros : RewritePattern {
  explicit ReplaceByZeros(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isGraphOp(op) || isa<graph::ConstantOp>(op) || op->getNumResults() == 0)
      return failure();
    SmallVector<DenseElementsAttr> zeros;
    for (Type result : op->getResultTypes()) {
      auto type = dyn_cast<RankedTensorType>(result);
      TypedAttr zero = type && type.hasStaticShape() ? rewriter.getZeroAttr(type.getElementType()) : TypedAttr();
      if (!zero)
        return failure();
      zeros.push_back(DenseElementsAttr::get(type, zero));
    }
    SmallVector<Value> constants;
    for (DenseElementsAttr zero : zeros)
      constants.push_back(graph::ConstantOp::create(rewriter, op->getLoc(), zero));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

struct GraphReduction : DialectReductionPatternInterface {
  explicit GraphReduction(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ReplaceByOperand, ReplaceByZeros>(patterns.getContext());
  }
};

} // namespace

void hone::registerGraphReduction(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, graph::GraphDialect *dialect) { dialect->addInterfaces<GraphReduction>(); });
}
