//===- Contraction.cpp - Matrix products of every kind --------------------===//

#include "passes/Conversion/GraphToLinalg/Contraction.h"
#include "passes/Conversion/GraphToLinalg/Accumulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

FailureOr<Value> graph_to_linalg::createSumOfProducts(ConversionPatternRewriter &rewriter, Location loc,
                                                      ArrayRef<Value> operands, ArrayRef<Type> elements, Value sums,
                                                      ArrayRef<AffineMap> maps,
                                                      ArrayRef<utils::IteratorType> iterators) {
  Type number = cast<RankedTensorType>(sums.getType()).getElementType();
  Value zeros = createFill(rewriter, loc, numberConstant(rewriter, loc, number, 0), sums);
  return createGeneric(rewriter, loc, operands, zeros, maps, iterators,
                       [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                         Value a = extendElement(builder, nested, arguments[0], elements[0], number);
                         Value b = extendElement(builder, nested, arguments[1], elements[1], number);
                         if (!isa<FloatType>(number)) {
                           Value product = arith::MulIOp::create(builder, nested, a, b);
                           return arith::AddIOp::create(builder, nested, arguments[2], product).getResult();
                         }
                         // A fused multiply-add where there is one.
                         auto fuse = arith::FastMathFlags::contract;
                         Value product = arith::MulFOp::create(builder, nested, a, b, fuse);
                         return arith::AddFOp::create(builder, nested, arguments[2], product, fuse).getResult();
                       });
}

namespace {

struct ContractPattern : GraphPattern<graph::ContractOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ContractOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Loops: what is kept in the memory order of the result, then what is summed.
    llvm::SmallDenseMap<int64_t, unsigned> loops;
    SmallVector<utils::IteratorType> iterators;
    auto addLoop = [&](int64_t index, utils::IteratorType iterator) {
      if (loops.try_emplace(index, iterators.size()).second)
        iterators.push_back(iterator);
    };
    for (int64_t dim : memoryOrder(typeOf(op.getResult())))
      addLoop(op.getResultDims()[dim], utils::IteratorType::parallel);
    for (int64_t dim : memoryOrder(typeOf(op.getLhs())))
      addLoop(op.getLhsDims()[dim], utils::IteratorType::reduction);
    for (int64_t dim : memoryOrder(typeOf(op.getRhs())))
      addLoop(op.getRhsDims()[dim], utils::IteratorType::reduction);

    auto mapOf = [&](Value value, ArrayRef<int64_t> dims) {
      SmallVector<AffineExpr> indices;
      for (int64_t dim : dims)
        indices.push_back(rewriter.getAffineDimExpr(loops[dim]));
      return memoryMap(typeOf(value), iterators.size(), indices, rewriter.getContext());
    };
    FailureOr<Value> init = createEmptyLike(rewriter, op.getLoc(), op.getResult(), computeType(op.getTo()), context);
    if (failed(init))
      return failure();
    FailureOr<Value> sums =
        createSumOfProducts(rewriter, op.getLoc(), {adaptor.getLhs(), adaptor.getRhs()},
                            {elementOf(op.getLhs()), elementOf(op.getRhs())}, *init,
                            {mapOf(op.getLhs(), op.getLhsDims()), mapOf(op.getRhs(), op.getRhsDims()),
                             mapOf(op.getResult(), op.getResultDims())},
                            iterators);
    if (failed(sums))
      return failure();
    FailureOr<Value> stored = storeResult(rewriter, op.getLoc(), *sums, op.getResult(), context);
    if (failed(stored))
      return failure();
    rewriter.replaceOp(op, *stored);
    return success();
  }
};

} // namespace

void graph_to_linalg::populateContraction(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ContractPattern>(patterns, context);
}
