//===- BenchCommand.cpp - hone-run bench ----------------------------------===//
//
// Warm up, then measure single runs; the median is what is reported first. A profile is taken by a second session, so
// that its clock readings do not slow the measured one.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"
#include "tools/hone-run/Run.h"

#include <algorithm>
#include <cstdio>

using namespace hone;
using namespace hone::tools;

static constexpr double kWarmUpSeconds = 0.2, kMeasureSeconds = 1.0;
static constexpr uint32_t kLeastRuns = 10, kMostRuns = 100000;

namespace {

struct Bench {
  const BenchRequest &request;
  Opened opened;
  std::vector<HostTensor> inputs;
  std::vector<hone_tensor_t> views;
  std::vector<Buffer> buffers; ///< of the inputs, in device memory
  double firstRun = 0;
  std::vector<double> times; // sorted
  std::vector<hone_profile_entry_t> profile;
  Opened profiled;

  double at(double quantile) const {
    return times[static_cast<size_t>(quantile * static_cast<double>(times.size() - 1) + 0.5)];
  }
  double mean() const {
    double sum = 0;
    for (double time : times)
      sum += time;
    return sum / static_cast<double>(times.size());
  }
};

} // namespace

static bool runOnce(Bench &bench, Session &session, double &seconds, std::string &error) {
  std::vector<hone_tensor_t> outputs(bench.opened.module.outputCount());
  double start = now();
  Status status = session.run(bench.views.data(), bench.views.size(), outputs.data(), outputs.size());
  seconds = now() - start;
  if (!status)
    error = status.message();
  return status.ok();
}

/// Says that a session's tensors lie on the device.
static bool placeTensors(const Bench &bench, Session &session, std::string &error) {
  Status status;
  for (size_t i = 0; i < bench.views.size() && status.ok(); ++i)
    status = session.placeInput(i, HONE_MEMORY_DEVICE);
  for (size_t i = 0; i < bench.opened.module.outputCount() && status.ok(); ++i)
    status = session.placeOutput(i, HONE_MEMORY_DEVICE);
  error = status.message();
  return status.ok();
}

/// Copies the inputs to the device once, for all runs.
static bool moveInputs(Bench &bench, std::string &error) {
  for (hone_tensor_t &view : bench.views) {
    auto buffer = Buffer::create(bench.opened.device, view.size);
    Status status = buffer.ok() ? buffer->write(view.data, view.size) : buffer.takeStatus();
    if (!status) {
      error = status.message();
      return false;
    }
    view.data = buffer->data();
    bench.buffers.push_back(buffer.take());
  }
  return placeTensors(bench, bench.opened.session, error);
}

static bool measure(Bench &bench, std::string &error) {
  double seconds;
  if (!runOnce(bench, bench.opened.session, bench.firstRun, error))
    return false;
  for (double start = now(); now() - start < kWarmUpSeconds;)
    if (!runOnce(bench, bench.opened.session, seconds, error))
      return false;
  uint32_t runs = bench.request.runs;
  double start = now();
  while (runs
             ? bench.times.size() < runs
             : bench.times.size() < kLeastRuns || (bench.times.size() < kMostRuns && now() - start < kMeasureSeconds)) {
    if (!runOnce(bench, bench.opened.session, seconds, error))
      return false;
    bench.times.push_back(seconds);
  }
  std::sort(bench.times.begin(), bench.times.end());
  return true;
}

static bool takeProfile(Bench &bench, std::string &error) {
  if (!openModule(bench.request, true, bench.profiled, error) ||
      (bench.request.deviceMemory && !placeTensors(bench, bench.profiled.session, error)))
    return false;
  double seconds;
  Session &session = bench.profiled.session;
  size_t runs = std::min<size_t>(bench.times.size(), 1000);
  // The first runs are cold.
  for (size_t i = 0; i < runs + 2; ++i) {
    if (!runOnce(bench, session, seconds, error))
      return false;
    if (i == 1)
      hone_session_profile_reset(session.get());
  }
  bench.profile.resize(hone_session_profile(session.get(), nullptr, 0));
  hone_session_profile(session.get(), bench.profile.data(), bench.profile.size());
  for (hone_profile_entry_t &entry : bench.profile) {
    entry.nanoseconds /= runs;
    entry.calls = (entry.calls + runs - 1) / runs;
  }
  std::sort(bench.profile.begin(), bench.profile.end(),
            [](const auto &a, const auto &b) { return a.nanoseconds > b.nanoseconds; });
  return true;
}

