//===- Device.cpp - NVIDIA GPUs as devices --------------------------------===//
//
// Opens the driver and a device's primary context; device memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Commands.h"
#include "runtime/drivers/cuda/Cuda.h"
#include "runtime/format/CudaImage.h"

#include <cstdio>

using namespace hone;
using namespace hone::cuda;
using namespace hone::hal;

namespace {
struct CudaBuffer : Buffer {
  const hone_allocator_t *allocator;
};
} // namespace

/// After these the driver answers every call with the same error.
static bool isLasting(Result result) {
  switch (result) {
  case UncorrectableMemory:
  case IllegalAddress:
  case LaunchTimeout:
  case Assertion:
    return true;
  default:
    return result >= HardwareStack && result <= LaunchFailed;
  }
}

hone_status_t CudaDevice::check(Result result, const char *doing) const {
  if (result == Success)
    return nullptr;
  Api::Words words = api.describe(result);
  return makeStatus(result == NoMemory ? HONE_OUT_OF_MEMORY : HONE_DEVICE_FAILURE, "cuda:%u: cannot %s: %s%s", number,
                    doing, words.text,
                    isLasting(result) ? "; this process can no longer use the device, and a session created with "
                                        "`synchronous` would name the kernel"
                                      : "");
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static hone_status_t describe(CudaDevice &device) {
  const Api &api = device.api;
  char name[128] = "";
  int major = 0, minor = 0, processors = 0, version = 0;
  size_t bytes = 0;
  Result result = api.deviceName(name, sizeof(name), device.ordinal);
  if (!result)
    result = api.deviceAttribute(&major, CapabilityMajor, device.ordinal);
  if (!result)
    result = api.deviceAttribute(&minor, CapabilityMinor, device.ordinal);
  if (!result)
    result = api.deviceAttribute(&processors, MultiprocessorCount, device.ordinal);
  if (!result)
    result = api.deviceMemory(&bytes, device.ordinal);
  if (!result)
    result = api.driverVersion(&version);
  device.major = static_cast<uint32_t>(major);
  device.minor = static_cast<uint32_t>(minor);
  device.memoryBytes = bytes;
  snprintf(device.description, sizeof(device.description),
           "cuda: %s, compute capability %d.%d, %d multiprocessors, %.1f GB, driver for CUDA %d.%d", name, major, minor,
           processors, static_cast<double>(bytes) * 1e-9, version / 1000, version % 1000 / 10);
  return device.check(result, "describe the device");
}

/// Opens the driver; `ordinal` must be a device of it.
static hone_status_t open(CudaDevice &device, uint32_t ordinal) {
  HONE_TRY(device.api.open());
  int count = 0;
  Result result = device.api.deviceCount(&count);
  if (result == NoDevice || (!result && count <= 0))
    return makeStatus(HONE_NOT_FOUND, "no CUDA device: the NVIDIA driver finds none");
  HONE_TRY(device.check(result, "count the devices"));
  if (ordinal >= static_cast<uint32_t>(count))
    return makeStatus(HONE_NOT_FOUND, "no device 'cuda:%u': there %s %d", ordinal, count == 1 ? "is" : "are", count);
  HONE_TRY(device.check(device.api.deviceGet(&device.ordinal, static_cast<int>(ordinal)), "open the device"));
  HONE_TRY(describe(device));
  return device.check(device.api.contextRetain(&device.context, device.ordinal), "start the device");
}

static void destroyDevice(Device *base) {
  CudaDevice &device = deviceOf(base);
  if (device.context)
    device.api.contextRelease(device.ordinal);
  device.api.close();
  destroy(device.allocator, &device);
}

static hone_status_t createDevice(uint32_t ordinal, const hone_allocator_t *allocator, Device **outDevice) {
  auto *device = make<CudaDevice>(allocator);
  if (!device)
    return outOfMemory(sizeof(CudaDevice), "a device");
  device->table = &cuda::driver();
  device->allocator = allocator;
  device->unified = false;
  device->addressable = true;
  device->number = ordinal;
  device->context = nullptr;
  if (hone_status_t status = open(*device, ordinal)) {
    destroyDevice(device);
    return status;
  }
  *outDevice = device;
  return nullptr;
}

/// Features are the architectures that code is for: sm_90 means it and all later ones.
static bool runs(const CudaDevice &device, const char *feature) {
  format::CudaImageEntry entry{};
  char suffix = 0, end = 0;
  entry.kind = format::CudaCodeKind::Ptx;
  int read = sscanf(feature, "sm_%u%c%c", &entry.architecture, &suffix, &end);
  entry.suffix = static_cast<uint32_t>(suffix);
  return (read == 1 || (read == 2 && (suffix == 'a' || suffix == 'f'))) &&
         format::cudaEntryRuns(entry, device.major, device.minor);
}

hone_status_t cuda::accepts(Device *device, const ExecutableNeeds &needs) {
  if (strcmp(needs.format, "cuda"))
    return makeStatus(HONE_INCOMPATIBLE, "'%.64s': a CUDA device runs 'cuda' code, this is '%.32s'", needs.target,
                      needs.format);
  char lacks[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < needs.featureCount && used < sizeof(lacks); ++i)
    if (!runs(deviceOf(device), needs.features[i]))
      used += snprintf(lacks + used, sizeof(lacks) - used, "%s%s", used ? " " : "", needs.features[i]);
  return used ? makeStatus(HONE_INCOMPATIBLE, "'%.64s': the device lacks %s", needs.target, lacks) : nullptr;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static hone_status_t createBuffer(Device *base, const hone_allocator_t *allocator, uint64_t size, Buffer **outBuffer) {
  const CudaDevice &device = deviceOf(base);
  auto *buffer = make<CudaBuffer>(allocator);
  if (!buffer)
    return outOfMemory(sizeof(CudaBuffer), "a buffer");
  buffer->allocator = allocator;
  buffer->size = size;
  Entered entered(device);
  Address address = 0;
  if (Result result = size > device.memoryBytes ? NoMemory : device.api.memoryAllocate(&address, size ? size : 1)) {
    destroy(allocator, buffer);
    if (result == NoMemory)
      return makeStatus(HONE_OUT_OF_MEMORY, "out of memory: %llu bytes on cuda:%u",
                        static_cast<unsigned long long>(size), device.number);
    return device.check(result, "allocate memory");
  }
  buffer->address = address;
  *outBuffer = buffer;
  return nullptr;
}

static void destroyBuffer(Device *base, Buffer *buffer) {
  if (!buffer)
    return;
  const CudaDevice &device = deviceOf(base);
  Entered entered(device);
  device.api.memoryFree(buffer->address);
  auto *own = static_cast<CudaBuffer *>(buffer);
  destroy(own->allocator, own);
}

static constexpr DeviceTable kTable = {
    "cuda",
    createDevice,
    destroyDevice,
    cuda::accepts,
    cuda::fit,
    createBuffer,
    destroyBuffer,
    cuda::executableCreate,
    cuda::executableDestroy,
    cuda::streamCreate,
    cuda::streamDestroy,
    cuda::takes,
    cuda::submit,
    cuda::upload,
    cuda::download,
    cuda::read,
    cuda::wait,
    cuda::record,
    cuda::replay,
    cuda::recordingDestroy,
    cuda::parallel,
};

const DeviceTable &cuda::driver() { return kTable; }
