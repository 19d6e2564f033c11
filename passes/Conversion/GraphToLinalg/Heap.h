//===- Heap.h - Ordered selection in tensors --------------------*- C++ -*-===//
//
// A binary heap of elements and their positions, in loops over two 1-D tensors that bufferize in
// place. Equal elements are told apart by position, which makes selections stable.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_HEAP_H
#define PASSES_CONVERSION_GRAPHTOLINALG_HEAP_H

#include "passes/Conversion/GraphToLinalg/IndexMath.h"

namespace hone::graph_to_linalg {

class Heap {
public:
  /// An element in storage type, and its position (i64).
  struct Item {
    mlir::Value element, position;
  };
  struct Slots {
    mlir::Value elements, positions;
  };
  enum class Top { First, Last };

  /// Elements of graph type `element` in falling (`largest`) or rising order; on top stands the first
  /// or the last in that order.
  Heap(mlir::Type element, bool largest, Top top) : element(element), largest(largest), top(top) {}

  static Item read(mlir::OpBuilder &b, mlir::Location loc, Slots slots, mlir::Value at);
  static Slots write(mlir::OpBuilder &b, mlir::Location loc, Slots slots, mlir::Value at, Item item);
  /// Whether `x` stands before `y` whatever their positions. NaN counts as the largest number.
  mlir::Value isBetter(mlir::OpBuilder &b, mlir::Location loc, Item x, Item y) const;
  /// Whether `x` stands before `y` in the order.
  mlir::Value precedes(mlir::OpBuilder &b, mlir::Location loc, Item x, Item y) const;
  /// Puts `item` at `start` of a heap of `size`, or below: what belongs above it moves up.
  Slots siftDown(mlir::OpBuilder &builder, mlir::Location loc, Slots slots, mlir::Value start, mlir::Value size,
                 Item item) const;
  /// Makes a heap of the first `size` slots.
  Slots heapify(mlir::OpBuilder &builder, mlir::Location loc, Slots slots, mlir::Value size) const;
  /// A heap of `size` with the last on top, in order.
  Slots sort(mlir::OpBuilder &builder, mlir::Location loc, Slots slots, mlir::Value size) const;

  /// for i in [low, high): slots = step(i, slots).
  using StepFn = llvm::function_ref<Slots(mlir::OpBuilder &, mlir::Location, mlir::Value, Slots)>;
  static Slots forEach(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value low, mlir::Value high, Slots slots,
                       StepFn step);

private:
  mlir::Value isAbove(mlir::OpBuilder &b, mlir::Location loc, Item x, Item y) const {
    return top == Top::First ? precedes(b, loc, x, y) : precedes(b, loc, y, x);
  }
  mlir::Value greater(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y) const;

  mlir::Type element;
  bool largest;
  Top top;
};

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_HEAP_H
