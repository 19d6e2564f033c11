//===- Header.cpp - The C header of a program -----------------------------===//

#include "backends/CPU/Standalone/EntryWriter.h"

#include "lib/Support/NodeLocation.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

namespace {

class HeaderWriter {
public:
  HeaderWriter(const StandaloneInterface &interface, StringRef target, StringRef features)
      : interface(interface), prefix(interface.prefix), target(target), features(features), os(text) {}

  std::string write();

private:
  void introduction();
  void macros();
  void inputs();
  void outputs();
  void functions();
  /// "f32 [N, 3, 224, 224]"
  std::string describe(const CTensor &tensor, std::optional<unsigned> input) const;
  std::string name(StringRef tail) const { return interface.function(tail); }

  const StandaloneInterface &interface;
  StringRef prefix, target, features;
  std::string text;
  llvm::raw_string_ostream os;
};

/// Any name, safe within a comment.
std::string inComment(StringRef name) {
  std::string result = escapeName(name);
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result.replace(at, 2, "*\\x2f");
  return result;
}

} // namespace

std::string HeaderWriter::describe(const CTensor &tensor, std::optional<unsigned> input) const {
  std::string result = tensor.element.name.str() + " [";
  for (auto [d, dim] : llvm::enumerate(tensor.tensor.getDims())) {
    const CDim *entry = input ? interface.dimOf(*input, d) : nullptr;
    if (!input && !dim.isStatic())
      for (const CDim &candidate : interface.dims) {
        auto [position, of] = candidate.uses.front();
        plan::DimAttr known = interface.inputs[position].tensor.getDims()[of];
        if (!dim.getSymbol().empty() && known.getSymbol() == dim.getSymbol())
          entry = &candidate;
      }
    result += d ? ", " : "";
    result += entry ? entry->name : dim.isStatic() ? std::to_string(dim.getSize()) : "?";
  }
  return result + "]";
}

void HeaderWriter::introduction() {
  os << "/* " << prefix << ".h: the model '" << inComment(interface.model) << "' for " << target << "\n"
     << " *\n"
     << " * " << name("run") << "() computes the outputs from the inputs. It allocates nothing, keeps nothing between\n"
     << " * calls, starts no thread, and calls nothing but memcpy, memmove, memset and the functions of <math.h>\n"
     << " * (link with -lm). Calls may run at the same time when each has an arena and outputs of its own.\n"
     << " *\n"
     << " * Tensors lie in row-major order without gaps, bool and types narrower than a byte in one byte an element, "
        "f16\n"
     << " * and bf16 as their 16 bits. All memory is the caller's: inputs are only read, outputs only written.\n"
     << " * Pointers are aligned to the element, the arena to " << interface.macro("ARENA_ALIGNMENT") << ".\n";
  if (!features.empty())
    os << " *\n * The processor must have: " << features << ".\n";
  os << " */\n";
}

void HeaderWriter::macros() {
  os << "#define " << interface.macro("ARENA_ALIGNMENT") << " 64\n";
  if (interface.isStatic())
    os << "/* Bytes of scratch memory that " << name("run") << "() needs. */\n"
       << "#define " << interface.macro("ARENA_BYTES") << " " << interface.staticBytes << "\n";
  else
    os << "/* The part of the arena that every call needs; " << name(interface.hasSizesFunction() ? "sizes" : "run")
       << "() tells the rest. */\n"
       << "#define " << interface.macro("ARENA_MIN_BYTES") << " " << interface.staticBytes << "\n";
  IdentifierPool names;
  for (const auto &[tensors, kind] : {std::pair(&interface.inputs, "INPUT_"), std::pair(&interface.outputs, "OUTPUT_")})
    for (const CTensor &tensor : *tensors)
      if (!tensor.isDynamic())
        os << "#define " << interface.macro(names.get(kind + tensor.name + "_BYTES")) << " " << tensor.bytes << "\n";
  os << "\n/* What the functions return; " << name("message") << "() explains every code. */\n"
     << "enum {\n"
     << "  " << interface.macro("OK") << " = " << MessageTable::kDone << ",\n"
     << "  " << interface.macro("ARENA_TOO_SMALL") << " = " << MessageTable::kArenaTooSmall << ",\n"
     << "  " << interface.macro("OUTPUT_TOO_SMALL") << " = " << MessageTable::kOutputTooSmall
     << " /* larger codes: an argument or a value is wrong */\n};\n\n";
}

