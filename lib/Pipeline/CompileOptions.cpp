//===- CompileOptions.cpp - The options of a compilation by name ----------===//

#include "lib/Pipeline/CompileOptions.h"

#include "backends/Register.h"

#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

/// "'text' is not one of: a, b".
static std::string notOneOf(StringRef text, llvm::ArrayRef<std::string> known) {
  return "'" + text.str() + "' is not one of: " + llvm::join(known, ", ");
}

static CompileOption flag(StringRef name, StringRef help, bool CompileOptions::*field) {
  return {name.str(), "", help.str(), [field](CompileOptions &options, StringRef text) {
            options.*field = text == "1";
            return text == "0" || text == "1" ? std::string() : notOneOf(text, {"0", "1"});
          }};
}

static CompileOption text(StringRef name, StringRef placeholder, StringRef help, std::string CompileOptions::*field) {
  return {name.str(), placeholder.str(), help.str(), [field](CompileOptions &options, StringRef text) {
            options.*field = text.str();
            return std::string();
          }};
}

static std::string addDim(CompileOptions &options, StringRef text) {
  // Symbols may hold an '=' themselves.
  auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty())
    return "expected NAME=N or NAME=MIN..MAX";
  for (const auto &[known, range] : options.dims)
    if (known == name)
      return "'" + name.str() + "' is given twice";
  options.dims.emplace_back(name.str(), value.str());
  return {};
}

std::vector<CompileOption> hone::modelOptions() {
  std::string targets = llvm::join(createBackends().targets(), ", ");
  return {
      text("--target", "T[,T]...", targets + "; several make one module for all", &CompileOptions::target),
      {"--dim", "NAME=N|MIN..MAX", "extent or range of a dynamic dimension", addDim},
      {"--precision", "P",
       "f32; f16, bf16: weights and what lies in memory, sums stay f32; tf32: factors, where tensor cores multiply "
       "those",
       [](CompileOptions &options, StringRef text) {
         const std::vector<std::string> known = {"f32", "tf32", "f16", "bf16"};
         options.precision = text.str();
         return llvm::is_contained(known, text) ? std::string() : notOneOf(text, known);
       }},
  };
}

std::vector<CompileOption> hone::workOptions() {
  std::vector<std::string> kinds, phases;
  for (const EmitKind &kind : emitKinds())
    kinds.push_back(kind.name);
  for (int i = 0; i <= static_cast<int>(Phase::Emit); ++i)
    phases.push_back(phaseName(static_cast<Phase>(i)).str());
  auto setEmit = [kinds](CompileOptions &options, StringRef text) {
    for (const EmitKind &kind : emitKinds())
      if (kind.name == text) {
        options.emit = kind;
        return std::string();
      }
    return notOneOf(text, kinds);
  };
  auto setPhase = [phases](CompileOptions &options, StringRef text) {
    options.stopAfter = parsePhase(text);
    return options.stopAfter ? std::string() : notOneOf(text, phases);
  };
  auto disablePass = [](CompileOptions &options, StringRef text) {
    options.disabledPasses.push_back(text.str());
    return std::string();
  };
  auto setPrefix = [](CompileOptions &options, StringRef text) {
    if (text.empty() || llvm::isDigit(text.front()) ||
        !llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      return "'" + text.str() + "' is no identifier of C";
    options.prefix = text.str();
    return std::string();
  };
  auto setLevel = [](CompileOptions &options, StringRef text) {
    int level;
    if (text.getAsInteger(10, level) || level < 0 || level > 3)
      return "'" + text.str() + "' is not 0, 1, 2 or 3";
    options.optLevel = level;
    return std::string();
  };
  return {
      {"--emit", "KIND", llvm::join(kinds, ", "), setEmit},
      {"--prefix", "NAME", "of the C functions of an object file; by default the file's name", setPrefix},
      {"--to", "PHASE", "stop behind a phase and print the IR", setPhase},
      text("--dump-to", "DIR", "write the IR behind every phase", &CompileOptions::dumpTo),
      {"--disable-pass", "PASS", "leave a pass out", disablePass},
      {"-O", "0..3", "how much to optimize", setLevel},
      flag("--timing", "print the time of every phase and pass", &CompileOptions::timing),
      flag("--remarks", "print what was fused, substituted and refused, and why", &CompileOptions::remarks),
  };
}

std::string hone::setOption(CompileOptions &options, StringRef name, StringRef value) {
  std::vector<std::string> known;
  for (const auto &table : {modelOptions(), workOptions()})
    for (const CompileOption &option : table) {
      known.push_back(StringRef(option.name).ltrim('-').str());
      if (known.back() == name)
        return option.set(options, value);
    }
  return notOneOf(name, known);
}
