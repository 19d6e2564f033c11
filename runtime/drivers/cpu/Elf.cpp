//===- Elf.cpp - Loading kernels from an ELF image ------------------------===//
//
// In order: headers, segments copied into one anonymous mapping, dynamic table,
// relocations, protections. After that the image is read-only to us as well.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cpu/Elf.h"
#include "runtime/base/Memory.h"
#include "runtime/drivers/cpu/ElfFormat.h"
#include "runtime/drivers/cpu/Imports.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace hone;
using namespace hone::cpu;

/// Zero-filled memory an image may ask for beyond its own bytes.
static constexpr uint64_t kMaxExtraBytes = uint64_t(64) << 20;
static constexpr uint64_t kMaxSegmentAlignment = uint64_t(2) << 20;
static constexpr int kMaxProgramHeaders = 64;
/// Longest walk through one bucket of a hash table; linkers make them of four.
static constexpr uint32_t kMaxChain = 4096;

struct ElfImage::Symbol : elf::Symbol {};

static hone_status_t malformed(const char *what) { return makeStatus(HONE_MALFORMED, "kernel code: %s", what); }

//===----------------------------------------------------------------------===//
// Reading the mapped image
//===----------------------------------------------------------------------===//

template <typename T> bool ElfImage::read(uint64_t offset, T &value) const {
  if (offset > span || sizeof(T) > span - offset)
    return false;
  memcpy(static_cast<void *>(&value), base + offset, sizeof(T));
  return true;
}

/// The string at an offset of the string table, which ends in a zero byte.
const char *ElfImage::string(uint64_t offset) const {
  return offset < stringsSize ? reinterpret_cast<const char *>(base + strings + offset) : nullptr;
}

bool ElfImage::matches(uint32_t index, const char *name, Symbol &symbol) const {
  if (!read(symbols + uint64_t(index) * sizeof(elf::Symbol), symbol))
    return false;
  const char *text = string(symbol.name);
  return text && !strcmp(text, name);
}

bool ElfImage::findGnu(const char *name, Symbol &symbol) const {
  uint32_t hash = 5381;
  for (const char *at = name; *at; ++at)
    hash = hash * 33 + static_cast<uint8_t>(*at);
  uint32_t bucketCount, firstSymbol, bloomWords, index, entry;
  if (!read(gnuHash, bucketCount) || !read(gnuHash + 4, firstSymbol) || !read(gnuHash + 8, bloomWords) || !bucketCount)
    return false;
  uint64_t buckets = gnuHash + 16 + uint64_t(bloomWords) * 8;
  uint64_t chains = buckets + uint64_t(bucketCount) * 4;
  if (!read(buckets + uint64_t(hash % bucketCount) * 4, index) || index < firstSymbol)
    return false;
  for (uint32_t step = 0; step < kMaxChain; ++step, ++index) {
    if (!read(chains + uint64_t(index - firstSymbol) * 4, entry))
      return false;
    if ((entry | 1) == (hash | 1) && matches(index, name, symbol))
      return true;
    if (entry & 1 || index == UINT32_MAX)
      return false;
  }
  return false;
}

bool ElfImage::findSysv(const char *name, Symbol &symbol) const {
  uint32_t hash = 0;
  for (const char *at = name; *at; ++at) {
    hash = (hash << 4) + static_cast<uint8_t>(*at);
    uint32_t high = hash & 0xf0000000;
    hash ^= high >> 24;
    hash &= ~high;
  }
  uint32_t bucketCount, index;
  if (!read(sysvHash, bucketCount) || !bucketCount)
    return false;
  if (!read(sysvHash + 8 + uint64_t(hash % bucketCount) * 4, index))
    return false;
  uint64_t chains = sysvHash + 8 + uint64_t(bucketCount) * 4;
  for (uint32_t step = 0; index && step < kMaxChain; ++step) {
    if (matches(index, name, symbol))
      return true;
    if (!read(chains + uint64_t(index) * 4, index))
      return false;
  }
  return false;
}

void *ElfImage::find(const char *name) const {
  Symbol symbol;
  if (!(gnuHash ? findGnu(name, symbol) : sysvHash && findSysv(name, symbol)))
    return nullptr;
  if (!symbol.section || symbol.value < codeBegin || symbol.value >= codeEnd)
    return nullptr;
  return base + symbol.value;
}

