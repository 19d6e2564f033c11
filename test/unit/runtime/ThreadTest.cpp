//===- ThreadTest.cpp - Pools, launches on threads, shared modules --------===//

#include "Models.h"
#include "runtime/base/ThreadPool.h"

#include <gtest/gtest.h>
#include <thread>

using namespace hone;
using namespace hone::test;

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (uint32_t threads : {1u, 2u, 5u}) {
    ThreadPool pool(defaultAllocator());
    ASSERT_EQ(pool.start(threads), nullptr);
    std::vector<std::atomic<int>> counts(threads);
    for (int round = 0; round < 2000; ++round)
      pool.run(
          1 + round % threads,
          [](void *context, size_t index) { ++(*static_cast<std::vector<std::atomic<int>> *>(context))[index]; },
          &counts);
    int sum = 0;
    for (auto &count : counts)
      sum += count;
    int expected = 0;
    for (int round = 0; round < 2000; ++round)
      expected += 1 + round % threads;
    EXPECT_EQ(sum, expected);
  }
}

TEST(ThreadPool, WakesAfterSleeping) {
  ThreadPool pool(defaultAllocator());
  ASSERT_EQ(pool.start(3), nullptr);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> count{0};
    pool.run(
        3,
        [](void *context, size_t index) {
          // Long enough for the caller to go to sleep.
          if (index == 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          ++*static_cast<std::atomic<int> *>(context);
        },
        &count);
    EXPECT_EQ(count, 3);
  }
}

/// Every workgroup of a launch adds one to its own counter.
static ModuleBuilder groupCounter(int64_t groups, const char *kernel) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::I32, {groups}}};
  int32_t count = m.kernel(kernel, 1, 0);
  ProgramSpec p;
  p.buffers = 1;
  p.replayable = true;
  int32_t bytes = p.constant(4 * groups), zero = p.constant(0), grid = p.constant(groups);
  p.op(Opcode::BufferOutput, {0, 0, bytes});
  p.op(Opcode::Fill, {0, zero, bytes});
  p.op(Opcode::Launch, {count, grid, 1, 0, 0});
  p.op(Opcode::End);
  m.programs = {p};
  return m;
}

static void expectOnes(Session &session, int64_t groups) {
  hone_tensor_t output = {};
  Status status = session.run(nullptr, 0, &output, 1);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int64_t i = 0; i < groups; ++i)
    ASSERT_EQ(static_cast<int32_t *>(output.data)[i], 1) << "group " << i;
}

TEST(Threads, EveryGroupOnceAndNoEmptyRange) {
  for (int64_t groups : {0, 1, 2, 3, 7, 8, 100, 1001})
    for (uint32_t threads : {1, 2, 3, 8}) {
      Loaded loaded(groupCounter(groups, "count_groups"));
      hone_session_options_t options = Session::options();
      options.threads = threads;
      Session session = loaded.session(&options);
      for (int round = 0; round < 5; ++round)
        expectOnes(session, groups);
    }
}

TEST(Threads, UnevenWork) {
  Loaded loaded(groupCounter(64, "uneven"));
  hone_session_options_t options = Session::options();
  options.threads = 4;
  Session session = loaded.session(&options);
  for (int round = 0; round < 20; ++round) {
    hone_tensor_t output = {};
    ASSERT_TRUE(session.run(nullptr, 0, &output, 1).ok());
    EXPECT_NEAR(static_cast<float *>(output.data)[0], 2.0f, 1e-3f);
    EXPECT_NEAR(static_cast<float *>(output.data)[63], 2.0f, 1e-2f);
  }
}

TEST(Threads, CallersParallelFor) {
  struct Caller {
    size_t calls = 0, tasks = 0;
    bool reverse = false;
  } caller;
  hone_parallel_for_t parallel = {&caller, [](void *self, size_t count, void (*task)(void *, size_t), void *context) {
                                    auto *caller = static_cast<Caller *>(self);
                                    ++caller->calls;
                                    caller->tasks += count;
                                    for (size_t i = 0; i < count; ++i)
                                      task(context, caller->reverse ? count - 1 - i : i);
                                  }};
  Loaded loaded(groupCounter(100, "count_groups"));
  hone_session_options_t options = Session::options();
  options.threads = 4;
  options.parallel_for = &parallel;
  Session session = loaded.session(&options);
  expectOnes(session, 100);
  caller.reverse = true;
  expectOnes(session, 100);
  EXPECT_EQ(caller.calls, 2u);
  EXPECT_EQ(caller.tasks, 8u);
}

TEST(Threads, SessionsShareAModule) {
  Loaded loaded(addScaleAdd(-1, true));
  ASSERT_TRUE(loaded.status.ok());
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto session = Session::create(loaded.module, t % 2 + 1u);
      if (!session.ok()) {
        ++failures;
        return;
      }
      for (int round = 0; round < 200; ++round) {
        int64_t n = 1 + (round * 7 + t) % 64;
        std::vector<float> a(n, float(t)), b(n, float(round)), y(n);
        hone_tensor_t inputs[2] = {tensor(a.data(), {n}), tensor(b.data(), {n})};
        hone_tensor_t output = tensor(y.data(), {n});
        if (!session->run(inputs, 2, &output, 1).ok() || y[n - 1] != expectedAddScaleAdd(float(t), float(round)))
          ++failures;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(Threads, OneSessionIsForOneThread) {
  // The task of a run tries to run the same session again.
  struct Caller {
    Session *session = nullptr;
    Status inner;
  } caller;
  hone_parallel_for_t parallel = {&caller, [](void *self, size_t count, void (*task)(void *, size_t), void *context) {
                                    auto *caller = static_cast<Caller *>(self);
                                    hone_tensor_t output = {};
                                    caller->inner = caller->session->run(nullptr, 0, &output, 1);
                                    for (size_t i = 0; i < count; ++i)
                                      task(context, i);
                                  }};
  Loaded loaded(groupCounter(100, "count_groups"));
  hone_session_options_t options = Session::options();
  options.threads = 2;
  options.parallel_for = &parallel;
  Session session = loaded.session(&options);
  caller.session = &session;
  expectOnes(session, 100);
  EXPECT_NE(strstr(caller.inner.message(), "another thread"), nullptr);
}
