//===- SupportTable.cpp - Which ONNX operators are supported --------------===//
//
// What ONNX's schemas say of every operator, beside what the importer's table says of it.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Import.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/OpRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone::frontend;
using llvm::StringRef;

/// The oldest opset that the table speaks of: what exporters of the last years write.
static constexpr int kOldestOpset = 7;

namespace {

/// Element types as the table calls them, in its order; those of one name are one.
struct TypeRow {
  StringRef onnx, shown;
};
constexpr TypeRow kTypes[] = {
    {"bool", "bool"},     {"int2", "i2"},           {"int4", "i4"},         {"int8", "i8"},
    {"int16", "i16"},     {"int32", "i32"},         {"int64", "i64"},       {"uint2", "u2"},
    {"uint4", "u4"},      {"uint8", "u8"},          {"uint16", "u16"},      {"uint32", "u32"},
    {"uint64", "u64"},    {"float4e2m1", "f4"},     {"float8e4m3fn", "f8"}, {"float8e4m3fnuz", "f8"},
    {"float8e5m2", "f8"}, {"float8e5m2fnuz", "f8"}, {"float8e8m0", "f8"},   {"float16", "f16"},
    {"bfloat16", "bf16"}, {"float", "f32"},         {"double", "f64"},
};
/// What no tensor of ours holds.
constexpr TypeRow kRefused[] = {
    {"string", "strings"},
    {"complex64", "complex numbers"},
    {"complex128", "complex numbers"},
};

} // namespace

/// "tensor(float)" out of "seq(tensor(float))" is "float".
static StringRef elementOf(StringRef type) {
  type = type.substr(type.rfind('(') + 1);
  return type.take_until([](char c) { return c == ')'; });
}

/// The names of `rows` that occur in `types`, each once.
static std::vector<std::string> namesOf(llvm::ArrayRef<TypeRow> rows, const std::set<std::string> &types) {
  std::vector<std::string> names;
  for (const TypeRow &row : rows)
    if (llvm::any_of(types, [&](StringRef type) { return elementOf(type) == row.onnx; }) &&
        (names.empty() || names.back() != row.shown))
      names.push_back(row.shown.str());
  return names;
}

/// The versions in effect from kOldestOpset on.
static std::string versionsOf(const std::set<int> &versions, bool isDefaultDomain) {
  auto first = versions.upper_bound(isDefaultDomain ? kOldestOpset : 1);
  if (first != versions.begin())
    --first;
  std::vector<std::string> shown;
  for (; first != versions.end(); ++first)
    shown.push_back(std::to_string(*first));
  return llvm::join(shown, ", ");
}

/// The importer's own note, or what follows from the types.
static std::string limitsOf(const OpRegistry::Entry *entry, const std::set<std::string> &types) {
  if (entry && !entry->note.empty())
    return entry->note;
  std::vector<std::string> refused = namesOf(kRefused, types);
  return refused.empty() ? "" : "no " + llvm::join(refused, ", no ");
}

void hone::frontend::printSupportTable(llvm::raw_ostream &os) {
  const OpRegistry &registry = OpRegistry::get();
  auto operators = library::operators();
  // Operators that are not ONNX's own have importers only.
  for (const auto &entry : registry.all())
    if (entry.first.first != library::kFlatDomain)
      operators.try_emplace(entry.first);
  std::set<std::string> all;
  for (const TypeRow &row : kTypes)
    all.insert(row.onnx.str());
  const std::vector<std::string> every = namesOf(kTypes, all);
  std::string rows;
  size_t supported = 0, total = 0;
  for (const auto &[key, facts] : operators) {
    const auto &[domain, name] = key;
    const OpRegistry::Entry *entry = registry.find(domain, name);
    bool expands = !entry && library::hasFunctionBody(domain, name, library::newestOpset());
    total += domain.empty();
    supported += domain.empty() && (entry || expands);
    std::vector<std::string> types = namesOf(kTypes, facts.types);
    rows += "| " + (domain.empty() ? "" : domain + ".") + name + " | ";
    if (!entry && !expands) {
      rows += "no | | | |\n";
      continue;
    }
    rows += entry ? "yes | " : "by its function body | ";
    rows += versionsOf(facts.versions, domain.empty()) + " | " +
            (types.size() == every.size() ? "all" : llvm::join(types, " ")) + " | " + limitsOf(entry, facts.types) +
            " |\n";
  }
  os << supported << " of the " << total << " operators of ai.onnx are supported, up to opset "
     << library::newestOpset() << ". A model may ask for any opset from " << kOldestOpset
     << " on; *versions* are those that changed the operator since. *Types* are ONNX's for the first operand; f8 "
        "stands "
        "for its five kinds. Operators of other domains carry their name. What a model asks for beyond this is refused "
        "at once, node by node: `hone check MODEL.onnx`.\n\n";
  os << "| operator | supported | versions | types | limits |\n|---|---|---|---|---|\n" << rows;
}
