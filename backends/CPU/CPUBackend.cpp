//===- CPUBackend.cpp - x86 AVX and ARM NEON ------------------------------===//

#include "backends/CPU/CPUBackend.h"

#include "backends/CPU/Emit/EmitImage.h"
#include "backends/CPU/Kernels/Passes.h"
#include "backends/CPU/Lowering/Pipeline.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace hone;

namespace {

/// Facts of one instruction set.
struct Variant {
  StringLiteral name, triple, cpu;
  SmallVector<StringLiteral> features;
  unsigned vectorBytes, vectorRegisters, l1Bytes, l2Bytes;
};

const Variant kVariants[] = {
    {"avx2", "x86_64-unknown-linux-gnu", "x86-64-v3", {"avx2", "fma", "f16c", "bmi2"}, 32, 16, 32 << 10, 512 << 10},
    {"avx512",
     "x86_64-unknown-linux-gnu",
     "x86-64-v4",
     {"avx512f", "avx512bw", "avx512vl", "avx512dq", "fma", "f16c", "bmi2"},
     64,
     32,
     48 << 10,
     1 << 20},
    {"neon", "aarch64-unknown-linux-gnu", "generic", {"neon"}, 16, 32, 64 << 10, 512 << 10},
};

/// The best variant this host runs.
StringRef hostVariant() {
#if defined(__aarch64__)
  return "neon";
#else
  auto features = llvm::sys::getHostCPUFeatures();
  auto has = [&](StringRef feature) { return features.lookup(feature); };
  return has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq") ? "avx512" : "avx2";
#endif
}

class CPUBackend final : public TargetBackend {
public:
  StringRef name() const override { return "cpu"; }

  FailureOr<TargetInfo> describe(StringRef variant, Location loc) const override {
    StringRef wanted = variant.empty() ? hostVariant() : variant;
    std::string known;
    for (const Variant &row : kVariants) {
      known += (known.empty() ? "cpu:" : ", cpu:") + row.name.str();
      if (row.name != wanted)
        continue;
      TargetInfo info;
      info.name = "cpu:" + row.name.str();
      info.triple = row.triple.str();
      info.cpu = row.cpu.str();
      for (StringRef feature : row.features)
        info.features.push_back(feature.str());
      info.vectorBytes = row.vectorBytes;
      info.vectorRegisters = row.vectorRegisters;
      info.l1Bytes = row.l1Bytes;
      info.l2Bytes = row.l2Bytes;
      return info;
    }
    return emitError(loc) << "unknown target 'cpu:" << variant << "'; there are: " << known;
  }

  void addLowering(OpPassManager &passes, const TargetInfo &info) const override { cpu::buildLoopPipeline(passes); }

  FailureOr<EmittedCode> emit(ModuleOp kernels, const TargetInfo &info, Output output) const override {
    return cpu::emitImage(kernels, info, output);
  }
};

} // namespace

std::unique_ptr<TargetBackend> hone::createCPUBackend() { return std::make_unique<CPUBackend>(); }

void cpu::registerPasses() {
  registerCPUKernelsPasses();
  registerCPULoweringPasses();
}

void cpu::registerDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
