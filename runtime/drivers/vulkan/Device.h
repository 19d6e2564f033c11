//===- Device.h - A Vulkan device and its memory -*- C++ -*-===//
//
// Instance, logical device, queues and the memory types that are used. Buffers
// have memory of their own: a session has few of them, and plans pack all
// intermediates into one.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_DEVICE_H
#define HONE_RUNTIME_DRIVERS_VULKAN_DEVICE_H

#include "runtime/drivers/vulkan/Capabilities.h"
#include "runtime/drivers/vulkan/Vulkan.h"

#include <atomic>
#include <pthread.h>

namespace hone::vulkan {

/// Streams are spread over the queues, which take one caller at a time.
struct Queue {
  VkQueue queue = VK_NULL_HANDLE;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

/// A VkBuffer with its memory.
struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint8_t *mapped = nullptr; ///< null where the processor cannot write
};

/// Which memory a block lies in.
enum class Place : uint8_t {
  Device, ///< mapped as well where that costs nothing
  Host,   ///< always mapped, fast to read
};

struct VulkanDevice : hal::Device {
  ~VulkanDevice();
  hone_status_t open(uint32_t ordinal);

  /// `size` is not 0. Usable for kernels and transfers.
  hone_status_t allocate(uint64_t size, Place place, Block &block);
  void free(Block &block);

  /// What the scalars of a launch take where they come in a buffer.
  uint64_t scalarBytes(uint32_t scalars) const {
    uint64_t alignment = properties.limits.minStorageBufferOffsetAlignment;
    alignment = alignment < 64 ? 64 : alignment;
    return (scalars * sizeof(int64_t) + alignment - 1) / alignment * alignment;
  }

  /// The next queue in turn.
  Queue &pickQueue() { return queues[nextQueue.fetch_add(1, std::memory_order_relaxed) % queueCount]; }

  Api api;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties = {};
  Capabilities capabilities;

  static constexpr uint32_t kMaxQueues = 8;
  Queue queues[kMaxQueues];
  uint32_t queueFamily = 0, queueCount = 0;
  std::atomic<uint32_t> nextQueue{0};
  /// Of the queue family; 0 when it has no timestamps.
  uint32_t timestampBits = 0;

  uint32_t deviceMemory = 0, hostMemory = 0; ///< memory types
  /// Device memory is mapped: the processor may write it, and read it.
  bool writesDirectly = false, readsDirectly = false;
  VkPipelineCache pipelineCache = VK_NULL_HANDLE;
  std::atomic<bool> compiled{false}; ///< kernels, for the cache
  /// Byte b at offsets 4b to 4b+3: the source of writes that no command of
  /// Vulkan can do.
  Block bytes;

private:
  hone_status_t openInstance();
  hone_status_t choosePhysical(uint32_t ordinal);
  hone_status_t chooseQueues();
  hone_status_t openDevice();
  hone_status_t chooseMemory();
  hone_status_t fillBytes();
  void describe();
};

struct VulkanBuffer : hal::Buffer {
  Block block;
  uint64_t allocated; ///< at least `size`, a multiple of 16
  const hone_allocator_t *allocator;
};

inline VulkanDevice &deviceOf(hal::Device *device) { return *static_cast<VulkanDevice *>(device); }
inline const VulkanBuffer &bufferOf(const hal::Span &span) { return *static_cast<const VulkanBuffer *>(span.buffer); }

// Memory.cpp
hone_status_t bufferCreate(hal::Device *device, const hone_allocator_t *allocator, uint64_t size,
                           hal::Buffer **outBuffer);
void bufferDestroy(hal::Device *device, hal::Buffer *buffer);

// Executable.cpp
hone_status_t accepts(hal::Device *device, const hal::ExecutableNeeds &needs);
uint32_t fit(hal::Device *device, const hal::ExecutableNeeds &needs, const uint8_t *code, size_t size);
hone_status_t executableCreate(hal::Device *device, const hal::ExecutableNeeds &needs, const uint8_t *code, size_t size,
                               const hal::KernelDescription *kernels, size_t kernelCount,
                               hal::Executable **outExecutable);
void executableDestroy(hal::Device *device, hal::Executable *executable);

// Encoder.cpp
hone_status_t takes(hal::Device *device, const hal::Command &launch);

// PipelineCache.cpp
/// Opens the device's cache of compiled kernels, with what earlier processes
/// left in HONE_PIPELINE_CACHE, a folder, when that is set.
hone_status_t openPipelineCache(VulkanDevice &device);
/// Saves it there when kernels were compiled, and destroys it.
void closePipelineCache(VulkanDevice &device);

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_DEVICE_H
