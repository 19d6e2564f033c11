//===- Arguments.cpp - The command line of hone-run -----------------------===//
//
// Options are --name=value or --name value; flags take none. Each knows the commands it belongs to.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Arguments.h"

#include <cstring>

using namespace hone::tools;

namespace {

enum Commands : unsigned { InRun = 1, InBench = 2, InInspect = 4 };

/// What is being filled: the parts all commands share, and the whole.
struct Target {
  Arguments &arguments;
  Request &request;
};

struct Option {
  const char *name;
  const char *value; ///< how help names it; null for a flag; "[...]" when it may be left out
  unsigned commands;
  const char *help;
  bool (*set)(Target target, const std::string &value, std::string &error);
};

bool setNumber(const std::string &text, uint64_t most, uint64_t &number, std::string &error) {
  if (parseNumber(text, number) && number <= most)
    return true;
  error = "'" + text + "' is not a number up to " + std::to_string(most);
  return false;
}

const Option kOptions[] = {
    {"input", "NAME=FILE", InRun | InBench, "a .npy or .pb file for an input (split at the last '=')",
     [](Target target, const std::string &value, std::string &error) {
       std::string name, file;
       if (!splitAssignment(value, name, file)) {
         error = "expected NAME=FILE, not '" + value + "'";
         return false;
       }
       target.request.inputs.emplace_back(name, file);
       return true;
     }},
    {"dim", "NAME=N", InRun | InBench, "the size of a free dimension (or INPUT:AXIS) of random inputs",
     [](Target target, const std::string &value, std::string &error) {
       std::string name, text;
       uint64_t number;
       if (!splitAssignment(value, name, text)) {
         error = "expected NAME=N, not '" + value + "'";
         return false;
       }
       if (!setNumber(text, INT64_MAX, number, error))
         return false;
       for (const auto &[known, size] : target.request.dims)
         if (known == name) {
           error = "'" + name + "' is given twice";
           return false;
         }
       target.request.dims.emplace_back(name, static_cast<int64_t>(number));
       return true;
     }},
    {"seed", "N", InRun | InBench, "of random inputs (0)",
     [](Target target, const std::string &value, std::string &error) {
       return setNumber(value, UINT64_MAX, target.request.seed, error);
     }},
    {"device", "NAME", InRun | InBench, "cpu, cuda:0, vulkan:0 (the module's first that there is)",
     [](Target target, const std::string &value, std::string &) {
       target.request.device = value;
       return true;
     }},
    {"target", "NAME", InRun | InBench, "run the program of this target, not the best one",
     [](Target target, const std::string &value, std::string &) {
       target.request.target = value;
       return true;
     }},
    {"threads", "N", InRun | InBench, "how many compute; 0 for all processors (1)",
     [](Target target, const std::string &value, std::string &error) {
       uint64_t number;
       if (!setNumber(value, 4096, number, error))
         return false;
       target.request.threads = static_cast<uint32_t>(number);
       return true;
     }},
    {"synchronous", nullptr, InRun, "wait after every kernel, so that a failing one is named",
     [](Target target, const std::string &, std::string &) { return target.request.synchronous = true; }},
    {"output-dir", "DIR", InRun, "write the outputs and outputs.json there",
     [](Target target, const std::string &value, std::string &) {
       target.arguments.run.outputDir = value;
       return true;
     }},
    {"runs", "N", InBench, "measured runs (as many as fit a second, at least ten)",
     [](Target target, const std::string &value, std::string &error) {
       uint64_t number;
       if (!setNumber(value, 1000000000, number, error))
         return false;
       target.arguments.bench.runs = static_cast<uint32_t>(number);
       return true;
     }},
    {"profile", nullptr, InBench, "time of every kernel",
     [](Target target, const std::string &, std::string &) { return target.arguments.bench.profile = true; }},
    {"device-memory", nullptr, InBench, "inputs and outputs stay in the device's memory",
     [](Target target, const std::string &, std::string &) { return target.arguments.bench.deviceMemory = true; }},
    {"plan", nullptr, InInspect, "print the programs",
     [](Target target, const std::string &, std::string &) { return target.arguments.inspect.plan = true; }},
    {"verify", nullptr, InInspect, "compare all checksums",
     [](Target target, const std::string &, std::string &) { return target.arguments.inspect.verify = true; }},
    {"json", "[FILE]", InRun | InBench | InInspect, "the result for machines, to a file or instead of the text",
     [](Target target, const std::string &value, std::string &) {
       target.request.json = value.empty() ? "-" : value;
       return true;
     }},
};

struct CommandRow {
  const char *name;
  Command command;
  Commands bit;
  const char *help;
};

const CommandRow kCommands[] = {
    {"run", Command::Run, InRun, "run once and write the outputs"},
    {"bench", Command::Bench, InBench, "measure how long a run takes"},
    {"inspect", Command::Inspect, InInspect, "inputs, outputs, targets, sizes, plan"},
};

const Option *findOption(const std::string &name) {
  for (const Option &option : kOptions)
    if (name == option.name)
      return &option;
  return nullptr;
}

} // namespace

