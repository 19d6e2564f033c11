//===- TeamReduction.h - Workgroups that fold together ----------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_TEAMREDUCTION_H
#define PASSES_CONVERSION_LOOPSTODEVICE_TEAMREDUCTION_H

#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace hone::loops_to_device {

/// An outer parallel loop whose iterations fold a range of values into one element of memory, each with one nest of
/// sequential loops: `x[i] = combine(x[i], f(i, k))` for all k.
struct TeamReduction {
  /// Workgroups that every device can start at once; they take iterations in turn.
  static constexpr int64_t kMostTeams = 65535;

  mlir::scf::ParallelOp outer;
  llvm::SmallVector<mlir::scf::ForOp> nest; ///< the outermost first
  mlir::memref::LoadOp running;
  mlir::memref::StoreOp store;
  mlir::Operation *combine; ///< has a neutral element, and may be done in any order

  static std::optional<TeamReduction> match(mlir::scf::ParallelOp loop);

  /// How many threads should fold for one iteration; 0 when one thread should do it alone.
  unsigned teamSize(const TargetInfo &info);
  /// Makes every iteration the work of one workgroup of `threads`, a power of two: each folds a share, then pairs of
  /// shares are combined in shared memory. The first thread does what else the iteration does.
  void distribute(int64_t threads);
};

/// Lets loops that fold into elements set them first, where a loop before them does nothing else.
void mergeFills(mlir::Block &block);

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_TEAMREDUCTION_H
