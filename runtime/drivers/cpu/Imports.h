//===- Imports.h - What kernel code may call -*- C++ -*-===//
//
// A fixed list: memory and math functions of the C library, and the conversion
// helpers compilers expect. Nothing else of the process is visible to kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_IMPORTS_H
#define HONE_RUNTIME_DRIVERS_CPU_IMPORTS_H

namespace hone::cpu {

/// The address of a function by its symbol; null when kernels may not have it.
void *findImport(const char *symbol);

} // namespace hone::cpu

#endif // HONE_RUNTIME_DRIVERS_CPU_IMPORTS_H
