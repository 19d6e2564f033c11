//===- Capabilities.h - What kernels may ask of a device -*- C++ -*-===//
//
// SPIR-V names what a module uses "capabilities"; each hangs on a feature or a
// property of the device. One table says on which.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_CAPABILITIES_H
#define HONE_RUNTIME_DRIVERS_VULKAN_CAPABILITIES_H

#include "runtime/drivers/vulkan/Api.h"

namespace hone::vulkan {

/// As VK_KHR_cooperative_matrix defines it; older headers do not have it.
struct CooperativeMatrixFeatures {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix, cooperativeMatrixRobustBufferAccess;
};

/// What Vulkan says about a device, as far as kernels are concerned.
struct DeviceFacts {
  VkPhysicalDeviceFeatures2 core;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13;
  CooperativeMatrixFeatures cooperativeMatrix;
  VkPhysicalDeviceVulkan11Properties properties11;
  VkPhysicalDeviceVulkan12Properties properties12;
  VkBool32 always;
  VkBool32 subgroup[8];      ///< in the order of VkSubgroupFeatureFlagBits
  VkBool32 floatControls[5]; ///< of any width: denormals kept or not, zeros and NaNs kept, rounding to even or zero
  uint64_t maxBufferSize;    ///< UINT64_MAX where the device names no limit
};

class Capabilities {
public:
  /// Asks the device, which is of Vulkan 1.2 or later.
  void query(const Api &api, VkPhysicalDevice device, uint32_t version);

  /// By SPIR-V's name or number.
  bool has(const char *name) const;
  bool has(uint32_t number) const;
  /// Null for numbers the table does not know.
  static const char *nameOf(uint32_t number);

  /// For vkCreateDevice: the chain of features that are there and of use.
  const void *features() const { return &facts.core; }
  /// Extensions that go with them.
  const char *const *extensions() const { return extensionNames; }
  uint32_t extensionCount() const { return extensionsUsed; }

  uint32_t subgroupSize() const { return facts.properties11.subgroupSize; }
  /// Bytes of the largest buffer.
  uint64_t maxAllocation() const;
  const char *driverName() const { return facts.properties12.driverName; }
  const char *driverInfo() const { return facts.properties12.driverInfo; }
  /// Identifies driver and version.
  const uint8_t *driverUuid() const { return facts.properties11.driverUUID; }

private:
  void queryProperties(const Api &api, VkPhysicalDevice device, bool version13);
  void dropUnused();

  DeviceFacts facts = {};
  const char *extensionNames[1] = {};
  uint32_t extensionsUsed = 0;
};

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_CAPABILITIES_H
