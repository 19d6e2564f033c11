//===- Hazards.h - Which commands must wait -*- C++ -*-===//
//
// Remembers what was read and written since the last barrier.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
#define HONE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H

#include "runtime/drivers/vulkan/Api.h"

namespace hone::vulkan {

/// A range of bytes of a buffer.
struct Access {
  VkBuffer buffer;
  uint64_t begin, end;
  bool writes;

  bool conflictsWith(const Access &other) const {
    return buffer == other.buffer && (writes || other.writes) && begin < other.end && other.begin < end;
  }
};

class Hazards {
public:
  /// After a barrier.
  void forget() { count = 0; }

  /// Whether a command with these accesses needs a barrier before it: because
  /// it conflicts with an earlier one, or because that cannot be told.
  bool needsBarrier(const Access *accesses, uint32_t n) const {
    if (full() || n > kMost - count)
      return count != 0;
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t k = 0; k < count; ++k)
        if (accesses[i].conflictsWith(known[k]))
          return true;
    return false;
  }

  void add(const Access *accesses, uint32_t n) {
    // More than fit: the next command waits whatever it does.
    if (n > kMost - count) {
      count = kMost + 1;
      return;
    }
    for (uint32_t i = 0; i < n; ++i)
      known[count++] = accesses[i];
  }

private:
  bool full() const { return count > kMost; }

  static constexpr uint32_t kMost = 64;
  Access known[kMost];
  uint32_t count = 0;
};

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
