//===- ScaleWeights.cpp - Scales of products move into their weights ------===//

#include "passes/Substitution/Passes.h"

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hone::substitution {
#define GEN_PASS_DEF_SCALEWEIGHTSPASS
#include "passes/Substitution/Passes.h.inc"
} // namespace hone::substitution

using namespace mlir;
using namespace hone;
using namespace hone::graph;

static constexpr auto kRemark = remark::RemarkOpts::name("ScaleWeights").category("substitution");

namespace {

/// Constants, and what constant folding will make of them.
bool isConstant(Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isa<BinaryOp, ReshapeOp>(op) && llvm::all_of(op->getOperands(), isConstant);
}

/// The contraction that makes `value` for one user, with weights of its own that can take a scale; null if none.
ContractionOpInterface scalable(Value value) {
  auto product = value.getDefiningOp<ContractionOpInterface>();
  if (!product || !value.hasOneUse())
    return nullptr;
  Value weights = product.getWeights();
  Type element = getElementTypeOrSelf(value);
  // Half types would be rounded once more.
  bool good = (element.isF32() || element.isF64()) && getElementTypeOrSelf(weights) == element &&
              cast<RankedTensorType>(weights.getType()).hasStaticShape() && weights.hasOneUse() && isConstant(weights);
  return good ? product : nullptr;
}

/// For each dimension of the result, the dimension of the weights that runs along with it, or -1: scaling along one is
/// scaling along the other.
SmallVector<int64_t> weightDims(ContractionOpInterface product) {
  SmallVector<int64_t> dims(cast<RankedTensorType>(product->getResultTypes().front()).getRank(), -1);
  llvm::TypeSwitch<Operation *>(product)
      .Case([&](ContractOp op) {
        for (auto [i, index] : llvm::enumerate(op.getResultDims())) {
          const int64_t *at = llvm::find(op.getRhsDims(), index);
          dims[i] = at == op.getRhsDims().end() ? -1 : at - op.getRhsDims().begin();
        }
      })
      .Case([&](ConvOp) { dims[1] = 0; })
      // With several groups a weight belongs to a channel of each.
      .Case([&](ConvTransposeOp op) { dims[1] = op.getGroups() == 1 ? 1 : -1; });
  return dims;
}

/// The shape in which `scale`, that meets the result of `product`, meets its weights; nothing if it runs along
/// dimensions that the weights do not have, or in another order.
std::optional<SmallVector<int64_t>> shapeForWeights(ContractionOpInterface product, Value scale) {
  auto type = cast<RankedTensorType>(scale.getType());
  SmallVector<int64_t> dims = weightDims(product);
  SmallVector<int64_t> shape(cast<RankedTensorType>(product.getWeights().getType()).getRank(), 1);
  int64_t missing = static_cast<int64_t>(dims.size()) - type.getRank(), last = -1;
  if (missing < 0 || !type.hasStaticShape())
    return std::nullopt;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (extent == 1)
      continue;
    int64_t dim = dims[missing + i];
    if (dim <= last)
      return std::nullopt;
    shape[dim] = extent;
    last = dim;
  }
  return shape;
}

/// (x . w) * s -> x . (w * s)
struct ScaleWeights final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul)
      return failure();
    bool swapped = isConstant(op.getLhs());
    Value scale = swapped ? op.getLhs() : op.getRhs();
    ContractionOpInterface product = scalable(swapped ? op.getRhs() : op.getLhs());
    if (!product || !isConstant(scale) || product->getResultTypes().front() != op.getType())
      return failure();
    auto shape = shapeForWeights(product, scale);
    if (!shape) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("the scale differs along the activations");
      return failure();
    }
    Location loc = rewriter.getFusedLoc({product.getLoc(), op.getLoc()});
    auto type = RankedTensorType::get({static_cast<int64_t>(shape->size())}, rewriter.getI64Type());
    Value extents = ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(*shape)));
    Value aligned = ReshapeOp::create(rewriter, loc, scale, extents);
    Value weights = BinaryOp::create(rewriter, loc, BinaryKind::Mul, product.getWeights(), aligned);
    IRMapping mapping;
    mapping.map(product.getWeights(), weights);
    Operation *scaled = rewriter.clone(*product, mapping);
    scaled->setLoc(loc);
    rewriter.replaceOp(op, scaled);
    rewriter.eraseOp(product);
    remark::passed(loc, kRemark) << remark::reason("the scale is part of the weights");
    return success();
  }
};

/// (x . w + b) * s -> (x . w) * s + b * s, for the scale to reach the product.
struct ScaleBeforeBias final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul)
      return failure();
    bool swapped = isConstant(op.getLhs());
    Value scale = swapped ? op.getLhs() : op.getRhs();
    auto sum = (swapped ? op.getRhs() : op.getLhs()).getDefiningOp<BinaryOp>();
    if (!sum || sum.getKind() != BinaryKind::Add || !sum->hasOneUse() || !isConstant(scale))
      return failure();
    bool biasFirst = isConstant(sum.getLhs());
    Value bias = biasFirst ? sum.getLhs() : sum.getRhs(), value = biasFirst ? sum.getRhs() : sum.getLhs();
    ContractionOpInterface product = scalable(value);
    if (!product || !isConstant(bias) || value.getType() != op.getType() || !shapeForWeights(product, scale))
      return failure();
    Value scaled = BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, value, scale);
    Value shift = BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, bias, scale);
    rewriter.replaceOpWithNewOp<BinaryOp>(op, BinaryKind::Add, scaled, shift);
    return success();
  }
};

struct ScaleWeightsPass final : substitution::impl::ScaleWeightsPassBase<ScaleWeightsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ScaleWeights, ScaleBeforeBias>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
