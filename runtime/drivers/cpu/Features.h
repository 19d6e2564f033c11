//===- Features.h - What this processor can do -*- C++ -*-===//
//
// Named as LLVM names them, which is what the compiler writes into modules.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_FEATURES_H
#define HONE_RUNTIME_DRIVERS_CPU_FEATURES_H

#include <cstddef>
#include <cstdint>

namespace hone::cpu {

/// "x86-64", "aarch64".
const char *architecture();

/// One bit a row of the processor's feature table.
class Features {
public:
  /// Asks the processor and the operating system.
  static Features detect();
  bool has(const char *name) const;
  /// Writes the names that are present, separated by spaces; always terminated.
  void print(char *text, size_t size) const;

private:
  uint64_t bits = 0;
};

} // namespace hone::cpu

#endif // HONE_RUNTIME_DRIVERS_CPU_FEATURES_H
