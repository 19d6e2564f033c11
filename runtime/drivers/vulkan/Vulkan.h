//===- Vulkan.h - The driver of Vulkan devices -*- C++ -*-===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_VULKAN_H
#define HONE_RUNTIME_DRIVERS_VULKAN_VULKAN_H

#include "runtime/hal/device.h"

namespace hone::vulkan {

/// The driver's table.
const hal::DeviceTable &driver();

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_VULKAN_H
