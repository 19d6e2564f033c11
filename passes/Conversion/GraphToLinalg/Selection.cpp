//===- Selection.cpp - The best, and the nonzero, elements ----------------===//
//
// topk keeps the k best elements of a row in a heap, worst on top, that lives in the result; sorting
// it in place then leaves them best first. n log k steps, and no memory but the result's.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/Heap.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;

namespace {

struct TopKPattern : GraphPattern<TopKOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(TopKOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = op.getDim();
    auto values = createEmpty(rewriter, loc, op.getValues(), context),
         indices = createEmpty(rewriter, loc, op.getIndices(), context);
    auto bounds = dimIndices(rewriter, loc, op.getInput(), context);
    auto k = dimIndex(rewriter, loc, op.getValues(), dim, context);
    if (failed(values) || failed(indices) || failed(bounds) || failed(k))
      return failure();
    IndexMath math(rewriter, loc);
    Value size = (*bounds)[dim], count = math.min(*k, size);
    SmallVector<Value> carried{*values, *indices};
    auto have = constantExtent(context.extents.dim(op.getInput(), dim)),
         want = constantExtent(context.extents.dim(op.getValues(), dim));
    if (!have || !want || *want > *have)
      clear(op, carried, rewriter);
    if (want == 0) {
      rewriter.replaceOp(op, carried);
      return success();
    }
    // Without room there are no rows to look at.
    (*bounds)[dim] = math.select(math.less(math.constant(0), count), math.constant(1), math.constant(0));
    auto result =
        createLoops(rewriter, loc, *bounds, carried, [&](OpBuilder &b, Location at, ValueRange row, ValueRange now) {
          return selectRow(op, adaptor.getInput(), size, count, *k, b, at, row, now);
        });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// Zeros: a run may ask for more elements than there are.
  static void clear(TopKOp op, MutableArrayRef<Value> carried, OpBuilder &builder) {
    for (Value &value : carried) {
      Value zero = arith::ConstantOp::create(builder, op.getLoc(), builder.getZeroAttr(elementOf(value)));
      value = createFill(builder, op.getLoc(), zero, value);
    }
  }

  FailureOr<SmallVector<Value>> selectRow(TopKOp op, Value input, Value size, Value count, Value room, OpBuilder &b,
                                          Location loc, ValueRange row, ValueRange carried) const {
    int64_t dim = op.getDim(), rank = row.size();
    SmallVector<OpFoldResult> offsets(row.begin(), row.end()), sizes(rank, b.getIndexAttr(1)), ones(sizes);
    offsets[dim] = b.getIndexAttr(0);
    sizes[dim] = getAsOpFoldResult(room);
    int64_t length = getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic);
    auto slice = [&](Value tensor, RankedTensorType type) -> Value {
      auto rowType = RankedTensorType::get({length}, elementOf(tensor));
      return tensor::ExtractSliceOp::create(b, loc, rowType, tensor, toMemory<OpFoldResult>(type, offsets),
                                            toMemory<OpFoldResult>(type, sizes), ones);
    };
    auto valuesType = op.getValues().getType(), indicesType = op.getIndices().getType();
    Heap::Slots slots{slice(carried[0], valuesType), slice(carried[1], indicesType)};
    Heap heap(op.getInput().getType().getElementType(), op.getLargest(), Heap::Top::Last);
    auto element = [&](OpBuilder &nested, Location at, Value position) -> Heap::Item {
      SmallVector<Value> where(row.begin(), row.end());
      where[dim] = position;
      Value stored = extractElement(nested, at, input, op.getInput().getType(), where);
      return {stored, arith::IndexCastOp::create(nested, at, nested.getI64Type(), position)};
    };
    slots = heap.sort(b, loc, fill(heap, slots, element, count, size, b, loc), count);
    auto insert = [&](Value tensor, RankedTensorType type, Value into) -> Value {
      return tensor::InsertSliceOp::create(b, loc, tensor, into, toMemory<OpFoldResult>(type, offsets),
                                           toMemory<OpFoldResult>(type, sizes), ones);
    };
    return SmallVector<Value>{insert(slots.elements, valuesType, carried[0]),
                              insert(slots.positions, indicesType, carried[1])};
  }

