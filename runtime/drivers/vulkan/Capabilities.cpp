//===- Capabilities.cpp - What kernels may ask of a device ----------------===//

#include "runtime/drivers/vulkan/Capabilities.h"

#include "runtime/base/Memory.h"

#include <cstddef>
#include <cstdlib>

using namespace hone;
using namespace hone::vulkan;

// Values of VK_KHR_cooperative_matrix, which headers before 1.3.255 lack.
static constexpr auto kCooperativeMatrixFeatures = static_cast<VkStructureType>(1000506000);
static constexpr char kCooperativeMatrixExtension[] = "VK_KHR_cooperative_matrix";

/// A row without a capability of its own.
static constexpr uint16_t kNoNumber = UINT16_MAX;

namespace {
struct Row {
  const char *name;
  uint16_t number; ///< in SPIR-V
  uint16_t offset; ///< of the boolean that says so, in DeviceFacts
};
} // namespace

#define AT(member) static_cast<uint16_t>(offsetof(DeviceFacts, member))
static constexpr Row kTable[] = {
    {"Matrix", 0, AT(always)},
    {"Shader", 1, AT(always)},
    {"Float16", 9, AT(features12.shaderFloat16)},
    {"Float64", 10, AT(core.features.shaderFloat64)},
    {"Int64", 11, AT(core.features.shaderInt64)},
    {"Int64Atomics", 12, AT(features12.shaderBufferInt64Atomics)},
    {"Int16", 22, AT(core.features.shaderInt16)},
    {"Int8", 39, AT(features12.shaderInt8)},
    {"GroupNonUniform", 61, AT(subgroup[0])},
    {"GroupNonUniformVote", 62, AT(subgroup[1])},
    {"GroupNonUniformArithmetic", 63, AT(subgroup[2])},
    {"GroupNonUniformBallot", 64, AT(subgroup[3])},
    {"GroupNonUniformShuffle", 65, AT(subgroup[4])},
    {"GroupNonUniformShuffleRelative", 66, AT(subgroup[5])},
    {"GroupNonUniformClustered", 67, AT(subgroup[6])},
    {"GroupNonUniformQuad", 68, AT(subgroup[7])},
    {"StorageBuffer16BitAccess", 4433, AT(features11.storageBuffer16BitAccess)},
    {"UniformAndStorageBuffer16BitAccess", 4434, AT(features11.uniformAndStorageBuffer16BitAccess)},
    {"StoragePushConstant16", 4435, AT(features11.storagePushConstant16)},
    {"VariablePointersStorageBuffer", 4441, AT(features11.variablePointersStorageBuffer)},
    {"VariablePointers", 4442, AT(features11.variablePointers)},
    {"StorageBuffer8BitAccess", 4448, AT(features12.storageBuffer8BitAccess)},
    {"UniformAndStorageBuffer8BitAccess", 4449, AT(features12.uniformAndStorageBuffer8BitAccess)},
    {"StoragePushConstant8", 4450, AT(features12.storagePushConstant8)},
    {"DenormPreserve", 4464, AT(floatControls[0])},
    {"DenormFlushToZero", 4465, AT(floatControls[1])},
    {"SignedZeroInfNanPreserve", 4466, AT(floatControls[2])},
    {"RoundingModeRTE", 4467, AT(floatControls[3])},
    {"RoundingModeRTZ", 4468, AT(floatControls[4])},
    {"VulkanMemoryModel", 5345, AT(features12.vulkanMemoryModel)},
    {"VulkanMemoryModelDeviceScope", 5346, AT(features12.vulkanMemoryModelDeviceScope)},
    {"DotProductInputAll", 6016, AT(features13.shaderIntegerDotProduct)},
    {"DotProductInput4x8Bit", 6017, AT(features13.shaderIntegerDotProduct)},
    {"DotProductInput4x8BitPacked", 6018, AT(features13.shaderIntegerDotProduct)},
    {"DotProduct", 6019, AT(features13.shaderIntegerDotProduct)},
    {"CooperativeMatrixKHR", 6022, AT(cooperativeMatrix.cooperativeMatrix)},
    // Promised by width, though the capability has none.
    {"DenormPreserve16", kNoNumber, AT(properties12.shaderDenormPreserveFloat16)},
    {"DenormPreserve32", kNoNumber, AT(properties12.shaderDenormPreserveFloat32)},
    {"DenormPreserve64", kNoNumber, AT(properties12.shaderDenormPreserveFloat64)},
    {"DenormFlushToZero16", kNoNumber, AT(properties12.shaderDenormFlushToZeroFloat16)},
    {"DenormFlushToZero32", kNoNumber, AT(properties12.shaderDenormFlushToZeroFloat32)},
    {"DenormFlushToZero64", kNoNumber, AT(properties12.shaderDenormFlushToZeroFloat64)},
    {"SignedZeroInfNanPreserve16", kNoNumber, AT(properties12.shaderSignedZeroInfNanPreserveFloat16)},
    {"SignedZeroInfNanPreserve32", kNoNumber, AT(properties12.shaderSignedZeroInfNanPreserveFloat32)},
    {"SignedZeroInfNanPreserve64", kNoNumber, AT(properties12.shaderSignedZeroInfNanPreserveFloat64)},
    {"RoundingModeRTE16", kNoNumber, AT(properties12.shaderRoundingModeRTEFloat16)},
    {"RoundingModeRTE32", kNoNumber, AT(properties12.shaderRoundingModeRTEFloat32)},
    {"RoundingModeRTE64", kNoNumber, AT(properties12.shaderRoundingModeRTEFloat64)},
    {"RoundingModeRTZ16", kNoNumber, AT(properties12.shaderRoundingModeRTZFloat16)},
    {"RoundingModeRTZ32", kNoNumber, AT(properties12.shaderRoundingModeRTZFloat32)},
    {"RoundingModeRTZ64", kNoNumber, AT(properties12.shaderRoundingModeRTZFloat64)},
};
#undef AT

