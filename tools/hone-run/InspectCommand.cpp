//===- InspectCommand.cpp - hone-run inspect ------------------------------===//
//
// Reads the format alone: a module for another machine can be inspected on this one.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"
#include "tools/hone-run/Files.h"
#include "tools/hone-run/Run.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace hone;
using namespace hone::tools;

namespace {
struct FreeDeleter {
  void operator()(uint8_t *memory) const { free(memory); }
};

/// A verified table over aligned bytes.
struct Inspected {
  std::unique_ptr<uint8_t, FreeDeleter> bytes;
  size_t size = 0;
  const format::Module *module = nullptr;
};
} // namespace

static bool load(const InspectRequest &request, Inspected &file, std::string &error) {
  std::vector<uint8_t> read;
  const uint8_t *source = request.bytes;
  file.size = request.size;
  if (!source) {
    if (!readFile(request.modelPath, read, error))
      return false;
    source = read.data();
    file.size = read.size();
  }
  file.bytes.reset(static_cast<uint8_t *>(aligned_alloc(64, (file.size + 64) / 64 * 64)));
  if (!file.bytes) {
    error = "out of memory";
    return false;
  }
  if (file.size)
    memcpy(file.bytes.get(), source, file.size);
  format::Error why;
  file.module = format::openModule(file.bytes.get(), file.size, why);
  bool intact = file.module != nullptr;
  if (intact && request.verify) {
    if (const format::Segment *data = file.module->constant_data())
      intact = format::verifySegment(file.bytes.get(), *data, "constants", why);
    if (const auto *executables = file.module->executables())
      for (const format::Executable *executable : *executables)
        intact = intact && format::verifySegment(file.bytes.get(), *executable->code(), "kernel code", why);
  }
  if (!intact)
    error = "'" + request.modelPath + "': " + why.text;
  return intact;
}

static std::string text(const flatbuffers::String *string) { return string ? string->str() : ""; }

template <typename T> static size_t countOf(const T *vector) { return vector ? vector->size() : 0; }

static std::string describeDim(const format::Dim &dim) {
  if (dim.size() >= 0)
    return std::to_string(dim.size());
  std::string name = text(dim.symbol());
  if (name.empty())
    name = "?";
  if (dim.min() > 0 || dim.max() < INT64_MAX)
    name += "(" + std::to_string(dim.min()) + ".." +
            (dim.max() < INT64_MAX ? std::to_string(dim.max()) : std::string()) + ")";
  return name;
}

using Tensors = flatbuffers::Vector<flatbuffers::Offset<format::Tensor>>;

static void printTensors(const char *what, const Tensors *tensors) {
  for (size_t i = 0; i < countOf(tensors); ++i) {
    const format::Tensor &tensor = *tensors->Get(i);
    std::string shape;
    for (size_t d = 0; d < countOf(tensor.dims()); ++d)
      shape += describeDim(*tensor.dims()->Get(d)) + "x";
    printf("%s '%s' %s%s\n", what, tensor.name()->c_str(), shape.c_str(), format::dtypeName(tensor.dtype()));
  }
}

static size_t countLaunches(const format::Program &program) {
  const int32_t *code = program.code()->data();
  size_t words = program.code()->size(), launches = 0;
  for (size_t at = 0; at < words; at += format::instructionLength(code, words, at))
    launches += code[at] == static_cast<int32_t>(format::Opcode::Launch);
  return launches;
}

namespace {
/// What one target takes of the file. Constants that several programs name are in the file once.
struct TargetSizes {
  uint64_t code = 0, constants = 0, shared = 0, plan = 0;
};
} // namespace

/// Which constants a program names.
static std::vector<bool> constantsOf(const format::Module &module, const format::Program &program) {
  std::vector<bool> named(countOf(module.constants()));
  const int32_t *code = program.code()->data();
  size_t words = program.code()->size();
  for (size_t at = 0; at < words; at += format::instructionLength(code, words, at))
    if (code[at] == static_cast<int32_t>(format::Opcode::BufferConstant))
      named[static_cast<size_t>(code[at + 2])] = true;
  return named;
}

