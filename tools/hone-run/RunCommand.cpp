//===- RunCommand.cpp - hone-run run --------------------------------------===//
//
// Runs once; writes one file an output and outputs.json, which lists them in the model's order.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"
#include "tools/hone-run/Run.h"

#include <cstdio>

using namespace hone;
using namespace hone::tools;

static void printOutput(const HostTensor &tensor) {
  const TypeInfo *type = findType(tensor.dtype);
  printf("output '%s' %s:", tensor.name.c_str(), describeShape(tensor.shape, type->name).c_str());
  uint64_t count = tensor.data.size() / type->size;
  for (uint64_t i = 0; i < count && i < 8; ++i)
    printf(" %.6g", elementValue(tensor.data.data(), tensor.dtype, i));
  printf(count > 8 ? " ...\n" : "\n");
}

static std::string listOutputs(const std::vector<HostTensor> &outputs, const std::vector<std::string> &files) {
  std::string json = "[\n";
  for (size_t i = 0; i < outputs.size(); ++i)
    json += "  {\"name\": " + jsonString(outputs[i].name) +
            (files.empty() ? std::string() : ", \"file\": " + jsonString(files[i])) + ", \"dtype\": \"" +
            findType(outputs[i].dtype)->name + "\", \"shape\": " + jsonShape(outputs[i].shape) + "}" +
            (i + 1 < outputs.size() ? ",\n" : "\n");
  return json + "]\n";
}

static bool writeOutputs(const std::string &directory, const std::vector<HostTensor> &outputs,
                         std::vector<std::string> &files, std::string &error) {
  if (!makeDirectory(directory, error))
    return false;
  std::vector<std::string> taken = {"outputs"};
  for (const HostTensor &tensor : outputs) {
    std::string file;
    if (!writeTensor(directory, safeFileName(tensor.name, taken), tensor, file, error))
      return false;
    files.push_back(file);
  }
  // Last: whoever finds the list finds the files.
  std::string json = listOutputs(outputs, files);
  return writeFile(directory + "/outputs.json", json.data(), json.size(), error);
}

int hone::tools::runCommand(const RunRequest &request) {
  Opened opened;
  std::vector<HostTensor> inputs;
  std::string error;
  if (!openModule(request, false, opened, error) || !makeInputs(request, opened.module, inputs, error))
    return fail(request, error);

  std::vector<hone_tensor_t> views, results(opened.module.outputCount());
  for (HostTensor &input : inputs)
    views.push_back(input.view());
  double start = now();
  if (Status status = opened.session.run(views.data(), views.size(), results.data(), results.size()); !status) {
    std::string node = status.node();
    return fail(request, (node.empty() ? "" : "node '" + node + "': ") + status.message());
  }
  double seconds = now() - start;

  std::vector<HostTensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const hone_tensor_t &result = results[i];
    auto *data = static_cast<const uint8_t *>(result.data);
    outputs.push_back({opened.module.output(i).name,
                       result.dtype,
                       {result.shape, result.shape + result.rank},
                       {data, data + result.size}});
  }
  std::vector<std::string> files;
  if (!request.outputDir.empty() && !writeOutputs(request.outputDir, outputs, files, error))
    return fail(request, error);
  if (!request.json.empty() && !writeJson(request.json, listOutputs(outputs, files), error))
    return fail(request, error);
  if (request.json != "-") {
    for (const HostTensor &output : outputs)
      printOutput(output);
    printf("(%.3f ms)\n", seconds * 1e3);
  }
  return ExitDone;
}
