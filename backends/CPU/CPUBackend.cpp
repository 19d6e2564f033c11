//===- CPUBackend.cpp - x86 AVX and ARM NEON ------------------------------===//

#include "backends/CPU/CPUBackend.h"

#include "backends/CPU/Emit/EmitImage.h"
#include "backends/CPU/Kernels/Passes.h"
#include "backends/CPU/Lowering/Pipeline.h"
#include "backends/CPU/Standalone/Standalone.h"
#include "lib/Target/Variants.h"

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
  unsigned vectorBytes, vectorRegisters;
  bool multiplyByLane;
  unsigned l1Bytes, l2Bytes;
};

/// Of one architecture the most demanding first. Features are those of the LLVM CPU that a processor can lack;
/// the runtime compares them with what it finds.
const Variant kVariants[] = {
    {"avx512",
     "x86_64-unknown-linux-gnu",
     "x86-64-v4",
     {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt",
      "movbe"},
     64,
     32,
     false,
     48 << 10,
     1 << 20},
    {"avx2",
     "x86_64-unknown-linux-gnu",
     "x86-64-v3",
     {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"},
     32,
     16,
     false,
     32 << 10,
     512 << 10},
    {"neon", "aarch64-unknown-linux-gnu", "generic", {"neon"}, 16, 32, true, 64 << 10, 512 << 10},
};

/// The most demanding variant this host runs; null when there is none.
const Variant *hostVariant() {
  llvm::Triple host(llvm::sys::getProcessTriple());
  auto features = llvm::sys::getHostCPUFeatures();
  for (const Variant &row : kVariants)
    if (llvm::Triple(row.triple).getArch() == host.getArch() &&
        llvm::all_of(row.features, [&](StringRef feature) { return features.lookup(feature); }))
      return &row;
  return nullptr;
}

TargetInfo factsOf(const Variant &row) {
  TargetInfo info;
  info.name = "cpu:" + row.name.str();
  info.triple = row.triple.str();
  info.cpu = row.cpu.str();
  for (StringRef feature : row.features)
    info.features.push_back(feature.str());
  info.vectorBytes = row.vectorBytes;
  info.vectorRegisters = row.vectorRegisters;
  info.multiplyByLane = row.multiplyByLane;
  info.l1Bytes = row.l1Bytes;
  info.l2Bytes = row.l2Bytes;
  // Halves are converted when they are loaded.
  info.nativeTypes = {"f64", "f32", "i64", "i32", "i16", "i8"};
  return info;
}

class CPUBackend final : public TargetBackend {
public:
  StringRef name() const override { return "cpu"; }

  std::vector<std::string> variants() const override { return variantNames(kVariants); }

  FailureOr<TargetInfo> describe(StringRef variant, Location loc) const override {
    const Variant *row = variant.empty()
                             ? hostVariant()
                             : llvm::find_if(kVariants, [&](const Variant &row) { return row.name == variant; });
    if (row && row != std::end(kVariants))
      return factsOf(*row);
    std::string known = listTargets(name(), kVariants);
    if (variant.empty())
      return emitError(loc) << "the target 'cpu' means this machine, which runs none of: " << known;
    return emitError(loc) << "unknown target 'cpu:" << variant << "'; there are: " << known;
  }

  ArrayRef<Form> forms() const override {
    static const Form rows[] = {
        {"llvm", Output::LowLevelIR, ""}, {"asm", Output::Assembly, ""}, {"object", Output::Standalone, "o"}};
    return rows;
  }

  void addLowering(OpPassManager &passes, const TargetInfo &info) const override { cpu::buildLoopPipeline(passes); }

  FailureOr<EmittedCode> emit(ModuleOp kernels, const TargetInfo &info, Output output) const override {
    return cpu::emitImage(kernels, info, output);
  }

  FailureOr<StandaloneCode> emitStandalone(const StandaloneRequest &request, const TargetInfo &info) const override {
    return cpu::emitStandalone(request, info);
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