static void printProfile(const Bench &bench) {
  double total = 0;
  for (const hone_profile_entry_t &entry : bench.profile)
    total += static_cast<double>(entry.nanoseconds);
  printf("\n%10s %6s %6s  %-40s %s\n", "us/run", "%", "calls", "kernel", "nodes");
  for (const hone_profile_entry_t &entry : bench.profile) {
    std::string nodes;
    for (size_t i = 0; i < entry.node_count; ++i)
      nodes += (i ? ", " : "") + std::string(entry.nodes[i]);
    double time = static_cast<double>(entry.nanoseconds);
    printf("%10.2f %6.1f %6llu  %-40s %s\n", time / 1e3, total > 0 ? 100 * time / total : 0.0,
           static_cast<unsigned long long>(entry.calls), entry.kernel, nodes.c_str());
  }
}

static void print(const Bench &bench) {
  const Request &request = bench.request;
  hone_module_info_t info = bench.opened.module.info();
  hone_memory_info_t memory = bench.opened.session.memory();
  printf("%s on %s, threads %u: median %.4f ms (min %.4f, mean %.4f, p90 %.4f, p99 %.4f; %zu runs)\n",
         request.modelPath.c_str(), info.target, threadsOf(request), bench.at(0.5) * 1e3, bench.times[0] * 1e3,
         bench.mean() * 1e3, bench.at(0.9) * 1e3, bench.at(0.99) * 1e3, bench.times.size());
  printf("load %.3f ms, session %.3f ms, first run %.3f ms\n", bench.opened.loadSeconds * 1e3,
         bench.opened.sessionSeconds * 1e3, bench.firstRun * 1e3);
  printf("arena %s (no plan below %s), constants %s, code %s, file %s\n", formatBytes(memory.arena_bytes).c_str(),
         formatBytes(memory.lower_bound_bytes).c_str(), formatBytes(info.constant_bytes).c_str(),
         formatBytes(info.code_bytes).c_str(), formatBytes(info.file_bytes).c_str());
  if (bench.request.profile)
    printProfile(bench);
}

static std::string jsonOf(const Bench &bench) {
  const Request &request = bench.request;
  hone_module_info_t info = bench.opened.module.info();
  hone_memory_info_t memory = bench.opened.session.memory();
  std::string json = "{\n  \"model\": " + jsonString(request.modelPath) +
                     ",\n  \"device\": " + jsonString(bench.opened.deviceName) +
                     ",\n  \"target\": " + jsonString(info.target);
  auto number = [&](const char *key, uint64_t value) {
    json += ",\n  \"" + std::string(key) + "\": " + std::to_string(value);
  };
  auto time = [&](const char *key, double seconds) { number(key, static_cast<uint64_t>(seconds * 1e9 + 0.5)); };
  number("threads", threadsOf(request));
  number("runs", bench.times.size());
  time("median_ns", bench.at(0.5));
  time("min_ns", bench.times[0]);
  time("mean_ns", bench.mean());
  time("p90_ns", bench.at(0.9));
  time("p99_ns", bench.at(0.99));
  time("load_ns", bench.opened.loadSeconds);
  time("session_ns", bench.opened.sessionSeconds);
  time("first_run_ns", bench.firstRun);
  number("arena_bytes", memory.arena_bytes);
  number("peak_bytes", memory.peak_bytes);
  number("lower_bound_bytes", memory.lower_bound_bytes);
  number("constant_bytes", info.constant_bytes);
  number("code_bytes", info.code_bytes);
  number("file_bytes", info.file_bytes);
  number("allocations", memory.allocation_count);
  if (request.json.empty() || !bench.request.profile)
    return json + "\n}\n";
  json += ",\n  \"profile\": [";
  for (size_t i = 0; i < bench.profile.size(); ++i) {
    const hone_profile_entry_t &entry = bench.profile[i];
    json += std::string(i ? "," : "") + "\n    {\"kernel\": " + jsonString(entry.kernel) + ", \"nodes\": [";
    for (size_t n = 0; n < entry.node_count; ++n)
      json += (n ? ", " : "") + jsonString(entry.nodes[n]);
    json +=
        "], \"calls\": " + std::to_string(entry.calls) + ", \"ns_per_run\": " + std::to_string(entry.nanoseconds) + "}";
  }
  return json + "\n  ]\n}\n";
}

int hone::tools::benchCommand(const BenchRequest &request) {
  Bench bench = {request, {}, {}, {}, {}, 0, {}, {}, {}};
  std::string error;
  if (!openModule(request, false, bench.opened, error) ||
      !makeInputs(request, bench.opened.module, bench.inputs, error))
    return fail(request, error);
  for (HostTensor &input : bench.inputs)
    bench.views.push_back(input.view());
  if ((request.deviceMemory && !moveInputs(bench, error)) || !measure(bench, error) ||
      (request.profile && !takeProfile(bench, error)))
    return fail(request, error);
  if (!request.json.empty() && !writeJson(request.json, jsonOf(bench), error))
    return fail(request, error);
  if (request.json != "-")
    print(bench);
  return ExitDone;
}
