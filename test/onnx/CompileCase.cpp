//===- CompileCase.cpp - Conformance cases through the compiler -----------===//
//
// A case becomes a job: the module and its inputs.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/DynamicModel.h"
#include "test/onnx/RunCase.h"

#include "lib/Pipeline/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tools = hone::tools;
using namespace hone::conformance;
using RunnerJob = hone::runner::Job;
using hone::tools::HostTensor;

/// Elements one after the other, as the runtime takes them. Says why the value has no tensor.
static std::string toTensor(const Value &value, HostTensor &tensor) {
  const tools::TypeInfo *type = value.kind == Value::Tensor ? tools::findTypeByOnnx(value.dataType) : nullptr;
  if (!type)
    return "input '" + value.name + "' is " + value.describe() + ", which the runtime does not take";
  tensor = {value.name, type->dtype, {value.dims.begin(), value.dims.end()}, unpackElements(value)};
  return "";
}

Outcome hone::conformance::makeJob(const Case &testCase, const CompiledOptions &options, RunnerJob &job) {
  hone::CompileOptions compile;
  compile.target = options.target;
  compile.optLevel = options.optLevel;
  CaseModel model(testCase, options.dynamic);
  auto source = model.source();
  if (!source)
    return {Status::CompileError, toString(source.takeError())};
  llvm::SmallVector<char, 0> compiled;
  std::string diagnostics;
  llvm::raw_string_ostream errors(diagnostics);
  if (failed(hone::compileModel(*source, compile, compiled, hone::printTo(errors))))
    return {Status::CompileError, firstLine(testCase, diagnostics)};
  job.module.assign(compiled.begin(), compiled.end());
  for (unsigned i = 0; i < testCase.numDataSets; ++i) {
    auto data = readDataSet(testCase, i);
    if (!data)
      return {Status::RunError, toString(data.takeError())};
    auto &inputs = job.runs.emplace_back(data->inputs.size());
    for (auto [value, tensor] : llvm::zip_equal(data->inputs, inputs))
      if (std::string why = toTensor(value, tensor); !why.empty())
        return {Status::RunError, why};
  }
  return {Status::Pass, ""};
}
