//===- SpirvImage.cpp - Kernels for Vulkan -------------------------------------===//

#include "runtime/format/SpirvImage.h"

#include <cstring>

using namespace hone::format;

static constexpr uint32_t kSpirvModuleMagic = 0x07230203;
static constexpr uint32_t kModuleHeaderSize = 20;

static bool isInRange(uint32_t offset, uint32_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

static bool checkKernel(const uint8_t *bytes, size_t size, uint32_t index, const SpirvKernel &kernel, Error &error) {
  if (!isInRange(kernel.nameOffset, kernel.nameSize, size))
    return error.set("kernel %u: its name lies outside the code", index);
  if (kernel.codeOffset % 4 || kernel.codeSize % 4 || kernel.codeSize < kModuleHeaderSize ||
      !isInRange(kernel.codeOffset, kernel.codeSize, size))
    return error.set("kernel %u: its SPIR-V module lies outside the code", index);
  uint32_t magic;
  memcpy(&magic, bytes + kernel.codeOffset, sizeof(magic));
  if (magic != kSpirvModuleMagic)
    return error.set("kernel %u: its code is no SPIR-V module", index);
  if (kernel.workgroupSize == 0)
    return error.set("kernel %u: its workgroups are empty", index);
  if (kernel.bufferCount > kMaxLaunchOperands || kernel.scalarCount > kMaxLaunchOperands)
    return error.set("kernel %u: it takes %u buffers and %u scalars, more than %u", index, kernel.bufferCount,
                     kernel.scalarCount, kMaxLaunchOperands);
  return true;
}

bool hone::format::openSpirvImage(const uint8_t *bytes, size_t size, SpirvImage &image, Error &error) {
  SpirvHeader header;
  if (size < sizeof(header))
    return error.set("the code is smaller than its header");
  memcpy(&header, bytes, sizeof(header));
  if (memcmp(header.magic, kSpirvMagic, sizeof(kSpirvMagic)) != 0)
    return error.set("the code is no list of SPIR-V modules");
  if (header.reserved != 0 || header.kernelCount > (size - sizeof(header)) / sizeof(SpirvKernel))
    return error.set("the list of kernels lies outside the code");
  auto *kernels = reinterpret_cast<const SpirvKernel *>(bytes + sizeof(header));
  for (uint32_t i = 0; i < header.kernelCount; ++i)
    if (!checkKernel(bytes, size, i, kernels[i], error))
      return false;
  image = {bytes, kernels, header.kernelCount};
  return true;
}

const SpirvKernel *SpirvImage::find(const char *name) const {
  size_t size = strlen(name);
  for (uint32_t i = 0; i < kernelCount; ++i)
    if (kernels[i].nameSize == size && memcmp(bytes + kernels[i].nameOffset, name, size) == 0)
      return &kernels[i];
  return nullptr;
}
