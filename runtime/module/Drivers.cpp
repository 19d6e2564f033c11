//===- Drivers.cpp - The drivers of this library --------------------------===//
//
// The only file of the runtime that knows them all. CMake says which are built.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cpu/Cpu.h"
#include "runtime/drivers/cuda/Cuda.h"
#include "runtime/drivers/vulkan/Vulkan.h"
#include "runtime/hal/Registry.h"

using namespace hone;

hone_status_t hone_device_create(const char *uri, const hone_allocator_t *allocator, hone_device_t **out_device) {
  if (!uri || !out_device)
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_device_create: NULL");
  const hal::DeviceTable *const drivers[] = {
      &cpu::driver(),
      &cuda::driver(),
      &vulkan::driver(),
  };
  const hone_allocator_t *memory = allocator ? allocator : defaultAllocator();
  auto *device = make<hone_device_s>(memory);
  if (!device)
    return outOfMemory(sizeof(hone_device_s), "a device");
  device->allocator = *memory;
  if (hone_status_t status =
          hal::openDevice({drivers, sizeof(drivers) / sizeof(drivers[0])}, uri, &device->allocator, &device->impl)) {
    destroy(memory, device);
    return status;
  }
  *out_device = device;
  return nullptr;
}

void hone_device_destroy(hone_device_t *device) {
  if (!device)
    return;
  device->impl->table->destroy(device->impl);
  hone_allocator_t allocator = device->allocator;
  destroy(&allocator, device);
}

const char *hone_device_description(const hone_device_t *device) { return device->impl->description; }
