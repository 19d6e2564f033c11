//===- Arena.h - A stack of frames for dynamic buffers -*- C++ -*-===//
//
// Grows by chunks while a run is the first of its size, because live frames
// must not move; between runs the chunks become one that holds the peak.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_MODULE_ARENA_H
#define HONE_RUNTIME_MODULE_ARENA_H

#include "runtime/hal/device.h"

namespace hone {

class Arena {
public:
  Arena(hal::Device *device, const hone_allocator_t *allocator)
      : device(device), allocator(allocator), chunks(allocator) {}
  ~Arena();

  /// Where a frame began, to go back to.
  struct Mark {
    size_t chunk;
    uint64_t used;
  };

  /// Opens a frame of `bytes`, a multiple of the alignment.
  hone_status_t push(uint64_t bytes, hal::Span &frame, Mark &mark);
  void pop(const Mark &mark);
  /// Closes all frames.
  void reset();

  /// Whether a second run might have to allocate again.
  bool fragmented() const { return chunks.size() > 1 || capacity() < peakBytes; }
  /// Replaces several chunks by one as large as the peak. No frame may be open.
  hone_status_t coalesce();

  uint64_t capacity() const;
  uint64_t peak() const { return peakBytes; }

private:
  struct Chunk {
    hal::Buffer *buffer;
    uint64_t used;
  };

  hone_status_t addChunk(uint64_t bytes);
  void dropChunk();
  uint64_t inUse() const;

  hal::Device *device;
  const hone_allocator_t *allocator;
  Array<Chunk> chunks;
  size_t current = 0;
  uint64_t peakBytes = 0;
};

} // namespace hone

#endif // HONE_RUNTIME_MODULE_ARENA_H
