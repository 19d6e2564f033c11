//===- MovementPatterns.cpp - Laws of places ------------------------------===//

#include "passes/Simplify/AlgebraPatterns.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::simplify {
namespace {

bool isStatic(Value value) {
  auto type = tensorTypeOf(value);
  return type.hasStaticShape() && !type.getEncoding();
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// transpose(transpose(x, p), q) -> transpose(x, p after q).
struct ComposeTransposes final : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected two permutations");
    SmallVector<int64_t> perm;
    for (int64_t dim : op.getPerm())
      perm.push_back(inner.getPerm()[dim]);
    if (llvm::is_sorted(perm) && inner.getInput().getType() == op.getResult().getType()) {
      rewriter.replaceOp(op, inner.getInput());
      return success();
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getResult().getType(), inner.getInput(),
                                             rewriter.getDenseI64ArrayAttr(perm));
    return success();
  }
};

/// A permutation that only moves extents of 1 is a reshape: no bytes move.
struct TransposeOfOnes final : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (!isStatic(op.getInput()) || !isStatic(op.getResult()) || llvm::is_sorted(op.getPerm()))
      return rewriter.notifyMatchFailure(op, "expected static extents");
    if (!op.isView())
      return rewriter.notifyMatchFailure(op, "elements change places");
    Value shape = shapeConstant(rewriter, op.getLoc(), tensorTypeOf(op.getResult()).getShape());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(), op.getInput(), shape);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Nothing happens
//===----------------------------------------------------------------------===//

/// Whether input and result have the same type and the same extents, shown by
/// extent arithmetic where they are dynamic.
template <typename OpTy> bool keepsExtents(OpTy op) {
  if (op.getInput().getType() != op.getResult().getType())
    return false;
  if (tensorTypeOf(op.getInput()).hasStaticShape())
    return true;
  ExtentBuilder extents;
  SmallVector<TensorShape> shapes;
  return succeeded(op.resultShapes(extents, shapes)) && shapes[0].dims == extents.dims(op.getInput());
}

/// Reshapes, broadcasts and tiles to the extents that are there already.
template <typename OpTy> struct DropIdentity final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!keepsExtents(op))
      return rewriter.notifyMatchFailure(op, "extents change");
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

/// A slice with steps of 1 that keeps all extents.
struct DropWholeSlice final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto steps = constantIntegers(op.getSteps());
    if (!steps || !llvm::all_of(*steps, [](int64_t n) { return n == 1; }) || !keepsExtents(op))
      return rewriter.notifyMatchFailure(op, "something is cut off");
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

/// A reduction over no dimension, or over extents of 1.
struct DropTrivialReduction final : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto type = tensorTypeOf(op.getInput());
    if (!llvm::all_of(op.getDims(), [&](int64_t dim) { return type.getDimSize(dim) == 1; }))
      return rewriter.notifyMatchFailure(op, "elements meet");
    if (type == op.getResult().getType()) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    if (!isStatic(op.getInput()) || !isStatic(op.getResult()))
      return rewriter.notifyMatchFailure(op, "expected static extents");
    Value shape = shapeConstant(rewriter, op.getLoc(), tensorTypeOf(op.getResult()).getShape());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(), op.getInput(), shape);
    return success();
  }
};

/// A resize by scales of 1 to the same extents.
struct DropSameSizeResize final : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    auto scale = splatOf(op.getScales());
    if (!scale || scale->number != 1 || op.getCoordinate() == Coordinate::TfCropAndResize || !isStatic(op.getInput()) ||
        op.getInput().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "samples elsewhere");
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concatenation and broadcast
//===----------------------------------------------------------------------===//

/// Inputs without elements go away, joins of joins along the same dimension
/// become one.
struct FlattenConcat final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    int64_t dim = op.getDim();
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner.getDim() == op.getDim() && inner->hasOneUse())
        llvm::append_range(inputs, inner.getInputs());
      else if (tensorTypeOf(input).getDimSize(dim) != 0)
        inputs.push_back(input);
    }
    if (inputs == SmallVector<Value>(op.getInputs()) || inputs.empty())
      return rewriter.notifyMatchFailure(op, "nothing to flatten");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

/// An elementwise op stretches its operands itself; where the other operands
/// give the result its extents, a broadcast in front of it is not needed.
struct DropBroadcastOfOperand final : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op, PatternRewriter &rewriter) const override {
    if (!isa<BinaryOp, CompareOp, SelectOp>(op) || !isStatic(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "expected static extents");
    for (OpOperand &operand : op->getOpOperands()) {
      auto broadcast = operand.get().getDefiningOp<BroadcastOp>();
      if (!broadcast || !isStatic(broadcast.getInput()))
        continue;
      SmallVector<Value> operands(op->getOperands());
      operands[operand.getOperandNumber()] = broadcast.getInput();
      ExtentBuilder extents;
      auto shape = broadcastShapes(extents, operands);
      if (!shape || tensorType({tensorTypeOf(op->getResult(0)).getElementType(), *shape}) != op->getResult(0).getType())
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(broadcast.getInput()); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every broadcast is needed");
  }
};

} // namespace

void populateMovementPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ComposeTransposes, TransposeOfOnes, DropIdentity<ReshapeOp>, DropIdentity<BroadcastOp>, DropIdentity<TileOp>,
           DropWholeSlice, DropTrivialReduction, DropSameSizeResize, FlattenConcat, DropBroadcastOfOperand>(
          patterns.getContext());
}

} // namespace hone::simplify
