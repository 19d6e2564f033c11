//===- Register.cpp - The backends linked into the compiler ---------------===//

#include "backends/Register.h"

#include "backends/CPU/CPUBackend.h"
#include "backends/Vulkan/VulkanBackend.h"

hone::BackendRegistry hone::createBackends() {
  BackendRegistry registry;
  registry.add(createCPUBackend());
  return registry;
}

void hone::registerBackendPasses() {
  cpu::registerPasses();
  vulkan::registerPasses();
}

void hone::registerBackendDialects(mlir::DialectRegistry &registry) {
  cpu::registerDialects(registry);
  vulkan::registerDialects(registry);
}
