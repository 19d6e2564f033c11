//===- ArenaBound.h - The most memory a program can need --------*- C++ -*-===//

#ifndef PASSES_MEMORY_ARENABOUND_H
#define PASSES_MEMORY_ARENABOUND_H

#include "dialects/Plan/IR/Plan.h"

#include <optional>

namespace hone::memory {

/// Bytes that the arena of a planned program never exceeds while the extents of its inputs stay within their declared
/// ranges; nullopt where the ranges do not tell.
std::optional<uint64_t> arenaBound(plan::ProgramOp program);

} // namespace hone::memory

#endif // PASSES_MEMORY_ARENABOUND_H
