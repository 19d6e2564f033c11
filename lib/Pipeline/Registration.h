//===- Registration.h - Every dialect and pass of the compiler --*- C++ -*-===//

#ifndef LIB_PIPELINE_REGISTRATION_H
#define LIB_PIPELINE_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace hone {

/// Adds our dialects, the upstream ones that kernels are lowered through, and the interface
/// implementations that lowering needs.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass, ours and upstream's, for textual pipelines.
void registerPasses();

} // namespace hone

#endif // LIB_PIPELINE_REGISTRATION_H
