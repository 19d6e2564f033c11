//===- Shader.h - Looking into SPIR-V modules -*- C++ -*-===//
//
// Drivers trust the SPIR-V that they are given. Before ours is handed on, its
// framing is checked, and that it is the kernel its record describes and asks
// for nothing the device lacks.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_SHADER_H
#define HONE_RUNTIME_DRIVERS_VULKAN_SHADER_H

#include "runtime/drivers/vulkan/Capabilities.h"
#include "runtime/format/SpirvImage.h"

namespace hone::vulkan {

/// HONE_MALFORMED for damaged modules, HONE_INCOMPATIBLE for capabilities that
/// are not there. `name` is the kernel's, for messages.
hone_status_t checkShader(const uint32_t *words, const format::SpirvKernel &kernel, const char *name,
                          const Capabilities &capabilities);

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_SHADER_H
