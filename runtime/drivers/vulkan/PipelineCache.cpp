//===- PipelineCache.cpp - Compiled kernels from earlier processes --------===//
//
// A file in the folder HONE_PIPELINE_CACHE, one a device and driver version;
// without that variable nothing is read or written. Its content is checked, as
// drivers trust it.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/vulkan/Device.h"
#include "runtime/format/Format.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace hone;
using namespace hone::vulkan;

static constexpr size_t kMostBytes = size_t(1) << 30;

/// False when there is no cache to be kept.
static bool pathOf(const VulkanDevice &device, char *path, size_t size) {
  const char *folder = getenv("HONE_PIPELINE_CACHE");
  if (!folder || !*folder)
    return false;
  char name[2 * VK_UUID_SIZE + 1];
  for (uint32_t i = 0; i < VK_UUID_SIZE; ++i)
    snprintf(name + 2 * i, 3, "%02x", device.properties.pipelineCacheUUID[i]);
  int length = snprintf(path, size, "%s/vulkan-%s.bin", folder, name);
  return length > 0 && static_cast<size_t>(length) < size;
}

namespace {
/// The file: a checksum, then what the driver wrote.
struct CacheFile {
  ~CacheFile() { free(bytes); }
  bool read(const char *path);
  const uint8_t *data() const { return bytes + sizeof(uint64_t); }
  size_t dataSize() const { return size - sizeof(uint64_t); }

  uint8_t *bytes = nullptr;
  size_t size = 0;
};
} // namespace

bool CacheFile::read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  long length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  if (length > static_cast<long>(sizeof(uint64_t)) && static_cast<size_t>(length) < kMostBytes) {
    bytes = static_cast<uint8_t *>(malloc(static_cast<size_t>(length)));
    rewind(file);
    if (bytes)
      size = fread(bytes, 1, static_cast<size_t>(length), file);
  }
  fclose(file);
  uint64_t stored;
  if (!size || size != static_cast<size_t>(length))
    return false;
  memcpy(&stored, bytes, sizeof(stored));
  return stored == format::checksum(data(), dataSize());
}

hone_status_t vulkan::openPipelineCache(VulkanDevice &device) {
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  char path[1024];
  CacheFile file;
  if (pathOf(device, path, sizeof(path)) && file.read(path)) {
    info.initialDataSize = file.dataSize();
    info.pInitialData = file.data();
    if (!device.api.CreatePipelineCache(device.device, &info, nullptr, &device.pipelineCache))
      return nullptr;
    info.initialDataSize = 0;
    info.pInitialData = nullptr;
  }
  return check(device.api.CreatePipelineCache(device.device, &info, nullptr, &device.pipelineCache),
               "create a pipeline cache");
}

/// Failures cost the next process time, nothing else.
static void save(const VulkanDevice &device, const char *path) {
  size_t size = 0;
  if (device.api.GetPipelineCacheData(device.device, device.pipelineCache, &size, nullptr) || !size ||
      size > kMostBytes)
    return;
  auto *bytes = static_cast<uint8_t *>(malloc(size + sizeof(uint64_t)));
  if (!bytes)
    return;
  char temporary[1100];
  snprintf(temporary, sizeof(temporary), "%s.%ld", path, static_cast<long>(getpid()));
  FILE *file = nullptr;
  if (!device.api.GetPipelineCacheData(device.device, device.pipelineCache, &size, bytes + sizeof(uint64_t)))
    file = fopen(temporary, "wb");
  if (file) {
    uint64_t sum = format::checksum(bytes + sizeof(uint64_t), size);
    memcpy(bytes, &sum, sizeof(sum));
    bool written = fwrite(bytes, 1, size + sizeof(uint64_t), file) == size + sizeof(uint64_t);
    written &= !fclose(file);
    if (!written || rename(temporary, path))
      remove(temporary);
  }
  free(bytes);
}

void vulkan::closePipelineCache(VulkanDevice &device) {
  if (!device.pipelineCache)
    return;
  char path[1024];
  if (device.compiled.load() && pathOf(device, path, sizeof(path)))
    save(device, path);
  device.api.DestroyPipelineCache(device.device, device.pipelineCache, nullptr);
}
