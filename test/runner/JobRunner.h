//===- JobRunner.h - Runs jobs on a device of this process ------*- C++ -*-===//

#ifndef TEST_RUNNER_JOBRUNNER_H
#define TEST_RUNNER_JOBRUNNER_H

#include "hone/hone.hpp"
#include "test/runner/Protocol.h"

namespace hone::runner {

/// Keeps one device open for many jobs.
class JobRunner {
public:
  explicit JobRunner(std::string device, bool synchronous = false) : uri(std::move(device)), synchronous(synchronous) {}
  Reply run(const Job &job);
  /// Whether a job left the device unusable for this process.
  bool hasLostDevice() const { return lost; }

private:
  /// What a status says, with its node.
  std::string take(Status status);

  std::string uri;
  bool synchronous; ///< kernels that fail are named
  bool lost = false;
  Device device;
};

} // namespace hone::runner

#endif // TEST_RUNNER_JOBRUNNER_H
