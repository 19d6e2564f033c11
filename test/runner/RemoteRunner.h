//===- RemoteRunner.h - Runs jobs in another program ------------*- C++ -*-===//

#ifndef TEST_RUNNER_REMOTERUNNER_H
#define TEST_RUNNER_REMOTERUNNER_H

#include "test/runner/Protocol.h"

#include <sys/types.h>

namespace hone::runner {

/// Sends jobs to `module-runner`, started once by a command line such as "qemu-aarch64 -L ROOT module-runner", and
/// again after a job that killed it.
class RemoteRunner {
public:
  explicit RemoteRunner(std::string command) : command(std::move(command)) {}
  RemoteRunner(const RemoteRunner &) = delete;
  ~RemoteRunner() { stop(); }
  Reply run(const Job &job);

private:
  bool start();
  /// Ends the program; says how it ended.
  std::string stop();

  std::string command;
  pid_t pid = -1;
  int toRunner = -1, fromRunner = -1;
};

} // namespace hone::runner

#endif // TEST_RUNNER_REMOTERUNNER_H