void HeaderWriter::inputs() {
  os << "typedef struct " << name("inputs") << " {\n";
  for (auto [i, input] : llvm::enumerate(interface.inputs))
    os << "  const " << input.element.type << " *" << input.name << "; /* '"
       << inComment(input.tensor.getName().getValue()) << "': " << describe(input, i) << " */\n";
  for (const CDim &dim : interface.dims) {
    auto [input, position] = dim.uses.front();
    StringRef symbol = interface.inputs[input].tensor.getDims()[position].getSymbol().getValue();
    os << "  int64_t " << dim.name << "; /* ";
    if (!symbol.empty())
      os << "'" << inComment(symbol) << "': ";
    for (auto [n, use] : llvm::enumerate(dim.uses))
      os << (n ? ", " : "") << "dimension " << use.second << " of " << interface.inputs[use.first].name;
    os << "; at least " << dim.min;
    if (dim.max != INT64_MAX)
      os << ", at most " << dim.max;
    os << " */\n";
  }
  if (interface.inputs.empty())
    os << "  char unused;\n";
  os << "} " << name("inputs") << ";\n\n";
}

void HeaderWriter::outputs() {
  os << "typedef struct " << name("outputs") << " {\n";
  for (const CTensor &output : interface.outputs) {
    os << "  " << output.element.type << " *" << output.name << "; /* '"
       << inComment(output.tensor.getName().getValue()) << "': " << describe(output, std::nullopt) << " */\n";
    if (!output.isDynamic())
      continue;
    os << "  size_t " << output.name << "_bytes; /* in: the room there; out: what the output takes */\n";
    if (size_t rank = output.tensor.getDims().size())
      os << "  int64_t " << output.name << "_shape[" << rank << "]; /* out */\n";
  }
  if (interface.dependence == DataDependence::Computed)
    os << "  size_t arena_needed; /* out, with " << interface.macro("ARENA_TOO_SMALL")
       << ": how much would have led further */\n";
  else if (interface.outputs.empty())
    os << "  char unused;\n";
  os << "} " << name("outputs") << ";\n\n";
}

void HeaderWriter::functions() {
  if (interface.hasSizesFunction()) {
    os << "/* Tells how large the arena must be, and sets the _bytes of outputs (at least what they take) and their\n"
       << " * _shape. ";
    if (interface.readInputs.empty()) {
      os << "Only the extents in `inputs` are read, no pointer.";
    } else {
      os << "Of the pointers in `inputs` it reads:";
      for (auto [n, input] : llvm::enumerate(interface.readInputs))
        os << (n ? ", " : " ") << interface.inputs[input].name;
      os << ".";
    }
    os << " */\nint " << name("sizes") << "(const " << name("inputs") << " *inputs, " << name("outputs")
       << " *outputs, size_t *arena_bytes);\n\n";
  }
  os << "/* Runs the model; `arena` is scratch memory of `arena_bytes` bytes, with nothing of value before and "
        "after.\n";
  if (interface.dependence == DataDependence::Computed)
    os << " * How much it takes depends on values that are computed: with " << interface.macro("ARENA_TOO_SMALL")
       << " or\n * " << interface.macro("OUTPUT_TOO_SMALL") << " call again with more.\n";
  os << " * When it fails, outputs hold nothing of value. */\n"
     << "int " << name("run") << "(const " << name("inputs") << " *inputs, " << name("outputs")
     << " *outputs, void *arena, size_t arena_bytes);\n\n"
     << "/* What a code means: a string that is never freed, never NULL. */\n"
     << "const char *" << name("message") << "(int code);\n";
}

std::string HeaderWriter::write() {
  introduction();
  std::string guard = interface.macro("H");
  os << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  macros();
  inputs();
  outputs();
  functions();
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}

std::string hone::cpu::writeHeader(const StandaloneInterface &interface, StringRef target, StringRef features) {
  return HeaderWriter(interface, target, features).write();
}
