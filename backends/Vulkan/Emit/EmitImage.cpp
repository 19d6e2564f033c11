//===- EmitImage.cpp - Kernels to SPIR-V modules --------------------------===//

#include "backends/Vulkan/Emit/EmitImage.h"

#include "backends/Vulkan/Lowering/Pipeline.h"
#include "lib/Target/KernelAction.h"
#include "runtime/format/SpirvImage.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace hone;

namespace {

using Words = SmallVector<uint32_t, 0>;

/// What every device can do: no need worth recording.
bool isUniversal(spirv::Capability capability) {
  return capability == spirv::Capability::Shader || capability == spirv::Capability::Matrix;
}

/// Writes names and modules behind the records, each distinct module once.
class ImageWriter {
public:
  LogicalResult add(spirv::ModuleOp module);
  EmittedCode finish() &&;

private:
  static unsigned number(spirv::ModuleOp module, StringRef attribute) {
    auto value = module->getAttrOfType<IntegerAttr>(attribute);
    return value ? value.getInt() : 0;
  }
  void collectFeatures(spirv::ModuleOp module);
  size_t place(const Words &words);

  struct Kernel {
    std::string name;
    size_t code; ///< position in `modules`
    format::SpirvKernel record;
  };
  std::vector<Kernel> kernels;
  std::vector<Words> modules;
  std::multimap<size_t, size_t> byHash;
  std::set<std::string> features;
};

} // namespace

/// Serializes and validates one kernel.
static LogicalResult serialize(spirv::ModuleOp module, Words &words) {
  SmallVector<uint32_t> binary;
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  if (failed(spirv::serialize(module, binary, options)))
    return module.emitError() << "kernel '" << module.getName().value_or("") << "' cannot be written as SPIR-V";
  words.assign(binary.begin(), binary.end());
  std::string complaint = vulkan::validateSpirv(words);
  if (!complaint.empty())
    return module.emitError() << "kernel '" << module.getName().value_or("") << "' is invalid SPIR-V: " << complaint;
  return success();
}

void ImageWriter::collectFeatures(spirv::ModuleOp module) {
  if (auto triple = module.getVceTriple())
    for (spirv::Capability capability : triple->getCapabilities())
      if (!isUniversal(capability) && capability != spirv::Capability::SignedZeroInfNanPreserve &&
          capability != spirv::Capability::RoundingModeRTE)
        features.insert(spirv::stringifyCapability(capability).str());
  // Devices promise these by width.
  for (auto mode : module.getOps<spirv::ExecutionModeOp>())
    if (mode.getExecutionMode() != spirv::ExecutionMode::LocalSize)
      features.insert(spirv::stringifyExecutionMode(mode.getExecutionMode()).str() +
                      std::to_string(cast<IntegerAttr>(mode.getValues()[0]).getInt()));
}

size_t ImageWriter::place(const Words &words) {
  size_t hash = llvm::hash_combine_range(words.begin(), words.end());
  auto [first, last] = byHash.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (modules[it->second] == words)
      return it->second;
  byHash.emplace(hash, modules.size());
  modules.push_back(words);
  return modules.size() - 1;
}

LogicalResult ImageWriter::add(spirv::ModuleOp module) {
  Words words;
  if (failed(serialize(module, words)))
    return failure();
  collectFeatures(module);
  format::SpirvKernel record = {};
  for (auto mode : module.getOps<spirv::ExecutionModeOp>())
    if (mode.getExecutionMode() == spirv::ExecutionMode::LocalSize)
      record.workgroupSize = cast<IntegerAttr>(mode.getValues()[0]).getInt();
  record.workgroupBytes = number(module, vulkan::kWorkgroupBytesAttribute);
  record.bufferCount = number(module, vulkan::kBuffersAttribute);
  record.scalarCount = number(module, vulkan::kScalarsAttribute);
  kernels.push_back({module.getName().value_or("").str(), place(words), record});
  return success();
}

EmittedCode ImageWriter::finish() && {
  format::SpirvHeader header = {};
  std::copy(std::begin(format::kSpirvMagic), std::end(format::kSpirvMagic), header.magic);
  header.kernelCount = kernels.size();
  uint32_t at = sizeof(header) + kernels.size() * sizeof(format::SpirvKernel);
  std::vector<uint32_t> offsets;
  for (const Words &words : modules) {
    offsets.push_back(at);
    at += words.size() * sizeof(uint32_t);
  }
  EmittedCode code;
  auto append = [&](const void *bytes, size_t size) {
    code.bytes.insert(code.bytes.end(), static_cast<const char *>(bytes), static_cast<const char *>(bytes) + size);
  };
  append(&header, sizeof(header));
  for (Kernel &kernel : kernels) {
    kernel.record.nameOffset = at;
    kernel.record.nameSize = kernel.name.size();
    at += kernel.name.size();
    kernel.record.codeOffset = offsets[kernel.code];
    kernel.record.codeSize = modules[kernel.code].size() * sizeof(uint32_t);
    append(&kernel.record, sizeof(kernel.record));
  }
  for (const Words &words : modules)
    append(words.data(), words.size() * sizeof(uint32_t));
  for (const Kernel &kernel : kernels)
    append(kernel.name.data(), kernel.name.size());
  code.format = "spirv";
  code.features.assign(features.begin(), features.end());
  return code;
}

/// The text of every kernel, one after the other.
static FailureOr<EmittedCode> disassemble(ModuleOp kernels) {
  EmittedCode text;
  text.format = "spirv text";
  for (auto module : kernels.getOps<spirv::ModuleOp>()) {
    Words words;
    if (failed(serialize(module, words)))
      return failure();
    std::string part =
        "; kernel " + module.getName().value_or("").str() + "\n" + vulkan::disassembleSpirv(words) + "\n";
    text.bytes.insert(text.bytes.end(), part.begin(), part.end());
  }
  return text;
}

FailureOr<EmittedCode> vulkan::emitImage(ModuleOp kernels, const TargetInfo &info, TargetBackend::Output output) {
  PassManager passes(kernels.getContext(), ModuleOp::getOperationName());
  buildSPIRVPipeline(passes);
  if (failed(passes.run(kernels)))
    return failure();
  if (output != TargetBackend::Output::Image)
    return disassemble(kernels);
  ImageWriter writer;
  auto modules = llvm::to_vector(kernels.getOps<spirv::ModuleOp>());
  for (auto [i, module] : llvm::enumerate(modules)) {
    if (failed(writer.add(module)))
      return failure();
    tellKernels(kernels.getContext(), i + 1, modules.size());
  }
  return std::move(writer).finish();
}
