//===- SerialStage.h - Code that one workgroup runs together ----*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_SERIALSTAGE_H
#define PASSES_CONVERSION_LOOPSTODEVICE_SERIALSTAGE_H

#include "passes/Conversion/LoopsToDevice/TeamFold.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace hone::loops_to_device {

/// Lets all threads of a workgroup run a function whose parallel loops are inside of other control flow.
///
/// All threads follow the same control flow and compute the same scalars. Iterations of parallel loops are
/// spread over them, and so are the values of long folds; what else writes memory is done by the first one, which
/// tells the others what it finds out.
/// A barrier stands between accesses of several threads to one place, unless all are reads.
class SerialStage {
public:
  /// `lanes` threads exchange registers; 0 when it is not known how many.
  SerialStage(mlir::func::FuncOp function, int64_t workgroupSize, int64_t lanes);
  void run();

private:
  /// What was done to shared memory since the last barrier.
  struct Pending {
    bool reads = false, writes = false;
  };
  void visit(mlir::Block &block, Pending &pending);
  void visitOp(mlir::Operation *op, Pending &pending);
  void spread(mlir::scf::ParallelOp loop);
  std::optional<TeamFold> matchFold(mlir::Operation *op) const;
  bool isForTeam(mlir::Operation *op) const;
  void share(TeamFold fold, Pending &pending);
  /// Moves `ops`, which stand together but for scalar arithmetic, to the first thread.
  void runOnFirst(llvm::ArrayRef<mlir::Operation *> ops, Pending &pending);
  mlir::Value broadcastSlot(mlir::Location loc, mlir::Type type);
  void barrier(mlir::Operation *before, Pending &pending);

  mlir::func::FuncOp function;
  int64_t workgroupSize, lanes;
  mlir::Value thread, isFirst;
  llvm::DenseSet<mlir::Value> written;
  llvm::SmallVector<mlir::Operation *> first; ///< ops for the first thread, not moved yet
};

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_SERIALSTAGE_H
