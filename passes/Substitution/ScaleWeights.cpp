//===- ScaleWeights.cpp - Scales of products move into their weights ------===//

#include "passes/Substitution/Passes.h"

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Traits.h"
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

/// A constant that is added to a value, taken from it or multiplied with it.
struct ConstantStep {
  Value value, constant;
  BinaryKind kind;

  bool isShift() const { return kind == BinaryKind::Add || kind == BinaryKind::Sub; }
};

std::optional<ConstantStep> constantStep(Value result) {
  auto op = result.getDefiningOp<BinaryOp>();
  if (!op)
    return std::nullopt;
  BinaryKind kind = op.getKind();
  if (kind != BinaryKind::Add && kind != BinaryKind::Sub && kind != BinaryKind::Mul)
    return std::nullopt;
  if (isConstant(op.getRhs()))
    return ConstantStep{op.getLhs(), op.getRhs(), kind};
  // A constant that something is taken from turns its sign.
  if (kind != BinaryKind::Sub && isConstant(op.getLhs()))
    return ConstantStep{op.getRhs(), op.getLhs(), kind};
  return std::nullopt;
}

/// (x . w) * s -> x . (w * s)
struct ScaleWeights final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto scale = constantStep(op.getResult());
    if (!scale || scale->kind != BinaryKind::Mul || scale->value.getType() != op.getType())
      return failure();
    ContractionOpInterface product = scalable(scale->value);
    if (!product)
      return failure();
    auto shape = shapeForWeights(product, scale->constant);
    if (!shape) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("the scale differs along the activations");
      return failure();
    }
    Location loc = rewriter.getFusedLoc({product.getLoc(), op.getLoc()});
    auto type = RankedTensorType::get({static_cast<int64_t>(shape->size())}, rewriter.getI64Type());
    Value extents = ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(*shape)));
    Value aligned = ReshapeOp::create(rewriter, loc, scale->constant, extents);
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
    auto scale = constantStep(op.getResult());
    if (!scale || scale->kind != BinaryKind::Mul || !scale->value.hasOneUse())
      return failure();
    auto bias = constantStep(scale->value);
    if (!bias || !bias->isShift() || bias->value.getType() != op.getType())
      return failure();
    ContractionOpInterface product = scalable(bias->value);
    if (!product || !shapeForWeights(product, scale->constant))
      return failure();
    Value scaled = BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, bias->value, scale->constant);
    Value shift = BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, bias->constant, scale->constant);
    rewriter.replaceOpWithNewOp<BinaryOp>(op, bias->kind, scaled, shift);
    return success();
  }
};

/// Whether the constants `a` and `b` make one that is no larger than they are.
bool joinWell(Value a, Value b) {
  auto one = cast<RankedTensorType>(a.getType()), other = cast<RankedTensorType>(b.getType());
  if (!one.hasStaticShape() || !other.hasStaticShape())
    return false;
  SmallVector<int64_t> shape;
  return OpTrait::util::getBroadcastedShape(one.getShape(), other.getShape(), shape) &&
         ShapedType::getNumElements(shape) <= std::max(one.getNumElements(), other.getNumElements());
}

/// (x . w + a) + b -> x . w + (a + b), also with differences; ((x . w) * a) * b -> (x . w) * (a * b).
struct JoinConstants final : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto second = constantStep(op.getResult());
    if (!second || !second->value.hasOneUse() || second->value.getType() != op.getType())
      return failure();
    auto first = constantStep(second->value);
    if (!first || first->isShift() != second->isShift() || first->value.getType() != op.getType() ||
        !joinWell(first->constant, second->constant))
      return failure();
    // The sum of a product is rounded in no particular order, so what follows it may be. Constants of half types
    // would be rounded once more.
    Type element = getElementTypeOrSelf(op.getType());
    if (!first->value.getDefiningOp<ContractionOpInterface>() || !(element.isF32() || element.isF64()))
      return failure();
    Location loc = rewriter.getFusedLoc({second->value.getLoc(), op.getLoc()});
    BinaryKind kind = first->kind, joining = first->isShift() ? BinaryKind::Add : BinaryKind::Mul;
    Value a = first->constant, b = second->constant;
    if (first->kind != second->kind) {
      kind = BinaryKind::Add;
      joining = BinaryKind::Sub;
      if (first->kind == BinaryKind::Sub)
        std::swap(a, b);
    }
    Value joint = BinaryOp::create(rewriter, loc, joining, a, b);
    rewriter.replaceOp(op, BinaryOp::create(rewriter, loc, kind, first->value, joint));
    remark::passed(loc, kRemark) << remark::reason("two constants are one");
    return success();
  }
};

struct ScaleWeightsPass final : substitution::impl::ScaleWeightsPassBase<ScaleWeightsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ScaleWeights, ScaleBeforeBias, JoinConstants>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