  using ElementFn = llvm::function_ref<Heap::Item(OpBuilder &, Location, Value)>;
  /// A heap of the best `count` of `size` elements.
  static Heap::Slots fill(const Heap &heap, Heap::Slots slots, ElementFn element, Value count, Value size,
                          OpBuilder &builder, Location loc) {
    Value zero = IndexMath(builder, loc).constant(0);
    slots = Heap::forEach(builder, loc, zero, count, slots, [&](OpBuilder &b, Location at, Value i, Heap::Slots now) {
      return Heap::write(b, at, now, i, element(b, at, i));
    });
    slots = heap.heapify(builder, loc, slots, count);
    return Heap::forEach(builder, loc, count, size, slots, [&](OpBuilder &b, Location at, Value i, Heap::Slots now) {
      Heap::Item item = element(b, at, i);
      // Positions only rise: an equal element does not enter.
      Value enters = heap.isBetter(b, at, item, Heap::read(b, at, now, zero));
      auto ifOp = scf::IfOp::create(
          b, at, enters,
          [&](OpBuilder &nested, Location where) {
            Heap::Slots next = heap.siftDown(nested, where, now, zero, count, item);
            scf::YieldOp::create(nested, where, ValueRange{next.elements, next.positions});
          },
          [&](OpBuilder &nested, Location where) {
            scf::YieldOp::create(nested, where, ValueRange{now.elements, now.positions});
          });
      return Heap::Slots{ifOp.getResult(0), ifOp.getResult(1)};
    });
  }
};

struct NonZeroPattern : GraphPattern<NonZeroOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(NonZeroOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getPositions(), context);
    auto bounds = dimIndices(rewriter, loc, op.getInput(), context);
    if (failed(init) || failed(bounds))
      return failure();
    IndexMath math(rewriter, loc);
    Value none = intConstant(rewriter, loc, rewriter.getI64Type(), 0);
    Value positions = createFill(rewriter, loc, none, *init);
    auto result = createLoops(rewriter, loc, *bounds, {positions, math.constant(0)},
                              [&](OpBuilder &b, Location at, ValueRange place, ValueRange carried) {
                                return visit(op, adaptor.getInput(), b, at, place, carried);
                              });
    if (failed(result))
      return failure();
    Value count = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), (*result)[1]);
    Value counts = tensor::FromElementsOp::create(rewriter, loc, context.convert(op.getCount()), count);
    rewriter.replaceOp(op, {(*result)[0], counts});
    return success();
  }

private:
  /// A column for the element at `place` if it is not zero.
  FailureOr<SmallVector<Value>> visit(NonZeroOp op, Value input, OpBuilder &b, Location loc, ValueRange place,
                                      ValueRange carried) const {
    auto type = op.getInput().getType();
    Type element = type.getElementType();
    Value number = loadElement(b, loc, extractElement(b, loc, input, type, SmallVector<Value>(place)), element);
    Value isSet = compareFunction(b, loc, Predicate::Ne, number, numberConstant(b, loc, number.getType(), 0), element);
    auto ifOp = scf::IfOp::create(
        b, loc, isSet,
        [&](OpBuilder &nested, Location at) {
          IndexMath math(nested, at);
          Value positions = carried[0];
          for (auto [i, index] : llvm::enumerate(place)) {
            Value stored = arith::IndexCastOp::create(nested, at, nested.getI64Type(), index);
            SmallVector<Value> where{math.constant(i), carried[1]};
            positions = tensor::InsertOp::create(nested, at, stored, positions,
                                                 toMemory<Value>(op.getPositions().getType(), where));
          }
          scf::YieldOp::create(nested, at, ValueRange{positions, math.add(carried[1], math.constant(1))});
        },
        [&](OpBuilder &nested, Location at) { scf::YieldOp::create(nested, at, carried); });
    return llvm::to_vector_of<Value>(ifOp.getResults());
  }
};

} // namespace

void hone::graph_to_linalg::populateSelection(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<TopKPattern, NonZeroPattern>(patterns, context);
}
