//===- Shader.cpp - Looking into SPIR-V modules ---------------------------===//

#include "runtime/drivers/vulkan/Shader.h"

#include <cstring>

using namespace hone;
using namespace hone::vulkan;

namespace {

// Numbers of the SPIR-V specification.
enum : uint32_t {
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpDecorate = 71,
  ModelGLCompute = 5,
  ModeLocalSize = 17,
  DecorationBinding = 33,
  DecorationDescriptorSet = 34,
};
constexpr uint32_t kHeaderWords = 5;
constexpr uint32_t kNewestVersion = 0x00010600;

class ShaderChecker {
public:
  ShaderChecker(const uint32_t *words, const format::SpirvKernel &kernel, const char *name,
                const Capabilities &capabilities)
      : words(words), count(kernel.codeSize / 4), kernel(kernel), name(name), capabilities(capabilities) {}

  hone_status_t check();

private:
  hone_status_t damaged(const char *what) {
    return makeStatus(HONE_MALFORMED, "kernel code: '%.128s' is no valid SPIR-V: %s", name, what);
  }
  hone_status_t instruction(uint32_t at, uint32_t opcode, uint32_t length);
  hone_status_t capability(uint32_t number);
  hone_status_t entryPoint(const uint32_t *operands, uint32_t length);
  hone_status_t executionMode(const uint32_t *operands, uint32_t length);
  hone_status_t decoration(const uint32_t *operands, uint32_t length);

  const uint32_t *words;
  const uint32_t count;
  const format::SpirvKernel &kernel;
  const char *name;
  const Capabilities &capabilities;
  uint32_t entryPoints = 0, localSizes = 0, memoryModels = 0;
};

} // namespace

hone_status_t ShaderChecker::check() {
  // Magic number and size are the image's business. A bound far beyond what the words can define would only make the
  // driver allocate.
  if (words[1] < 0x00010000 || words[1] > kNewestVersion || words[1] & 0xff0000ff)
    return damaged("its version");
  if (!words[3] || words[3] > count)
    return damaged("its bound of ids");
  if (words[4])
    return damaged("its schema");
  for (uint32_t at = kHeaderWords; at < count;) {
    uint32_t length = words[at] >> 16;
    if (!length || length > count - at)
      return damaged("an instruction is cut off");
    HONE_TRY(instruction(at, words[at] & 0xffff, length));
    at += length;
  }
  if (entryPoints != 1 || localSizes != 1 || memoryModels != 1)
    return damaged("it has not one entry point");
  return nullptr;
}

hone_status_t ShaderChecker::instruction(uint32_t at, uint32_t opcode, uint32_t length) {
  const uint32_t *operands = words + at + 1;
  switch (opcode) {
  case OpCapability:
    return length == 2 ? capability(operands[0]) : damaged("a capability");
  case OpMemoryModel:
    ++memoryModels;
    return length == 3 ? nullptr : damaged("its memory model");
  case OpEntryPoint:
    return entryPoint(operands, length - 1);
  case OpExecutionMode:
    return executionMode(operands, length - 1);
  case OpDecorate:
    return decoration(operands, length - 1);
  default:
    return nullptr;
  }
}

hone_status_t ShaderChecker::capability(uint32_t number) {
  if (capabilities.has(number))
    return nullptr;
  if (const char *text = Capabilities::nameOf(number))
    return makeStatus(HONE_INCOMPATIBLE, "kernel code: '%.128s' needs %s, which the device lacks", name, text);
  return makeStatus(HONE_INCOMPATIBLE, "kernel code: '%.128s' needs capability %u, which is unknown", name, number);
}

/// Model, function, name, interface.
hone_status_t ShaderChecker::entryPoint(const uint32_t *operands, uint32_t length) {
  ++entryPoints;
  constexpr uint32_t kNameWords = (sizeof(format::kSpirvEntry) + 3) / 4;
  if (length < 2 + kNameWords || operands[0] != ModelGLCompute ||
      memcmp(operands + 2, format::kSpirvEntry, sizeof(format::kSpirvEntry)) != 0)
    return damaged("its entry point");
  return nullptr;
}

/// Function, mode, operands.
hone_status_t ShaderChecker::executionMode(const uint32_t *operands, uint32_t length) {
  if (length < 2)
    return damaged("an execution mode");
  if (operands[1] != ModeLocalSize)
    return nullptr;
  ++localSizes;
  if (length != 5 || operands[2] != kernel.workgroupSize || operands[3] != 1 || operands[4] != 1)
    return damaged("its workgroups have another size than they should");
  return nullptr;
}

/// Target, decoration, operands.
hone_status_t ShaderChecker::decoration(const uint32_t *operands, uint32_t length) {
  if (length < 2)
    return damaged("a decoration");
  uint32_t bindings = kernel.bufferCount + (kernel.scalarCount > format::kSpirvPushScalars);
  bool isBinding = operands[1] == DecorationBinding, isSet = operands[1] == DecorationDescriptorSet;
  if ((isBinding && (length != 3 || operands[2] >= bindings)) || (isSet && (length != 3 || operands[2] != 0)))
    return damaged("it uses buffers that it is not given");
  return nullptr;
}

hone_status_t vulkan::checkShader(const uint32_t *words, const format::SpirvKernel &kernel, const char *name,
                                  const Capabilities &capabilities) {
  return ShaderChecker(words, kernel, name, capabilities).check();
}
