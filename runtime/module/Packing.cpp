//===- Packing.cpp - Offsets for buffers whose sizes are known late -------===//
//
// Deterministic: ties are broken by position. Quadratic in the buffers of one
// frame, which are tens to hundreds.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Packing.h"

#include <algorithm>

using namespace hone;

static bool aliveTogether(const PackedBuffer &a, const PackedBuffer &b) {
  return a.first <= b.last && b.first <= a.last;
}

static uint64_t mostAlive(const PackedBuffer *buffers, size_t count) {
  uint64_t most = 0;
  // The maximum is reached at the first step of some buffer.
  for (size_t i = 0; i < count; ++i) {
    uint64_t alive = 0;
    for (size_t j = 0; j < count; ++j)
      if (buffers[j].first <= buffers[i].first && buffers[i].first <= buffers[j].last)
        alive += buffers[j].size;
    most = std::max(most, alive);
  }
  return most;
}

Packing hone::pack(PackedBuffer *buffers, size_t count, uint32_t *scratch) {
  uint32_t *order = scratch, *placed = scratch + count;
  for (size_t i = 0; i < count; ++i)
    order[i] = static_cast<uint32_t>(i);
  std::sort(order, order + count, [&](uint32_t a, uint32_t b) {
    return buffers[a].size != buffers[b].size ? buffers[a].size > buffers[b].size : a < b;
  });

  Packing packing;
  for (size_t n = 0; n < count; ++n) {
    PackedBuffer &buffer = buffers[order[n]];
    uint64_t offset = 0;
    // `placed` is sorted by offset: the first gap that is large enough is it.
    for (size_t i = 0; i < n; ++i) {
      const PackedBuffer &other = buffers[placed[i]];
      if (!aliveTogether(buffer, other))
        continue;
      if (offset + buffer.size <= other.offset)
        break;
      offset = std::max(offset, other.offset + other.size);
    }
    buffer.offset = offset;
    packing.total = std::max(packing.total, offset + buffer.size);
    size_t at = n;
    for (; at && buffers[placed[at - 1]].offset > offset; --at)
      placed[at] = placed[at - 1];
    placed[at] = order[n];
  }
  packing.lowerBound = mostAlive(buffers, count);
  return packing;
}
