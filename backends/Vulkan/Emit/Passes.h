//===- Passes.h - SPIR-V ----------------------------------------*- C++ -*-===//

#ifndef BACKENDS_VULKAN_EMIT_PASSES_H
#define BACKENDS_VULKAN_EMIT_PASSES_H

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::vulkan {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/Vulkan/Emit/Passes.h.inc"

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_EMIT_PASSES_H
