//===- Packing.h - Offsets for buffers whose sizes are known late -*- C++ -*-===//
//
// The dynamic counterpart of the compiler's memory planner: greedy by size,
// each buffer at the lowest offset where no buffer alive at the same time lies.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_MODULE_PACKING_H
#define HONE_RUNTIME_MODULE_PACKING_H

#include <cstddef>
#include <cstdint>

namespace hone {

struct PackedBuffer {
  uint64_t size; ///< in: bytes, a multiple of the alignment
  int32_t first, last;
  uint64_t offset; ///< out
};

struct Packing {
  uint64_t total = 0;      ///< bytes the offsets need
  uint64_t lowerBound = 0; ///< most bytes alive at one step
};

/// The sum of sizes must not overflow. `scratch` has room for 2 * count
/// entries.
Packing pack(PackedBuffer *buffers, size_t count, uint32_t *scratch);

} // namespace hone

#endif // HONE_RUNTIME_MODULE_PACKING_H
