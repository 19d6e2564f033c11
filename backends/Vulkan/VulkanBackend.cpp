//===- VulkanBackend.cpp - Compute shaders in SPIR-V ----------------------===//

#include "backends/Vulkan/VulkanBackend.h"

#include "backends/Vulkan/Emit/EmitImage.h"
#include "backends/Vulkan/Emit/Passes.h"
#include "backends/Vulkan/Lowering/Pipeline.h"
#include "passes/Conversion/KernelsToLoops/Passes.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"
#include "runtime/format/SpirvImage.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"

using namespace mlir;
using namespace hone;

namespace {

class VulkanBackend final : public TargetBackend {
public:
  StringRef name() const override { return "vulkan"; }

  std::vector<std::string> variants() const override { return {}; }

  FailureOr<TargetInfo> describe(StringRef variant, Location loc) const override {
    if (!variant.empty())
      return emitError(loc) << "unknown target 'vulkan:" << variant << "'; there is: vulkan";
    TargetInfo info;
    info.name = "vulkan";
    info.triple = "spirv-unknown-vulkan1.1-compute";
    info.hostAccess = false;
    // What every device has; the largest workgroups and the memory of one are limits of the standard.
    info.vectorBytes = 16;
    info.workgroupSize = 128;
    info.maxWorkgroupSize = 128;
    info.sharedBytes = 16 << 10;
    info.maxBuffers = vulkan::kMaxBuffers;
    // maxStorageBufferRange has 32 bits; many devices have less.
    info.maxBufferBytes = UINT32_MAX;
    // Kernels count threads in 31 bits.
    info.maxThreads = format::kSpirvMaxThreads - 1;
    info.nativeTypes = {"f64", "f32", "f16", "i64", "i32", "i16", "i8"};
    return info;
  }

  ArrayRef<Form> forms() const override {
    static const Form rows[] = {{"spirv", Output::Assembly, ""}};
    return rows;
  }

  void addLowering(OpPassManager &passes, const TargetInfo &info) const override {
    kernels_to_loops::buildKernelsToLoops(passes, kernels_to_loops::LoopOrder::ParallelFirst);
    loops_to_device::buildDevicePipeline(passes, info);
  }

  FailureOr<EmittedCode> emit(ModuleOp kernels, const TargetInfo &info, Output output) const override {
    return vulkan::emitImage(kernels, info, output);
  }
};

} // namespace

std::unique_ptr<TargetBackend> hone::createVulkanBackend() { return std::make_unique<VulkanBackend>(); }

void vulkan::registerPasses() {
  registerVulkanEmitPasses();
  registerVulkanLoweringPasses();
}

void vulkan::registerDialects(DialectRegistry &registry) { registry.insert<gpu::GPUDialect, spirv::SPIRVDialect>(); }
