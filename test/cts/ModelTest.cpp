//===- ModelTest.cpp - Whole models through the C API ---------------------===//

#include "test/cts/Models.h"

#include <thread>

using namespace hone;
using namespace hone::cts;

namespace {

class Models : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device && image().code.empty())
      GTEST_SKIP() << "skipped: no kernels for " << driverName() << " in this build";
  }
};

/// Arguments of addScaleAdd and the check of its result.
struct Arguments {
  explicit Arguments(int64_t n, float seed = 0) : a(n), b(n), y(n) {
    for (int64_t i = 0; i < n; ++i) {
      a[i] = float(i % 97) + seed;
      b[i] = float(i % 13) * 10;
    }
    inputs[0] = tensor(a.data(), {n});
    inputs[1] = tensor(b.data(), {n});
    output = tensor(y.data(), {n});
  }
  std::string check(const hone_tensor_t &result) const {
    if (result.rank != 1 || result.shape[0] != int64_t(a.size()) || result.size != a.size() * 4 ||
        result.dtype != HONE_DTYPE_F32)
      return "wrong shape";
    for (size_t i = 0; i < a.size(); ++i)
      if (static_cast<float *>(result.data)[i] != expectedAddScaleAdd(a[i], b[i]))
        return "element " + std::to_string(i) + " is " + std::to_string(static_cast<float *>(result.data)[i]);
    return "";
  }
  /// Runs into the caller's memory, then into the session's.
  std::string run(Session &session) {
    for (bool own : {false, true}) {
      hone_tensor_t result = own ? hone_tensor_t{} : output;
      Status status = session.run(inputs, 2, &result, 1);
      std::string wrong = status.ok() ? check(result) : status.message();
      if (!wrong.empty())
        return wrong;
    }
    return "";
  }
  std::vector<float> a, b, y;
  hone_tensor_t inputs[2], output;
};

} // namespace

TEST_F(Models, StaticAndDynamic) {
  for (bool replayable : {true, false})
    for (int64_t count : {-1, 0, 1, 2000}) {
      LoadedModel model(handle, addScaleAdd(count, replayable));
      Session session = model.session();
      ASSERT_TRUE(session.get());
      for (int64_t n : {2000, 2000, 1, 64, int(kMostElements), 0, 65, 2000}) {
        if (count >= 0 && n != count)
          continue;
        ASSERT_EQ(Arguments(n, float(n)).run(session), "") << n;
      }
    }
}

TEST_F(Models, NothingIsAllocatedOnceSizesWereSeen) {
  for (bool replayable : {true, false})
    for (int64_t count : {-1, 500}) {
      CountingAllocator counting;
      LoadedModel model(handle, addScaleAdd(count, replayable));
      hone_session_options_t sessionOptions = Session::options();
      sessionOptions.allocator = &counting.allocator;
      Session session = model.session(&sessionOptions);
      ASSERT_TRUE(session.get());
      for (int round = 0; round < 5; ++round) {
        size_t before = counting.count;
        for (int64_t n : {500, 30, 2500, 500})
          if (count < 0 || n == count)
            ASSERT_EQ(Arguments(n, float(round)).run(session), "");
        if (round)
          EXPECT_EQ(counting.count, before) << "round " << round;
      }
    }
}

TEST_F(Models, WrongArgumentsLeaveTheSessionUsable) {
  LoadedModel model(handle, addScaleAdd(-1, true));
  Session session = model.session();
  ASSERT_TRUE(session.get());
  Arguments good(100);
  ASSERT_EQ(good.run(session), "");
  auto run = [&](auto change) {
    Arguments bad(100);
    change(bad);
    Status status = session.run(bad.inputs, 2, &bad.output, 1);
    EXPECT_EQ(status.code(), HONE_INVALID_ARGUMENT) << status.message();
    ASSERT_EQ(good.run(session), "");
  };
  run([](Arguments &bad) { bad.inputs[0].size -= 1; });
  run([](Arguments &bad) { bad.inputs[1].data = nullptr; });
  run([](Arguments &bad) { bad.inputs[1].shape[0] = 99; });
  run([](Arguments &bad) { bad.inputs[0].dtype = HONE_DTYPE_I32; });
  run([](Arguments &bad) { bad.inputs[0].rank = 0; });
  run([](Arguments &bad) { bad.output.size -= 1; });
  run([](Arguments &bad) { bad.inputs[0].shape[0] = bad.inputs[1].shape[0] = kMostElements + 1; });
}

