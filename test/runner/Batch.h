//===- Batch.h - Jobs and replies as files ----------------------*- C++ -*-===//

#ifndef TEST_RUNNER_BATCH_H
#define TEST_RUNNER_BATCH_H

#include "test/runner/Protocol.h"

namespace hone::runner {

struct BatchOptions {
  std::string folder, device = "cpu";
  int limitSeconds = 60; ///< of one job
  bool synchronous = false;
};

/// Makes NAME.reply of every NAME.job below the folder that has none yet. Jobs run in a child process, which is
/// replaced when one of them crashes, takes too long, or loses the device. Returns an exit code.
int runBatch(const BatchOptions &options);

} // namespace hone::runner

#endif // TEST_RUNNER_BATCH_H
