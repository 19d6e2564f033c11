//===- CudaImage.h - The code of a CUDA executable -*- C++ -*-===//
//
// Kernels are compiled in units, several at a time; an image holds every unit
// as machine code (cubin) for one architecture and as PTX, which a driver can
// compile for later ones. Written by the compiler, read by the driver.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_FORMAT_CUDAIMAGE_H
#define HONE_RUNTIME_FORMAT_CUDAIMAGE_H

#include "runtime/format/Format.h"

namespace hone::format {

inline constexpr uint8_t kCudaImageMagic[8] = {'H', 'O', 'N', 'E', 'C', 'U', 'D', 'A'};
inline constexpr uint32_t kCudaImageVersion = 1;
/// More units than any image has: a bound for readers.
inline constexpr uint32_t kMaxCudaUnits = 4096;

/// The first bytes of an image; the entries follow, then the code.
struct CudaImageHeader {
  uint8_t magic[8];
  uint32_t version;
  uint32_t entryCount;
};
static_assert(sizeof(CudaImageHeader) == 16, "the header is part of the format");

enum class CudaCodeKind : uint32_t { Cubin = 1, Ptx = 2 };

/// One unit in one form. Entries are sorted by unit; units are numbered from 0
/// without gaps. A kernel is in exactly one unit.
struct CudaImageEntry {
  uint32_t unit;
  CudaCodeKind kind;
  /// Compute capability times ten, as in sm_90 and compute_90.
  uint32_t architecture;
  /// 0, or the letter of sm_90a, sm_100f.
  uint32_t suffix;
  /// In the image; offsets are multiples of kAlignment. PTX ends in a zero byte,
  /// which is counted.
  uint64_t offset, size;
};
static_assert(sizeof(CudaImageEntry) == 32, "entries are part of the format");

/// An image in place.
struct CudaImage {
  const uint8_t *bytes = nullptr;
  const CudaImageEntry *entries = nullptr;
  uint32_t entryCount = 0, unitCount = 0;
};

/// Checks header and entries. `bytes` must be aligned to 8.
bool openCudaImage(const uint8_t *bytes, size_t size, CudaImage &image, Error &error);

/// Whether a device of compute capability `major`.`minor` runs the entry:
/// machine code on its own architecture and later minor versions, PTX on every
/// later one, what has an `a` on exactly its own, what has an `f` on its family.
bool cudaEntryRuns(const CudaImageEntry &entry, uint32_t major, uint32_t minor);

/// The best form of `unit` for a device: machine code before PTX, a later
/// architecture before an earlier one. Null when none runs.
const CudaImageEntry *chooseCudaEntry(const CudaImage &image, uint32_t unit, uint32_t major, uint32_t minor);

} // namespace hone::format

#endif // HONE_RUNTIME_FORMAT_CUDAIMAGE_H
