//===- IterationSpace.h - Iterations of a parallel loop ---------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_ITERATIONSPACE_H
#define PASSES_CONVERSION_LOOPSTODEVICE_ITERATIONSPACE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace hone::loops_to_device {

/// The iterations of an scf.parallel as one range of numbers: the innermost loop runs fastest, so
/// that neighbours in the range are neighbours in memory.
class IterationSpace {
public:
  /// Computes the extents in front of `loop`.
  IterationSpace(mlir::OpBuilder &builder, mlir::scf::ParallelOp loop);

  /// How many iterations there are.
  mlir::Value count() const { return total; }
  /// The induction variables of iteration `number`.
  llvm::SmallVector<mlir::Value> positions(mlir::OpBuilder &builder, mlir::Value number);
  /// Copies the body of the loop for iteration `number`.
  void cloneBody(mlir::OpBuilder &builder, mlir::Value number);

private:
  mlir::scf::ParallelOp loop;
  llvm::SmallVector<mlir::Value> extents;
  mlir::Value total;
};

/// The number of iterations of a range, if it is known.
std::optional<int64_t> trips(mlir::Value low, mlir::Value high, mlir::Value step);

/// Replaces `loop` by one over `slots` that takes every `slots`-th iteration in turn.
mlir::scf::ParallelOp strideLoop(mlir::scf::ParallelOp loop, mlir::Value slots);

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_ITERATIONSPACE_H
