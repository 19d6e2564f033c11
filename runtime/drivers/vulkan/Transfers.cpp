//===- Transfers.cpp - Bytes to and from the device -----------------------===//
//
// Straight into mapped memory where that is possible, otherwise through staging
// memory, part by part, so that copying and sending overlap.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/vulkan/Stream.h"

using namespace hone;
using namespace hone::vulkan;

hone_status_t VulkanStream::stage(uint64_t size, uint64_t &offset) {
  if (!staging.block.buffer)
    HONE_TRY(device.allocate(Staging::kParts * Staging::kPartSize, Place::Host, staging.block));
  if (size > Staging::kPartSize - staging.used) {
    // Reads lie in staging memory until somebody waits.
    HONE_TRY(readCount ? finish() : flush());
    staging.values[staging.part] = submitted;
    staging.part = (staging.part + 1) % Staging::kParts;
    staging.used = 0;
    HONE_TRY(waitFor(staging.values[staging.part]));
  }
  offset = staging.part * Staging::kPartSize + staging.used;
  staging.used += (size + 63) & ~uint64_t(63);
  return nullptr;
}

void VulkanStream::drainReads() {
  for (uint32_t i = 0; i < readCount; ++i)
    memcpy(reads[i].target, reads[i].source, reads[i].size);
  readCount = 0;
}

static uint64_t partOf(uint64_t rest) { return rest < Staging::kPartSize ? rest : Staging::kPartSize; }

hone_status_t VulkanStream::upload(const uint8_t *source, const hal::Span &target) {
  const Block &block = bufferOf(target).block;
  if (!target.size)
    return nullptr;
  if (device.writesDirectly) {
    if (!idle())
      HONE_TRY(finish());
    memcpy(block.mapped + target.offset, source, target.size);
    return nullptr;
  }
  for (uint64_t done = 0; done < target.size;) {
    uint64_t size = partOf(target.size - done), offset = 0;
    HONE_TRY(stage(size, offset));
    memcpy(staging.block.mapped + offset, source + done, size);
    CommandList *list = nullptr;
    HONE_TRY(listFor({}, list));
    list->copy(staging.block, offset, block, target.offset + done, size);
    done += size;
  }
  return nullptr;
}

hone_status_t VulkanStream::download(const hal::Span &source, uint8_t *target) {
  const Block &block = bufferOf(source).block;
  if (!source.size)
    return nullptr;
  if (device.readsDirectly) {
    HONE_TRY(finish());
    memcpy(target, block.mapped + source.offset, source.size);
    return nullptr;
  }
  for (uint64_t done = 0; done < source.size;) {
    uint64_t size = partOf(source.size - done), offset = 0;
    if (readCount == kMostReads)
      HONE_TRY(finish());
    HONE_TRY(stage(size, offset));
    CommandList *list = nullptr;
    HONE_TRY(listFor({}, list));
    list->copy(block, source.offset + done, staging.block, offset, size);
    reads[readCount++] = {staging.block.mapped + offset, target + done, size};
    done += size;
  }
  return nullptr;
}
