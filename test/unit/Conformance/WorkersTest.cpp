//===- WorkersTest.cpp - Work that crashes, hangs, or ends ----------------===//

#include "test/onnx/Workers.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>

using namespace hone::conformance;

namespace {

std::map<unsigned, Outcome> run(unsigned numJobs, double limit, llvm::function_ref<Outcome(unsigned)> work) {
  std::vector<Job> jobs;
  for (unsigned i = 0; i < numJobs; ++i)
    jobs.push_back({i, limit});
  std::map<unsigned, Outcome> outcomes;
  runJobs(jobs, /*numWorkers=*/2, work, [&](unsigned id, const Outcome &outcome) {
    EXPECT_EQ(outcomes.count(id), 0u);
    outcomes[id] = outcome;
  });
  EXPECT_EQ(outcomes.size(), numJobs);
  return outcomes;
}

TEST(WorkersTest, EveryJobOnce) {
  // More than one worker serves, so that workers are replaced on the way.
  auto outcomes = run(1000, 30, [](unsigned id) -> Outcome {
    if (id % 2)
      return {Status::Mismatch, "odd\n" + std::to_string(id)};
    return {Status::Pass, ""};
  });
  EXPECT_EQ(outcomes[10].status, Status::Pass);
  EXPECT_EQ(outcomes[11].status, Status::Mismatch);
  EXPECT_EQ(outcomes[11].reason, "odd 11");
}

TEST(WorkersTest, LongReasons) {
  std::string reason(1 << 20, 'x');
  auto outcomes = run(2, 30, [&](unsigned) -> Outcome { return {Status::RunError, reason}; });
  EXPECT_EQ(outcomes[0].reason, reason);
}

TEST(WorkersTest, ACrashCostsOneJob) {
  auto outcomes = run(20, 30, [](unsigned id) -> Outcome {
    if (id == 7) {
      std::fputs("x.cpp:1: Assertion `a' failed.\nlast line\n", stderr);
      std::abort();
    }
    if (id == 8)
      _exit(3);
    return {Status::Pass, ""};
  });
  EXPECT_EQ(outcomes[7].status, Status::Crash);
  EXPECT_EQ(outcomes[7].reason, "Aborted: x.cpp:1: Assertion `a' failed.");
  EXPECT_EQ(outcomes[8].reason, "exit code 3");
  EXPECT_EQ(outcomes[6].status, Status::Pass);
  EXPECT_EQ(outcomes[9].status, Status::Pass);
}

TEST(WorkersTest, AHangCostsOneJob) {
  auto outcomes = run(6, 0.3, [](unsigned id) -> Outcome {
    while (id == 2)
      pause();
    return {Status::Pass, ""};
  });
  EXPECT_EQ(outcomes[2].status, Status::Timeout);
  EXPECT_EQ(outcomes[3].status, Status::Pass);
}

} // namespace
