//===- Boxes.cpp - Non-maximum suppression --------------------------------===//
//
// Per image and class: boxes with a score above the threshold go into a heap with the best on top,
// and are taken off it until there are enough. Each is compared with the boxes taken before it, which
// are the last rows of the result.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/FloatMath.h"
#include "passes/Conversion/GraphToLinalg/Heap.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;
using arith::CmpFPredicate;

namespace {

struct Box {
  Value left, right, top, bottom;

  Value area(const FloatMath &f) const { return f.mul(f.sub(right, left), f.sub(bottom, top)); }
};

/// What stays the same in all loops.
struct Suppression {
  mutable NmsOp op;
  Value boxes, scores;  ///< converted
  Value count, limit;   ///< boxes of an image, rows for an image and class; index
  Value overlap, least; ///< thresholds, in the compute types of boxes and scores
  Heap heap;

  Box box(OpBuilder &b, Location loc, Value image, Value position) const {
    FloatMath f{b, loc};
    IndexMath math(b, loc);
    auto type = op.getBoxes().getType();
    auto number = [&](int64_t i) {
      Value stored = extractElement(b, loc, boxes, type, {image, position, math.constant(i)});
      return loadElement(b, loc, stored, type.getElementType());
    };
    Value n[] = {number(0), number(1), number(2), number(3)};
    if (!op.getCenters())
      return {f.min(n[1], n[3]), f.max(n[1], n[3]), f.min(n[0], n[2]), f.max(n[0], n[2])};
    Value halfWidth = f.mul(n[2], f.num(n[2], 0.5)), halfHeight = f.mul(n[3], f.num(n[3], 0.5));
    return {f.sub(n[0], halfWidth), f.add(n[0], halfWidth), f.sub(n[1], halfHeight), f.add(n[1], halfHeight)};
  }

  /// Whether the intersection over the union is above the threshold.
  Value overlaps(OpBuilder &b, Location loc, const Box &x, const Box &y) const {
    FloatMath f{b, loc};
    Value width = f.sub(f.min(x.right, y.right), f.max(x.left, y.left));
    Value height = f.sub(f.min(x.bottom, y.bottom), f.max(x.top, y.top));
    Value zero = f.num(width, 0), areaX = x.area(f), areaY = y.area(f);
    Value common = f.mul(width, height), united = f.sub(f.add(areaX, areaY), common);
    Value result = f.compare(CmpFPredicate::OGT, f.div(common, united), overlap);
    for (Value positive : {width, height, areaX, areaY, united})
      result = arith::AndIOp::create(b, loc, result, f.compare(CmpFPredicate::OGT, positive, zero));
    return result;
  }

  /// Boxes with scores above the threshold, and their number.
  std::pair<Heap::Slots, Value> candidates(OpBuilder &builder, Location loc, Value image, Value category,
                                           Heap::Slots slots) const {
    IndexMath math(builder, loc);
    auto type = op.getScores().getType();
    SmallVector<Value> inits{slots.elements, slots.positions, math.constant(0)};
    auto loop = scf::ForOp::create(
        builder, loc, math.constant(0), count, math.constant(1), inits,
        [&](OpBuilder &b, Location at, Value i, ValueRange args) {
          Value stored = extractElement(b, at, scores, type, {image, category, i});
          Value score = loadElement(b, at, stored, type.getElementType());
          Value isGood = FloatMath{b, at}.compare(CmpFPredicate::OGT, score, least);
          auto ifOp = scf::IfOp::create(
              b, at, isGood,
              [&](OpBuilder &nested, Location where) {
                IndexMath inner(nested, where);
                Value position = arith::IndexCastOp::create(nested, where, nested.getI64Type(), i);
                Heap::Slots next = Heap::write(nested, where, {args[0], args[1]}, args[2], {stored, position});
                Value number = inner.add(args[2], inner.constant(1));
                scf::YieldOp::create(nested, where, ValueRange{next.elements, next.positions, number});
              },
              [&](OpBuilder &nested, Location where) { scf::YieldOp::create(nested, where, args); });
          scf::YieldOp::create(b, at, ifOp.getResults());
        });
    return {{loop.getResult(0), loop.getResult(1)}, loop.getResult(2)};
  }

  /// Whether one of `rows` from `first` to `last` names a box that overlaps box `position` much.
  Value isSuppressed(OpBuilder &builder, Location loc, Value rows, Value first, Value last, Value image,
                     Value position) const {
    Box candidate = box(builder, loc, image, position);
    Value never = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
    Value one = IndexMath(builder, loc).constant(1);
    auto loop = scf::ForOp::create(
        builder, loc, first, last, one, never, [&](OpBuilder &b, Location at, Value row, ValueRange args) {
          Value stored = extractElement(b, at, rows, op.getSelected().getType(), {row, IndexMath(b, at).constant(2)});
          Value taken = arith::IndexCastOp::create(b, at, b.getIndexType(), stored);
          Value bit = overlaps(b, at, box(b, at, image, taken), candidate);
          scf::YieldOp::create(b, at, arith::OrIOp::create(b, at, args[0], bit).getResult());
        });
    return loop.getResult(0);
  }

  /// `rows` with (image, category, position) as row `at`.
  Value writeRow(OpBuilder &b, Location loc, Value rows, Value at, ArrayRef<Value> numbers) const {
    IndexMath math(b, loc);
    for (auto [i, number] : llvm::enumerate(numbers)) {
      Value stored = number;
      if (number.getType().isIndex())
        stored = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
      SmallVector<Value> where{at, math.constant(i)};
      rows = tensor::InsertOp::create(b, loc, stored, rows, toMemory<Value>(op.getSelected().getType(), where));
    }
    return rows;
  }

