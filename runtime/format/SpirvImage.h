//===- SpirvImage.h - Kernels for Vulkan -*- C++ -*-===//
//
// The code of an executable of format "spirv": a header, one record a kernel,
// then names and SPIR-V modules. Each module has one entry point, kSpirvEntry;
// kernels that are equal share a module. docs/module-format.md is the prose
// version.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_FORMAT_SPIRVIMAGE_H
#define HONE_RUNTIME_FORMAT_SPIRVIMAGE_H

#include "runtime/format/Format.h"

namespace hone::format {

inline constexpr uint8_t kSpirvMagic[8] = {'S', 'P', 'I', 'R', 'V', '\r', '\n', '\x1a'};
/// Name of the entry point of every module.
inline constexpr char kSpirvEntry[] = "main";
/// Workgroup (x, y, 0) has the number y * kSpirvGridRow + x: devices may not
/// count further than 65535 in one direction.
inline constexpr uint32_t kSpirvGridRow = 32768;
/// Kernels count threads and scalars in 31 bits: a launch has at most so many
/// threads in all its workgroups, and no scalar is negative or as large.
inline constexpr int64_t kSpirvMaxThreads = int64_t(1) << 31;
/// Up to so many scalars are push constants, from offset 0; more than that are
/// all in a storage buffer of their own, behind the other buffers.
inline constexpr uint32_t kSpirvPushScalars = 16;

struct SpirvHeader {
  uint8_t magic[8];
  uint32_t kernelCount;
  uint32_t reserved; // 0
};
static_assert(sizeof(SpirvHeader) == 16, "the header is part of the format");

/// Offsets count from the image's start.
struct SpirvKernel {
  uint32_t nameOffset, nameSize;
  uint32_t codeOffset, codeSize; // multiples of 4
  uint32_t workgroupSize;        // invocations, all in direction x
  uint32_t workgroupBytes;       // memory that a workgroup shares
  uint32_t bufferCount;          // storage buffers: bindings 0, 1, ... of set 0
  uint32_t scalarCount;          // int64 each
};
static_assert(sizeof(SpirvKernel) == 32, "the record is part of the format");

/// An image that was checked: every offset, size and name is in range.
struct SpirvImage {
  const uint8_t *bytes = nullptr;
  const SpirvKernel *kernels = nullptr;
  uint32_t kernelCount = 0;

  /// The kernel of this name; null if there is none.
  const SpirvKernel *find(const char *name) const;
  const uint32_t *code(const SpirvKernel &kernel) const {
    return reinterpret_cast<const uint32_t *>(bytes + kernel.codeOffset);
  }
};

/// Checks `bytes`, which must be aligned to 4; false with `error` set when they
/// are no image of this kind. The instructions of modules are not read.
bool openSpirvImage(const uint8_t *bytes, size_t size, SpirvImage &image, Error &error);

} // namespace hone::format

#endif // HONE_RUNTIME_FORMAT_SPIRVIMAGE_H
