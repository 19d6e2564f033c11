//===- Registry.cpp - Opening devices by name -----------------------------===//
//
// Errors list what is built in.
//
//===----------------------------------------------------------------------===//

#include "runtime/hal/Registry.h"

#include <cstdio>

using namespace hone;
using namespace hone::hal;

bool hone::hal::targetBelongsTo(const char *target, const char *driver) {
  size_t length = strlen(driver);
  return !strncmp(target, driver, length) && (!target[length] || target[length] == ':');
}

/// The number after "name:"; 0 when there is none.
static bool parseOrdinal(const char *text, uint32_t &ordinal) {
  ordinal = 0;
  if (!*text)
    return true;
  if (*text != ':' || !text[1] || strlen(text + 1) > 4)
    return false;
  for (const char *digit = text + 1; *digit; ++digit) {
    if (*digit < '0' || *digit > '9')
      return false;
    ordinal = ordinal * 10 + (*digit - '0');
  }
  return true;
}

hone_status_t hone::hal::openDevice(const DriverList &drivers, const char *uri, const hone_allocator_t *allocator,
                                    Device **outDevice) {
  char names[128] = "";
  size_t used = 0;
  for (size_t i = 0; i < drivers.count; ++i) {
    const DeviceTable &driver = *drivers.drivers[i];
    if (targetBelongsTo(uri, driver.name)) {
      uint32_t ordinal;
      if (!parseOrdinal(uri + strlen(driver.name), ordinal))
        return makeStatus(HONE_INVALID_ARGUMENT, "device '%.64s': expected '%s' or '%s:<number>'", uri, driver.name,
                          driver.name);
      return driver.create(ordinal, allocator, outDevice);
    }
    if (used < sizeof(names))
      used += snprintf(names + used, sizeof(names) - used, "%s'%s'", i ? ", " : "", driver.name);
  }
  return makeStatus(HONE_NOT_FOUND, "no device '%.64s': this runtime is built for %s", uri, names);
}
