//===- Device.cpp - Opening Vulkan devices --------------------------------===//

#include "runtime/drivers/vulkan/Device.h"
#include "runtime/drivers/vulkan/Stream.h"

#include <cstdio>

using namespace hone;
using namespace hone::vulkan;

VulkanDevice::~VulkanDevice() {
  if (device && api.isComplete()) {
    closePipelineCache(*this);
    free(bytes);
  }
  if (device && api.DestroyDevice)
    api.DestroyDevice(device, nullptr);
  if (instance && api.DestroyInstance)
    api.DestroyInstance(instance, nullptr);
  for (Queue &queue : queues)
    pthread_mutex_destroy(&queue.mutex);
}

hone_status_t VulkanDevice::openInstance() {
  HONE_TRY(api.open());
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "hone";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkResult result = api.CreateInstance(&info, nullptr, &instance);
  // Nobody has installed one, or all of them failed to start.
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_INITIALIZATION_FAILED)
    return makeStatus(HONE_NOT_FOUND, "there is no Vulkan driver on this machine");
  HONE_VULKAN_TRY(result, "create an instance");
  return api.loadInstance(instance);
}

/// "0 'llvmpipe', 1 'NVIDIA H200'".
static void listDevices(const Api &api, const VkPhysicalDevice *devices, uint32_t count, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < count && used < size; ++i) {
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    api.GetPhysicalDeviceProperties2(devices[i], &properties);
    used += snprintf(text + used, size - used, "%s%u '%.80s'", i ? ", " : "", i, properties.properties.deviceName);
  }
}

hone_status_t VulkanDevice::choosePhysical(uint32_t ordinal) {
  VkPhysicalDevice devices[32];
  uint32_t count = sizeof(devices) / sizeof(devices[0]);
  VkResult result = api.EnumeratePhysicalDevices(instance, &count, devices);
  if (result != VK_INCOMPLETE)
    HONE_VULKAN_TRY(result, "list devices");
  if (!count)
    return makeStatus(HONE_NOT_FOUND, "no device 'vulkan:%u': the Vulkan drivers of this machine find none", ordinal);
  if (ordinal >= count) {
    char list[400];
    listDevices(api, devices, count, list, sizeof(list));
    return makeStatus(HONE_NOT_FOUND, "no device 'vulkan:%u': there %s %s", ordinal, count > 1 ? "are" : "is", list);
  }
  physical = devices[ordinal];
  VkPhysicalDeviceProperties2 all = {};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  api.GetPhysicalDeviceProperties2(physical, &all);
  properties = all.properties;
  if (properties.apiVersion < VK_API_VERSION_1_2)
    return makeStatus(HONE_INCOMPATIBLE, "'vulkan:%u' (%.80s) is of Vulkan %u.%u; 1.2 is needed", ordinal,
                      properties.deviceName, VK_API_VERSION_MAJOR(properties.apiVersion),
                      VK_API_VERSION_MINOR(properties.apiVersion));
  capabilities.query(api, physical, properties.apiVersion);
  return nullptr;
}

/// The first family that computes and does not draw, so that the screen is not held up; otherwise the first that
/// computes.
hone_status_t VulkanDevice::chooseQueues() {
  VkQueueFamilyProperties families[32];
  uint32_t count = sizeof(families) / sizeof(families[0]);
  api.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  int32_t chosen = -1;
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || !families[i].queueCount)
      continue;
    bool draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
    if (chosen < 0 || (!draws && (families[chosen].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
      chosen = static_cast<int32_t>(i);
  }
  if (chosen < 0)
    return makeStatus(HONE_INCOMPATIBLE, "the Vulkan device '%.80s' does not compute", properties.deviceName);
  queueFamily = static_cast<uint32_t>(chosen);
  queueCount = families[chosen].queueCount < kMaxQueues ? families[chosen].queueCount : kMaxQueues;
  timestampBits = families[chosen].timestampValidBits;
  return nullptr;
}

hone_status_t VulkanDevice::openDevice() {
  const float priorities[kMaxQueues] = {1, 1, 1, 1, 1, 1, 1, 1};
  VkDeviceQueueCreateInfo queueInfo = {};
  queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queueInfo.queueFamilyIndex = queueFamily;
  queueInfo.queueCount = queueCount;
  queueInfo.pQueuePriorities = priorities;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = capabilities.features();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = capabilities.extensionCount();
  info.ppEnabledExtensionNames = capabilities.extensions();
  HONE_VULKAN_TRY(api.CreateDevice(physical, &info, nullptr, &device), "open the device");
  HONE_TRY(api.loadDevice(device));
  for (uint32_t i = 0; i < queueCount; ++i)
    api.GetDeviceQueue(device, queueFamily, i, &queues[i].queue);
  return nullptr;
}

hone_status_t VulkanDevice::fillBytes() {
  HONE_TRY(allocate(1024, Place::Host, bytes));
  for (uint32_t i = 0; i < 1024; ++i)
    bytes.mapped[i] = static_cast<uint8_t>(i / 4);
  return nullptr;
}

void VulkanDevice::describe() {
  snprintf(description, sizeof(description),
           "vulkan: %.200s, Vulkan %u.%u.%u, driver %.64s %.100s, subgroups of %u, %s memory", properties.deviceName,
           VK_API_VERSION_MAJOR(properties.apiVersion), VK_API_VERSION_MINOR(properties.apiVersion),
           VK_API_VERSION_PATCH(properties.apiVersion), capabilities.driverName(), capabilities.driverInfo(),
           capabilities.subgroupSize(), writesDirectly ? "mapped" : "own");
}

hone_status_t VulkanDevice::open(uint32_t ordinal) {
  HONE_TRY(openInstance());
  HONE_TRY(choosePhysical(ordinal));
  HONE_TRY(chooseQueues());
  HONE_TRY(openDevice());
  HONE_TRY(chooseMemory());
  HONE_TRY(fillBytes());
  HONE_TRY(openPipelineCache(*this));
  describe();
  return nullptr;
}

static hone_status_t createDevice(uint32_t ordinal, const hone_allocator_t *allocator, hal::Device **outDevice) {
  auto *device = make<VulkanDevice>(allocator);
  if (!device)
    return outOfMemory(sizeof(VulkanDevice), "a device");
  device->table = &vulkan::driver();
  device->allocator = allocator;
  device->unified = false;
  if (hone_status_t status = device->open(ordinal)) {
    destroy(allocator, device);
    return status;
  }
  *outDevice = device;
  return nullptr;
}

static void destroyDevice(hal::Device *device) { destroy(device->allocator, &deviceOf(device)); }

static constexpr hal::DeviceTable kTable = {
    "vulkan",
    createDevice,
    destroyDevice,
    vulkan::accepts,
    vulkan::fit,
    vulkan::bufferCreate,
    vulkan::bufferDestroy,
    vulkan::executableCreate,
    vulkan::executableDestroy,
    vulkan::streamCreate,
    vulkan::streamDestroy,
    vulkan::takes,
    vulkan::submit,
    vulkan::upload,
    vulkan::download,
    vulkan::read,
    vulkan::wait,
    vulkan::record,
    vulkan::replay,
    vulkan::recordingDestroy,
    vulkan::parallel,
};

const hal::DeviceTable &vulkan::driver() { return kTable; }
