//===- Options.cpp - Command-line options of the driver -------------------===//

#include "tools/hone/Options.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::driver;
using llvm::StringRef;

void OptionParser::add(StringRef name, StringRef placeholder, StringRef help, SetFn set) {
  options.push_back({name.str(), placeholder.str(), help.str(), std::move(set), nullptr});
}

void OptionParser::add(StringRef name, StringRef placeholder, StringRef help, std::string &value) {
  add(name, placeholder, help, [&value](StringRef text) {
    value = text.str();
    return std::string();
  });
}

void OptionParser::add(StringRef name, StringRef placeholder, StringRef help, int &value) {
  add(name, placeholder, help, [&value](StringRef text) {
    return text.getAsInteger(10, value) ? "'" + text.str() + "' is not a number" : std::string();
  });
}

void OptionParser::addFlag(StringRef name, StringRef help, bool &value) {
  options.push_back({name.str(), "", help.str(), nullptr, &value});
}

int OptionParser::fail(const llvm::Twine &message) {
  llvm::errs() << "hone: error: " << message << "\nusage: " << usage << "\n";
  return kUsage;
}

void OptionParser::printHelp() {
  llvm::outs() << "usage: " << usage << "\n\n";
  for (const Option &option : options) {
    std::string left = option.name + (option.placeholder.empty() ? "" : "=" + option.placeholder);
    llvm::outs() << "  " << llvm::left_justify(left, 28) << option.help << "\n";
  }
}

std::optional<int> OptionParser::parse(llvm::ArrayRef<std::string> arguments, size_t positional) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      printHelp();
      return kDone;
    }
    if (!argument.starts_with("-") || argument == "-") {
      positionals.push_back(argument.str());
      continue;
    }
    // -O2 is an option with its value attached.
    bool level = argument.starts_with("-O");
    auto [name, value] = level ? std::pair(argument.take_front(2), argument.drop_front(2)) : argument.split('=');
    auto found = llvm::find_if(options, [&, name = name](const Option &option) { return option.name == name; });
    if (found == options.end())
      return fail("unknown option '" + name + "'");
    if (found->flag) {
      if (argument.contains('='))
        return fail(name + " takes no value");
      *found->flag = true;
      continue;
    }
    if (!level && !argument.contains('=')) {
      if (i + 1 == arguments.size())
        return fail(name + " needs a value");
      value = arguments[++i];
    }
    if (std::string problem = found->set(value); !problem.empty())
      return fail(name + ": " + problem);
  }
  if (positionals.size() != positional)
    return fail("expected " + llvm::Twine(positional) + " file, but " + llvm::Twine(positionals.size()) + " are given");
  return std::nullopt;
}

void hone::driver::addModelOptions(OptionParser &parser, CompileOptions &options) {
  parser.add("--target", "T", "cpu (this machine), cpu:avx2, cpu:avx512, cpu:neon", options.target);
  parser.add("--dim", "NAME=N|MIN..MAX", "extent or range of a dynamic dimension", [&](StringRef text) {
    // Symbols may hold an '=' themselves.
    auto [name, value] = text.rsplit('=');
    if (name.empty() || value.empty())
      return std::string("expected NAME=N or NAME=MIN..MAX");
    options.dims.emplace_back(name.str(), value.str());
    return std::string();
  });
  parser.add("--precision", "P", "f32", [&](StringRef text) {
    options.precision = text.str();
    return text == "f32" ? std::string() : "'" + text.str() + "' is not one of: f32";
  });
}

void hone::driver::addCompileOptions(OptionParser &parser, CompileOptions &options) {
  addModelOptions(parser, options);
  std::vector<EmitKind> kinds = emitKinds();
  std::string names;
  for (const EmitKind &kind : kinds)
    names += (names.empty() ? "" : ", ") + kind.name;
  parser.add("--emit", "KIND", names, [&options, kinds, names](StringRef text) {
    auto kind = llvm::find_if(kinds, [&](const EmitKind &kind) { return kind.name == text; });
    if (kind == kinds.end())
      return "'" + text.str() + "' is not one of: " + names;
    options.emit = *kind;
    return std::string();
  });
  parser.add("--to", "PHASE", "stop behind a phase and print the IR", [&](StringRef text) {
    options.stopAfter = parsePhase(text);
    if (options.stopAfter)
      return std::string();
    std::string known;
    for (int i = 0; i <= static_cast<int>(Phase::Emit); ++i)
      known += (i ? ", " : "") + phaseName(static_cast<Phase>(i)).str();
    return "'" + text.str() + "' is not one of: " + known;
  });
  parser.add("--dump-to", "DIR", "write the IR behind every phase", options.dumpTo);
  parser.add("--disable-pass", "PASS", "leave a pass out", [&](StringRef text) {
    options.disabledPasses.push_back(text.str());
    return std::string();
  });
  parser.add("-O", "0..3", "how much to optimize", [&](StringRef text) {
    return text.getAsInteger(10, options.optLevel) || options.optLevel < 0 || options.optLevel > 3
               ? "'" + text.str() + "' is not 0, 1, 2 or 3"
               : std::string();
  });
  parser.addFlag("--timing", "print the time of every pass", options.timing);
  parser.addFlag("--remarks", "print what was fused, substituted and refused, and why", options.remarks);
}
