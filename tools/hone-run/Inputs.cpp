//===- Inputs.cpp - The inputs of a run -----------------------------------===//
//
// All from files, or all random in the sizes that --dim gives. Whether shapes fit the model is for the session to say.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"
#include "tools/hone-run/Random.h"
#include "tools/hone-run/Run.h"

#include <algorithm>

using namespace hone;
using namespace hone::tools;

namespace {
using DimList = std::vector<std::pair<std::string, int64_t>>;

const int64_t *findDim(const DimList &dims, const std::string &name) {
  for (const auto &[known, extent] : dims)
    if (known == name)
      return &extent;
  return nullptr;
}
} // namespace

static std::string axisName(const hone_tensor_info_t &info, uint32_t axis) {
  return std::string(info.name) + ":" + std::to_string(axis);
}

/// Every --dim must name a dimension that is free.
static bool checkDims(const Request &request, const Module &module, std::string &error) {
  std::string known;
  for (const auto &[name, extent] : request.dims) {
    bool found = false;
    for (size_t i = 0; i < module.inputCount(); ++i) {
      hone_tensor_info_t info = module.input(i);
      for (uint32_t d = 0; d < info.rank; ++d) {
        const hone_dim_info_t &dim = info.dims[d];
        if (dim.size >= 0)
          continue;
        std::string symbol = dim.symbol[0] ? dim.symbol : axisName(info, d);
        found |= symbol == name || axisName(info, d) == name;
        if (known.find("'" + symbol + "'") == std::string::npos)
          known += (known.empty() ? "'" : ", '") + symbol + "'";
      }
    }
    if (!found) {
      error = "--dim=" + name + ": " +
              (known.empty() ? "the model has no free dimension" : "the model's free dimensions are " + known);
      return false;
    }
  }
  return true;
}

static bool readInputs(const Request &request, const Module &module, std::vector<HostTensor> &inputs,
                       std::vector<bool> &given, std::string &error) {
  for (const auto &[name, file] : request.inputs) {
    size_t index = 0;
    if (Status status{hone_module_find_input(module.get(), name.c_str(), &index)}; !status) {
      error = status.message();
      return false;
    }
    if (given[index]) {
      error = "input '" + name + "' is given twice";
      return false;
    }
    given[index] = true;
    hone_tensor_info_t info = module.input(index);
    if (!readTensor(file, info.dtype, inputs[index], error))
      return false;
    inputs[index].name = name;
  }
  return true;
}

static bool randomInput(const Request &request, const hone_tensor_info_t &info, uint64_t seed, HostTensor &tensor,
                        std::string &error) {
  tensor.name = info.name;
  tensor.dtype = info.dtype;
  for (uint32_t d = 0; d < info.rank; ++d) {
    const hone_dim_info_t &dim = info.dims[d];
    int64_t extent = dim.size;
    if (extent < 0) {
      const int64_t *chosen = findDim(request.dims, axisName(info, d));
      if (!chosen && dim.symbol[0])
        chosen = findDim(request.dims, dim.symbol);
      extent = chosen ? *chosen : std::clamp<int64_t>(1, dim.min, dim.max);
    }
    tensor.shape.push_back(extent);
  }
  if (fillRandom(tensor, seed))
    return true;
  error = "input '" + tensor.name + "' of " + describeShape(tensor.shape, hone_dtype_name(tensor.dtype)) +
          " is too large for this machine";
  return false;
}

bool hone::tools::makeInputs(const Request &request, const Module &module, std::vector<HostTensor> &inputs,
                             std::string &error) {
  size_t count = module.inputCount();
  inputs.assign(count, {});
  std::vector<bool> given(count, false);
  if (!checkDims(request, module, error) || !readInputs(request, module, inputs, given, error))
    return false;
  for (size_t i = 0; i < count; ++i) {
    if (given[i])
      continue;
    hone_tensor_info_t info = module.input(i);
    // Random values beside real ones would be a wrong answer without a word.
    if (!request.inputs.empty()) {
      error = "input '" + std::string(info.name) + "' is not given (all inputs are random only without any --input)";
      return false;
    }
    if (!randomInput(request, info, request.seed + i * 0x100000001b3ull, inputs[i], error))
      return false;
  }
  return true;
}
