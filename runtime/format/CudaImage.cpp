//===- CudaImage.cpp - The code of a CUDA executable ----------------------===//

#include "runtime/format/CudaImage.h"

#include <cstring>

using namespace hone::format;

static bool verifyEntry(const CudaImageEntry &entry, const uint8_t *bytes, size_t size, uint32_t index, Error &error) {
  if (entry.kind != CudaCodeKind::Cubin && entry.kind != CudaCodeKind::Ptx)
    return error.set("CUDA image: entry %u is of unknown kind %u", index, static_cast<uint32_t>(entry.kind));
  if (entry.suffix != 0 && entry.suffix != 'a' && entry.suffix != 'f')
    return error.set("CUDA image: entry %u has the unknown architecture suffix %u", index, entry.suffix);
  if (entry.offset % kAlignment)
    return error.set("CUDA image: entry %u is not aligned to %d bytes", index, static_cast<int>(kAlignment));
  if (entry.offset > size || entry.size > size - entry.offset || entry.size == 0)
    return error.set("CUDA image: entry %u lies outside the image", index);
  if (entry.kind == CudaCodeKind::Ptx && bytes[entry.offset + entry.size - 1] != 0)
    return error.set("CUDA image: the PTX of entry %u is not terminated", index);
  return true;
}

bool hone::format::openCudaImage(const uint8_t *bytes, size_t size, CudaImage &image, Error &error) {
  if (reinterpret_cast<uintptr_t>(bytes) % alignof(CudaImageEntry))
    return error.set("CUDA image: not aligned to %zu bytes", alignof(CudaImageEntry));
  CudaImageHeader header;
  if (size < sizeof(header))
    return error.set("CUDA image: %zu bytes are no image", size);
  std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.magic, kCudaImageMagic, sizeof(header.magic)) != 0)
    return error.set("CUDA image: does not start with its magic");
  if (header.version != kCudaImageVersion)
    return error.set("CUDA image: has version %u, this runtime reads %u", header.version, kCudaImageVersion);
  if (header.entryCount > (size - sizeof(header)) / sizeof(CudaImageEntry))
    return error.set("CUDA image: %u entries do not fit", header.entryCount);
  const auto *entries = reinterpret_cast<const CudaImageEntry *>(bytes + sizeof(header));
  uint32_t units = 0;
  for (uint32_t i = 0; i < header.entryCount; ++i) {
    if (!verifyEntry(entries[i], bytes, size, i, error))
      return false;
    bool follows = entries[i].unit == units || (i > 0 && entries[i].unit == entries[i - 1].unit);
    if (!follows || entries[i].unit >= kMaxCudaUnits)
      return error.set("CUDA image: entry %u names unit %u out of order", i, entries[i].unit);
    units = entries[i].unit + 1;
  }
  image = {bytes, entries, header.entryCount, units};
  return true;
}

bool hone::format::cudaEntryRuns(const CudaImageEntry &entry, uint32_t major, uint32_t minor) {
  uint32_t wanted = entry.architecture / 10, least = entry.architecture % 10;
  if (entry.suffix == 'a')
    return major == wanted && minor == least;
  if (entry.suffix == 'f' || entry.kind == CudaCodeKind::Cubin)
    return major == wanted && minor >= least;
  return major > wanted || (major == wanted && minor >= least);
}

const CudaImageEntry *hone::format::chooseCudaEntry(const CudaImage &image, uint32_t unit, uint32_t major,
                                                    uint32_t minor) {
  auto better = [](const CudaImageEntry &a, const CudaImageEntry &b) {
    if (a.kind != b.kind)
      return a.kind == CudaCodeKind::Cubin;
    return a.architecture > b.architecture || (a.architecture == b.architecture && a.suffix && !b.suffix);
  };
  const CudaImageEntry *best = nullptr;
  for (uint32_t i = 0; i < image.entryCount; ++i) {
    const CudaImageEntry &entry = image.entries[i];
    if (entry.unit == unit && cudaEntryRuns(entry, major, minor) && (!best || better(entry, *best)))
      best = &entry;
  }
  return best;
}