TEST_F(Models, TensorsInDeviceMemory) {
  constexpr int64_t n = 300;
  hone_buffer_t *handles[3] = {};
  for (hone_buffer_t *&created : handles) {
    hone_status_t status = hone_buffer_create(handle, n * 4 + 64, &created);
    if (hone_status_code(status) == HONE_INCOMPATIBLE) {
      take(status);
      return; // a device without addresses
    }
    CTS_OK(status);
  }
  Buffer a(handles[0]), b(handles[1]), y(handles[2]);
  for (bool replayable : {true, false}) {
    LoadedModel model(handle, addScaleAdd(-1, replayable));
    Session session = model.session();
    ASSERT_TRUE(session.get());
    Arguments arguments(n);
    for (size_t index : {0, 1})
      ASSERT_TRUE(session.placeInput(index, HONE_MEMORY_DEVICE).ok());
    ASSERT_TRUE(session.placeOutput(0, HONE_MEMORY_DEVICE).ok());
    // In place, at odd addresses, and into memory of the session.
    for (size_t at : {0, 4, 64, 8, 0, 0})
      for (bool own : {false, true}) {
        ASSERT_TRUE(a.write(arguments.a.data(), n * 4, at).ok());
        ASSERT_TRUE(b.write(arguments.b.data(), n * 4).ok());
        hone_tensor_t inputs[2] = {arguments.inputs[0], arguments.inputs[1]};
        inputs[0].data = static_cast<uint8_t *>(a.data()) + at;
        inputs[1].data = b.data();
        hone_tensor_t output = own ? hone_tensor_t{} : arguments.output;
        if (!own)
          output.data = static_cast<uint8_t *>(y.data()) + 64 - at;
        Status status = session.run(inputs, 2, &output, 1);
        ASSERT_TRUE(status.ok()) << status.message();
        if (!own) {
          ASSERT_EQ(output.data, static_cast<uint8_t *>(y.data()) + 64 - at);
          ASSERT_TRUE(y.read(arguments.y.data(), n * 4, 64 - at).ok());
        } else {
          // What the session keeps is an input as any other.
          inputs[0].data = output.data;
          hone_tensor_t twice = arguments.output;
          twice.data = y.data();
          Session next = model.session();
          for (size_t index : {0, 1})
            ASSERT_TRUE(next.placeInput(index, HONE_MEMORY_DEVICE).ok());
          ASSERT_TRUE(next.placeOutput(0, HONE_MEMORY_DEVICE).ok());
          ASSERT_TRUE(next.run(inputs, 2, &twice, 1).ok());
          ASSERT_TRUE(y.read(arguments.y.data(), n * 4).ok());
        }
        for (int64_t i = 0; i < n; ++i) {
          float once = expectedAddScaleAdd(arguments.a[i], arguments.b[i]);
          ASSERT_EQ(arguments.y[i], own ? expectedAddScaleAdd(once, arguments.b[i]) : once) << at << " " << i;
        }
      }
    // Back to host memory.
    for (size_t index : {0, 1})
      ASSERT_TRUE(session.placeInput(index, HONE_MEMORY_HOST).ok());
    ASSERT_TRUE(session.placeOutput(0, HONE_MEMORY_HOST).ok());
    ASSERT_EQ(Arguments(n, 5).run(session), "");
  }
}

TEST_F(Models, SizesReadBack) {
  LoadedModel model(handle, nonzeroIndices());
  Session session = model.session();
  ASSERT_TRUE(session.get());
  for (int64_t n : {0, 10, 1, 3000, 500}) {
    std::vector<float> values(n);
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < n; ++i)
      if (i % 3 == 1) {
        values[i] = 1;
        expected.push_back(i);
      }
    hone_tensor_t input = tensor(values.data(), {n}), output = {};
    Status status = session.run(&input, 1, &output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(output.shape[0], int64_t(expected.size()));
    auto *got = static_cast<int64_t *>(output.data);
    EXPECT_EQ(std::vector<int64_t>(got, got + output.shape[0]), expected);
  }
}

TEST_F(Models, ConditionsReadBack) {
  LoadedModel model(handle, doubleUntil(1000));
  Session session = model.session();
  ASSERT_TRUE(session.get());
  for (auto [start, end] : {std::pair<int64_t, int64_t>{1, 1024}, {7, 1792}, {5000, 10000}, {0x100, 1024}}) {
    hone_tensor_t input = tensor(&start, {}), output = {};
    Status status = session.run(&input, 1, &output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(*static_cast<int64_t *>(output.data), end);
  }
}

TEST_F(Models, ManySessionsOfOneModule) {
  LoadedModel model(handle, addScaleAdd(-1, true));
  std::vector<Session> sessions;
  for (int i = 0; i < 10; ++i)
    sessions.push_back(model.session());
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < sessions.size(); ++i)
      ASSERT_EQ(Arguments(10 + int64_t(i) * 100, float(round)).run(sessions[i]), "");
}

