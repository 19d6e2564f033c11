//===- Executable.h - Kernels as pipelines -*- C++ -*-===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_EXECUTABLE_H
#define HONE_RUNTIME_DRIVERS_VULKAN_EXECUTABLE_H

#include "runtime/drivers/vulkan/Device.h"

namespace hone::vulkan {

/// What kernels of one number of buffers and scalars share.
struct Interface {
  uint32_t buffers, scalars;
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;

  /// Too many for push constants: they come in one more buffer.
  bool hasScalarBuffer() const;
  uint32_t bindings() const { return buffers + hasScalarBuffer(); }
};

struct Kernel {
  VkPipeline pipeline;
  Interface interface;
  uint32_t workgroupSize;
  uint32_t codeOffset; ///< of its module in the image: equal kernels share one
};

struct VulkanExecutable : hal::Executable {
  explicit VulkanExecutable(VulkanDevice &device)
      : device(device), kernels(device.allocator), interfaces(device.allocator), pipelines(device.allocator) {}
  ~VulkanExecutable();

  VulkanDevice &device;
  Array<Kernel> kernels; ///< as described when it was created
  Array<Interface> interfaces;
  Array<VkPipeline> pipelines;
};

inline const Kernel &kernelOf(const hal::Command &command) {
  return static_cast<const VulkanExecutable *>(command.executable)->kernels[command.kernel];
}

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_EXECUTABLE_H
