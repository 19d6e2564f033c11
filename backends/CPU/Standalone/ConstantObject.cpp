//===- ConstantObject.cpp - Bytes as an object file -----------------------===//

#include "backends/CPU/Standalone/ConstantObject.h"

#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using Elf = object::ELF64LE;

namespace {

/// Sections in the order of their headers.
enum Section { Null, Data, NoStack, Symbols, Names, SectionNames, kSections };

constexpr uint64_t kAlignment = 64;

} // namespace

/// A string table; returns where each text begins.
static std::string stringTable(ArrayRef<StringRef> texts, SmallVectorImpl<uint32_t> &at) {
  std::string table(1, '\0');
  for (StringRef text : texts) {
    at.push_back(table.size());
    table += text.str() + '\0';
  }
  return table;
}

static Elf::Ehdr fileHeader(const Triple &triple, uint64_t sectionHeaders) {
  Elf::Ehdr header = {};
  memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_REL;
  header.e_machine = triple.isAArch64() ? ELF::EM_AARCH64 : ELF::EM_X86_64;
  header.e_version = ELF::EV_CURRENT;
  header.e_shoff = sectionHeaders;
  header.e_ehsize = sizeof(Elf::Ehdr);
  header.e_shentsize = sizeof(Elf::Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = SectionNames;
  return header;
}

void hone::cpu::writeConstantObject(raw_ostream &os, const Triple &triple, StringRef symbol, uint64_t size,
                                    function_ref<void(raw_ostream &)> writeBytes) {
  SmallVector<uint32_t> nameAt, sectionNameAt;
  std::string names = stringTable({symbol}, nameAt);
  std::string sectionNames =
      stringTable({".rodata", ".note.GNU-stack", ".symtab", ".strtab", ".shstrtab"}, sectionNameAt);

  Elf::Sym symbols[2] = {};
  symbols[1].st_name = nameAt[0];
  symbols[1].setBindingAndType(ELF::STB_GLOBAL, ELF::STT_OBJECT);
  symbols[1].setVisibility(ELF::STV_HIDDEN);
  symbols[1].st_shndx = Data;
  symbols[1].st_size = size;

  Elf::Shdr headers[kSections] = {};
  uint64_t end = sizeof(Elf::Ehdr);
  auto place = [&](Section section, uint32_t type, uint64_t bytes, uint64_t alignment) {
    Elf::Shdr &header = headers[section];
    header.sh_name = sectionNameAt[section - 1];
    header.sh_type = type;
    header.sh_offset = alignTo(end, alignment);
    header.sh_size = bytes;
    header.sh_addralign = alignment;
    end = header.sh_offset + bytes;
  };
  place(Data, ELF::SHT_PROGBITS, size, kAlignment);
  headers[Data].sh_flags = ELF::SHF_ALLOC;
  place(NoStack, ELF::SHT_PROGBITS, 0, 1);
  place(Symbols, ELF::SHT_SYMTAB, sizeof(symbols), 8);
  headers[Symbols].sh_entsize = sizeof(Elf::Sym);
  headers[Symbols].sh_link = Names;
  headers[Symbols].sh_info = 1; // the first one that is not local
  place(Names, ELF::SHT_STRTAB, names.size(), 1);
  place(SectionNames, ELF::SHT_STRTAB, sectionNames.size(), 1);

  uint64_t headersAt = alignTo(end, 8), at = 0;
  auto write = [&](uint64_t offset, StringRef bytes) {
    os.write_zeros(offset - at);
    os << bytes;
    at = offset + bytes.size();
  };
  auto bytesOf = [](const auto &value) { return StringRef(reinterpret_cast<const char *>(&value), sizeof(value)); };
  write(0, bytesOf(fileHeader(triple, headersAt)));
  write(headers[Data].sh_offset, "");
  writeBytes(os);
  at += size;
  write(headers[Symbols].sh_offset, bytesOf(symbols));
  write(headers[Names].sh_offset, names);
  write(headers[SectionNames].sh_offset, sectionNames);
  write(headersAt, bytesOf(headers));
}
