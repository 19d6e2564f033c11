//===- JobRunner.h - Runs jobs on a device of this process ------*- C++ -*-===//

#ifndef TEST_RUNNER_JOBRUNNER_H
#define TEST_RUNNER_JOBRUNNER_H

#include "hone/hone.hpp"
#include "test/runner/Protocol.h"

namespace hone::runner {

/// Keeps one device open for many jobs.
class JobRunner {
public:
  explicit JobRunner(std::string device) : uri(std::move(device)) {}
  Reply run(const Job &job);

private:
  std::string uri;
  Device device;
};

} // namespace hone::runner

#endif // TEST_RUNNER_JOBRUNNER_H
