//===- Api.h - Vulkan's functions, found at run time -*- C++ -*-===//
//
// The loader is opened with dlopen, so that programs start without Vulkan.
// Every device has tables of its own; there is no global state.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_API_H
#define HONE_RUNTIME_DRIVERS_VULKAN_API_H

#include "runtime/base/Status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define HONE_VULKAN_GLOBAL_FUNCTIONS(X)                                                                                \
  X(CreateInstance)                                                                                                    \
  X(EnumerateInstanceVersion)

#define HONE_VULKAN_INSTANCE_FUNCTIONS(X)                                                                              \
  X(CreateDevice)                                                                                                      \
  X(DestroyInstance)                                                                                                   \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(GetDeviceProcAddr)                                                                                                 \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceMemoryProperties)                                                                                 \
  X(GetPhysicalDeviceProperties2)                                                                                      \
  X(GetPhysicalDeviceQueueFamilyProperties)

#define HONE_VULKAN_DEVICE_FUNCTIONS(X)                                                                                \
  X(AllocateCommandBuffers)                                                                                            \
  X(AllocateDescriptorSets)                                                                                            \
  X(AllocateMemory)                                                                                                    \
  X(BeginCommandBuffer)                                                                                                \
  X(BindBufferMemory)                                                                                                  \
  X(CmdBindDescriptorSets)                                                                                             \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdDispatch)                                                                                                       \
  X(CmdDispatchBase)                                                                                                   \
  X(CmdFillBuffer)                                                                                                     \
  X(CmdPipelineBarrier)                                                                                                \
  X(CmdPushConstants)                                                                                                  \
  X(CmdResetQueryPool)                                                                                                 \
  X(CmdUpdateBuffer)                                                                                                   \
  X(CmdWriteTimestamp)                                                                                                 \
  X(CreateBuffer)                                                                                                      \
  X(CreateCommandPool)                                                                                                 \
  X(CreateComputePipelines)                                                                                            \
  X(CreateDescriptorPool)                                                                                              \
  X(CreateDescriptorSetLayout)                                                                                         \
  X(CreatePipelineCache)                                                                                               \
  X(CreatePipelineLayout)                                                                                              \
  X(CreateQueryPool)                                                                                                   \
  X(CreateSemaphore)                                                                                                   \
  X(CreateShaderModule)                                                                                                \
  X(DestroyBuffer)                                                                                                     \
  X(DestroyCommandPool)                                                                                                \
  X(DestroyDescriptorPool)                                                                                             \
  X(DestroyDescriptorSetLayout)                                                                                        \
  X(DestroyDevice)                                                                                                     \
  X(DestroyPipeline)                                                                                                   \
  X(DestroyPipelineCache)                                                                                              \
  X(DestroyPipelineLayout)                                                                                             \
  X(DestroyQueryPool)                                                                                                  \
  X(DestroySemaphore)                                                                                                  \
  X(DestroyShaderModule)                                                                                               \
  X(EndCommandBuffer)                                                                                                  \
  X(FreeCommandBuffers)                                                                                                \
  X(FreeMemory)                                                                                                        \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(GetDeviceQueue)                                                                                                    \
  X(GetPipelineCacheData)                                                                                              \
  X(GetQueryPoolResults)                                                                                               \
  X(MapMemory)                                                                                                         \
  X(QueueSubmit)                                                                                                       \
  X(ResetDescriptorPool)                                                                                               \
  X(UpdateDescriptorSets)                                                                                              \
  X(WaitSemaphores)

namespace hone::vulkan {

/// Function names without their "vk".
struct Api {
#define X(name) PFN_vk##name name = nullptr;
  HONE_VULKAN_GLOBAL_FUNCTIONS(X)
  HONE_VULKAN_INSTANCE_FUNCTIONS(X)
  HONE_VULKAN_DEVICE_FUNCTIONS(X)
#undef X

  Api() = default;
  ~Api();
  Api(const Api &) = delete;
  Api &operator=(const Api &) = delete;

  /// Opens the loader; HONE_NOT_FOUND when there is none.
  hone_status_t open();
  hone_status_t loadInstance(VkInstance instance);
  hone_status_t loadDevice(VkDevice device);
  /// Whether all functions are there.
  bool isComplete() const { return complete; }

private:
  bool complete = false;
  void *library = nullptr;
  PFN_vkGetInstanceProcAddr getInstanceProcAddr = nullptr;
};

/// The status of a failed call; null for VK_SUCCESS. `what` completes "the
/// Vulkan driver cannot ...".
hone_status_t check(VkResult result, const char *what);

} // namespace hone::vulkan

#define HONE_VULKAN_TRY(call, what) HONE_TRY(hone::vulkan::check(call, what))

#endif // HONE_RUNTIME_DRIVERS_VULKAN_API_H
