//===- Format.h - The bytes of a .hone file -*- C++ -*-===//
//
// Header, checksums and the verifier: shared by the runtime, which trusts no
// file, and by lib/Serialization, which writes them. Depends on nothing but the
// FlatBuffers headers; allocates only scratch with malloc. Bytes are
// little-endian. docs/module-format.md is the prose version.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_FORMAT_FORMAT_H
#define HONE_RUNTIME_FORMAT_FORMAT_H

#include "runtime/format/module_generated.h"

#include <cstddef>
#include <cstdint>

namespace hone::format {

inline constexpr uint8_t kMagic[8] = {'H', 'O', 'N', 'E', '\r', '\n', '\x1a', '\n'};
inline constexpr uint32_t kVersion = 2;
/// Segments, constants and buffers of the arenas start at multiples of this.
inline constexpr uint64_t kAlignment = 64;
/// How many buffers, and how many scalars, one launch may pass.
inline constexpr uint32_t kMaxLaunchOperands = 1024;
inline constexpr uint32_t kMaxRank = 16;
/// No device has more of either.
inline constexpr uint32_t kMaxWorkgroupSize = 1024, kMaxSharedBytes = 1 << 20;

/// The first 64 bytes of a file. The table follows, then the segments.
struct FileHeader {
  uint8_t magic[8];
  uint32_t version;
  uint32_t flags; // none are defined: must be 0
  uint64_t tableOffset;
  uint64_t tableSize;
  uint64_t tableChecksum;
  uint64_t fileSize;
  uint8_t reserved[16]; // 0
};
static_assert(sizeof(FileHeader) == 64, "the header is part of the format");

/// XXH3, 64 bits, seed 0.
uint64_t checksum(const void *bytes, size_t size);

/// Why bytes were refused; text is always terminated.
struct Error {
  char text[512] = {0};
  /// Writes the text, printf-style; returns false so that checks read
  /// `return error.set(...)`.
  bool set(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/// Bytes one element takes in host tensors and buffers; sub-byte types take a
/// byte each. 0 for a value that is no type.
size_t elementSize(DType type);
/// "f32", "i64", "bool"; "invalid" for a value that is no type.
const char *dtypeName(DType type);
/// Whether Load and Store may use the type: integers and bool.
bool isIntegerType(DType type);

/// Checks the header, the table (checksum, structure, every index and range)
/// and every program, and returns the table; null with `error` set otherwise.
/// `bytes` must be aligned to 16. The bytes of segments are not read:
/// verifySegment does that.
const Module *openModule(const uint8_t *bytes, size_t size, Error &error);
/// The same for a table that was copied out of its file.
const Module *openTable(const uint8_t *table, size_t tableSize, uint64_t fileSize, Error &error);
/// Checks the header alone.
bool verifyHeader(const uint8_t *bytes, size_t size, FileHeader &header, Error &error);
/// Compares a segment's bytes with its checksum. The segment must be in range.
bool verifySegment(const uint8_t *bytes, const Segment &segment, const char *what, Error &error);

} // namespace hone::format

#endif // HONE_RUNTIME_FORMAT_FORMAT_H
