//===- Register.h - The backends linked into the compiler -------*- C++ -*-===//
//
// The only file that knows them all.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_REGISTER_H
#define BACKENDS_REGISTER_H

#include "lib/Target/TargetBackend.h"

namespace hone {

BackendRegistry createBackends();

/// Registers the passes of all backends for textual pipelines.
void registerBackendPasses();
/// Adds what backends need in a context: dialects and interface implementations.
void registerBackendDialects(mlir::DialectRegistry &registry);

} // namespace hone

#endif // BACKENDS_REGISTER_H
