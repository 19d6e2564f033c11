//===- Options.cpp - Command-line options of the driver -------------------===//

#include "tools/hone/Options.h"

#include "lib/Pipeline/CompileOptions.h"
#include "tools/hone-run/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::driver;
using llvm::StringRef;

void OptionParser::add(StringRef name, StringRef placeholder, StringRef help, SetFn set) {
  options.push_back({name.str(), placeholder.str(), help.str(), std::move(set)});
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
  add(name, "", help, [&value](StringRef) {
    value = true;
    return std::string();
  });
}

void OptionParser::addJson(std::string &where) {
  add("--json", "[FILE]", "the result for machines, to a file or instead of the text", [&where](StringRef text) {
    where = text.empty() ? "-" : text.str();
    return std::string();
  });
}

int OptionParser::fail(const llvm::Twine &message) {
  llvm::errs() << "hone: error: " << message << "\nusage: " << usage << "\n";
  return kUsage;
}

void OptionParser::printHelp() {
  llvm::outs() << "usage: " << usage << "\n\n";
  for (const Option &option : options) {
    std::string left = option.name;
    if (option.hasOptionalValue())
      left += "[=" + StringRef(option.placeholder).drop_front().str();
    else if (!option.placeholder.empty())
      left += (option.name == "-O" ? "" : "=") + option.placeholder;
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
    bool isFlag = found->placeholder.empty();
    if (isFlag && argument.contains('='))
      return fail(name + " takes no value");
    if (isFlag) {
      value = "1";
    } else if (!level && !argument.contains('=') && !found->hasOptionalValue()) {
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

static void addTable(OptionParser &parser, CompileOptions &options, std::vector<CompileOption> table) {
  for (CompileOption &option : table)
    parser.add(option.name, option.placeholder, option.help,
               [&options, set = std::move(option.set)](StringRef text) { return set(options, text); });
}

void hone::driver::addOptions(OptionParser &parser, CompileOptions &options, llvm::ArrayRef<StringRef> names) {
  for (auto &&table : {modelOptions(), workOptions()}) {
    std::vector<CompileOption> some = table;
    llvm::erase_if(some, [&](const CompileOption &option) { return !llvm::is_contained(names, option.name); });
    addTable(parser, options, std::move(some));
  }
}

void hone::driver::addCalibration(OptionParser &parser, CompileOptions &options) {
  auto read = [&options](StringRef folder) {
    options.examples.clear();
    for (size_t i = 0;; ++i) {
      std::string path = folder.str() + "/input_" + std::to_string(i) + ".pb", error;
      if (!llvm::sys::fs::exists(path))
        return i ? std::string() : "there is no '" + path + "'";
      tools::HostTensor tensor;
      if (!tools::readTensor(path, HONE_DTYPE_F32, tensor, error))
        return error;
      ExampleTensor &example = options.examples.emplace_back();
      example.shape.assign(tensor.shape.begin(), tensor.shape.end());
      example.bytes.assign(tensor.data.begin(), tensor.data.end());
    }
  };
  parser.add("--calibrate", "DIR", "inputs as input_N.pb: what a run on them shows decides what becomes f16 or bf16",
             read);
}

void hone::driver::addModelOptions(OptionParser &parser, CompileOptions &options) {
  addTable(parser, options, modelOptions());
}

void hone::driver::addCompileOptions(OptionParser &parser, CompileOptions &options) {
  addModelOptions(parser, options);
  addTable(parser, options, workOptions());
}
