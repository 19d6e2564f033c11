//===- Elementwise.cpp - Elementwise ops as one loop nest -----------------===//
//
// Broadcasting is in the indexing maps. Where it is decided only at run time whether an extent is
// 1, the operand is read at a clamped index instead.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/Lowering.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

/// How one operand is read at one element of the result.
struct Access {
  /// Its number among the inputs of the generic op, or one of the following.
  std::optional<unsigned> input;
  /// A splat.
  TypedAttr scalar;
  /// Per logical dimension: the operand's extent when broadcasting is decided at run time.
  SmallVector<Value> extents;
};

/// Cast between types that differ in nothing stored.
bool keepsBits(Operation *op) {
  auto convert = [](Type from, Type to) {
    unsigned width = from.getIntOrFloatBitWidth();
    return from == to ||
           (isa<IntegerType>(from) && isa<IntegerType>(to) && width >= 8 && width == to.getIntOrFloatBitWidth());
  };
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return convert(elementOf(cast.getInput()), cast.getTo());
  if (auto bitcast = dyn_cast<graph::BitcastOp>(op))
    return convert(elementOf(bitcast.getInput()), bitcast.getTo()) ||
           (storageType(elementOf(bitcast.getInput())) == storageType(bitcast.getTo()) &&
            bitcast.getTo().getIntOrFloatBitWidth() == 8);
  return false;
}

/// The stored value of a constant with equal elements.
TypedAttr splatOf(Value converted) {
  auto constant = converted.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return nullptr;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat() ? cast<TypedAttr>(dense.getSplatValue<Attribute>()) : nullptr;
}

/// One elementwise op being rewritten. Loops run in the memory order of the result.
class ElementwiseLowering {
public:
  ElementwiseLowering(Operation *op, ValueRange operands, LoweringContext &context, ConversionPatternRewriter &rewriter)
      : op(op), operands(operands), context(context), rewriter(rewriter), loc(op->getLoc()), result(op->getResult(0)) {}

  FailureOr<Value> run() {
    FailureOr<Value> init = createEmpty(rewriter, loc, result, context);
    if (failed(init))
      return failure();
    for (unsigned i = 0; i < operands.size(); ++i)
      if (failed(addAccess(i)))
        return failure();
    int64_t rank = rankOf(result);
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    return createGeneric(rewriter, loc, inputs, *init, maps, iterators,
                         [&](OpBuilder &builder, Location, ValueRange arguments) {
                           SmallVector<Value> values;
                           for (auto [i, access] : llvm::enumerate(accesses))
                             values.push_back(read(builder, access, i, arguments));
                           return lowerElementwise(builder, op, values);
                         });
  }

private:
  /// The loop that runs over logical dimension `dim` of the result.
  unsigned loopOf(int64_t dim) const { return memoryDim(typeOf(result), dim); }

  LogicalResult addAccess(unsigned i) {
    Value graphValue = op->getOperand(i);
    Access access;
    access.scalar = splatOf(operands[i]);
    if (access.scalar) {
      accesses.push_back(std::move(access));
      return success();
    }
    int64_t rank = rankOf(graphValue), shift = rankOf(result) - rank;
    SmallVector<AffineExpr> indices;
    bool decidedAtRunTime = false;
    access.extents.resize(rank);
    for (int64_t dim = 0; dim < rank; ++dim) {
      graph::Extent extent = context.extents.dim(graphValue, dim), wanted = context.extents.dim(result, dim + shift);
      bool isStretched = graph::constantExtent(extent) == 1 && extent != wanted;
      indices.push_back(isStretched ? rewriter.getAffineConstantExpr(0)
                                    : rewriter.getAffineDimExpr(loopOf(dim + shift)));
      if (isStretched || extent == wanted || graph::constantExtent(extent) || context.extents.atLeast(extent, 2))
        continue;
      decidedAtRunTime = true;
      FailureOr<Value> size = dimIndex(rewriter, loc, graphValue, dim, context);
      if (failed(size))
        return failure();
      access.extents[dim] = *size;
    }
    if (!decidedAtRunTime) {
      access.input = inputs.size();
      inputs.push_back(operands[i]);
      maps.push_back(memoryMap(typeOf(graphValue), rankOf(result), indices, rewriter.getContext()));
    }
    accesses.push_back(std::move(access));
    return success();
  }

  Value read(OpBuilder &builder, const Access &access, unsigned i, ValueRange arguments) const {
    if (access.scalar)
      return arith::ConstantOp::create(builder, loc, access.scalar);
    if (access.input)
      return arguments[*access.input];
    Value graphValue = op->getOperand(i);
    int64_t rank = rankOf(graphValue), shift = rankOf(result) - rank;
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (graph::constantExtent(context.extents.dim(graphValue, dim)) == 1) {
        indices.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
        continue;
      }
      Value index = linalg::IndexOp::create(builder, loc, loopOf(dim + shift));
      if (Value extent = access.extents[dim]) {
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        index = arith::MinSIOp::create(builder, loc, index, arith::SubIOp::create(builder, loc, extent, one));
      }
      indices.push_back(index);
    }
    return extractElement(builder, loc, operands[i], typeOf(graphValue), indices);
  }

  Operation *op;
  ValueRange operands;
  LoweringContext &context;
  ConversionPatternRewriter &rewriter;
  Location loc;
  Value result;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Access> accesses;
};

struct ElementwisePattern : OpInterfaceConversionPattern<graph::ElementwiseOpInterface> {
  ElementwisePattern(LoweringContext &context, MLIRContext *mlirContext)
      : OpInterfaceConversionPattern(context.types, mlirContext), context(context) {}

  LogicalResult matchAndRewrite(graph::ElementwiseOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    // Their parameters do not broadcast: populateQuantization.
    if (isa<graph::QuantizeOp, graph::DequantizeOp>(op))
      return failure();
    Value result = op->getResult(0);
    if (keepsBits(op) && operands[0].getType() == context.convert(result)) {
      rewriter.replaceOp(op, operands[0]);
      return success();
    }
    FailureOr<Value> lowered = ElementwiseLowering(op, operands, context, rewriter).run();
    if (failed(lowered))
      return rewriter.notifyMatchFailure(op, "no lowering for these element types");
    rewriter.replaceOp(op, *lowered);
    return success();
  }

  LoweringContext &context;
};

} // namespace

void graph_to_linalg::populateElementwise(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<ElementwisePattern>(patterns, context);
}