TEST_F(Models, ManyThreads) {
  LoadedModel replayed(handle, addScaleAdd(-1, true)), interpreted(handle, addScaleAdd(-1, false));
  constexpr size_t kThreads = 6;
  std::vector<std::string> messages(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      // Sessions are created while others run.
      for (int round = 0; round < 3 && messages[t].empty(); ++round) {
        Session session = (t % 2 ? replayed : interpreted).session();
        for (int64_t i = 0; i < 10 && messages[t].empty(); ++i)
          messages[t] = Arguments(1 + int64_t(t * 37 + i * 211) % kMostElements, float(t)).run(session);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_EQ(message, "");
}

TEST_F(Models, ModulesOnManyThreads) {
  std::vector<uint8_t> file = addScaleAdd(100, true).build();
  std::vector<std::thread> threads;
  std::vector<std::string> messages(4);
  for (std::string &message : messages)
    threads.emplace_back([&] {
      for (int i = 0; i < 3 && message.empty(); ++i) {
        LoadedModel model(handle, file);
        Session session = model.session();
        message = session.get() ? Arguments(100).run(session) : "no session";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_EQ(message, "");
}

TEST_F(Models, Profile) {
  LoadedModel model(handle, addScaleAdd(1000, true));
  hone_session_options_t sessionOptions = Session::options();
  sessionOptions.profile = 1;
  Session session = model.session(&sessionOptions);
  ASSERT_TRUE(session.get());
  ASSERT_EQ(Arguments(1000).run(session), "");
  hone_profile_entry_t entries[8];
  size_t count = hone_session_profile(session.get(), entries, 8);
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(entries[0].kernel, "add");
  EXPECT_EQ(entries[0].calls, 4u);
  EXPECT_STREQ(entries[1].kernel, "mul_scalar");
  EXPECT_EQ(entries[1].calls, 2u);
  EXPECT_STREQ(entries[1].nodes[0], "Mul#1");
  EXPECT_LT(entries[0].nanoseconds, 60000000000u);
  hone_session_profile_reset(session.get());
  EXPECT_EQ(hone_session_profile(session.get(), entries, 8), 0u);
}

TEST_F(Models, WithoutMemory) {
  // Every allocation of device, module, session and run fails once.
  std::vector<uint8_t> file = addScaleAdd(-1, true).build();
  bool finished = false;
  size_t refused = 0;
  for (size_t limit = 0; !finished && limit < 1000; ++limit) {
    CountingAllocator counting;
    counting.limit = limit;
    {
      test::AlignedBytes bytes(file);
      auto own = openDevice(&counting.allocator);
      hone_status_code_t code = own.code();
      if (own.ok()) {
        auto module = Module::load(*own, bytes.data(), bytes.size());
        code = module.code();
        if (module.ok()) {
          auto session = Session::create(*module);
          code = session.code();
          if (session.ok()) {
            Arguments arguments(300);
            Status status = session->run(arguments.inputs, 2, &arguments.output, 1);
            code = status.code();
            finished = status.ok();
            // Memory comes back, the session goes on.
            counting.limit = SIZE_MAX;
            EXPECT_EQ(arguments.run(*session), "");
          }
        }
      }
      EXPECT_TRUE(finished || code == HONE_OUT_OF_MEMORY) << code;
      refused += !finished;
    }
    EXPECT_EQ(counting.live, 0u) << limit;
  }
  EXPECT_TRUE(finished);
  EXPECT_GT(refused, 5u);
}

TEST_F(Models, LaunchThatTheDeviceDoesNotTake) {
  // A number as large as this is too much for some: the error says whose it is.
  for (bool replayable : {true, false}) {
    LoadedModel model(handle, addScaleAdd(-1, replayable, int64_t(1) << 40));
    Session session = model.session();
    ASSERT_TRUE(session.get());
    std::vector<float> a(100, 1), y(100);
    hone_tensor_t inputs[2] = {tensor(a.data(), {100}), tensor(a.data(), {100})}, output = tensor(y.data(), {100});
    Status status = session.run(inputs, 2, &output, 1);
    if (status.ok()) {
      EXPECT_EQ(y[99], 0x1p41f + 1);
      continue;
    }
    EXPECT_EQ(status.code(), HONE_INCOMPATIBLE) << status.message();
    EXPECT_STREQ(status.node(), "Mul#1");
    EXPECT_NE(strstr(status.message(), "kernel 'mul_scalar': "), nullptr) << status.message();
  }
}

TEST_F(Models, ForOtherDevices) {
  ModuleBuilder builder = addScaleAdd(10, true);
  builder.programs[0].target = "abacus:wood";
  std::vector<uint8_t> file = builder.build();
  test::AlignedBytes bytes(file);
  hone_module_t *module = nullptr;
  EXPECT_TRUE(failsWith(hone_module_load(handle, bytes.data(), bytes.size(), nullptr, &module), HONE_INCOMPATIBLE,
                        "abacus:wood"));
}

TEST_F(Models, FeatureThatIsNotThere) {
  ModuleBuilder builder = addScaleAdd(10, true);
  builder.executables[0].features.push_back("time-travel");
  std::vector<uint8_t> file = builder.build();
  test::AlignedBytes bytes(file);
  hone_module_t *module = nullptr;
  EXPECT_TRUE(failsWith(hone_module_load(handle, bytes.data(), bytes.size(), nullptr, &module), HONE_INCOMPATIBLE,
                        "time-travel"));
}
