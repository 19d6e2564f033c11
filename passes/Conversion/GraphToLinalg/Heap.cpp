//===- Heap.cpp - Ordered selection in tensors ----------------------------===//

#include "passes/Conversion/GraphToLinalg/Heap.h"

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::graph_to_linalg {

Heap::Item Heap::read(OpBuilder &b, Location loc, Slots slots, Value at) {
  return {tensor::ExtractOp::create(b, loc, slots.elements, at),
          tensor::ExtractOp::create(b, loc, slots.positions, at)};
}

Heap::Slots Heap::write(OpBuilder &b, Location loc, Slots slots, Value at, Item item) {
  return {tensor::InsertOp::create(b, loc, item.element, slots.elements, at),
          tensor::InsertOp::create(b, loc, item.position, slots.positions, at)};
}

Value Heap::greater(OpBuilder &b, Location loc, Value x, Value y) const {
  Value more = compareFunction(b, loc, Predicate::Gt, x, y, element);
  if (!isa<FloatType>(element))
    return more;
  Value xIsNaN = compareFunction(b, loc, Predicate::Ne, x, x, element);
  Value yIsNumber = compareFunction(b, loc, Predicate::Eq, y, y, element);
  return arith::OrIOp::create(b, loc, more, arith::AndIOp::create(b, loc, xIsNaN, yIsNumber));
}

Value Heap::isBetter(OpBuilder &b, Location loc, Item x, Item y) const {
  Value a = loadElement(b, loc, x.element, element), c = loadElement(b, loc, y.element, element);
  return largest ? greater(b, loc, a, c) : greater(b, loc, c, a);
}

Value Heap::precedes(OpBuilder &b, Location loc, Item x, Item y) const {
  Value a = loadElement(b, loc, x.element, element), c = loadElement(b, loc, y.element, element);
  if (!largest)
    std::swap(a, c);
  Value better = greater(b, loc, a, c), worse = greater(b, loc, c, a);
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x.position, y.position);
  return arith::SelectOp::create(b, loc, better, better, arith::SelectOp::create(b, loc, worse, better, earlier));
}

Heap::Slots Heap::forEach(OpBuilder &builder, Location loc, Value low, Value high, Slots slots, StepFn step) {
  Value one = IndexMath(builder, loc).constant(1);
  auto loop = scf::ForOp::create(builder, loc, low, high, one, ValueRange{slots.elements, slots.positions},
                                 [&](OpBuilder &b, Location at, Value i, ValueRange args) {
                                   Slots next = step(b, at, i, {args[0], args[1]});
                                   scf::YieldOp::create(b, at, ValueRange{next.elements, next.positions});
                                 });
  return {loop.getResult(0), loop.getResult(1)};
}

Heap::Slots Heap::siftDown(OpBuilder &builder, Location loc, Slots slots, Value start, Value size, Item item) const {
  SmallVector<Value> inits{slots.elements, slots.positions, start, start};
  auto loop = scf::WhileOp::create(
      builder, loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &b, Location at, ValueRange args) {
        IndexMath math(b, at);
        Slots now{args[0], args[1]};
        Value one = math.constant(1), left = math.add(math.add(args[2], args[2]), one);
        Value isInside = math.less(left, size);
        // Clamped positions are read even when there is no child.
        Value first = math.clamp(left, size), second = math.clamp(math.add(left, one), size);
        Value isSecond = isAbove(b, at, read(b, at, now, second), read(b, at, now, first));
        Value child = math.select(isSecond, second, first);
        Value moves = isAbove(b, at, read(b, at, now, child), item);
        Value goesOn = arith::AndIOp::create(b, at, isInside, moves);
        scf::ConditionOp::create(b, at, goesOn, ValueRange{args[0], args[1], args[2], child});
      },
      [&](OpBuilder &b, Location at, ValueRange args) {
        Slots now{args[0], args[1]};
        now = write(b, at, now, args[2], read(b, at, now, args[3]));
        scf::YieldOp::create(b, at, ValueRange{now.elements, now.positions, args[3], args[3]});
      });
  return write(builder, loc, {loop.getResult(0), loop.getResult(1)}, loop.getResult(2), item);
}

Heap::Slots Heap::heapify(OpBuilder &builder, Location loc, Slots slots, Value size) const {
  IndexMath math(builder, loc);
  Value one = math.constant(1), half = arith::ShRUIOp::create(builder, loc, size, one);
  return forEach(builder, loc, math.constant(0), half, slots, [&](OpBuilder &b, Location at, Value i, Slots now) {
    IndexMath inner(b, at);
    Value start = inner.sub(inner.sub(half, one), i);
    return siftDown(b, at, now, start, size, read(b, at, now, start));
  });
}

Heap::Slots Heap::sort(OpBuilder &builder, Location loc, Slots slots, Value size) const {
  IndexMath math(builder, loc);
  Value zero = math.constant(0);
  return forEach(builder, loc, math.constant(1), size, slots, [&](OpBuilder &b, Location at, Value i, Slots now) {
    Value last = IndexMath(b, at).sub(size, i);
    Item item = read(b, at, now, last);
    now = write(b, at, now, last, read(b, at, now, zero));
    return siftDown(b, at, now, zero, last, item);
  });
}

} // namespace hone::graph_to_linalg