static constexpr size_t kRows = sizeof(kTable) / sizeof(kTable[0]);

static VkBool32 &factOf(DeviceFacts &facts, const Row &row) {
  return *reinterpret_cast<VkBool32 *>(reinterpret_cast<uint8_t *>(&facts) + row.offset);
}
static bool factOf(const DeviceFacts &facts, const Row &row) { return factOf(const_cast<DeviceFacts &>(facts), row); }

bool Capabilities::has(const char *name) const {
  for (const Row &row : kTable)
    if (!strcmp(row.name, name))
      return factOf(facts, row);
  return false;
}

bool Capabilities::has(uint32_t number) const {
  for (const Row &row : kTable)
    if (row.number == number)
      return factOf(facts, row);
  return false;
}

const char *Capabilities::nameOf(uint32_t number) {
  for (const Row &row : kTable)
    if (row.number == number)
      return row.name;
  return nullptr;
}

static bool hasExtension(const Api &api, VkPhysicalDevice device, const char *name) {
  uint32_t count = 0;
  if (api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) || !count)
    return false;
  auto *list = static_cast<VkExtensionProperties *>(malloc(count * sizeof(VkExtensionProperties)));
  bool found = false;
  if (list && api.EnumerateDeviceExtensionProperties(device, nullptr, &count, list) >= 0)
    for (uint32_t i = 0; i < count && !found; ++i)
      found = !strcmp(list[i].extensionName, name);
  free(list);
  return found;
}

void Capabilities::query(const Api &api, VkPhysicalDevice device, uint32_t version) {
  facts.always = VK_TRUE;
  facts.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  facts.features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  facts.features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  facts.features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  facts.cooperativeMatrix.sType = kCooperativeMatrixFeatures;
  facts.core.pNext = &facts.features11;
  facts.features11.pNext = &facts.features12;
  void **end = &facts.features12.pNext;
  bool version13 = version >= VK_API_VERSION_1_3;
  if (version13) {
    *end = &facts.features13;
    end = &facts.features13.pNext;
  }
  if (hasExtension(api, device, kCooperativeMatrixExtension)) {
    *end = &facts.cooperativeMatrix;
    extensionNames[extensionsUsed++] = kCooperativeMatrixExtension;
  }
  api.GetPhysicalDeviceFeatures2(device, &facts.core);
  queryProperties(api, device, version13);
  dropUnused();
}

void Capabilities::queryProperties(const Api &api, VkPhysicalDevice device, bool version13) {
  VkPhysicalDeviceVulkan13Properties properties13 = {};
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  facts.properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  facts.properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  properties.pNext = &facts.properties11;
  facts.properties11.pNext = &facts.properties12;
  if (version13)
    facts.properties12.pNext = &properties13;
  api.GetPhysicalDeviceProperties2(device, &properties);
  facts.properties11.pNext = facts.properties12.pNext = nullptr;
  facts.maxBufferSize = properties13.maxBufferSize ? properties13.maxBufferSize : UINT64_MAX;
  if (facts.properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    for (int i = 0; i < 8; ++i)
      facts.subgroup[i] = facts.properties11.subgroupSupportedOperations >> i & 1;
  const VkPhysicalDeviceVulkan12Properties &p = facts.properties12;
  const VkBool32 controls[5] = {
      p.shaderDenormPreserveFloat16 | p.shaderDenormPreserveFloat32 | p.shaderDenormPreserveFloat64,
      p.shaderDenormFlushToZeroFloat16 | p.shaderDenormFlushToZeroFloat32 | p.shaderDenormFlushToZeroFloat64,
      p.shaderSignedZeroInfNanPreserveFloat16 | p.shaderSignedZeroInfNanPreserveFloat32 |
          p.shaderSignedZeroInfNanPreserveFloat64,
      p.shaderRoundingModeRTEFloat16 | p.shaderRoundingModeRTEFloat32 | p.shaderRoundingModeRTEFloat64,
      p.shaderRoundingModeRTZFloat16 | p.shaderRoundingModeRTZFloat32 | p.shaderRoundingModeRTZFloat64,
  };
  memcpy(facts.floatControls, controls, sizeof(controls));
}

/// Forgets all features of a struct.
template <typename Features> static void clear(Features &features) {
  Features none = {};
  none.sType = features.sType;
  none.pNext = features.pNext;
  features = none;
}

/// Features cost where they are switched on without need (bounds checks above all): only those of the table stay, and
/// what the driver itself uses.
void Capabilities::dropUnused() {
  VkBool32 kept[kRows];
  for (size_t i = 0; i < kRows; ++i)
    kept[i] = factOf(facts, kTable[i]);
  VkBool32 timeline = facts.features12.timelineSemaphore, maintenance = facts.features13.maintenance4;
  clear(facts.core);
  clear(facts.features11);
  clear(facts.features12);
  clear(facts.features13);
  clear(facts.cooperativeMatrix);
  for (size_t i = 0; i < kRows; ++i)
    factOf(facts, kTable[i]) = kept[i];
  facts.features12.timelineSemaphore = timeline;
  facts.features13.maintenance4 = maintenance;
}

uint64_t Capabilities::maxAllocation() const {
  uint64_t most = facts.properties11.maxMemoryAllocationSize;
  return facts.maxBufferSize < most ? facts.maxBufferSize : most;
}