static std::vector<TargetSizes> sizesOf(const format::Module &module) {
  std::vector<std::vector<bool>> named;
  std::vector<size_t> users(countOf(module.constants()));
  for (const format::Program *program : *module.programs()) {
    named.push_back(constantsOf(module, *program));
    for (size_t i = 0; i < users.size(); ++i)
      users[i] += named.back()[i];
  }
  std::vector<TargetSizes> sizes(module.programs()->size());
  for (size_t p = 0; p < sizes.size(); ++p) {
    const format::Program &program = *module.programs()->Get(p);
    for (size_t i = 0; i < users.size(); ++i) {
      uint64_t bytes = named[p][i] ? module.constants()->Get(i)->size() : 0;
      sizes[p].constants += bytes;
      sizes[p].shared += users[i] > 1 ? bytes : 0;
    }
    for (size_t i = 0; i < countOf(module.executables()); ++i)
      if (module.executables()->Get(i)->target()->str() == program.target()->str())
        sizes[p].code += module.executables()->Get(i)->code()->size();
    sizes[p].plan = program.code()->size() * sizeof(int32_t) + countOf(program.pool()) * sizeof(int64_t);
    for (size_t i = 0; i < countOf(program.messages()); ++i)
      sizes[p].plan += program.messages()->Get(i)->size();
  }
  return sizes;
}

static void printSizes(const format::Module &module) {
  std::vector<TargetSizes> sizes = sizesOf(module);
  for (size_t p = 0; p < sizes.size(); ++p) {
    printf("target %s: code %s, constants %s", module.programs()->Get(p)->target()->c_str(),
           formatBytes(sizes[p].code).c_str(), formatBytes(sizes[p].constants).c_str());
    if (sizes.size() > 1)
      printf(" (%s shared with others)", formatBytes(sizes[p].shared).c_str());
    printf(", plan %s\n", formatBytes(sizes[p].plan).c_str());
  }
}

static void printPlan(const format::Module &module, const format::Program &program) {
  const int32_t *code = program.code()->data();
  size_t words = program.code()->size();
  std::vector<char> line(1 << 10);
  for (size_t at = 0; at < words; at += format::instructionLength(code, words, at)) {
    int length = format::printInstruction(module, program, at, line.data(), line.size());
    if (static_cast<size_t>(length) >= line.size()) {
      line.resize(static_cast<size_t>(length) + 1);
      format::printInstruction(module, program, at, line.data(), line.size());
    }
    printf("  %s\n", line.data());
  }
}

static void print(const InspectRequest &request, const Inspected &file) {
  const format::Module &module = *file.module;
  uint64_t constants = module.constant_data() ? module.constant_data()->size() : 0;
  printf("%s: model '%s' by '%s', %s\n", request.modelPath.c_str(), text(module.model()).c_str(),
         text(module.producer()).c_str(), formatBytes(file.size).c_str());
  printTensors("input", module.inputs());
  printTensors("output", module.outputs());
  printf("constants: %zu, %s\n", countOf(module.constants()), formatBytes(constants).c_str());
  for (size_t i = 0; i < countOf(module.executables()); ++i) {
    const format::Executable &executable = *module.executables()->Get(i);
    size_t kernels = 0;
    for (size_t k = 0; k < countOf(module.kernels()); ++k)
      kernels += module.kernels()->Get(k)->executable() == i;
    printf("executable %zu: %s, %s, %s, kernels %zu, needs", i, executable.target()->c_str(),
           executable.format()->c_str(), formatBytes(executable.code()->size()).c_str(), kernels);
    for (size_t f = 0; f < countOf(executable.features()); ++f)
      printf(" %s", executable.features()->Get(f)->c_str());
    printf(countOf(executable.features()) ? "\n" : " nothing\n");
  }
  printSizes(module);
  for (const format::Program *program : *module.programs()) {
    printf("program %s: launches %zu, %s, arena %s (no plan below %s, sum of intermediates %s)",
           program->target()->c_str(), countLaunches(*program), program->replayable() ? "replayable" : "interpreted",
           formatBytes(program->static_bytes()).c_str(), formatBytes(program->lower_bound()).c_str(),
           formatBytes(program->total_bytes()).c_str());
    if (program->arena_bound() > program->static_bytes())
      printf(", at most %s with run-time sizes", formatBytes(program->arena_bound()).c_str());
    printf("\n");
    if (request.plan)
      printPlan(module, *program);
  }
}

