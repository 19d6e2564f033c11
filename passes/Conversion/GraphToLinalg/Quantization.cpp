//===- Quantization.cpp - Scales and zero points in place -----------------===//
//
// The arithmetic is that of one element (ScalarLowering); this decides which scale goes with it. A
// block size that divides the extent makes two loops of one, so that all accesses stay plain.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

namespace {

template <typename OpTy> struct QuantizationPattern : GraphPattern<OpTy> {
  using GraphPattern<OpTy>::GraphPattern;
  using GraphPattern<OpTy>::context;

  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    SmallVector<Value> inputs{adaptor.getInput(), adaptor.getScale()};
    SmallVector<RankedTensorType> types{op.getInput().getType(), op.getScale().getType()};
    if (Value zeroPoint = adaptor.getZeroPoint()) {
      inputs.push_back(zeroPoint);
      types.push_back(op.getZeroPoint().getType());
    }
    auto result = dividesEvenly(op) ? computeBlocks(op, inputs, types, *init, rewriter)
                                    : compute(op, inputs, types, *init, rewriter);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  static bool dividesEvenly(OpTy op) {
    auto type = op.getInput().getType();
    int64_t block = op.getBlock();
    if (block <= 1 || op.getScale().getType().getRank() == 0 || type.isDynamicDim(op.getAxis()))
      return false;
    return type.getDimSize(op.getAxis()) % block == 0 && memoryOrder(type) == memoryOrder(op.getResult().getType());
  }

  /// The parameter of the element at `loops`: one expression per dimension of `parameter`.
  static SmallVector<AffineExpr> place(OpTy op, RankedTensorType parameter, ArrayRef<AffineExpr> loops,
                                       MLIRContext *mlir) {
    AffineExpr zero = getAffineConstantExpr(0, mlir);
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < parameter.getRank(); ++i) {
      if (parameter.getDimSize(i) == 1)
        exprs.push_back(zero);
      else if (op.getBlock() == 0)
        exprs.push_back(loops[op.getAxis()]);
      else
        exprs.push_back(i == static_cast<int64_t>(op.getAxis()) ? loops[i].floorDiv(op.getBlock()) : loops[i]);
    }
    return exprs;
  }

  FailureOr<Value> generic(OpTy op, ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                           ConversionPatternRewriter &rewriter) const {
    SmallVector<utils::IteratorType> iterators(rankOf(init), utils::IteratorType::parallel);
    return createGeneric(
        rewriter, op.getLoc(), inputs, init, maps, iterators,
        [&](OpBuilder &b, Location, ValueRange args) { return lowerElementwise(b, op, args.drop_back()); });
  }

  FailureOr<Value> compute(OpTy op, ValueRange inputs, ArrayRef<RankedTensorType> types, Value init,
                           ConversionPatternRewriter &rewriter) const {
    auto to = op.getResult().getType();
    SmallVector<AffineExpr> loops = logicalLoops(to);
    SmallVector<AffineMap> maps{memoryMap(types[0], to.getRank(), loops, op.getContext())};
    for (RankedTensorType parameter : types.drop_front())
      maps.push_back(memoryMap(parameter, to.getRank(), place(op, parameter, loops, op.getContext()), op.getContext()));
    maps.push_back(rewriter.getMultiDimIdentityMap(to.getRank()));
    return generic(op, inputs, init, maps, rewriter);
  }

  /// The axis becomes two dimensions: blocks, and elements of a block.
  FailureOr<Value> computeBlocks(OpTy op, SmallVector<Value> inputs, ArrayRef<RankedTensorType> types, Value init,
                                 ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto to = op.getResult().getType();
    int64_t rank = to.getRank(), axis = op.getAxis(), split = memoryDim(to, axis), block = op.getBlock();
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0; i < rank; ++i) {
      groups.push_back({i + (i > split)});
      if (i == split)
        groups.back().push_back(i + 1);
    }
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : memoryOrder(to)) {
      auto size = dimSize(rewriter, loc, op.getResult(), dim, context);
      if (failed(size))
        return failure();
      sizes.push_back(dim == axis ? rewriter.getIndexAttr(to.getDimSize(dim) / block) : *size);
      if (dim == axis)
        sizes.push_back(rewriter.getIndexAttr(block));
    }
    auto expand = [&](Value value) -> Value {
      SmallVector<int64_t> shape;
      for (OpFoldResult size : sizes)
        shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      auto expanded = RankedTensorType::get(shape, elementOf(value));
      value = castTensor(rewriter, loc, value, tensor::CollapseShapeOp::inferCollapsedType(expanded, groups));
      return tensor::ExpandShapeOp::create(rewriter, loc, expanded, value, groups, sizes);
    };
    inputs[0] = expand(inputs[0]);
    // Loops by logical dimension: that of the axis counts blocks.
    SmallVector<AffineExpr> loops;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t dim = memoryDim(to, i);
      loops.push_back(rewriter.getAffineDimExpr(dim + (dim > split)));
    }
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(rank + 1)};
    for (RankedTensorType parameter : types.drop_front()) {
      SmallVector<AffineExpr> exprs;
      for (int64_t i = 0; i < parameter.getRank(); ++i)
        exprs.push_back(parameter.getDimSize(i) == 1 ? rewriter.getAffineConstantExpr(0) : loops[i]);
      maps.push_back(memoryMap(parameter, rank + 1, exprs, op.getContext()));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank + 1));
    auto result = generic(op, inputs, expand(init), maps, rewriter);
    if (failed(result))
      return failure();
    Value collapsed = tensor::CollapseShapeOp::create(rewriter, loc, *result, groups);
    return castTensor(rewriter, loc, collapsed, init.getType());
  }
};

} // namespace

void hone::graph_to_linalg::populateQuantization(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<QuantizationPattern<QuantizeOp>, QuantizationPattern<DequantizeOp>>(patterns, context);
}
