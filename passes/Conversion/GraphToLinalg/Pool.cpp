//===- Pool.cpp - Maximum, average and norm of sliding windows ------------===//

#include "passes/Conversion/GraphToLinalg/Accumulator.h"
#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;
using arith::CmpIPredicate;

namespace {

/// Loops of a window op: one per dimension of the result in memory order, then the window's.
struct WindowLoops {
  WindowLoops(Value result, int64_t spatial) : type(typeOf(result)), spatial(spatial) {
    iterators.append(type.getRank(), utils::IteratorType::parallel);
    iterators.append(spatial, utils::IteratorType::reduction);
  }
  unsigned loopOf(int64_t dim) const { return memoryDim(type, dim); }
  unsigned windowLoop(int64_t i) const { return type.getRank() + i; }
  AffineMap resultMap(MLIRContext *context) const {
    return AffineMap::getMultiDimIdentityMap(iterators.size(), context).getMajorSubMap(type.getRank());
  }
  AffineMap windowMap(MLIRContext *context) const {
    return AffineMap::getMultiDimIdentityMap(iterators.size(), context).getMinorSubMap(spatial);
  }

  RankedTensorType type;
  int64_t spatial;
  SmallVector<utils::IteratorType> iterators;
};

template <typename OpTy> struct WindowPattern : GraphPattern<OpTy> {
  using GraphPattern<OpTy>::GraphPattern;
  using GraphPattern<OpTy>::context;

  /// A tensor that only has the extents of the window: loops need an operand to run over.
  static Value windowTensor(OpTy op, OpBuilder &builder) {
    return tensor::EmptyOp::create(builder, op.getLoc(), op.getWindow(), builder.getF32Type());
  }
};

/// What a pooling kind is: a reduction with something before it and something behind it.
struct PoolKindFacts {
  graph::ReduceKind reduce;
  Value (*prepare)(const ScalarBuilder &s, Value x, graph::PoolOp op);
};

Value prepareLp(const ScalarBuilder &s, Value x, graph::PoolOp op) {
  Type element = elementOf(op.getInput());
  if (!isa<FloatType>(element))
    return s.muli(x, x);
  if (op.getP() == 2)
    return s.mulf(x, x);
  Value magnitude = s.absf(x);
  return op.getP() == 1 ? magnitude : s.make<math::PowFOp>(magnitude, s.num(x, op.getP()));
}

const PoolKindFacts &factsOf(graph::PoolKind kind) {
  static const PoolKindFacts table[] = {
      {graph::ReduceKind::Max, [](const ScalarBuilder &, Value x, graph::PoolOp) { return x; }},
      {graph::ReduceKind::Sum, [](const ScalarBuilder &, Value x, graph::PoolOp) { return x; }},
      {graph::ReduceKind::Sum, prepareLp},
  };
  return table[static_cast<unsigned>(kind)];
}

struct PoolPattern : WindowPattern<graph::PoolOp> {
  using WindowPattern::WindowPattern;

