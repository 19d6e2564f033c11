//===- BufferLiveness.h - When the bytes of a buffer are needed -*- C++ -*-===//
//
// Lifetimes of the allocations of a plan.program, in positions of one walk over
// it. Views, yields and loop-carried values are the same bytes as what they come
// from. A snapshot: it does not follow changes of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_MEMORY_BUFFERLIVENESS_H
#define PASSES_MEMORY_BUFFERLIVENESS_H

#include "dialects/Plan/IR/Plan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace hone::memory {

/// Appends the values that may be the same bytes as `buffer`, itself first.
void collectAliases(mlir::Value buffer, llvm::SetVector<mlir::Value> &aliases);

/// The buffer that `value` is a view of, itself if it is none.
mlir::Value viewedBuffer(mlir::Value value);

struct BufferLifetime {
  /// First and last position at which an op touches the bytes; inside a loop
  /// that the allocation is outside of, the whole loop counts.
  int64_t first = 0, last = 0;
  /// The if and loop ops whose results are these bytes, inside out.
  llvm::SmallVector<mlir::Operation *, 2> leaves;
  bool leavesLoop = false;
};

class BufferLiveness {
public:
  explicit BufferLiveness(plan::ProgramOp program);

  /// Positions of an op: before anything in its regions, and after.
  int64_t begin(mlir::Operation *op) const { return positions.lookup(op).first; }
  int64_t end(mlir::Operation *op) const { return positions.lookup(op).second; }

  /// The allocations in the order of the walk.
  llvm::ArrayRef<plan::AllocOp> allocations() const { return allocs; }
  const BufferLifetime &lifetime(plan::AllocOp alloc) const { return lifetimes.find(alloc)->second; }

private:
  void number(mlir::Block &block);
  BufferLifetime compute(plan::AllocOp alloc) const;

  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> positions;
  llvm::SmallVector<plan::AllocOp> allocs;
  llvm::DenseMap<mlir::Operation *, BufferLifetime> lifetimes;
};

} // namespace hone::memory

#endif // PASSES_MEMORY_BUFFERLIVENESS_H
