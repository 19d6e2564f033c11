//===- Register.cpp - The backends linked into the compiler ---------------===//

#include "backends/Register.h"

#include "backends/CPU/CPUBackend.h"
#include "backends/CUDA/CUDABackend.h"
#include "backends/Vulkan/VulkanBackend.h"

hone::BackendRegistry hone::createBackends() {
  BackendRegistry registry;
  registry.add(createCPUBackend());
  registry.add(createCUDABackend());
  registry.add(createVulkanBackend());
  return registry;
}

void hone::registerBackendPasses() {
  cpu::registerPasses();
  cuda::registerPasses();
  vulkan::registerPasses();
}

void hone::registerBackendDialects(mlir::DialectRegistry &registry) {
  cpu::registerDialects(registry);
  cuda::registerDialects(registry);
  vulkan::registerDialects(registry);
}
