//===- Memory.cpp - Memory types and buffers ------------------------------===//

#include "runtime/drivers/vulkan/Device.h"

#include <cinttypes>

using namespace hone;
using namespace hone::vulkan;

static constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
static constexpr VkMemoryPropertyFlags kCached = kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

static hone_status_t createBuffer(VulkanDevice &device, uint64_t size, VkBuffer &buffer) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return check(device.api.CreateBuffer(device.device, &info, nullptr, &buffer), "create a buffer");
}

namespace {
/// Memory types that buffers of ours may lie in.
struct Choice {
  const VkPhysicalDeviceMemoryProperties &memory;
  uint32_t allowed;

  uint64_t heapOf(uint32_t type) const { return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size; }

  /// The type with these properties that has the largest heap, the first of equals; -1 when there is none.
  int32_t largest(VkMemoryPropertyFlags wanted) const {
    int32_t best = -1;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted &&
          (best < 0 || heapOf(i) > heapOf(static_cast<uint32_t>(best))))
        best = static_cast<int32_t>(i);
    return best;
  }
};
} // namespace

/// Mapped device memory is taken where it is all of the device's memory, as on integrated devices and behind a large
/// window; a small window would soon be full.
hone_status_t VulkanDevice::chooseMemory() {
  VkBuffer probe = VK_NULL_HANDLE;
  HONE_TRY(createBuffer(*this, 1024, probe));
  VkMemoryRequirements needs;
  api.GetBufferMemoryRequirements(device, probe, &needs);
  api.DestroyBuffer(device, probe, nullptr);

  VkPhysicalDeviceMemoryProperties memory;
  api.GetPhysicalDeviceMemoryProperties(physical, &memory);
  Choice choice = {memory, needs.memoryTypeBits};
  int32_t local = choice.largest(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (local < 0)
    local = choice.largest(0);
  int32_t host = choice.largest(kCached);
  if (host < 0)
    host = choice.largest(kMapped);
  if (local < 0 || host < 0)
    return makeStatus(HONE_INCOMPATIBLE, "the Vulkan device '%.80s' has no memory for buffers", properties.deviceName);
  for (VkMemoryPropertyFlags wanted : {kCached, kMapped}) {
    int32_t mapped = choice.largest(wanted | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (mapped >= 0 && choice.heapOf(static_cast<uint32_t>(mapped)) == choice.heapOf(static_cast<uint32_t>(local))) {
      local = mapped;
      break;
    }
  }
  deviceMemory = static_cast<uint32_t>(local);
  hostMemory = static_cast<uint32_t>(host);
  VkMemoryPropertyFlags flags = memory.memoryTypes[local].propertyFlags;
  writesDirectly = (flags & kMapped) == kMapped;
  readsDirectly = (flags & kCached) == kCached;
  return nullptr;
}

hone_status_t VulkanDevice::allocate(uint64_t size, Place place, Block &block) {
  uint64_t most = capabilities.maxAllocation();
  if (size > most)
    return makeStatus(HONE_OUT_OF_MEMORY,
                      "out of memory: a buffer of %" PRIu64 " bytes; the device has at most %" PRIu64 " in one piece",
                      size, most);
  HONE_TRY(createBuffer(*this, size, block.buffer));
  VkMemoryRequirements needs;
  api.GetBufferMemoryRequirements(device, block.buffer, &needs);
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = place == Place::Device ? deviceMemory : hostMemory;
  VkResult result = api.AllocateMemory(device, &info, nullptr, &block.memory);
  if (!result)
    result = api.BindBufferMemory(device, block.buffer, block.memory, 0);
  void *mapped = nullptr;
  if (!result && (place == Place::Host || writesDirectly))
    result = api.MapMemory(device, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result) {
    free(block);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
      return outOfMemory(size, "a buffer on the device");
    return check(result, "allocate memory");
  }
  block.mapped = static_cast<uint8_t *>(mapped);
  return nullptr;
}

void VulkanDevice::free(Block &block) {
  if (block.buffer)
    api.DestroyBuffer(device, block.buffer, nullptr);
  if (block.memory)
    api.FreeMemory(device, block.memory, nullptr); // unmaps
  block = {};
}

hone_status_t vulkan::bufferCreate(hal::Device *device, const hone_allocator_t *allocator, uint64_t size,
                                   hal::Buffer **outBuffer) {
  uint64_t allocated;
  // Kernels may see the last bytes as part of a larger element.
  if (!alignUp(size ? size : 1, 16, allocated))
    return outOfMemory(size, "a buffer on the device");
  auto *buffer = make<VulkanBuffer>(allocator);
  if (!buffer)
    return outOfMemory(sizeof(VulkanBuffer), "a buffer");
  buffer->host = nullptr;
  buffer->size = size;
  buffer->external = buffer->readOnly = false;
  buffer->allocated = allocated;
  buffer->allocator = allocator;
  if (hone_status_t status = deviceOf(device).allocate(allocated, Place::Device, buffer->block)) {
    destroy(allocator, buffer);
    return status;
  }
  *outBuffer = buffer;
  return nullptr;
}

void vulkan::bufferDestroy(hal::Device *device, hal::Buffer *base) {
  auto *buffer = static_cast<VulkanBuffer *>(base);
  if (!buffer)
    return;
  deviceOf(device).free(buffer->block);
  destroy(buffer->allocator, buffer);
}
