//===- Arena.cpp - A stack of frames for dynamic buffers ------------------===//
//
// Chunks above the current one are empty; a frame lies within one chunk.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Arena.h"

using namespace hone;

Arena::~Arena() {
  while (!chunks.empty())
    dropChunk();
}

void Arena::dropChunk() {
  device->table->bufferDestroy(device, chunks.back().buffer);
  chunks.pop();
}

hone_status_t Arena::addChunk(uint64_t bytes) {
  if (!chunks.reserve(chunks.size() + 1))
    return outOfMemory(sizeof(Chunk), "the arena");
  hal::Buffer *buffer = nullptr;
  HONE_TRY(device->table->bufferCreate(device, allocator, bytes, &buffer));
  if (!chunks.push({buffer, 0})) {
    device->table->bufferDestroy(device, buffer);
    return outOfMemory(sizeof(Chunk), "the arena");
  }
  return nullptr;
}

uint64_t Arena::capacity() const {
  uint64_t sum = 0;
  for (const Chunk &chunk : chunks)
    sum += chunk.buffer->size;
  return sum;
}

uint64_t Arena::inUse() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < chunks.size() && i <= current; ++i)
    sum += chunks[i].used;
  return sum;
}

hone_status_t Arena::push(uint64_t bytes, hal::Span &frame, Mark &mark) {
  // Chunks stay where they are until the run is over: registers of the plan may
  // still point into those that are no longer in use.
  size_t target = current;
  while (target < chunks.size() && bytes > chunks[target].buffer->size - chunks[target].used)
    ++target;
  if (target == chunks.size()) {
    uint64_t wanted = capacity() / 2;
    HONE_TRY(addChunk(bytes > wanted ? bytes : wanted));
  }
  mark = {current, chunks[current].used};
  current = target;
  Chunk &chunk = chunks[current];
  frame = {chunk.buffer, chunk.used, bytes};
  chunk.used += bytes;
  uint64_t now = inUse();
  if (now > peakBytes)
    peakBytes = now;
  return nullptr;
}

void Arena::pop(const Mark &mark) {
  for (size_t i = mark.chunk + 1; i < chunks.size(); ++i)
    chunks[i].used = 0;
  current = mark.chunk;
  if (current < chunks.size())
    chunks[current].used = mark.used;
}

void Arena::reset() { pop({0, 0}); }

hone_status_t Arena::coalesce() {
  if (!fragmented())
    return nullptr;
  uint64_t bytes = peakBytes;
  hal::Buffer *buffer = nullptr;
  HONE_TRY(device->table->bufferCreate(device, allocator, bytes, &buffer));
  while (!chunks.empty())
    dropChunk();
  current = 0;
  // The array kept its capacity.
  return chunks.push({buffer, 0}) ? nullptr : outOfMemory(sizeof(Chunk), "the arena");
}