ElfImage::~ElfImage() {
  if (mapped)
    munmap(mapped, mappedSize);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace hone::cpu {

class ElfLoader {
public:
  ElfLoader(ElfImage &image, const uint8_t *bytes, size_t size)
      : image(image), bytes(bytes), size(size), page(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) {}

  hone_status_t load() {
    HONE_TRY(readHeaders());
    HONE_TRY(map());
    HONE_TRY(readDynamic());
    HONE_TRY(relocate(rela, relaSize));
    HONE_TRY(relocate(jmpRel, jmpRelSize));
    return protect();
  }

private:
  hone_status_t readHeaders();
  hone_status_t checkSegment(const elf::ProgramHeader &segment);
  hone_status_t map();
  hone_status_t readDynamic();
  hone_status_t noteDynamic(const elf::Dynamic &entry);
  hone_status_t relocate(uint64_t table, uint64_t tableSize);
  hone_status_t resolve(uint32_t index, uint64_t &value);
  bool isWritable(uint64_t offset) const;
  hone_status_t protect();

  ElfImage &image;
  const uint8_t *bytes;
  size_t size;
  uint64_t page;

  elf::ProgramHeader loads[kMaxProgramHeaders];
  int loadCount = 0;
  uint64_t dynamic = 0, dynamicSize = 0, relro = 0, relroSize = 0;
  uint64_t alignment = 0;
  uint64_t rela = 0, relaSize = 0, jmpRel = 0, jmpRelSize = 0;
};

} // namespace hone::cpu

hone_status_t ElfLoader::checkSegment(const elf::ProgramHeader &segment) {
  if (segment.offset > size || segment.fileSize > size - segment.offset)
    return malformed("a segment lies outside the file");
  if (segment.fileSize > segment.memorySize)
    return malformed("a segment is larger in the file than in memory");
  uint64_t end;
  if (__builtin_add_overflow(segment.address, segment.memorySize, &end) || end > size + kMaxExtraBytes)
    return malformed("a segment asks for too much memory");
  if (segment.alignment > kMaxSegmentAlignment || (segment.alignment & (segment.alignment - 1)))
    return malformed("a segment has an impossible alignment");
  if ((segment.flags & elf::Writable) && (segment.flags & elf::Executable))
    return malformed("a segment is both writable and executable");
  // Protections are by page: neighbours must not share one.
  if (loadCount) {
    const elf::ProgramHeader &last = loads[loadCount - 1];
    uint64_t lastEnd;
    if (!alignUp(last.address + last.memorySize, page, lastEnd) || (segment.address & ~(page - 1)) < lastEnd)
      return malformed("segments share a page or are out of order");
  }
  return nullptr;
}

hone_status_t ElfLoader::readHeaders() {
  elf::Header header;
  if (size < sizeof(header))
    return malformed("cut off");
  memcpy(&header, bytes, sizeof(header));
  static constexpr uint8_t kIdent[7] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  if (memcmp(header.ident, kIdent, sizeof(kIdent)))
    return malformed("no little-endian ELF64 file");
  if (header.machine != elf::kHostMachine)
    return makeStatus(HONE_INCOMPATIBLE, "the code is for another architecture (ELF machine %d)", header.machine);
  if (header.type != elf::SharedObject)
    return malformed("no shared object");
  if (header.programHeaderSize != sizeof(elf::ProgramHeader) || header.programHeaderCount > kMaxProgramHeaders ||
      header.programHeaders > size ||
      header.programHeaderCount * sizeof(elf::ProgramHeader) > size - header.programHeaders)
    return malformed("the program headers lie outside the file");

  for (int i = 0; i < header.programHeaderCount; ++i) {
    elf::ProgramHeader segment;
    memcpy(&segment, bytes + header.programHeaders + i * sizeof(segment), sizeof(segment));
    switch (segment.type) {
    case elf::Load:
      HONE_TRY(checkSegment(segment));
      if (segment.alignment > alignment)
        alignment = segment.alignment;
      loads[loadCount++] = segment;
      break;
    case elf::DynamicSegment:
      dynamic = segment.address;
      dynamicSize = segment.memorySize;
      break;
    case elf::Relro:
      relro = segment.address;
      relroSize = segment.memorySize;
      break;
    case elf::Tls:
      return malformed("thread-local variables are not supported");
    }
  }
  if (!loadCount)
    return malformed("no segment to load");
  if (!dynamicSize)
    return malformed("no dynamic section");
  return nullptr;
}

hone_status_t ElfLoader::map() {
  const elf::ProgramHeader &last = loads[loadCount - 1];
  uint64_t span;
  if (!alignUp(last.address + last.memorySize, page, span))
    return malformed("too large");
  uint64_t extra = alignment > page ? alignment : 0;
  void *memory = mmap(nullptr, span + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return outOfMemory(span + extra, "kernel code");
  image.mapped = static_cast<uint8_t *>(memory);
  image.mappedSize = span + extra;
  auto begin = reinterpret_cast<uintptr_t>(memory);
  image.base = image.mapped + (extra ? (alignment - begin % alignment) % alignment : 0);
  image.span = span;
  for (int i = 0; i < loadCount; ++i) {
    memcpy(image.base + loads[i].address, bytes + loads[i].offset, loads[i].fileSize);
    if (!(loads[i].flags & elf::Executable))
      continue;
    if (image.codeEnd)
      return malformed("more than one executable segment");
    image.codeBegin = loads[i].address;
    image.codeEnd = loads[i].address + loads[i].memorySize;
  }
  return nullptr;
}

hone_status_t ElfLoader::noteDynamic(const elf::Dynamic &entry) {
  uint64_t value = entry.value;
  switch (entry.tag) {
  case elf::TagSymTab:
    image.symbols = value;
    break;
  case elf::TagStrTab:
    image.strings = value;
    break;
  case elf::TagStrSize:
    image.stringsSize = value;
    break;
  case elf::TagHash:
    image.sysvHash = value;
    break;
  case elf::TagGnuHash:
    image.gnuHash = value;
    break;
  case elf::TagRela:
    rela = value;
    break;
  case elf::TagRelaSize:
    relaSize = value;
    break;
  case elf::TagJmpRel:
    jmpRel = value;
    break;
  case elf::TagPltRelSize:
    jmpRelSize = value;
    break;
  case elf::TagSymEntry:
    if (value != sizeof(elf::Symbol))
      return malformed("symbols of another size");
    break;
  case elf::TagRelaEntry:
    if (value != sizeof(elf::Relocation))
      return malformed("relocations of another size");
    break;
  case elf::TagPltRel:
    if (value != elf::TagRela)
      return malformed("relocations without addends");
    break;
  case elf::TagRel:
  case elf::TagRelrSize:
    return malformed("relocations of a kind that is not supported");
  case elf::TagTextRel:
    return malformed("relocations in code");
  case elf::TagNeeded:
    return malformed("it needs another library");
  case elf::TagInit:
  case elf::TagInitArraySize:
  case elf::TagPreinitArraySize:
    if (value)
      return malformed("it has constructors");
    break;
  }
  return nullptr;
}

hone_status_t ElfLoader::readDynamic() {
  for (uint64_t at = 0; at + sizeof(elf::Dynamic) <= dynamicSize; at += sizeof(elf::Dynamic)) {
    elf::Dynamic entry;
    if (dynamic + at < at || !image.read(dynamic + at, entry))
      return malformed("the dynamic section lies outside the image");
    if (entry.tag == elf::TagNull)
      break;
    HONE_TRY(noteDynamic(entry));
  }
  if (image.strings > image.span || !image.stringsSize || image.stringsSize > image.span - image.strings ||
      image.base[image.strings + image.stringsSize - 1])
    return malformed("the string table lies outside the image");
  // Relocations must not take the zero at its end away.
  for (int i = 0; i < loadCount; ++i)
    if (loads[i].flags & elf::Writable && loads[i].address < image.strings + image.stringsSize &&
        image.strings < loads[i].address + loads[i].memorySize)
      return malformed("the string table is writable");
  if (image.symbols > image.span)
    return malformed("the symbol table lies outside the image");
  if (!image.gnuHash && !image.sysvHash)
    return malformed("no hash table of symbols");
  return nullptr;
}

bool ElfLoader::isWritable(uint64_t offset) const {
  for (int i = 0; i < loadCount; ++i)
    if (loads[i].flags & elf::Writable && offset >= loads[i].address &&
        offset - loads[i].address < loads[i].memorySize && loads[i].memorySize - (offset - loads[i].address) >= 8)
      return true;
  return false;
}

/// The address a symbol stands for: within the image, or one of the imports.
hone_status_t ElfLoader::resolve(uint32_t index, uint64_t &value) {
  elf::Symbol symbol;
  if (!image.read(image.symbols + uint64_t(index) * sizeof(symbol), symbol))
    return malformed("a relocation names no symbol");
  if (symbol.section) {
    if (symbol.value > image.span)
      return malformed("a symbol lies outside the image");
    value = reinterpret_cast<uint64_t>(image.base) + symbol.value;
    return nullptr;
  }
  const char *name = image.string(symbol.name);
  if (!name)
    return malformed("a symbol's name lies outside the image");
  void *import = findImport(name);
  if (!import)
    return makeStatus(HONE_INCOMPATIBLE,
                      "kernel code calls '%.128s', which this runtime does not "
                      "offer",
                      name);
  value = reinterpret_cast<uint64_t>(import);
  return nullptr;
}

hone_status_t ElfLoader::relocate(uint64_t table, uint64_t tableSize) {
  if (!tableSize)
    return nullptr;
  if (table > image.span || tableSize > image.span - table || tableSize % sizeof(elf::Relocation))
    return malformed("the relocations lie outside the image");
  for (uint64_t at = table; at < table + tableSize; at += sizeof(elf::Relocation)) {
    elf::Relocation relocation;
    if (!image.read(at, relocation))
      return malformed("a relocation lies outside the image");
    elf::Action action = elf::actionOf(static_cast<uint32_t>(relocation.info));
    if (action == elf::Action::None)
      continue;
    if (action == elf::Action::Unknown)
      return makeStatus(HONE_MALFORMED, "kernel code: relocation type %u is not supported",
                        static_cast<uint32_t>(relocation.info));
    if (!isWritable(relocation.offset))
      return malformed("a relocation outside writable data");
    uint64_t value = reinterpret_cast<uint64_t>(image.base);
    if (action != elf::Action::Relative)
      HONE_TRY(resolve(static_cast<uint32_t>(relocation.info >> 32), value));
    if (action != elf::Action::Symbol)
      value += static_cast<uint64_t>(relocation.addend);
    memcpy(image.base + relocation.offset, &value, sizeof(value));
  }
  return nullptr;
}

hone_status_t ElfLoader::protect() {
  // Gaps between segments stay readable zeros.
  if (mprotect(image.mapped, image.mappedSize, PROT_READ))
    return makeStatus(HONE_DEVICE_FAILURE, "cannot protect kernel code");
  for (int i = 0; i < loadCount; ++i) {
    uint64_t begin = loads[i].address & ~(page - 1);
    uint64_t end;
    if (!alignUp(loads[i].address + loads[i].memorySize, page, end))
      return malformed("too large");
    int access = PROT_READ;
    if (loads[i].flags & elf::Executable)
      access |= PROT_EXEC;
    // What is read-only after relocation stays so; it starts a segment.
    if (loads[i].flags & elf::Writable) {
      access |= PROT_WRITE;
      uint64_t fixed = relroSize && relro <= UINT64_MAX - relroSize ? (relro + relroSize) & ~(page - 1) : 0;
      if (relro == loads[i].address && fixed > begin)
        begin = fixed < end ? fixed : end;
    }
    if (access != PROT_READ && end > begin && mprotect(image.base + begin, end - begin, access))
      return makeStatus(HONE_DEVICE_FAILURE, "the system does not let code be made executable");
  }
  if (image.codeEnd) {
    auto *code = reinterpret_cast<char *>(image.base);
    __builtin___clear_cache(code + image.codeBegin, code + image.codeEnd);
  }
  return nullptr;
}

hone_status_t ElfImage::load(const uint8_t *bytes, size_t size) { return ElfLoader(*this, bytes, size).load(); }
