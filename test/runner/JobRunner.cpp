//===- JobRunner.cpp - Runs jobs on a device of this process --------------===//

#include "test/runner/JobRunner.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace hone;
using namespace hone::runner;
using tools::HostTensor;

namespace {
struct FreeDeleter {
  void operator()(void *memory) const { free(memory); }
};
} // namespace

/// Runs once.
static Status runOnce(Module &module, Session &session, const Tensors &inputs, Tensors &outputs) {
  std::vector<const char *> inputNames, outputNames;
  std::vector<hone_tensor_t> views, results(module.outputCount());
  for (const HostTensor &input : inputs) {
    inputNames.push_back(input.name.c_str());
    views.push_back(const_cast<HostTensor &>(input).view());
  }
  for (size_t i = 0; i < results.size(); ++i)
    outputNames.push_back(module.output(i).name);
  Status status =
      session.run(inputNames.data(), views.data(), views.size(), outputNames.data(), results.data(), results.size());
  if (!status)
    return status;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto *data = static_cast<const uint8_t *>(results[i].data);
    outputs.push_back({outputNames[i],
                       results[i].dtype,
                       {results[i].shape, results[i].shape + results[i].rank},
                       {data, data + results[i].size}});
  }
  return {};
}

std::string JobRunner::take(Status status) {
  lost |= status.code() == HONE_DEVICE_FAILURE;
  std::string node = status.node();
  return (node.empty() ? "" : "node '" + node + "': ") + status.message();
}

Reply JobRunner::run(const Job &job) {
  if (!device.get()) {
    auto opened = Device::create(uri.c_str());
    if (!opened)
      return {take(opened.takeStatus()), false, {}};
    device = opened.take();
  }
  // Constants are used in place: the bytes stand at a module's alignment.
  size_t size = job.module.size();
  std::unique_ptr<void, FreeDeleter> bytes(aligned_alloc(64, (size + 64) / 64 * 64));
  memcpy(bytes.get(), job.module.data(), size);
  auto module = Module::load(device, bytes.get(), size);
  if (!module)
    return {take(module.takeStatus()), false, {}};
  hone_session_options_t options = Session::options();
  options.threads = 1;
  options.synchronous = synchronous;
  auto session = Session::create(*module, &options);
  if (!session)
    return {take(session.takeStatus()), false, {}};
  Reply reply;
  for (const Tensors &inputs : job.runs) {
    Tensors outputs;
    if (Status status = runOnce(*module, *session, inputs, outputs); !status) {
      reply.error = take(std::move(status));
      break;
    }
    reply.runs.push_back(std::move(outputs));
  }
  return reply;
}
