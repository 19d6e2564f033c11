//===- Recording.cpp - Command buffers that are kept ----------------------===//

#include "runtime/drivers/vulkan/Stream.h"

using namespace hone;
using namespace hone::vulkan;

hone_status_t VulkanStream::record(const hal::Command *commands, size_t count, hal::Recording **slot) {
  auto *recording = static_cast<VulkanRecording *>(*slot);
  if (!recording) {
    recording = make<VulkanRecording>(allocator, device, allocator);
    if (!recording)
      return outOfMemory(sizeof(VulkanRecording), "a recording");
    *slot = recording;
    HONE_TRY(recording->list.create(commandPool, timers != nullptr));
  }
  CommandList &list = recording->list;
  list.ready = false;
  HONE_TRY(release(list));
  Demand demand;
  for (size_t i = 0; i < count; ++i)
    demand.add(device, commands[i]);
  HONE_TRY(list.reserve(demand));
  HONE_TRY(list.begin());
  for (size_t i = 0; i < count; ++i)
    HONE_TRY(list.encode(commands[i]));
  HONE_TRY(list.end());
  list.ready = true;
  return nullptr;
}

hone_status_t VulkanStream::replay(CommandList &list) {
  if (!list.ready)
    return makeStatus(HONE_DEVICE_FAILURE, "a recording that failed is replayed");
  // A command buffer is under way once at a time.
  HONE_TRY(release(list));
  HONE_TRY(close());
  HONE_TRY(enqueue(list));
  // Times must be read before it runs again.
  return timers ? release(list) : nullptr;
}

void VulkanStream::destroyRecording(hal::Recording *base) {
  auto *recording = static_cast<VulkanRecording *>(base);
  hone_status_free(release(recording->list));
  destroy(allocator, recording);
}