  LogicalResult matchAndRewrite(graph::PoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementOf(op.getInput());
    const PoolKindFacts &facts = factsOf(op.getKind());
    Accumulator accumulator{facts.reduce, element};
    FailureOr<Value> padded = padInput(op, adaptor.getInput(), accumulator, rewriter);
    FailureOr<Value> empty = createEmptyLike(rewriter, loc, op.getResult(), accumulator.type(), context);
    if (failed(padded) || failed(empty))
      return failure();
    Value init = createFill(rewriter, loc, accumulator.identity(rewriter, loc), *empty);

    int64_t spatial = op.getWindow().size();
    WindowLoops loops(op.getResult(), spatial);
    SmallVector<AffineExpr> indices;
    for (int64_t dim = 0; dim < spatial + 2; ++dim)
      indices.push_back(rewriter.getAffineDimExpr(loops.loopOf(dim)));
    for (int64_t i = 0; i < spatial; ++i)
      indices[i + 2] =
          indices[i + 2] * op.getStrides()[i] + rewriter.getAffineDimExpr(loops.windowLoop(i)) * op.getDilations()[i];
    MLIRContext *mlirContext = rewriter.getContext();
    AffineMap inputMap = memoryMap(typeOf(op.getInput()), loops.iterators.size(), indices, mlirContext);
    FailureOr<Value> sums =
        createGeneric(rewriter, loc, {*padded, windowTensor(op, rewriter)}, init,
                      {inputMap, loops.windowMap(mlirContext), loops.resultMap(mlirContext)}, loops.iterators,
                      [&](OpBuilder &builder, Location nested, ValueRange arguments) {
                        Value x = loadElement(builder, nested, arguments[0], element);
                        x = facts.prepare(ScalarBuilder{builder, nested}, x, op);
                        return accumulator.combine(builder, nested, arguments[2], x);
                      });
    if (failed(sums))
      return failure();
    FailureOr<Value> stored = finish(op, *sums, accumulator, rewriter);
    if (failed(stored))
      return failure();
    rewriter.replaceOp(op, *stored);
    return success();
  }

private:
  /// The input with elements around it that change no result, up to the end of the last window.
  FailureOr<Value> padInput(graph::PoolOp op, Value input, const Accumulator &accumulator,
                            ConversionPatternRewriter &rewriter) const {
    graph::ExtentBuilder &extents = context.extents;
    int64_t spatial = op.getWindow().size();
    SmallVector<OpFoldResult> low(2, rewriter.getIndexAttr(0)), high(2, rewriter.getIndexAttr(0));
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t begin = op.getPads()[i], end = op.getPads()[spatial + i];
      graph::Extent after = extents.constant(end);
      if (op.getCeilMode()) {
        graph::Extent last = extents.sub(extents.dim(op.getResult(), i + 2), extents.constant(1));
        graph::Extent reach = extents.add(extents.mul(last, extents.constant(op.getStrides()[i])),
                                          extents.constant((op.getWindow()[i] - 1) * op.getDilations()[i] + 1 - begin));
        after = extents.max(extents.sub(reach, extents.dim(op.getInput(), i + 2)), after);
      }
      FailureOr<OpFoldResult> size = materialize(rewriter, op.getLoc(), after, context);
      if (failed(size))
        return failure();
      low.push_back(rewriter.getIndexAttr(begin));
      high.push_back(*size);
    }
    RankedTensorType type = typeOf(op.getInput());
    Value outside = accumulator.isExact()
                        ? accumulator.identity(rewriter, op.getLoc())
                        : numberConstant(rewriter, op.getLoc(), storageType(type.getElementType()), 0);
    return createPad(rewriter, op.getLoc(), input, toMemory<OpFoldResult>(type, low),
                     toMemory<OpFoldResult>(type, high), outside);
  }

  FailureOr<Value> finish(graph::PoolOp op, Value sums, const Accumulator &accumulator,
                          ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    if (op.getKind() == graph::PoolKind::Max)
      return storeAccumulated(rewriter, loc, sums, accumulator, op.getResult(), context);
    if (op.getKind() == graph::PoolKind::Avg)
      return divideByCounts(op, sums, rewriter);
    return storeResult(rewriter, loc, sums, op.getResult(), context,
                       [&](OpBuilder &builder, Location nested, Value sum, ArrayRef<Value>) -> FailureOr<Value> {
                         ScalarBuilder s{builder, nested};
                         if (op.getP() == 1 || !isa<FloatType>(elementOf(op.getInput())))
                           return sum;
                         if (op.getP() == 2)
                           return s.sqrt(sum);
                         return s.make<math::PowFOp>(sum, s.num(sum, 1.0 / op.getP()));
                       });
  }

  /// Number of window positions along spatial dimension `i` that count, at output position `at`.
  Value countAlong(graph::PoolOp op, int64_t i, Value at, Value extent, const ScalarBuilder &s) const {
    int64_t begin = op.getPads()[i], end = op.getPads()[op.getWindow().size() + i];
    int64_t dilation = op.getDilations()[i];
    Value start = s.muli(at, s.bits(at, op.getStrides()[i]));
    // Positions start + k * dilation of the padded input in [first, last).
    Value first = s.bits(at, op.getCountPad() ? 0 : begin);
    Value last = s.addi(extent, s.bits(at, op.getCountPad() ? begin + end : begin));
    auto stepsTo = [&](Value bound) {
      Value distance = s.addi(s.subi(bound, start), s.bits(at, dilation - 1));
      Value steps = s.make<arith::MaxSIOp>(distance, s.bits(at, 0));
      return dilation == 1 ? steps : s.make<arith::DivSIOp>(steps, s.bits(at, dilation));
    };
    Value stop = s.make<arith::MinSIOp>(stepsTo(last), s.bits(at, op.getWindow()[i]));
    return s.make<arith::MaxSIOp>(s.subi(stop, stepsTo(first)), s.bits(at, 0));
  }

