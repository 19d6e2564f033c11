//===- EmitImage.h - Kernels to machine code --------------------*- C++ -*-===//

#ifndef BACKENDS_CPU_EMIT_EMITIMAGE_H
#define BACKENDS_CPU_EMIT_EMITIMAGE_H

#include "lib/Target/TargetBackend.h"

#include "llvm/TargetParser/Triple.h"

namespace hone::cpu {

/// Compiles the kernels (loops over buffers; see buildLoopPipeline) to `output`: an ELF shared object
/// whose exported symbols are the kernels, or one of the forms on the way there.
mlir::FailureOr<EmittedCode> emitImage(mlir::ModuleOp kernels, const TargetInfo &info, TargetBackend::Output output);

/// Compiles a module of LLVM's dialect to `output`, linked if it is an image.
mlir::FailureOr<EmittedCode> compileLLVM(mlir::ModuleOp module, const TargetInfo &info, TargetBackend::Output output);

/// Links one object file for `triple` into a shared object that needs nothing but what the runtime provides.
mlir::FailureOr<std::vector<char>> linkImage(llvm::ArrayRef<char> object, const llvm::Triple &triple,
                                             mlir::Location loc);

} // namespace hone::cpu

#endif // BACKENDS_CPU_EMIT_EMITIMAGE_H
