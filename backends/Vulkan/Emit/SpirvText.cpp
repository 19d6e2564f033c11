//===- SpirvText.cpp - Validator and disassembler of SPIRV-Tools ----------===//

#include "backends/Vulkan/Emit/EmitImage.h"

#include "spirv-tools/libspirv.h"

using namespace hone;

namespace {

/// A context of SPIRV-Tools for what this compiler emits.
struct Tools {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  spv_diagnostic diagnostic = nullptr;

  Tools() = default;
  Tools(const Tools &) = delete;
  Tools &operator=(const Tools &) = delete;
  ~Tools() {
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
  }
};

} // namespace

std::string vulkan::validateSpirv(llvm::ArrayRef<uint32_t> words) {
  Tools tools;
  if (spvValidateBinary(tools.context, words.data(), words.size(), &tools.diagnostic) == SPV_SUCCESS)
    return "";
  return tools.diagnostic && tools.diagnostic->error ? tools.diagnostic->error : "no reason given";
}

std::string vulkan::disassembleSpirv(llvm::ArrayRef<uint32_t> words) {
  Tools tools;
  spv_text text = nullptr;
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  std::string result;
  if (spvBinaryToText(tools.context, words.data(), words.size(), options, &text, &tools.diagnostic) == SPV_SUCCESS)
    result.assign(text->str, text->length);
  spvTextDestroy(text);
  return result;
}
