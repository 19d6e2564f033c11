//===- CUDABackend.cpp - NVIDIA GPUs --------------------------------------===//

#include "backends/CUDA/CUDABackend.h"

#include "backends/CUDA/Emit/EmitImage.h"
#include "backends/CUDA/Emit/Passes.h"
#include "backends/CUDA/Kernels/Passes.h"
#include "backends/CUDA/Lowering/Pipeline.h"
#include "lib/Target/Variants.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace hone;

namespace {

/// Facts of one architecture. Those with a letter have what only this architecture (`a`) or its family
/// (`f`) has; code for them runs nowhere else.
struct Variant {
  StringLiteral name;
  unsigned sharedBytes;
  unsigned computeUnits; ///< of its largest common device
  unsigned l2Bytes;
};

const Variant kVariants[] = {
    {"sm_80", 163 << 10, 108, 40 << 20},    {"sm_86", 99 << 10, 84, 6 << 20},
    {"sm_87", 163 << 10, 16, 4 << 20},      {"sm_89", 99 << 10, 128, 72 << 20},
    {"sm_90", 227 << 10, 132, 50 << 20},    {"sm_90a", 227 << 10, 132, 50 << 20},
    {"sm_100", 227 << 10, 148, 126 << 20},  {"sm_100a", 227 << 10, 148, 126 << 20},
    {"sm_100f", 227 << 10, 148, 126 << 20}, {"sm_103", 227 << 10, 148, 126 << 20},
    {"sm_103a", 227 << 10, 148, 126 << 20}, {"sm_110", 227 << 10, 20, 32 << 20},
    {"sm_110a", 227 << 10, 20, 32 << 20},   {"sm_120", 99 << 10, 170, 96 << 20},
    {"sm_120a", 99 << 10, 170, 96 << 20},   {"sm_120f", 99 << 10, 170, 96 << 20},
    {"sm_121", 99 << 10, 48, 24 << 20},     {"sm_121a", 99 << 10, 48, 24 << 20},
};

/// What `cuda` alone means: machine code for the oldest architecture, and PTX that drivers of all later ones
/// compile when they load it.
constexpr StringLiteral kDefaultVariant = "sm_80";

class CUDABackend final : public TargetBackend {
public:
  StringRef name() const override { return "cuda"; }

  std::vector<std::string> variants() const override { return variantNames(kVariants); }

  FailureOr<TargetInfo> describe(StringRef variant, Location loc) const override {
    StringRef wanted = variant.empty() ? StringRef(kDefaultVariant) : variant;
    for (const Variant &row : kVariants) {
      if (row.name != wanted)
        continue;
      TargetInfo info;
      info.name = "cuda:" + row.name.str();
      info.triple = "nvptx64-nvidia-cuda";
      info.cpu = row.name.str();
      info.vectorBytes = 16;
      info.l2Bytes = row.l2Bytes;
      info.hostAccess = false;
      info.workgroupSize = 256;
      info.maxWorkgroupSize = 1024;
      info.subgroupSize = 32;
      info.sharedBytes = row.sharedBytes;
      info.maxGrid = INT32_MAX;
      info.computeUnits = row.computeUnits;
      info.nativeTypes = {"f64", "f32", "f16", "i64", "i32", "i16", "i8"};
      info.matrixTypes = {"f16", "bf16", "tf32"};
      return info;
    }
    return emitError(loc) << "unknown target 'cuda:" << variant << "'; there are: " << listTargets(name(), kVariants);
  }

  ArrayRef<Form> forms() const override {
    static const Form rows[] = {{"cuda", Output::Source, ""}, {"ptx", Output::Assembly, ""}};
    return rows;
  }

  LogicalResult checkHost(const TargetInfo &info, Output output, Location loc) const override {
    return cuda::checkHost(info, output, loc);
  }

  void addLowering(OpPassManager &passes, const TargetInfo &info) const override { cuda::buildPipeline(passes, info); }

  FailureOr<EmittedCode> emit(ModuleOp kernels, const TargetInfo &info, Output output) const override {
    return cuda::emitImage(kernels, info, output);
  }
};

} // namespace

std::unique_ptr<TargetBackend> hone::createCUDABackend() { return std::make_unique<CUDABackend>(); }

void cuda::registerPasses() {
  registerCUDAEmitPasses();
  registerCUDAKernelsPasses();
}

void cuda::registerDialects(DialectRegistry &registry) { registry.insert<gpu::GPUDialect>(); }