static std::string jsonTensors(const Tensors *tensors) {
  std::string json = "[";
  for (size_t i = 0; i < countOf(tensors); ++i) {
    const format::Tensor &tensor = *tensors->Get(i);
    json += std::string(i ? ", " : "") + "{\"name\": " + jsonString(text(tensor.name())) + ", \"dtype\": \"" +
            findType(static_cast<hone_dtype_t>(tensor.dtype()))->name + "\", \"shape\": [";
    for (size_t d = 0; d < countOf(tensor.dims()); ++d) {
      const format::Dim &dim = *tensor.dims()->Get(d);
      json += d ? ", " : "";
      if (dim.size() >= 0)
        json += std::to_string(dim.size());
      else
        json += dim.symbol() && dim.symbol()->size() ? jsonString(dim.symbol()->str()) : "null";
    }
    json += "]}";
  }
  return json + "]";
}

static std::string jsonOf(const InspectRequest &request, const Inspected &file) {
  const format::Module &module = *file.module;
  uint64_t constants = module.constant_data() ? module.constant_data()->size() : 0;
  std::string json =
      "{\n  \"file\": " + jsonString(request.modelPath) + ",\n  \"model\": " + jsonString(text(module.model())) +
      ",\n  \"producer\": " + jsonString(text(module.producer())) +
      ",\n  \"file_bytes\": " + std::to_string(file.size) + ",\n  \"constant_bytes\": " + std::to_string(constants) +
      ",\n  \"inputs\": " + jsonTensors(module.inputs()) + ",\n  \"outputs\": " + jsonTensors(module.outputs()) +
      ",\n  \"executables\": [";
  for (size_t i = 0; i < countOf(module.executables()); ++i) {
    const format::Executable &executable = *module.executables()->Get(i);
    json += std::string(i ? "," : "") + "\n    {\"target\": " + jsonString(text(executable.target())) +
            ", \"format\": " + jsonString(text(executable.format())) +
            ", \"code_bytes\": " + std::to_string(executable.code()->size()) + ", \"features\": [";
    for (size_t f = 0; f < countOf(executable.features()); ++f)
      json += (f ? ", " : "") + jsonString(executable.features()->Get(f)->str());
    json += "]}";
  }
  json += "\n  ],\n  \"programs\": [";
  std::vector<TargetSizes> sizes = sizesOf(module);
  for (size_t i = 0; i < countOf(module.programs()); ++i) {
    const format::Program &program = *module.programs()->Get(i);
    json += std::string(i ? "," : "") + "\n    {\"target\": " + jsonString(text(program.target())) +
            ", \"launches\": " + std::to_string(countLaunches(program)) +
            ", \"replayable\": " + (program.replayable() ? "true" : "false") +
            ", \"arena_bytes\": " + std::to_string(program.static_bytes()) +
            ", \"lower_bound_bytes\": " + std::to_string(program.lower_bound()) +
            ", \"intermediate_bytes\": " + std::to_string(program.total_bytes()) +
            ", \"arena_bound_bytes\": " + std::to_string(program.arena_bound()) +
            ", \"code_bytes\": " + std::to_string(sizes[i].code) +
            ", \"constant_bytes\": " + std::to_string(sizes[i].constants) +
            ", \"shared_constant_bytes\": " + std::to_string(sizes[i].shared) +
            ", \"plan_bytes\": " + std::to_string(sizes[i].plan) + "}";
  }
  json += "\n  ],\n  \"kernels\": [";
  for (size_t i = 0; i < countOf(module.kernels()); ++i) {
    const format::Kernel &kernel = *module.kernels()->Get(i);
    json += std::string(i ? "," : "") + "\n    {\"name\": " + jsonString(text(kernel.name())) +
            ", \"executable\": " + std::to_string(kernel.executable()) +
            ", \"workgroup_size\": " + std::to_string(kernel.workgroup_size()) +
            ", \"shared_bytes\": " + std::to_string(kernel.shared_bytes()) + ", \"nodes\": [";
    for (size_t n = 0; n < countOf(kernel.nodes()); ++n)
      json += (n ? ", " : "") + jsonString(kernel.nodes()->Get(n)->str());
    json += "]}";
  }
  return json + "\n  ]\n}\n";
}

int hone::tools::inspectCommand(const InspectRequest &request) {
  Inspected file;
  std::string error;
  if (!load(request, file, error))
    return fail(request, error);
  if (!request.json.empty() && !writeJson(request.json, jsonOf(request, file), error))
    return fail(request, error);
  if (request.json != "-")
    print(request, file);
  return ExitDone;
}
