//===- RunnerTest.cpp - Jobs and replies, and programs that die -----------===//

#include "test/runner/Batch.h"
#include "test/runner/JobRunner.h"
#include "test/runner/RemoteRunner.h"
#include "tools/hone-run/Files.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace hone;
using namespace hone::runner;

static Job someJob() {
  Job job;
  job.module = {1, 2, 3};
  job.runs.resize(3);
  job.runs[0].push_back({"x", HONE_DTYPE_I16, {2, 1}, {1, 0, 2, 0}});
  job.runs[2] = {{"", HONE_DTYPE_F64, {0}, {}}, {"y y", HONE_DTYPE_BOOL, {}, {1}}};
  return job;
}

static void expectEqual(const Tensors &a, const Tensors &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].dtype, b[i].dtype);
    EXPECT_EQ(a[i].shape, b[i].shape);
    EXPECT_EQ(a[i].data, b[i].data);
  }
}

TEST(Protocol, RoundTrip) {
  Job job = someJob(), back;
  ASSERT_TRUE(decode(encode(job), back));
  EXPECT_EQ(back.module, job.module);
  ASSERT_EQ(back.runs.size(), job.runs.size());
  for (size_t i = 0; i < job.runs.size(); ++i)
    expectEqual(back.runs[i], job.runs[i]);
  Reply reply{"no such device", true, job.runs}, other;
  ASSERT_TRUE(decode(encode(reply), other));
  EXPECT_EQ(other.error, reply.error);
  EXPECT_TRUE(other.crashed);
  expectEqual(other.runs[2], reply.runs[2]);
}

TEST(Protocol, DamagedMessages) {
  std::vector<uint8_t> good = encode(someJob());
  Job job;
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode({good.begin(), good.begin() + size}, job)) << size;
  // A length that asks for more than there is.
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<uint8_t> bad = good;
    bad[i] ^= 0xff;
    decode(bad, job);
  }
}

TEST(RemoteRunner, SameAnswerAsHere) {
  // No module at all: both say so, and the runner goes on.
  Job job = someJob();
  Reply here = JobRunner("cpu").run(job);
  RemoteRunner remote(HONE_MODULE_RUNNER);
  for (int i = 0; i < 2; ++i) {
    Reply there = remote.run(job);
    EXPECT_EQ(there.error, here.error);
    EXPECT_FALSE(there.crashed);
    EXPECT_NE(there.error.find("not a .hone file"), std::string::npos) << there.error;
  }
  EXPECT_NE(JobRunner("no-such").run(job).error.find("no-such"), std::string::npos);
}

TEST(RemoteRunner, ProgramsThatDie) {
  for (const char *command : {"true", "cat /dev/null", "/no/such/program", ""}) {
    RemoteRunner remote(command);
    for (int i = 0; i < 2; ++i) {
      Reply reply = remote.run(someJob());
      EXPECT_TRUE(reply.crashed) << command;
      EXPECT_FALSE(reply.error.empty());
    }
  }
}

TEST(Batch, RepliesBesideJobs) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / ("hone-batch-" + std::to_string(getpid()))).string(), error;
  ASSERT_TRUE(tools::makeDirectory(folder + "/suite", error)) << error;
  std::vector<uint8_t> good = encode(someJob()), bad = {1, 2};
  ASSERT_TRUE(tools::writeFile(folder + "/suite/good.job", good.data(), good.size(), error));
  ASSERT_TRUE(tools::writeFile(folder + "/bad.job", bad.data(), bad.size(), error));
  EXPECT_EQ(runBatch({folder, "cpu", 60}), 0);
  for (auto [file, text] : {std::pair("/suite/good.reply", "not a .hone file"), std::pair("/bad.reply", "cannot")}) {
    std::vector<uint8_t> bytes;
    Reply reply;
    ASSERT_TRUE(tools::readFile(folder + file, bytes, error)) << error;
    ASSERT_TRUE(decode(bytes, reply));
    EXPECT_NE(reply.error.find(text), std::string::npos) << reply.error;
  }
  fs::remove_all(folder);
  EXPECT_EQ(runBatch({folder, "cpu", 60}), 1);
}
