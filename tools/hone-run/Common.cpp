//===- Common.cpp - What the commands share -------------------------------===//
//
// Opening modules, messages, numbers.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/ThreadPool.h"
#include "tools/hone-run/Files.h"
#include "tools/hone-run/Run.h"

#include <cstdio>
#include <ctime>

using namespace hone;
using namespace hone::tools;

int hone::tools::fail(const Request &request, const std::string &message) {
  fflush(stdout);
  fprintf(stderr, "%s: error: %s\n", request.program.c_str(), message.c_str());
  return ExitFault;
}

bool hone::tools::flushOutput(const char *program) {
  bool complete = fflush(stdout) == 0;
  if (complete && !ferror(stdout))
    return true;
  fprintf(stderr, "%s: error: cannot write standard output\n", program);
  return false;
}

double hone::tools::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool hone::tools::splitAssignment(const std::string &text, std::string &name, std::string &value) {
  size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    return false;
  name = text.substr(0, at);
  value = text.substr(at + 1);
  return true;
}

bool hone::tools::parseNumber(const std::string &text, uint64_t &value) {
  value = 0;
  for (char c : text)
    if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value))
      return false;
  return !text.empty();
}

uint32_t hone::tools::threadsOf(const Request &request) {
  return request.threads ? request.threads : availableProcessors();
}

/// Opens one device and the module on it. Null when both are open.
static Status openOn(const std::string &name, const Request &request, Opened &opened) {
  auto device = Device::create(name.c_str());
  if (!device)
    return device.takeStatus();
  hone_module_options_t options = Module::options();
  options.target = request.target.empty() ? nullptr : request.target.c_str();
  double start = now();
  auto module = request.bytes ? Module::load(*device, request.bytes, request.size, &options)
                              : Module::load(*device, request.modelPath.c_str(), &options);
  if (!module)
    return module.takeStatus();
  opened.loadSeconds = now() - start;
  opened.device = device.take();
  opened.module = module.take();
  opened.deviceName = name;
  return Status();
}

bool hone::tools::openModule(const Request &request, bool profile, Opened &opened, std::string &error) {
  std::vector<std::string> devices = devicesOf(request);
  for (const std::string &device : devices) {
    Status status = openOn(device, request, opened);
    if (status) {
      error.clear();
      break;
    }
    error += (error.empty() ? "" : "; ") + std::string(status.message());
    // This machine may lack the device, the device what the code needs; another may do.
    if (status.code() != HONE_INCOMPATIBLE && status.code() != HONE_NOT_FOUND)
      return false;
  }
  if (!error.empty())
    return false;
  double start = now();
  hone_session_options_t sessionOptions = Session::options();
  sessionOptions.threads = threadsOf(request);
  sessionOptions.profile = profile;
  sessionOptions.synchronous = request.synchronous;
  auto session = Session::create(opened.module, &sessionOptions);
  if (!session) {
    error = session.message();
    return false;
  }
  opened.session = session.take();
  opened.sessionSeconds = now() - start;
  return true;
}

bool hone::tools::writeJson(const std::string &where, const std::string &text, std::string &error) {
  if (where == "-") {
    // Whether all was written, `flushOutput` says at the end.
    fputs(text.c_str(), stdout);
    return true;
  }
  return writeFile(where, text.data(), text.size(), error);
}

std::string hone::tools::formatBytes(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1000 && unit < 4; ++unit)
    value /= 1000;
  char text[32];
  snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}
