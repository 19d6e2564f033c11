//===- Run.h - The commands run, bench and inspect -*- C++ -*-===//
//
// Shared by `hone-run`, which reads .hone files, and `hone`, which may have compiled one a moment ago. Each command
// returns the exit code: 0 done, 1 the model, data or options are at fault (one message on stderr).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONERUN_RUN_H
#define HONE_TOOLS_HONERUN_RUN_H

#include "hone/hone.hpp"
#include "tools/hone-run/Tensor.h"

#include <string>
#include <utility>
#include <vector>

namespace hone::tools {

enum ExitCode : int { ExitDone = 0, ExitFault = 1, ExitUsage = 2, ExitBug = 70 };

/// What every command needs to know.
struct Request {
  std::string program = "hone-run"; ///< starts messages
  std::string modelPath;            ///< a .hone file, and the model's name in messages
  /// A compiled module in memory instead of the file; borrowed.
  const uint8_t *bytes = nullptr;
  size_t size = 0;

  std::string device;       ///< empty: the first of the module's that this machine has
  std::string target;       ///< run this target's program; empty for the best
  uint32_t threads = 1;     ///< 0: all processors the process may use
  bool synchronous = false; ///< wait after every kernel, so that a failure names it
  uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> inputs; ///< name and file
  std::vector<std::pair<std::string, int64_t>> dims;       ///< symbol (or "input:axis") and extent, for random inputs
  /// Machine-readable result: empty for none, "-" for stdout, otherwise a file.
  std::string json;
};

struct RunRequest : Request {
  std::string outputDir; ///< empty: a summary is printed only
};

struct BenchRequest : Request {
  uint32_t runs = 0; ///< 0: as many as fit about a second, at least ten
  bool profile = false;
  bool deviceMemory = false; ///< inputs and outputs stay on the device
};

struct InspectRequest : Request {
  bool plan = false;   ///< print the programs
  bool verify = false; ///< compare all checksums
};

int runCommand(const RunRequest &request);
int benchCommand(const BenchRequest &request);
int inspectCommand(const InspectRequest &request);

//===----------------------------------------------------------------------===//
// For commands of other tools
//===----------------------------------------------------------------------===//

/// "program: error: message" on stderr; returns ExitFault.
int fail(const Request &request, const std::string &message);

/// Splits "NAME=VALUE" at the last '='; false when there is none or a part is empty.
bool splitAssignment(const std::string &text, std::string &name, std::string &value);
/// A decimal number without sign or rest.
bool parseNumber(const std::string &text, uint64_t &value);

/// How many threads a request means.
uint32_t threadsOf(const Request &request);

/// A module ready to run.
struct Opened {
  Device device;
  Module module;
  Session session;
  std::string deviceName;
  double loadSeconds = 0, sessionSeconds = 0;
};
/// The devices to try for a request: the one it names, or those that programs of the module are for, in their order.
std::vector<std::string> devicesOf(const Request &request);
bool openModule(const Request &request, bool profile, Opened &opened, std::string &error);

/// The model's inputs in order: from files where given, otherwise random.
bool makeInputs(const Request &request, const Module &module, std::vector<HostTensor> &inputs, std::string &error);

/// Writes out what is left of standard output; false after a message when any of it was lost.
bool flushOutput(const char *program);

/// Writes text to where `json` of a request says.
bool writeJson(const std::string &where, const std::string &text, std::string &error);

/// "1.5 MB".
std::string formatBytes(uint64_t bytes);
/// Seconds of a monotonic clock.
double now();

} // namespace hone::tools

#endif // HONE_TOOLS_HONERUN_RUN_H
