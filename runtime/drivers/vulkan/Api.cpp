//===- Api.cpp - Vulkan's functions, found at run time --------------------===//

#include "runtime/drivers/vulkan/Api.h"

#include <dlfcn.h>
#include <initializer_list>

using namespace hone;
using namespace hone::vulkan;

Api::~Api() {
  if (library)
    dlclose(library);
}

hone_status_t Api::open() {
  for (const char *name : {"libvulkan.so.1", "libvulkan.so"})
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
      break;
  if (!library)
    return makeStatus(HONE_NOT_FOUND, "there is no Vulkan loader: %.400s", dlerror());
  getInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!getInstanceProcAddr)
    return makeStatus(HONE_NOT_FOUND, "libvulkan.so.1 is no Vulkan loader: %.400s", dlerror());
#define X(name) name = reinterpret_cast<PFN_vk##name>(getInstanceProcAddr(nullptr, "vk" #name));
  HONE_VULKAN_GLOBAL_FUNCTIONS(X)
#undef X
  // Loaders of Vulkan 1.0 lack the second.
  if (!CreateInstance || !EnumerateInstanceVersion)
    return makeStatus(HONE_NOT_FOUND, "the Vulkan loader is of version 1.0; 1.2 is needed");
  return nullptr;
}

hone_status_t Api::loadInstance(VkInstance instance) {
  const char *missing = nullptr;
#define X(name)                                                                                                        \
  if (!(name = reinterpret_cast<PFN_vk##name>(getInstanceProcAddr(instance, "vk" #name))))                             \
    missing = "vk" #name;
  HONE_VULKAN_INSTANCE_FUNCTIONS(X)
#undef X
  return missing ? makeStatus(HONE_NOT_FOUND, "the Vulkan loader has no %s", missing) : nullptr;
}

hone_status_t Api::loadDevice(VkDevice device) {
  const char *missing = nullptr;
#define X(name)                                                                                                        \
  if (!(name = reinterpret_cast<PFN_vk##name>(GetDeviceProcAddr(device, "vk" #name))))                                 \
    missing = "vk" #name;
  HONE_VULKAN_DEVICE_FUNCTIONS(X)
#undef X
  complete = !missing;
  return missing ? makeStatus(HONE_INCOMPATIBLE, "the Vulkan driver has no %s", missing) : nullptr;
}

hone_status_t hone::vulkan::check(VkResult result, const char *what) {
  switch (result) {
  case VK_SUCCESS:
    return nullptr;
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return makeStatus(HONE_OUT_OF_MEMORY, "out of memory: the Vulkan driver cannot %s", what);
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_POOL_MEMORY:
  case VK_ERROR_FRAGMENTED_POOL:
  case VK_ERROR_TOO_MANY_OBJECTS:
    return makeStatus(HONE_OUT_OF_MEMORY, "out of memory on the device: the Vulkan driver cannot %s", what);
  case VK_ERROR_DEVICE_LOST:
    return makeStatus(HONE_DEVICE_FAILURE, "the device was lost: the Vulkan driver cannot %s", what);
  default:
    return makeStatus(HONE_DEVICE_FAILURE, "the Vulkan driver cannot %s (error %d)", what, static_cast<int>(result));
  }
}
