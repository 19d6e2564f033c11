//===- BufferAccess.h - Which buffers ops read and write --------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_BUFFERACCESS_H
#define PASSES_CONVERSION_LOOPSTODEVICE_BUFFERACCESS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace hone::loops_to_device {

/// The arguments, allocations and parts of scratch memory (memref.view) that `buffer` may be: other views are
/// looked through.
llvm::SmallVector<mlir::Value> rootsOf(mlir::Value buffer);

/// The buffers whose memory ops of a kernel write.
llvm::DenseSet<mlir::Value> writtenBuffers(mlir::Operation *kernel);

/// What an op, with everything inside it, does to memory that threads share.
struct SharedAccess {
  bool reads = false, writes = false;
};

/// `written` are the buffers that are written anywhere: reading others is no access, and neither is what happens
/// on the stack of a thread.
SharedAccess sharedAccess(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &written);

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_BUFFERACCESS_H