  /// Takes the best box off the heap of `size`. Carried are rows, their number and the heap's slots.
  SmallVector<Value> takeBest(OpBuilder &b, Location loc, Value image, Value category, Value base, Value size,
                              ValueRange carried) const {
    IndexMath math(b, loc);
    Value zero = math.constant(0), rest = math.sub(size, math.constant(1));
    Heap::Slots slots{carried[2], carried[3]};
    Heap::Item best = Heap::read(b, loc, slots, zero);
    slots = heap.siftDown(b, loc, slots, zero, rest, Heap::read(b, loc, slots, rest));
    Value position = arith::IndexCastOp::create(b, loc, b.getIndexType(), best.position);
    Value suppressed = isSuppressed(b, loc, carried[0], base, carried[1], image, position);
    auto ifOp = scf::IfOp::create(
        b, loc, suppressed,
        [&](OpBuilder &nested, Location at) { scf::YieldOp::create(nested, at, ValueRange{carried[0], carried[1]}); },
        [&](OpBuilder &nested, Location at) {
          IndexMath inner(nested, at);
          Value rows = writeRow(nested, at, carried[0], carried[1], {image, category, best.position});
          scf::YieldOp::create(nested, at, ValueRange{rows, inner.add(carried[1], inner.constant(1))});
        });
    return {ifOp.getResult(0), ifOp.getResult(1), slots.elements, slots.positions};
  }

  /// All boxes of one image and class.
  FailureOr<SmallVector<Value>> select(OpBuilder &builder, Location loc, ValueRange place, ValueRange carried) const {
    Value image = place[0], category = place[1], base = carried[1];
    auto [filled, number] = candidates(builder, loc, image, category, {carried[2], carried[3]});
    Heap::Slots slots = heap.heapify(builder, loc, filled, number);
    Value found = number;
    return createLoops(builder, loc, {found}, {carried[0], carried[1], slots.elements, slots.positions},
                       [&](OpBuilder &b, Location at, ValueRange i, ValueRange now) -> FailureOr<SmallVector<Value>> {
                         IndexMath math(b, at);
                         Value isOpen = math.less(math.sub(now[1], base), limit);
                         auto ifOp = scf::IfOp::create(
                             b, at, isOpen,
                             [&](OpBuilder &nested, Location where) {
                               Value size = IndexMath(nested, where).sub(found, i[0]);
                               scf::YieldOp::create(nested, where,
                                                    takeBest(nested, where, image, category, base, size, now));
                             },
                             [&](OpBuilder &nested, Location where) { scf::YieldOp::create(nested, where, now); });
                         return llvm::to_vector_of<Value>(ifOp.getResults());
                       });
  }
};

struct NmsPattern : GraphPattern<NmsOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(NmsOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexMath math(rewriter, loc);
    Type i64 = rewriter.getI64Type(), scoreType = op.getScores().getType().getElementType();
    auto init = createEmpty(rewriter, loc, op.getSelected(), context);
    auto bounds = dimIndices(rewriter, loc, op.getScores(), context);
    auto images = dimIndex(rewriter, loc, op.getBoxes(), 0, context);
    auto boxes = dimIndex(rewriter, loc, op.getBoxes(), 1, context);
    Extent wanted = elementExtent(context, op.getLimit(), 0);
    if (!wanted || failed(init) || failed(bounds) || failed(images) || failed(boxes))
      return failure();
    auto limit = materializeIndex(rewriter, loc, wanted, context);
    if (failed(limit))
      return failure();
    auto threshold = [&](Value tensor, Type element) {
      Value number = tensor::ExtractOp::create(rewriter, loc, tensor, ValueRange());
      return FloatMath{rewriter, loc}.resize(number, computeType(element));
    };
    Value count = math.min((*bounds)[2], *boxes);
    Suppression suppression{op,
                            adaptor.getBoxes(),
                            adaptor.getScores(),
                            count,
                            math.min(*limit, count),
                            threshold(adaptor.getIouThreshold(), op.getBoxes().getType().getElementType()),
                            threshold(adaptor.getScoreThreshold(), scoreType),
                            Heap(scoreType, /*largest=*/true, Heap::Top::First)};
    auto scratch = [&](Type element) -> Value {
      return tensor::EmptyOp::create(rewriter, loc, {getAsOpFoldResult(count)}, element);
    };
    Value rows = createFill(rewriter, loc, arith::ConstantIntOp::create(rewriter, loc, i64, 0), *init);
    SmallVector<Value> outer{math.min((*bounds)[0], *images), (*bounds)[1]};
    SmallVector<Value> carried{rows, math.constant(0), scratch(storageType(scoreType)), scratch(i64)};
    auto result =
        createLoops(rewriter, loc, outer, carried, [&](OpBuilder &b, Location at, ValueRange place, ValueRange now) {
          return suppression.select(b, at, place, now);
        });
    if (failed(result))
      return failure();
    Value found = arith::IndexCastOp::create(rewriter, loc, i64, (*result)[1]);
    Value counts = tensor::FromElementsOp::create(rewriter, loc, context.convert(op.getCount()), found);
    rewriter.replaceOp(op, {(*result)[0], counts});
    return success();
  }
};

} // namespace

void hone::graph_to_linalg::populateBoxes(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<NmsPattern>(patterns, context);
}
