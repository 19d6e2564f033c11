//===- EmitImage.cpp - Kernels to an image of cubins and PTX --------------===//

#include "backends/CUDA/Emit/EmitImage.h"

#include "backends/CUDA/Emit/CompileUnits.h"
#include "backends/CUDA/Emit/KernelPrinter.h"
#include "backends/CUDA/Emit/Nvrtc.h"
#include "runtime/format/CudaImage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

using Output = TargetBackend::Output;

/// "sm_90a" -> 90 and 'a'.
static std::pair<uint32_t, uint32_t> parseArchitecture(StringRef name) {
  name.consume_front("sm_");
  uint32_t number = 0;
  (void)name.consumeInteger(10, number);
  return {number, name.empty() ? 0 : static_cast<uint32_t>(name.front())};
}

LogicalResult cuda::checkHost(const TargetInfo &info, Output output, Location loc) {
  if (output == Output::Source)
    return success();
  std::string error;
  const Nvrtc *nvrtc = Nvrtc::get(error);
  if (!nvrtc)
    return emitError(loc) << "target " << info.name << ": " << error;
  if (!nvrtc->supports(parseArchitecture(info.cpu).first))
    return emitError(loc) << nvrtc->identity() << " at " << nvrtc->path() << " does not compile for " << info.cpu;
  return success();
}

static std::vector<char> packImage(ArrayRef<CompiledUnit> units) {
  struct Part {
    format::CudaImageEntry entry;
    ArrayRef<char> bytes;
  };
  std::vector<Part> parts;
  for (auto [i, unit] : llvm::enumerate(units)) {
    auto [architecture, suffix] = parseArchitecture(unit.architecture);
    auto add = [&, number = architecture, letter = suffix, index = static_cast<uint32_t>(i)](format::CudaCodeKind kind,
                                                                                             ArrayRef<char> bytes) {
      parts.push_back({{index, kind, number, letter, 0, bytes.size()}, bytes});
    };
    add(format::CudaCodeKind::Cubin, unit.cubin);
    // PTX of an exact architecture runs where the machine code does.
    if (suffix == 0)
      add(format::CudaCodeKind::Ptx, unit.ptx);
  }
  format::CudaImageHeader header{};
  std::memcpy(header.magic, format::kCudaImageMagic, sizeof(header.magic));
  header.version = format::kCudaImageVersion;
  header.entryCount = parts.size();
  uint64_t end = sizeof(header) + parts.size() * sizeof(format::CudaImageEntry);
  for (Part &part : parts) {
    part.entry.offset = llvm::alignTo(end, format::kAlignment);
    end = part.entry.offset + part.entry.size;
  }
  std::vector<char> image(end);
  std::memcpy(image.data(), &header, sizeof(header));
  for (auto [i, part] : llvm::enumerate(parts)) {
    std::memcpy(image.data() + sizeof(header) + i * sizeof(part.entry), &part.entry, sizeof(part.entry));
    std::memcpy(image.data() + part.entry.offset, part.bytes.data(), part.bytes.size());
  }
  return image;
}

static std::vector<char> toVector(StringRef text) { return std::vector<char>(text.begin(), text.end()); }

FailureOr<EmittedCode> cuda::emitImage(ModuleOp kernels, const TargetInfo &info, Output output) {
  std::vector<KernelText> texts;
  LogicalResult status = success();
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    if (kernel.isDeclaration() || kernel.isPrivate())
      continue;
    FailureOr<std::string> text = printKernel(kernel);
    if (failed(text))
      status = failure();
    else
      texts.push_back({kernel, std::move(*text)});
  }
  if (failed(status))
    return failure();
  if (output == Output::Source)
    return EmittedCode{toVector(sourceOf(texts)), "cuda", {}};
  FailureOr<std::vector<CompiledUnit>> units = compileUnits(texts, info, kernels.getLoc());
  if (failed(units))
    return failure();
  if (output == Output::Assembly) {
    EmittedCode code{{}, "ptx", {}};
    for (const CompiledUnit &unit : *units)
      code.bytes.insert(code.bytes.end(), unit.ptx.begin(), unit.ptx.end() - !unit.ptx.empty());
    return code;
  }
  // What the most demanding unit needs.
  std::string feature = StringRef(info.cpu).rtrim("af").str();
  for (const CompiledUnit &unit : *units)
    if (unit.architecture != feature)
      feature = info.cpu;
  return EmittedCode{packImage(*units), "cuda", {feature}};
}
