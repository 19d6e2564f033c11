//===- StandaloneProgram.h - Programs without a runtime ---------*- C++ -*-===//

#ifndef LIB_PIPELINE_STANDALONEPROGRAM_H
#define LIB_PIPELINE_STANDALONEPROGRAM_H

#include "lib/Target/TargetBackend.h"

namespace hone {

/// Compiles the program of `planned`, whose kernels are lowered, to an object file and its header.
mlir::FailureOr<StandaloneCode> emitStandalone(mlir::ModuleOp planned, mlir::ModuleOp kernels,
                                               const TargetBackend &backend, const TargetInfo &info,
                                               llvm::StringRef prefix);

} // namespace hone

#endif // LIB_PIPELINE_STANDALONEPROGRAM_H
