//===- Interface.cpp - A program as C sees it -----------------------------===//

#include "backends/CPU/Standalone/Interface.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Words of C and C++ that cannot name a field.
static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",  "alignof",  "and",      "asm",      "auto",      "bool",     "break",     "case",          "catch",
      "char",     "class",    "concept",  "const",    "constexpr", "continue", "default",   "delete",        "do",
      "double",   "else",     "enum",     "explicit", "export",    "extern",   "false",     "float",         "for",
      "friend",   "goto",     "if",       "inline",   "int",       "long",     "mutable",   "namespace",     "new",
      "noexcept", "not",      "nullptr",  "operator", "or",        "private",  "protected", "public",        "register",
      "requires", "restrict", "return",   "short",    "signed",    "sizeof",   "static",    "static_assert", "struct",
      "switch",   "template", "this",     "throw",    "true",      "try",      "typedef",   "typeid",        "typename",
      "typeof",   "union",    "unsigned", "using",    "virtual",   "void",     "volatile",  "while",         "xor"};
  return words.contains(name);
}

std::string IdentifierPool::get(StringRef name) {
  std::string base;
  for (char c : name)
    base += llvm::isAlnum(c) ? c : '_';
  // Names that begin with an underscore are the C library's.
  base = StringRef(base).ltrim('_').str();
  if (base.empty() || llvm::isDigit(base.front()))
    base = "t" + base;
  if (isKeyword(base))
    base += "_";
  std::string result = base;
  for (unsigned i = 2; !taken.insert(result).second; ++i)
    result = base + "_" + std::to_string(i);
  return result;
}

CElement hone::cpu::cElementOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return {"uint8_t", "bool", 1};
    case 2:
      return isUnsigned ? CElement{"uint8_t", "u2", 1} : CElement{"int8_t", "i2", 1};
    case 4:
      return isUnsigned ? CElement{"uint8_t", "u4", 1} : CElement{"int8_t", "i4", 1};
    case 8:
      return isUnsigned ? CElement{"uint8_t", "u8", 1} : CElement{"int8_t", "i8", 1};
    case 16:
      return isUnsigned ? CElement{"uint16_t", "u16", 2} : CElement{"int16_t", "i16", 2};
    case 32:
      return isUnsigned ? CElement{"uint32_t", "u32", 4} : CElement{"int32_t", "i32", 4};
    default:
      return isUnsigned ? CElement{"uint64_t", "u64", 8} : CElement{"int64_t", "i64", 8};
    }
  }
  if (type.isF64())
    return {"double", "f64", 8};
  if (type.isF32())
    return {"float", "f32", 4};
  if (type.isF16())
    return {"uint16_t", "f16", 2};
  if (type.isBF16())
    return {"uint16_t", "bf16", 2};
  if (isa<Float8E4M3FNType>(type))
    return {"uint8_t", "f8e4m3fn", 1};
  if (isa<Float8E4M3FNUZType>(type))
    return {"uint8_t", "f8e4m3fnuz", 1};
  if (isa<Float8E5M2Type>(type))
    return {"uint8_t", "f8e5m2", 1};
  if (isa<Float8E5M2FNUZType>(type))
    return {"uint8_t", "f8e5m2fnuz", 1};
  if (isa<Float8E8M0FNUType>(type))
    return {"uint8_t", "f8e8m0", 1};
  return {"uint8_t", "f4e2m1", 1};
}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

/// The bytes of a tensor, -1 when an extent is not fixed.
static int64_t bytesOf(plan::TensorAttr tensor, unsigned elementBytes) {
  int64_t bytes = elementBytes;
  for (plan::DimAttr dim : tensor.getDims()) {
    if (!dim.isStatic())
      return -1;
    if (llvm::MulOverflow(bytes, dim.getSize(), bytes))
      return INT64_MAX;
  }
  return bytes;
}

static std::vector<CTensor> describe(ArrayAttr tensors, IdentifierPool &names) {
  std::vector<CTensor> result;
  for (auto tensor : tensors.getAsRange<plan::TensorAttr>()) {
    CElement element = cElementOf(tensor.getElementType());
    result.push_back({tensor, names.get(tensor.getName().getValue()), 0, element, bytesOf(tensor, element.bytes)});
  }
  return result;
}

/// What the value that is loaded is computed by.
static DataDependence dependenceOf(plan::LoadOp load, std::vector<unsigned> &readInputs) {
  Value source = load.getSource();
  while (auto view = source.getDefiningOp<plan::ViewOp>())
    source = view.getSource();
  if (source.getDefiningOp<plan::ConstantOp>())
    return DataDependence::None;
  auto input = source.getDefiningOp<plan::InputOp>();
  if (!input)
    return DataDependence::Computed;
  if (!llvm::is_contained(readInputs, input.getIndex()))
    readInputs.push_back(input.getIndex());
  return DataDependence::Inputs;
}

StandaloneInterface::StandaloneInterface(plan::ProgramOp program, StringRef prefix) : prefix(prefix) {
  staticBytes = program.getStaticBytes().value_or(0);
  IdentifierPool inputNames, outputNames;
  inputs = describe(program.getInputs(), inputNames);
  outputs = describe(program.getOutputs(), outputNames);
  unsigned slot = 0;
  for (CTensor &input : inputs)
    input.slot = slot++;
  llvm::StringMap<size_t> bySymbol;
  for (auto [i, input] : llvm::enumerate(inputs))
    for (auto [d, dim] : llvm::enumerate(input.tensor.getDims())) {
      if (dim.isStatic())
        continue;
      StringRef symbol = dim.getSymbol().getValue();
      auto [known, isNew] = bySymbol.insert({symbol, dims.size()});
      if (isNew || symbol.empty()) {
        std::string name = symbol.empty() ? input.name + "_dim" + std::to_string(d) : symbol.str();
        dims.push_back({inputNames.get(name), slot++, {}});
      }
      CDim &entry = symbol.empty() ? dims.back() : dims[known->second];
      entry.uses.push_back({i, d});
      entry.min = std::max(entry.min, dim.getMin());
      entry.max = std::min(entry.max, dim.getMax());
    }
  slot = 0;
  for (CTensor &output : outputs) {
    output.slot = slot;
    slot += output.isDynamic() ? 2 + output.tensor.getDims().size() : 1;
  }
  neededSlot = slot;
  program.walk([&](Operation *op) {
    hasFrames |= isa<plan::ReserveOp>(op);
    if (auto load = dyn_cast<plan::LoadOp>(op))
      dependence = std::max(dependence, dependenceOf(load, readInputs));
  });
}

const CDim *StandaloneInterface::dimOf(unsigned input, unsigned dim) const {
  for (const CDim &entry : dims)
    if (llvm::is_contained(entry.uses, std::pair(input, dim)))
      return &entry;
  return nullptr;
}
