//===- PrintAssembly.cpp - Kernels as SPIR-V on standard output -----------===//

#include "backends/Vulkan/Emit/EmitImage.h"
#include "backends/Vulkan/Emit/Passes.h"

namespace hone::vulkan {
#define GEN_PASS_DEF_PRINTASSEMBLYPASS
#include "backends/Vulkan/Emit/Passes.h.inc"
} // namespace hone::vulkan

using namespace mlir;
using namespace hone;

namespace {

struct PrintAssemblyPass final : vulkan::impl::PrintAssemblyPassBase<PrintAssemblyPass> {
  void runOnOperation() override {
    FailureOr<EmittedCode> code = vulkan::emitImage(getOperation(), TargetInfo(), TargetBackend::Output::Assembly);
    if (failed(code))
      return signalPassFailure();
    llvm::outs().write(code->bytes.data(), code->bytes.size());
  }
};

} // namespace
