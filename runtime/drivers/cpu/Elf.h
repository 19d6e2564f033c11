//===- Elf.h - Loading kernels from an ELF image -*- C++ -*-===//
//
// Maps an ELF64 shared object from memory: no file, no dlopen, no constructor,
// no symbol of the process but the list in Imports.h. Pages are writable or
// executable, never both. Every offset is checked: any bytes give an error.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_ELF_H
#define HONE_RUNTIME_DRIVERS_CPU_ELF_H

#include "runtime/base/Status.h"

namespace hone::cpu {

class ElfImage {
public:
  ElfImage() = default;
  ~ElfImage();
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;

  /// Once an object. HONE_INCOMPATIBLE for another architecture's code.
  hone_status_t load(const uint8_t *bytes, size_t size);

  /// The function exported under a name; null when there is none.
  void *find(const char *symbol) const;

private:
  friend class ElfLoader;

  // The mapping, as returned by mmap, and the image within it.
  uint8_t *mapped = nullptr;
  size_t mappedSize = 0;
  uint8_t *base = nullptr;
  uint64_t span = 0;

  // Tables of the dynamic section, as offsets from `base`.
  uint64_t symbols = 0, strings = 0, stringsSize = 0;
  uint64_t gnuHash = 0, sysvHash = 0;
  // The executable segment.
  uint64_t codeBegin = 0, codeEnd = 0;

  template <typename T> bool read(uint64_t offset, T &value) const;
  const char *string(uint64_t offset) const;
  struct Symbol;
  bool matches(uint32_t index, const char *name, Symbol &symbol) const;
  bool findGnu(const char *name, Symbol &symbol) const;
  bool findSysv(const char *name, Symbol &symbol) const;
};

} // namespace hone::cpu

#endif // HONE_RUNTIME_DRIVERS_CPU_ELF_H
