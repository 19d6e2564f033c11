//===- ReserveFrames.h - Frames for buffers of run-time size ----*- C++ -*-===//

#ifndef PASSES_MEMORY_RESERVEFRAMES_H
#define PASSES_MEMORY_RESERVEFRAMES_H

#include "passes/Memory/BufferLiveness.h"

namespace hone::memory {

/// An input and an output of one launch that may be the same bytes.
using InplacePair = std::pair<plan::AllocOp, plan::AllocOp>;

/// Replaces `allocs` by results of plan.reserve ops and releases those. Pairs
/// that end in one frame with one size become one buffer.
void reserveFrames(plan::ProgramOp program, const BufferLiveness &liveness, llvm::ArrayRef<plan::AllocOp> allocs,
                   llvm::ArrayRef<InplacePair> pairs);

} // namespace hone::memory

#endif // PASSES_MEMORY_RESERVEFRAMES_H
