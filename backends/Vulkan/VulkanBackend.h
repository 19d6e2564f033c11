//===- VulkanBackend.h - Compute shaders in SPIR-V --------------*- C++ -*-===//
//
// One profile: what nearly all devices can do. What a module uses beyond Vulkan 1.1 is recorded in its
// features, so that the runtime can say what a device lacks.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_VULKAN_VULKANBACKEND_H
#define BACKENDS_VULKAN_VULKANBACKEND_H

#include "lib/Target/TargetBackend.h"

namespace hone {

std::unique_ptr<TargetBackend> createVulkanBackend();

namespace vulkan {
void registerPasses();
void registerDialects(mlir::DialectRegistry &registry);
} // namespace vulkan

} // namespace hone

#endif // BACKENDS_VULKAN_VULKANBACKEND_H
