//===- TeamFold.h - Workgroups that fold together ---------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_TEAMFOLD_H
#define PASSES_CONVERSION_LOOPSTODEVICE_TEAMFOLD_H

#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace hone::loops_to_device {

/// A nest of sequential loops that folds many values into one element of memory: `x[i] = combine(x[i], f(i, k))` for
/// all k, in an order that is free.
struct TeamFold {
  llvm::SmallVector<mlir::scf::ForOp> nest; ///< the outermost first
  mlir::memref::LoadOp running;
  mlir::Operation *widen = nullptr, *narrow = nullptr; ///< around a maximum of halves; may be null
  mlir::Operation *combine = nullptr;                  ///< has a neutral element
  mlir::memref::StoreOp store;

  /// Matches folds of so many values that several threads are faster than one.
  static std::optional<TeamFold> match(mlir::Operation *outermost);

  /// Lets the threads of a workgroup, a power of two, fold a share each and combine the shares, in front of the nest,
  /// which goes away. `lanes` threads exchange registers; 0 when it is not known how many. Returns the ops, in order,
  /// that the first thread has yet to do.
  llvm::SmallVector<mlir::Operation *> distribute(mlir::Value thread, int64_t threads, int64_t lanes);
};

/// How many threads should share each iteration of `loop`, whose folds and parallel loops they do together; 0 when one
/// thread should do it alone.
unsigned teamSize(mlir::scf::ParallelOp loop, const TargetInfo &info);

/// Workgroups that every device can start at once; they take iterations in turn.
inline constexpr int64_t kMostTeams = 65535;

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_TEAMFOLD_H
