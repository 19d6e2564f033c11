//===- ElfFormat.h - The part of ELF64 the loader reads -*- C++ -*-===//
//
// From the System V ABI and its x86-64 and AArch64 supplements, written out
// here because <elf.h> exists on some systems only.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_ELFFORMAT_H
#define HONE_RUNTIME_DRIVERS_CPU_ELFFORMAT_H

#include <cstdint>

namespace hone::cpu::elf {

struct Header {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programHeaders, sectionHeaders;
  uint32_t flags;
  uint16_t headerSize, programHeaderSize, programHeaderCount;
  uint16_t sectionHeaderSize, sectionHeaderCount, sectionNames;
};

struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, address, physical, fileSize, memorySize, alignment;
};

struct Dynamic {
  int64_t tag;
  uint64_t value;
};

struct Relocation {
  uint64_t offset, info;
  int64_t addend;
};

struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};

enum : uint16_t { SharedObject = 3 };
enum : uint16_t { MachineX86_64 = 62, MachineAArch64 = 183 };
enum : uint32_t { Load = 1, DynamicSegment = 2, Tls = 7, Relro = 0x6474e552 };
enum : uint32_t { Executable = 1, Writable = 2, Readable = 4 };

enum Tag : int64_t {
  TagNull = 0,
  TagNeeded = 1,
  TagPltRelSize = 2,
  TagHash = 4,
  TagStrTab = 5,
  TagSymTab = 6,
  TagRela = 7,
  TagRelaSize = 8,
  TagRelaEntry = 9,
  TagStrSize = 10,
  TagSymEntry = 11,
  TagInit = 12,
  TagRel = 17,
  TagPltRel = 20,
  TagTextRel = 22,
  TagJmpRel = 23,
  TagInitArray = 25,
  TagInitArraySize = 27,
  TagPreinitArraySize = 33,
  TagRelrSize = 35,
  TagGnuHash = 0x6ffffef5,
};

/// What a relocation does, whatever the architecture numbers it.
enum class Action : uint8_t { Unknown, None, Relative, Symbol, SymbolAddend };

inline Action actionOf(uint32_t type) {
#if defined(__x86_64__)
  switch (type) {
  case 0:
    return Action::None;
  case 1: // R_X86_64_64
    return Action::SymbolAddend;
  case 6: // R_X86_64_GLOB_DAT
  case 7: // R_X86_64_JUMP_SLOT
    return Action::Symbol;
  case 8: // R_X86_64_RELATIVE
    return Action::Relative;
  }
#elif defined(__aarch64__)
  switch (type) {
  case 0:
  case 256:
    return Action::None;
  case 257:  // R_AARCH64_ABS64
  case 1025: // R_AARCH64_GLOB_DAT
  case 1026: // R_AARCH64_JUMP_SLOT
    return Action::SymbolAddend;
  case 1027: // R_AARCH64_RELATIVE
    return Action::Relative;
  }
#endif
  return Action::Unknown;
}

#if defined(__x86_64__)
inline constexpr uint16_t kHostMachine = MachineX86_64;
#else
inline constexpr uint16_t kHostMachine = MachineAArch64;
#endif

} // namespace hone::cpu::elf

#endif // HONE_RUNTIME_DRIVERS_CPU_ELFFORMAT_H
