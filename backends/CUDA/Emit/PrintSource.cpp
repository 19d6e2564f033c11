//===- PrintSource.cpp - Kernels as CUDA C++ on standard output -----------===//

#include "backends/CUDA/Emit/EmitImage.h"
#include "backends/CUDA/Emit/Passes.h"

namespace hone::cuda {
#define GEN_PASS_DEF_PRINTSOURCEPASS
#include "backends/CUDA/Emit/Passes.h.inc"
} // namespace hone::cuda

using namespace mlir;
using namespace hone;

namespace {

struct PrintSourcePass final : cuda::impl::PrintSourcePassBase<PrintSourcePass> {
  using PrintSourcePassBase::PrintSourcePassBase;

  void runOnOperation() override {
    TargetInfo info;
    info.cpu = architecture;
    auto output = ptx ? TargetBackend::Output::Assembly : TargetBackend::Output::Source;
    FailureOr<EmittedCode> code = cuda::emitImage(getOperation(), info, output);
    if (failed(code))
      return signalPassFailure();
    llvm::outs().write(code->bytes.data(), code->bytes.size());
    markAllAnalysesPreserved();
  }
};

} // namespace
