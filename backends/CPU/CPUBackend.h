//===- CPUBackend.h - x86 AVX and ARM NEON ----------------------*- C++ -*-===//
//
// One backend, several variants: what differs between instruction sets is a row of facts.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CPU_CPUBACKEND_H
#define BACKENDS_CPU_CPUBACKEND_H

#include "lib/Target/TargetBackend.h"

namespace hone {

std::unique_ptr<TargetBackend> createCPUBackend();

namespace cpu {
void registerPasses();
void registerDialects(mlir::DialectRegistry &registry);
} // namespace cpu

} // namespace hone

#endif // BACKENDS_CPU_CPUBACKEND_H