std::string hone::tools::helpText() {
  std::string text = "usage: hone-run COMMAND FILE.hone [OPTION]...\n\ncommands:\n";
  auto row = [&](std::string left, const char *right) {
    left.resize(std::max<size_t>(left.size() + 1, 24), ' ');
    text += "  " + left + right + "\n";
  };
  for (const CommandRow &command : kCommands)
    row(command.name, command.help);
  for (const CommandRow &command : kCommands) {
    text += "\noptions of " + std::string(command.name) + ":\n";
    for (const Option &option : kOptions)
      if (option.commands & command.bit)
        row("--" + std::string(option.name) +
                (option.value ? (option.value[0] == '[' ? "[=FILE]" : "=" + std::string(option.value)) : ""),
            option.help);
  }
  return text + "\nexit codes: 0 done, 1 model, data or options at fault, 2 usage\n";
}

/// One option, whose value may be the next word.
static bool parseOption(const std::string &word, const char *next, const CommandRow &command, Target target,
                        bool &usedNext, std::string &error) {
  size_t equals = word.find('=');
  std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  const Option *option = findOption(name);
  if (!option || !(option->commands & command.bit)) {
    error = "'" + std::string(command.name) + "' has no option '--" + name + "'";
    return false;
  }
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  bool optional = option->value && option->value[0] == '[';
  if (!option->value && equals != std::string::npos) {
    error = "'--" + name + "' takes no value";
    return false;
  }
  if (option->value && !optional && equals == std::string::npos) {
    if (!next) {
      error = "'--" + name + "' needs a value";
      return false;
    }
    value = next;
    usedNext = true;
  }
  if (option->set(target, value, error))
    return true;
  error = "--" + name + ": " + error;
  return false;
}

bool hone::tools::parseArguments(int count, const char *const *words, Arguments &arguments, std::string &error) {
  for (int i = 1; i < count; ++i)
    if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h"))
      return true;
  if (count < 2) {
    error = "no command";
    return false;
  }
  if (!strcmp(words[1], "--version")) {
    arguments.command = Command::Version;
    return true;
  }
  const CommandRow *command = nullptr;
  for (const CommandRow &row : kCommands)
    if (!strcmp(words[1], row.name))
      command = &row;
  if (!command) {
    error = "no command '" + std::string(words[1]) + "'";
    return false;
  }
  arguments.command = command->command;
  Request &request = command->bit == InRun     ? static_cast<Request &>(arguments.run)
                     : command->bit == InBench ? static_cast<Request &>(arguments.bench)
                                               : static_cast<Request &>(arguments.inspect);
  for (int i = 2; i < count; ++i) {
    std::string word = words[i];
    if (word.compare(0, 2, "--") == 0) {
      bool usedNext = false;
      if (!parseOption(word, i + 1 < count ? words[i + 1] : nullptr, *command, {arguments, request}, usedNext, error))
        return false;
      i += usedNext;
    } else if (request.modelPath.empty()) {
      request.modelPath = word;
    } else {
      error = "more than one file: '" + request.modelPath + "' and '" + word + "'";
      return false;
    }
  }
  if (request.modelPath.empty())
    error = "no file";
  return error.empty();
}
