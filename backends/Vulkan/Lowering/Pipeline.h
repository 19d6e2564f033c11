//===- Pipeline.h - From kernel functions to SPIR-V -------------*- C++ -*-===//

#ifndef BACKENDS_VULKAN_LOWERING_PIPELINE_H
#define BACKENDS_VULKAN_LOWERING_PIPELINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace hone::vulkan {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/Vulkan/Lowering/Passes.h.inc"

/// How many storage buffers a kernel may use: what desktop devices have, and Mesa's software device.
inline constexpr unsigned kMaxBuffers = 32;

// On arguments of kernels: which of the launch's buffers they are, that others are the same one, and
// that threads of a workgroup talk through it.
inline constexpr llvm::StringLiteral kBindingAttribute = "hone.binding";
inline constexpr llvm::StringLiteral kAliasedAttribute = "hone.aliased";
inline constexpr llvm::StringLiteral kSharedAttribute = "hone.shared";
// On SPIR-V modules: how many buffers and scalars a launch passes, and bytes of workgroup memory.
inline constexpr llvm::StringLiteral kBuffersAttribute = "hone.buffers";
inline constexpr llvm::StringLiteral kScalarsAttribute = "hone.scalars";
inline constexpr llvm::StringLiteral kWorkgroupBytesAttribute = "hone.workgroup_bytes";

/// How many buffers a launch passes to `kernel`, whose arguments say which they are.
unsigned bufferCount(mlir::func::FuncOp kernel);

/// Lowers kernels in device form, without their launch functions, to one SPIR-V module each.
void buildSPIRVPipeline(mlir::OpPassManager &passes);

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_LOWERING_PIPELINE_H
