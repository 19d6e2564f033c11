//===- RecordTest.cpp - Recordings and timers -----------------------------===//

#include "test/cts/Suite.h"

using namespace hone;
using namespace hone::cts;

namespace {

class Recordings : public StreamTest {
protected:
  void SetUp() override {
    StreamTest::SetUp();
    if (stream)
      loadKernels();
  }
  void TearDown() override {
    if (recording)
      driver->recordingDestroy(stream, recording);
    StreamTest::TearDown();
  }
  hone_status_t record(std::vector<Work> work) {
    std::vector<hal::Command> commands;
    for (Work &item : work)
      commands.push_back(item.get());
    return driver->record(stream, commands.data(), commands.size(), &recording);
  }

  hal::Recording *recording = nullptr;
};

} // namespace

TEST_F(Recordings, Replay) {
  constexpr int64_t n = 300;
  Memory a(device, n * 4), b(device, n * 4), c(device, n * 4);
  CTS_OK(record({launch(Add, groupsOf(n), {a.span(), a.span(), b.span()}, {n}),
                 launch(MulScalar, groupsOf(n), {b.span(), c.span()}, {n, 5}), copyWork(a.span(0, 100), c.span(0, 100)),
                 fillWork(c.span(100, 3), 0), writeWork(c.span(1196, 4), 0x3f800000)}));
  for (float value : {1.0f, 2.0f, -3.0f, 0.5f}) {
    CTS_OK(upload(std::vector<float>(n, value), a.span()));
    CTS_OK(driver->replay(stream, recording));
    std::vector<float> got = download<float>(c.span()), copied = download<float>(a.span());
    EXPECT_EQ(got[0], value * 10);
    EXPECT_EQ(got[298], value * 10);
    EXPECT_EQ(got[299], 1.0f);
    EXPECT_EQ(copied[0], value * 10);
    EXPECT_EQ(copied[24], value * 10);
    EXPECT_EQ(copied[25], value);
  }
}

TEST_F(Recordings, ReplayedBeforeTheLastIsDone) {
  constexpr int64_t n = 3000;
  Memory memory(device, n * 4);
  CTS_OK(submit(fillWork(memory.span(), 0)));
  CTS_OK(record({launch(Increment, groupsOf(n), {memory.span()}, {n})}));
  for (int i = 0; i < 50; ++i) {
    CTS_OK(driver->replay(stream, recording));
    CTS_OK(submit(launch(Increment, groupsOf(n), {memory.span()}, {n})));
  }
  EXPECT_EQ(download<int32_t>(memory.span()), std::vector<int32_t>(n, 100));
}

TEST_F(Recordings, ManyCommands) {
  constexpr int64_t n = 100;
  Memory memory(device, n * 4), scalars(device, 320);
  std::vector<Work> work;
  work.push_back(fillWork(memory.span(), 0));
  for (int i = 0; i < 700; ++i) {
    work.push_back(launch(Increment, groupsOf(n), {memory.span()}, {n}));
    if (i % 100 == 0)
      work.push_back(launch(StoreManyScalars, 1, {scalars.span()}, std::vector<int64_t>(40, i)));
  }
  CTS_OK(record(work));
  for (int i = 0; i < 2; ++i) {
    CTS_OK(driver->replay(stream, recording));
    EXPECT_EQ(download<int32_t>(memory.span()), std::vector<int32_t>(n, 700));
    EXPECT_EQ(download<int64_t>(scalars.span()), std::vector<int64_t>(40, 600));
  }
}

TEST_F(Recordings, RecordedAnew) {
  Memory memory(device, 4000);
  for (int64_t n : {10, 1000, 1, 500}) {
    CTS_OK(submit(fillWork(memory.span(), 0)));
    std::vector<Work> work;
    for (int64_t i = 0; i < n; ++i)
      work.push_back(launch(Increment, groupsOf(n), {memory.span(0, n * 4)}, {n}));
    CTS_OK(record(work));
    CTS_OK(driver->replay(stream, recording));
    std::vector<int32_t> expected(1000, 0);
    std::fill(expected.begin(), expected.begin() + n, int32_t(n));
    ASSERT_EQ(download<int32_t>(memory.span()), expected) << n;
  }
}

TEST_F(Recordings, Empty) {
  CTS_OK(record({}));
  CTS_OK(driver->replay(stream, recording));
  CTS_OK(driver->wait(stream));
}

TEST_F(Recordings, BuffersBoundForEveryRun) {
  if (!device->unified && !device->addressable)
    return; // others have no such buffers
  constexpr int64_t n = 90;
  Memory first(device, n * 4), second(device, n * 4), sum(device, n * 4);
  CTS_OK(upload(std::vector<float>(n, 1), first.span()));
  CTS_OK(upload(std::vector<float>(n, 2), second.span()));
  hal::Buffer in = {}, out = {};
  in.external = out.external = true;
  in.size = out.size = n * 4;
  hal::Span input = {&in, 0, n * 4}, output = {&out, 0, n * 4};
  CTS_OK(record({launch(Add, groupsOf(n), {input, input, output}, {n}), copyWork({&out, 4, 8}, {&in, 8, 8}),
                 fillWork({&out, 16, 4}, 0), writeWork({&out, 24, 8}, 0x3f8000003f800000)}));
  float value = 1;
  for (Memory *source : {&first, &second, &first, &second}) {
    in.host = source->buffer->host;
    in.address = source->buffer->address;
    out.host = sum.buffer->host;
    out.address = sum.buffer->address;
    CTS_OK(driver->replay(stream, recording));
    std::vector<float> expected(n, 2 * value);
    expected[1] = expected[2] = value;
    expected[4] = 0;
    expected[6] = expected[7] = 1;
    EXPECT_EQ(download<float>(sum.span()), expected);
    value = 3 - value;
  }
}

namespace {
class Timers : public Recordings {
protected:
  void SetUp() override {
    Recordings::SetUp();
    if (!executable)
      return;
    driver->streamDestroy(device, stream);
    stream = nullptr;
    hal::StreamOptions streamOptions = {device->allocator, 1, nullptr, timers};
    CTS_OK(driver->streamCreate(device, streamOptions, &stream));
  }
  hal::Timer timers[3] = {};
};
} // namespace

TEST_F(Timers, CountEveryCommand) {
  if (!executable)
    return;
  constexpr int64_t n = 1000000;
  Memory memory(device, n * 4);
  CTS_OK(submit(fillWork(memory.span(), 0).tag(2)));
  for (int i = 0; i < 200; ++i)
    CTS_OK(submit(launch(Increment, 1, {memory.span()}, {1}).tag(1)));
  CTS_OK(submit(launch(Increment, groupsOf(n), {memory.span()}, {n}).tag(0)));
  CTS_OK(driver->wait(stream));
  EXPECT_EQ(timers[0].calls, 1u);
  EXPECT_EQ(timers[1].calls, 200u);
  EXPECT_EQ(timers[2].calls, 1u);
  EXPECT_GT(timers[0].nanoseconds, 1000u);
  EXPECT_LT(timers[0].nanoseconds, 60000000000u);
  EXPECT_LT(timers[1].nanoseconds, 60000000000u);

  CTS_OK(record({launch(Increment, groupsOf(n), {memory.span()}, {n}).tag(0), fillWork(memory.span(), 0).tag(2)}));
  for (int i = 0; i < 3; ++i)
    CTS_OK(driver->replay(stream, recording));
  CTS_OK(driver->wait(stream));
  EXPECT_EQ(timers[0].calls, 4u);
  EXPECT_EQ(timers[1].calls, 200u);
  EXPECT_EQ(timers[2].calls, 4u);
}
