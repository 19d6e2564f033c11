//===- Device.cpp - Processors as devices ---------------------------------===//
//
// Checks what code needs against what the processor has, loads ELF images and
// hands out memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cpu/Cpu.h"
#include "runtime/drivers/cpu/Elf.h"
#include "runtime/drivers/cpu/Features.h"

#include <cstdio>

using namespace hone;
using namespace hone::hal;

namespace {
struct CpuDevice : Device {
  cpu::Features features;
};

struct CpuBuffer : Buffer {
  const hone_allocator_t *allocator;
};

struct CpuExecutable : Executable {
  explicit CpuExecutable(const hone_allocator_t *allocator) : kernels(allocator) {}
  cpu::ElfImage image;
  Array<cpu::Kernel> kernels;
};
} // namespace

cpu::Kernel cpu::kernelOf(const Executable *executable, uint32_t index) {
  return static_cast<const CpuExecutable *>(executable)->kernels[index];
}

static hone_status_t createDevice(uint32_t ordinal, const hone_allocator_t *allocator, Device **outDevice) {
  if (ordinal)
    return makeStatus(HONE_NOT_FOUND, "no device 'cpu:%u': there is one cpu", ordinal);
  auto *device = make<CpuDevice>(allocator);
  if (!device)
    return outOfMemory(sizeof(CpuDevice), "a device");
  device->table = &cpu::driver();
  device->allocator = allocator;
  device->unified = true;
  device->features = cpu::Features::detect();
  int used = snprintf(device->description, sizeof(device->description), "cpu: %s ", cpu::architecture());
  device->features.print(device->description + used, sizeof(device->description) - used);
  *outDevice = device;
  return nullptr;
}

static void destroyDevice(Device *device) { destroy(device->allocator, static_cast<CpuDevice *>(device)); }

static hone_status_t accepts(Device *device, const ExecutableNeeds &needs) {
  if (strcmp(needs.format, "elf"))
    return makeStatus(HONE_INCOMPATIBLE, "'%.64s': the cpu runs 'elf' code, this is '%.32s'", needs.target,
                      needs.format);
  const cpu::Features &features = static_cast<CpuDevice *>(device)->features;
  char has[256] = "", lacks[256] = "";
  size_t hasUsed = 0, lacksUsed = 0;
  for (size_t i = 0; i < needs.featureCount; ++i) {
    const char *name = needs.features[i];
    if (hasUsed < sizeof(has))
      hasUsed += snprintf(has + hasUsed, sizeof(has) - hasUsed, "%s%s", hasUsed ? " " : "", name);
    if (!features.has(name) && lacksUsed < sizeof(lacks))
      lacksUsed += snprintf(lacks + lacksUsed, sizeof(lacks) - lacksUsed, "%s%s", lacksUsed ? " " : "", name);
  }
  if (!lacksUsed)
    return nullptr;
  return makeStatus(HONE_INCOMPATIBLE, "'%.64s' is compiled for %s; this %s processor lacks %s", needs.target, has,
                    cpu::architecture(), lacks);
}

/// Instruction sets contain each other: the code that needs the most makes use of the most.
static uint32_t fit(Device *, const ExecutableNeeds &needs, const uint8_t *, size_t) {
  return static_cast<uint32_t>(needs.featureCount);
}

static hone_status_t createBuffer(Device *device, const hone_allocator_t *allocator, uint64_t size,
                                  Buffer **outBuffer) {
  auto *buffer = make<CpuBuffer>(allocator);
  if (!buffer)
    return outOfMemory(sizeof(CpuBuffer), "a buffer");
  buffer->allocator = allocator;
  buffer->size = size;
  buffer->host =
      size <= SIZE_MAX / 2 ? allocator->allocate(allocator->self, size ? size : 1, blockAlignment(size)) : nullptr;
  if (!buffer->host) {
    destroy(allocator, buffer);
    return outOfMemory(size, "a buffer");
  }
  *outBuffer = buffer;
  return nullptr;
}

static void destroyBuffer(Device *device, Buffer *base) {
  auto *buffer = static_cast<CpuBuffer *>(base);
  if (!buffer)
    return;
  const hone_allocator_t *allocator = buffer->allocator;
  allocator->release(allocator->self, buffer->host, buffer->size ? buffer->size : 1, blockAlignment(buffer->size));
  destroy(allocator, buffer);
}

static void destroyExecutable(Device *device, Executable *executable) {
  destroy(device->allocator, static_cast<CpuExecutable *>(executable));
}

static hone_status_t findKernels(CpuExecutable &executable, const KernelDescription *kernels, size_t count) {
  if (!executable.kernels.resize(count))
    return outOfMemory(count * sizeof(cpu::Kernel), "kernels");
  for (size_t i = 0; i < count; ++i) {
    void *code = executable.image.find(kernels[i].name);
    if (!code)
      return aboutKernel(makeStatus(HONE_MALFORMED, "kernel code: no function '%.128s' in it", kernels[i].name), i);
    executable.kernels[i] = reinterpret_cast<cpu::Kernel>(code);
  }
  return nullptr;
}

static hone_status_t createExecutable(Device *device, const ExecutableNeeds &needs, const uint8_t *code, size_t size,
                                      const KernelDescription *kernels, size_t kernelCount,
                                      Executable **outExecutable) {
  HONE_TRY(accepts(device, needs));
  auto *executable = make<CpuExecutable>(device->allocator, device->allocator);
  if (!executable)
    return outOfMemory(sizeof(CpuExecutable), "an executable");
  hone_status_t status = executable->image.load(code, size);
  if (!status)
    status = findKernels(*executable, kernels, kernelCount);
  if (status) {
    destroyExecutable(device, executable);
    return status;
  }
  *outExecutable = executable;
  return nullptr;
}

static constexpr DeviceTable kTable = {
    "cpu",
    createDevice,
    destroyDevice,
    accepts,
    fit,
    createBuffer,
    destroyBuffer,
    createExecutable,
    destroyExecutable,
    cpu::streamCreate,
    cpu::streamDestroy,
    cpu::takes,
    cpu::submit,
    cpu::upload,
    cpu::download,
    cpu::download, // nothing is ever pending
    cpu::wait,
    cpu::record,
    cpu::replay,
    cpu::recordingDestroy,
    cpu::parallel,
};

const DeviceTable &cpu::driver() { return kTable; }
