//===- OffsetPlanner.h - Offsets for buffers of known lifetimes -*- C++ -*-===//
//
// Dynamic storage allocation, free of IR: sizes and lifetimes in, offsets in
// one arena out. Strategies are rows of a table and run until one meets the
// lower bound; an exact solver is one more row. Deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_MEMORY_OFFSETPLANNER_H
#define PASSES_MEMORY_OFFSETPLANNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace hone::memory {

/// All offsets and sizes are multiples of this.
inline constexpr uint64_t kArenaAlignment = 64;

/// Bytes that are needed during [first, last], both included.
struct ArenaRequest {
  uint64_t size = 0;
  int64_t first = 0, last = 0;
  uint64_t alignment = kArenaAlignment; ///< a power of two
};

struct ArenaPlan {
  std::vector<uint64_t> offsets;
  uint64_t peak = 0;
  llvm::StringRef strategy; ///< the one that found it
};

/// The size a request occupies: rounded up to the arena's alignment.
uint64_t occupiedBytes(const ArenaRequest &request);

/// The largest sum of sizes alive at one time: no plan is smaller.
uint64_t lowerBound(llvm::ArrayRef<ArenaRequest> requests);

/// The smallest plan found. The sum of all sizes must be below 2^62.
ArenaPlan planOffsets(llvm::ArrayRef<ArenaRequest> requests);

} // namespace hone::memory

#endif // PASSES_MEMORY_OFFSETPLANNER_H
