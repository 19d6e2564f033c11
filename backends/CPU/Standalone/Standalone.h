//===- Standalone.h - A program as an object file ---------------*- C++ -*-===//

#ifndef BACKENDS_CPU_STANDALONE_STANDALONE_H
#define BACKENDS_CPU_STANDALONE_STANDALONE_H

#include "lib/Target/TargetBackend.h"

namespace hone::cpu {

/// One object that holds kernels, program and constants behind functions of C, and the header that declares
/// them. What cannot do without a runtime is an error at its node.
mlir::FailureOr<StandaloneCode> emitStandalone(const StandaloneRequest &request, const TargetInfo &info);

} // namespace hone::cpu

#endif // BACKENDS_CPU_STANDALONE_STANDALONE_H
