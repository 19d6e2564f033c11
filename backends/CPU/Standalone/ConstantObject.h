//===- ConstantObject.h - Bytes as an object file ---------------*- C++ -*-===//

#ifndef BACKENDS_CPU_STANDALONE_CONSTANTOBJECT_H
#define BACKENDS_CPU_STANDALONE_CONSTANTOBJECT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace hone::cpu {

/// Writes an ELF object whose read-only data are `size` bytes, aligned to 64, under a name that only what it is
/// linked into sees. The bytes come from `writeBytes` and are nowhere in memory.
void writeConstantObject(llvm::raw_ostream &os, const llvm::Triple &triple, llvm::StringRef symbol, uint64_t size,
                         llvm::function_ref<void(llvm::raw_ostream &)> writeBytes);

} // namespace hone::cpu

#endif // BACKENDS_CPU_STANDALONE_CONSTANTOBJECT_H
