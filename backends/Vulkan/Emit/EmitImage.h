//===- EmitImage.h - Kernels to SPIR-V modules ------------------*- C++ -*-===//

#ifndef BACKENDS_VULKAN_EMIT_EMITIMAGE_H
#define BACKENDS_VULKAN_EMIT_EMITIMAGE_H

#include "lib/Target/TargetBackend.h"

namespace hone::vulkan {

/// Lowers kernels in device form to SPIR-V and writes an image (runtime/format/SpirvImage.h), or the
/// text of all modules. Every module is checked by SPIRV-Tools' validator.
mlir::FailureOr<EmittedCode> emitImage(mlir::ModuleOp kernels, const TargetInfo &info, TargetBackend::Output output);

/// The validator's complaint about a module; empty when it is valid.
std::string validateSpirv(llvm::ArrayRef<uint32_t> words);

/// Assembly text of a module.
std::string disassembleSpirv(llvm::ArrayRef<uint32_t> words);

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_EMIT_EMITIMAGE_H
