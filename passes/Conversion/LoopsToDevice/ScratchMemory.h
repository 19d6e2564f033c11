//===- ScratchMemory.h - Memory of a kernel beside its operands -*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_SCRATCHMEMORY_H
#define PASSES_CONVERSION_LOOPSTODEVICE_SCRATCHMEMORY_H

#include "passes/Conversion/KernelsToLoops/LaunchFunction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hone::loops_to_device {

/// Places what a kernel allocates: outside of parallel loops in one buffer, a further argument in front
/// of the scalars; inside of them on the stack of a thread when it is small, otherwise in slices of that
/// buffer, one for each of a bounded number of threads.
class ScratchMemory {
public:
  ScratchMemory(mlir::func::FuncOp kernel, kernels_to_loops::LaunchFunction &launch, unsigned serialThreads);

  mlir::LogicalResult placeAllocations();
  /// A buffer of one element of `type`, known from the start of the kernel.
  mlir::Value reserveScalar(mlir::Location loc, mlir::Type type);
  /// Bytes of the whole buffer, in the launch function; the constant 0 when there is none.
  mlir::Value total() const { return launchEnd; }

private:
  struct Bytes {
    mlir::Value here, launch;
  };
  mlir::Value hoist(mlir::Value value);
  mlir::FailureOr<Bytes> sizeOf(mlir::memref::AllocOp op);
  mlir::Value reserve(Bytes bytes);
  mlir::LogicalResult placeShared(mlir::memref::AllocOp op);
  mlir::LogicalResult placeSlices(mlir::scf::ParallelOp loop);
  void makeBuffer();

  mlir::func::FuncOp kernel;
  kernels_to_loops::LaunchFunction &launch;
  unsigned serialThreads;
  mlir::OpBuilder entry; ///< where offsets are computed
  mlir::IRMapping hoisted;
  mlir::Value buffer, end, launchEnd;
};

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_SCRATCHMEMORY_H
