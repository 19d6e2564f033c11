//===- Stream.h - Submitting work -*- C++ -*-===//
//
// Commands gather in a list until it is full or somebody waits; recordings are
// lists that are ready. Submissions are numbered on a time line of the stream,
// so that a number says what is complete. Nothing is allocated once lists,
// staging memory and scratch memory have the size that the work needs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_STREAM_H
#define HONE_RUNTIME_DRIVERS_VULKAN_STREAM_H

#include "runtime/drivers/vulkan/CommandList.h"
#include "runtime/format/SpirvImage.h"

namespace hone::vulkan {

struct VulkanRecording : hal::Recording {
  VulkanRecording(VulkanDevice &device, const hone_allocator_t *allocator) : list(device, allocator) {}
  CommandList list;
};

/// Host memory on the way to or from the device: parts are filled in turn.
struct Staging {
  static constexpr uint64_t kParts = 4, kPartSize = uint64_t(2) << 20;
  Block block;
  uint64_t values[kParts] = {}; ///< the submission that must be complete before a part is used again
  uint64_t part = 0, used = 0;
};

/// Bytes that lie in staging memory once the stream is done.
struct PendingRead {
  const uint8_t *source;
  void *target;
  uint64_t size;
};

class VulkanStream : public hal::Stream {
public:
  VulkanStream(VulkanDevice &device, const hal::StreamOptions &options);
  ~VulkanStream();
  hone_status_t create();

  hone_status_t submit(const hal::Command &command);
  hone_status_t upload(const uint8_t *source, const hal::Span &target);
  hone_status_t download(const hal::Span &source, uint8_t *target);
  hone_status_t record(const hal::Command *commands, size_t count, hal::Recording **slot);
  hone_status_t replay(CommandList &list);
  void destroyRecording(hal::Recording *recording);
  /// Until everything is done, reads included.
  hone_status_t finish();

  const hone_allocator_t *memory() const { return allocator; }

private:
  bool idle() const { return completed == submitted && !open && !pendingCount; }
  /// A list under way that takes these commands.
  hone_status_t listFor(const Demand &demand, CommandList *&list);
  hone_status_t close();
  hone_status_t enqueue(CommandList &list);
  hone_status_t flush();
  hone_status_t submitPending();
  hone_status_t waitFor(uint64_t value);
  /// Until a list can be used again.
  hone_status_t release(CommandList &list);
  /// A range of staging memory, not larger than a part of it.
  hone_status_t stage(uint64_t size, uint64_t &offset);
  void drainReads();

  static constexpr uint32_t kLists = 4, kMostPending = 8, kMostReads = 64;

  VulkanDevice &device;
  const hone_allocator_t *allocator;
  hal::Timer *timers;
  Queue &queue;
  VkCommandPool commandPool = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  uint64_t submitted = 0, completed = 0;

  CommandList *lists[kLists] = {};
  uint32_t current = 0, commandCount = 0;
  bool open = false; ///< lists[current] takes commands
  CommandList *pending[kMostPending];
  uint32_t pendingCount = 0;

  Staging staging;
  PendingRead reads[kMostReads];
  uint32_t readCount = 0;
};

// The entries of the driver's table.
hone_status_t streamCreate(hal::Device *device, const hal::StreamOptions &options, hal::Stream **outStream);
void streamDestroy(hal::Device *device, hal::Stream *stream);
hone_status_t submit(hal::Stream *stream, const hal::Command &command);
hone_status_t upload(hal::Stream *stream, const void *source, const hal::Span &target);
hone_status_t download(hal::Stream *stream, const hal::Span &source, void *target);
hone_status_t read(hal::Stream *stream, const hal::Span &source, void *target);
hone_status_t wait(hal::Stream *stream);
hone_status_t record(hal::Stream *stream, const hal::Command *commands, size_t count, hal::Recording **recording);
hone_status_t replay(hal::Stream *stream, hal::Recording *recording);
void recordingDestroy(hal::Stream *stream, hal::Recording *recording);
void parallel(hal::Stream *stream, size_t count, void (*body)(void *, size_t), void *context);

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_STREAM_H