  FailureOr<Value> divideByCounts(graph::PoolOp op, Value sums, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type element = elementOf(op.getResult());
    int64_t whole = 1;
    for (int64_t extent : op.getWindow())
      whole *= extent;
    bool allCount =
        !op.getCeilMode() && (op.getCountPad() || llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; }));
    SmallVector<Value> extents;
    for (size_t i = 0; !allCount && i < op.getWindow().size(); ++i) {
      FailureOr<Value> extent = dimIndex(rewriter, loc, op.getInput(), i + 2, context);
      if (failed(extent))
        return failure();
      extents.push_back(*extent);
    }
    return storeResult(
        rewriter, loc, sums, op.getResult(), context,
        [&](OpBuilder &builder, Location nested, Value sum, ArrayRef<Value> indices) -> FailureOr<Value> {
          ScalarBuilder s{builder, nested};
          Value divisor = s.num(sum, whole);
          if (!allCount) {
            Value count;
            for (auto [i, extent] : llvm::enumerate(extents)) {
              Value along = countAlong(op, i, indices[i + 2], extent, s);
              count = count ? s.muli(count, along) : along;
            }
            Value number = arith::IndexCastOp::create(builder, nested, builder.getI64Type(), count);
            divisor = isa<FloatType>(sum.getType()) ? s.intToFloat(number, sum.getType(), false)
                                                    : s.resize(number, sum.getType(), false);
          }
          return binaryFunction(builder, nested, graph::BinaryKind::Div, sum, divisor, element);
        });
  }
};

struct MaxPoolIndicesPattern : WindowPattern<graph::MaxPoolIndicesOp> {
  using WindowPattern::WindowPattern;

  LogicalResult matchAndRewrite(graph::MaxPoolIndicesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType inputType = typeOf(op.getInput());
    SmallVector<Value> extents;
    for (int64_t dim = 0; dim < inputType.getRank(); ++dim) {
      FailureOr<Value> extent = dimIndex(rewriter, loc, op.getInput(), dim, context);
      if (failed(extent))
        return failure();
      extents.push_back(*extent);
    }
    FailureOr<Value> positions = createEmpty(rewriter, loc, op.getResult(), context);
    FailureOr<Value> best =
        createEmptyLike(rewriter, loc, op.getResult(), storageType(inputType.getElementType()), context);
    if (failed(positions) || failed(best))
      return failure();
    WindowLoops loops(op.getResult(), op.getWindow().size());
    FailureOr<Value> result = createArgExtremum(
        rewriter, loc, {windowTensor(op, rewriter)}, *best, *positions,
        {loops.windowMap(rewriter.getContext()), loops.resultMap(rewriter.getContext())}, loops.iterators,
        inputType.getElementType(), graph::Predicate::Gt, [&](OpBuilder &builder, Location nested, ValueRange) {
          return candidate(op, adaptor.getInput(), extents, loops, ScalarBuilder{builder, nested});
        });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  Candidate candidate(graph::MaxPoolIndicesOp op, Value input, ArrayRef<Value> extents, const WindowLoops &loops,
                      const ScalarBuilder &s) const {
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim < 2; ++dim)
      indices.push_back(s.make<linalg::IndexOp>(static_cast<int64_t>(loops.loopOf(dim))));
    Value valid;
    for (int64_t i = 0; i < loops.spatial; ++i) {
      Value at = s.make<linalg::IndexOp>(static_cast<int64_t>(loops.loopOf(i + 2)));
      Value step = s.make<linalg::IndexOp>(static_cast<int64_t>(loops.windowLoop(i)));
      Value index = s.addi(s.muli(at, s.bits(at, op.getStrides()[i])), s.muli(step, s.bits(at, op.getDilations()[i])));
      index = s.subi(index, s.bits(at, op.getPads()[i]));
      Value inside = s.cmpi(CmpIPredicate::ult, index, extents[i + 2]);
      valid = valid ? s.andi(valid, inside) : inside;
      indices.push_back(s.select(inside, index, s.bits(at, 0)));
    }
    RankedTensorType type = typeOf(op.getInput());
    Value stored = extractElement(s.builder, s.loc, input, type, indices);
    Value number = loadElement(s.builder, s.loc, stored, type.getElementType());
    Value position = flatten(op.getColumnMajor(), indices, extents, s);
    return {number, arith::IndexCastOp::create(s.builder, s.loc, s.builder.getI64Type(), position), valid};
  }

  static Value flatten(bool columnMajor, ArrayRef<Value> indices, ArrayRef<Value> extents, const ScalarBuilder &s) {
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(indices.size()));
    if (columnMajor)
      std::reverse(order.begin() + 2, order.end());
    Value position = indices[0];
    for (unsigned dim : ArrayRef(order).drop_front())
      position = s.addi(s.muli(position, extents[dim]), indices[dim]);
    return position;
  }
};

} // namespace

void graph_to_linalg::populateWindow(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<PoolPattern, MaxPoolIndicesPattern>(patterns, context);
}
