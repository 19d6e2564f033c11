//===- RunCompiled.cpp - Conformance cases through compiler and runtime ---===//
//
// A case becomes a job: the module and its inputs. It runs in this process, in a runner's, or elsewhere, from a file.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/Compare.h"
#include "test/onnx/RunCase.h"

#include "tools/hone-run/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tools = hone::tools;
using namespace hone::conformance;
using RunnerJob = hone::runner::Job;
using hone::runner::Reply;
using hone::tools::HostTensor;

CompiledRunner::CompiledRunner(CompiledOptions given)
    : options(std::move(given)), local(options.device), remote(options.runner) {}

static Value toValue(const HostTensor &tensor) {
  Value value;
  value.name = tensor.name;
  if (const tools::TypeInfo *type = tools::findType(tensor.dtype))
    value.dataType = type->onnx;
  value.dims.assign(tensor.shape.begin(), tensor.shape.end());
  value.bytes = packElements(tensor.data, value.dataType);
  return value;
}

/// The outputs of a reply; a failure when it is one.
static Outcome take(const Case &testCase, const Reply &reply, Outputs &outputs) {
  for (const hone::runner::Tensors &run : reply.runs) {
    outputs.emplace_back();
    for (const HostTensor &tensor : run)
      outputs.back().push_back(toValue(tensor));
  }
  if (reply.runs.size() < testCase.numDataSets || !reply.error.empty())
    return {reply.crashed ? Status::Crash : Status::RunError, reply.error};
  return {Status::Pass, ""};
}

Outcome hone::conformance::compareRuns(const Case &testCase, const Outputs &outputs) {
  for (auto [i, run] : llvm::enumerate(outputs)) {
    auto data = readDataSet(testCase, i);
    if (!data)
      return {Status::RunError, toString(data.takeError())};
    Outcome outcome = compareOutputs(testCase, run, data->outputs);
    if (outcome.status != Status::Pass)
      return outcome;
  }
  return {Status::Pass, ""};
}

/// What the reply's runs make of the case; wrong values are told before a failure behind them.
static Outcome judgeReply(const Case &testCase, const Reply &reply) {
  Outputs outputs;
  Outcome failure = take(testCase, reply, outputs), outcome = compareRuns(testCase, outputs);
  return outcome.status == Status::Pass ? failure : outcome;
}

/// The file of a case in a folder of jobs and replies.
static std::string fileOf(const Case &testCase, llvm::StringRef folder, llvm::StringRef extension) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, testCase.suite, testCase.name + extension);
  return path.str().str();
}

/// Leaves the job for a runner elsewhere; what cannot become one is a reply at once.
Outcome CompiledRunner::writeJob(const Case &testCase) {
  RunnerJob job;
  Outcome outcome = makeJob(testCase, options, job);
  std::string path = fileOf(testCase, options.jobs, ".job"), error;
  std::vector<uint8_t> bytes = encode(job);
  if (outcome.status != Status::Pass) {
    path = fileOf(testCase, options.jobs, ".outcome");
    std::string line = static_cast<char>(outcome.status) + outcome.reason;
    bytes.assign(line.begin(), line.end());
  }
  if (!tools::makeDirectory(llvm::sys::path::parent_path(path).str(), error) ||
      !tools::writeFile(path, bytes.data(), bytes.size(), error))
    return {Status::RunError, error};
  return outcome;
}

Outcome CompiledRunner::readReply(const Case &testCase) {
  std::vector<uint8_t> bytes;
  std::string error, early = fileOf(testCase, options.replies, ".outcome");
  if (llvm::sys::fs::exists(early) && tools::readFile(early, bytes, error) && !bytes.empty())
    return {static_cast<Status>(bytes[0]), std::string(bytes.begin() + 1, bytes.end())};
  Reply reply;
  std::string path = fileOf(testCase, options.replies, ".reply");
  if (!tools::readFile(path, bytes, error))
    return {Status::RunError, error};
  if (!decode(bytes, reply))
    return {Status::RunError, "'" + path + "' is no reply"};
  return judgeReply(testCase, reply);
}

Outcome CompiledRunner::run(const Case &testCase) {
  if (!options.replies.empty())
    return readReply(testCase);
  if (!options.jobs.empty())
    return writeJob(testCase);
  RunnerJob job;
  Outcome outcome = makeJob(testCase, options, job);
  if (outcome.status != Status::Pass || options.compileOnly)
    return outcome;
  outcome = judgeReply(testCase, options.runner.empty() ? local.run(job) : remote.run(job));
  outcome.endsWorker = local.hasLostDevice();
  return outcome;
}

Outcome CompiledRunner::evaluate(const Case &testCase, Outputs &outputs) {
  RunnerJob job;
  Outcome outcome = makeJob(testCase, options, job);
  if (outcome.status != Status::Pass)
    return outcome;
  return take(testCase, options.runner.empty() ? local.run(job) : remote.run(job), outputs);
}
