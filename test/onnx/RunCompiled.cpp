//===- RunCompiled.cpp - Conformance cases through compiler and runtime ---===//
//
// Everything happens in this process: the module never becomes a file.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/Compare.h"
#include "test/onnx/RunCase.h"

#include "hone/runtime.h"
#include "lib/Pipeline/Compiler.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace hone::conformance;

namespace {

struct TypePair {
  int32_t onnx;
  hone_dtype_t ours;
};

constexpr TypePair typePairs[] = {
    {Float, HONE_DTYPE_F32},
    {Double, HONE_DTYPE_F64},
    {Float16, HONE_DTYPE_F16},
    {BFloat16, HONE_DTYPE_BF16},
    {Float8E4M3FN, HONE_DTYPE_F8E4M3FN},
    {Float8E4M3FNUZ, HONE_DTYPE_F8E4M3FNUZ},
    {Float8E5M2, HONE_DTYPE_F8E5M2},
    {Float8E5M2FNUZ, HONE_DTYPE_F8E5M2FNUZ},
    {Float8E8M0, HONE_DTYPE_F8E8M0},
    {Float4E2M1, HONE_DTYPE_F4E2M1},
    {Int64, HONE_DTYPE_I64},
    {Int32, HONE_DTYPE_I32},
    {Int16, HONE_DTYPE_I16},
    {Int8, HONE_DTYPE_I8},
    {Int4, HONE_DTYPE_I4},
    {Int2, HONE_DTYPE_I2},
    {UInt64, HONE_DTYPE_U64},
    {UInt32, HONE_DTYPE_U32},
    {UInt16, HONE_DTYPE_U16},
    {UInt8, HONE_DTYPE_U8},
    {UInt4, HONE_DTYPE_U4},
    {UInt2, HONE_DTYPE_U2},
    {Bool, HONE_DTYPE_BOOL},
};

/// A session, what it hangs on, and the status that ended the last call.
class Session {
public:
  ~Session() {
    hone_session_destroy(session);
    hone_module_destroy(module);
    hone_device_destroy(device);
  }

  /// Each returns an empty string, or what went wrong.
  std::string load(const void *bytes, size_t size);
  std::string run(llvm::ArrayRef<Value> inputs, std::vector<Value> &outputs);

private:
  hone_device_t *device = nullptr;
  hone_module_t *module = nullptr;
  hone_session_t *session = nullptr;
};

} // namespace

static std::string message(hone_status_t status) {
  if (!status)
    return "";
  std::string text = hone_status_message(status);
  hone_status_free(status);
  return text;
}

/// Makes `tensor` a view of `bytes`, which are the value's, one element after
/// the other. Says why the value has no tensor.
static std::string describeInput(const Value &value, llvm::MutableArrayRef<uint8_t> bytes, hone_tensor_t &tensor) {
  const TypePair *pair = llvm::find_if(
      typePairs, [&](const TypePair &pair) { return value.kind == Value::Tensor && pair.onnx == value.dataType; });
  if (pair == std::end(typePairs) || value.dims.size() > HONE_MAX_RANK)
    return "input '" + value.name + "' is " + value.describe() + ", which the runtime does not take";
  tensor = {};
  tensor.data = bytes.data();
  tensor.size = bytes.size();
  tensor.dtype = pair->ours;
  tensor.rank = value.dims.size();
  llvm::copy(value.dims, tensor.shape);
  return "";
}

static Value toValue(const hone_tensor_t &tensor, llvm::StringRef name) {
  Value value;
  value.name = name.str();
  for (const TypePair &pair : typePairs)
    if (pair.ours == tensor.dtype)
      value.dataType = pair.onnx;
  value.dims.assign(tensor.shape, tensor.shape + tensor.rank);
  value.bytes = packElements({static_cast<const uint8_t *>(tensor.data), tensor.size}, value.dataType);
  return value;
}

std::string Session::load(const void *bytes, size_t size) {
  hone_status_t status = hone_device_create("cpu", nullptr, &device);
  if (!status)
    status = hone_module_load(device, bytes, size, nullptr, &module);
  hone_session_options_t options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  if (!status)
    status = hone_session_create(module, &options, &session);
  return message(status);
}

std::string Session::run(llvm::ArrayRef<Value> inputs, std::vector<Value> &outputs) {
  std::vector<std::vector<uint8_t>> storage;
  std::vector<hone_tensor_t> tensors(inputs.size());
  std::vector<const char *> inputNames, outputNames;
  storage.reserve(inputs.size());
  for (auto [value, tensor] : llvm::zip_equal(inputs, tensors)) {
    storage.push_back(unpackElements(value));
    if (std::string why = describeInput(value, storage.back(), tensor); !why.empty())
      return why;
    inputNames.push_back(value.name.c_str());
  }
  std::vector<hone_tensor_t> results(hone_module_output_count(module));
  for (size_t i = 0; i < results.size(); ++i) {
    hone_tensor_info_t info;
    if (hone_status_t status = hone_module_output_info(module, i, &info))
      return message(status);
    outputNames.push_back(info.name);
  }
  if (hone_status_t status = hone_session_run_named(session, inputNames.data(), tensors.data(), tensors.size(),
                                                    outputNames.data(), results.data(), results.size()))
    return message(status);
  for (auto [result, name] : llvm::zip_equal(results, outputNames))
    outputs.push_back(toValue(result, name));
  return "";
}

Outcome hone::conformance::runCompiled(const Case &testCase, llvm::StringRef target, int optLevel) {
  CompileOptions options;
  options.target = target.str();
  options.optLevel = optLevel;
  llvm::SmallVector<char, 0> compiled;
  std::string diagnostics;
  llvm::raw_string_ostream errors(diagnostics);
  if (failed(compileModel(testCase.modelPath(), options, compiled, errors)))
    return {Status::CompileError, firstLine(testCase, diagnostics)};

  // Constants are used in place, so the bytes stand at a module's alignment.
  void *aligned = llvm::allocate_buffer(compiled.size(), 64);
  llvm::scope_exit release([&] { llvm::deallocate_buffer(aligned, compiled.size(), 64); });
  std::memcpy(aligned, compiled.data(), compiled.size());
  Session session;
  if (std::string why = session.load(aligned, compiled.size()); !why.empty())
    return {Status::RunError, why};
  for (unsigned i = 0; i < testCase.numDataSets; ++i) {
    auto data = readDataSet(testCase, i);
    if (!data)
      return {Status::RunError, toString(data.takeError())};
    std::vector<Value> outputs;
    if (std::string why = session.run(data->inputs, outputs); !why.empty())
      return {Status::RunError, why};
    Outcome outcome = compareOutputs(testCase, outputs, data->outputs);
    if (outcome.status != Status::Pass)
      return outcome;
  }
  return {Status::Pass, ""};
}
