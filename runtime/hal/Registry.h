//===- Registry.h - Opening devices by name -*- C++ -*-===//
//
// Drivers are a table handed in by whoever links them, not a global that fills
// itself: which drivers a binary has is decided in one place.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_HAL_REGISTRY_H
#define HONE_RUNTIME_HAL_REGISTRY_H

#include "runtime/hal/device.h"

namespace hone::hal {

struct DriverList {
  const DeviceTable *const *drivers;
  size_t count;
};

/// Opens "name" or "name:ordinal".
hone_status_t openDevice(const DriverList &drivers, const char *uri, const hone_allocator_t *allocator,
                         Device **outDevice);

/// Whether a target ("cpu:avx2") belongs to a driver ("cpu").
bool targetBelongsTo(const char *target, const char *driver);

} // namespace hone::hal

#endif // HONE_RUNTIME_HAL_REGISTRY_H
