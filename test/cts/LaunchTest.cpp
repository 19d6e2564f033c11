//===- LaunchTest.cpp - Kernels -------------------------------------------===//

#include "test/cts/Suite.h"

#include <numeric>

using namespace hone;
using namespace hone::cts;

namespace {
class Launches : public StreamTest {
protected:
  void SetUp() override {
    StreamTest::SetUp();
    if (stream)
      loadKernels();
  }
};
} // namespace

// GTEST_SKIP in SetUp skips the test; what follows runs with kernels only.

TEST_F(Launches, Elementwise) {
  for (int64_t n : {1, 63, 64, 65, 1000, 100000}) {
    uint64_t bytes = n * 4;
    Memory a(device, bytes), b(device, bytes), sum(device, bytes), product(device, bytes);
    std::vector<float> x(n), y(n), expected(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = float(i % 1000);
      y[i] = float(i % 77) - 20;
      expected[i] = (x[i] + y[i]) * 3;
    }
    CTS_OK(upload(x, a.span()));
    CTS_OK(upload(y, b.span()));
    CTS_OK(submit(launch(Add, groupsOf(n), {a.span(), b.span(), sum.span()}, {n})));
    CTS_OK(submit(launch(MulScalar, groupsOf(n), {sum.span(), product.span()}, {n, 3})));
    ASSERT_EQ(download<float>(product.span()), expected) << n;
  }
}

TEST_F(Launches, SpansWithinBuffers) {
  constexpr int64_t n = 100;
  Memory memory(device, 10000);
  CTS_OK(submit(fillWork(memory.span(), 0)));
  std::vector<float> x(n), expected(n);
  std::iota(x.begin(), x.end(), 1.0f);
  CTS_OK(upload(x, memory.span(256, n * 4)));
  CTS_OK(upload(x, memory.span(1024, n * 4)));
  CTS_OK(submit(
      launch(Add, groupsOf(n), {memory.span(256, n * 4), memory.span(1024, n * 4), memory.span(2048, n * 4)}, {n})));
  for (int64_t i = 0; i < n; ++i)
    expected[i] = 2 * x[i];
  EXPECT_EQ(download<float>(memory.span(2048, n * 4)), expected);
  // Nothing else was written.
  for (float value : download<float>(memory.span(2048 + n * 4, 2000)))
    ASSERT_EQ(value, 0);
}

TEST_F(Launches, ManyBuffers) {
  constexpr int64_t n = 130;
  std::vector<std::unique_ptr<Memory>> buffers;
  std::vector<hal::Span> spans;
  std::vector<float> expected(n);
  for (int j = 0; j < 24; ++j) {
    buffers.push_back(std::make_unique<Memory>(device, n * 4));
    spans.push_back(buffers.back()->span());
    std::vector<float> values(n);
    for (int64_t i = 0; i < n; ++i)
      expected[i] += values[i] = float(i + j * 1000);
    CTS_OK(upload(values, spans.back()));
  }
  Memory out(device, n * 4);
  spans.push_back(out.span());
  CTS_OK(submit(launch(SumMany, groupsOf(n), spans, {n})));
  EXPECT_EQ(download<float>(out.span()), expected);
}

TEST_F(Launches, OneBufferMoreThanOnce) {
  constexpr int64_t n = 70;
  Memory memory(device, n * 4);
  std::vector<float> x(n, 1.5f);
  CTS_OK(upload(x, memory.span()));
  CTS_OK(submit(launch(Add, groupsOf(n), {memory.span(), memory.span(), memory.span()}, {n})));
  EXPECT_EQ(download<float>(memory.span()), std::vector<float>(n, 3.0f));
}

TEST_F(Launches, Scalars) {
  Memory out(device, 40 * 8);
  for (KernelId kernel : {StoreScalars, StoreManyScalars}) {
    std::vector<int64_t> scalars(kKernels[kernel].scalars);
    for (int64_t round = 0; round < 3; ++round) {
      for (size_t j = 0; j < scalars.size(); ++j)
        scalars[j] = 0x01234567 * int64_t(j + 1) % 0x7fffffff + round;
      CTS_OK(submit(launch(kernel, 1, {out.span()}, scalars)));
      ASSERT_EQ(download<int64_t>(out.span(0, scalars.size() * 8)), scalars);
    }
  }
}

TEST_F(Launches, WideScalars) {
  // Kernels that count in 32 bits get no others: the launch is refused.
  Memory out(device, 16 * 8);
  for (int64_t value : {int64_t(-1), INT64_MIN, int64_t(1) << 40, int64_t(1) << 32, int64_t(1) << 31}) {
    std::vector<int64_t> scalars(16, value);
    hone_status_t status = submit(launch(StoreScalars, 1, {out.span()}, scalars));
    if (hone_status_code(status) == HONE_INCOMPATIBLE) {
      EXPECT_NE(take(status).find(std::to_string(value)), std::string::npos);
      continue;
    }
    CTS_OK(status);
    ASSERT_EQ(download<int64_t>(out.span()), scalars);
  }
}

TEST_F(Launches, ScalarsOfManyLaunches) {
  // Each has its own, however many are under way.
  constexpr size_t kCount = 100;
  Memory out(device, kCount * 320);
  std::vector<int64_t> expected;
  for (size_t i = 0; i < kCount; ++i) {
    std::vector<int64_t> scalars(40);
    std::iota(scalars.begin(), scalars.end(), int64_t(i) * 1000);
    CTS_OK(submit(launch(StoreManyScalars, 1, {out.span(i * 320, 320)}, scalars)));
    expected.insert(expected.end(), scalars.begin(), scalars.end());
  }
  EXPECT_EQ(download<int64_t>(out.span()), expected);
}

TEST_F(Launches, Grids) {
  // Beyond 32768 and 65535, where devices need more than one direction.
  for (int64_t grid : {0, 1, 2, 1000, 32767, 32768, 32769, 65535, 65536, 65537, 150001}) {
    uint64_t bytes = (grid + 8) * 4;
    Memory out(device, bytes);
    CTS_OK(submit(fillWork(out.span(), 0)));
    CTS_OK(submit(launch(CountGroups, grid, {out.span()})));
    std::vector<int32_t> expected(grid + 8, 1);
    std::fill(expected.end() - 8, expected.end(), 0);
    ASSERT_TRUE(download<int32_t>(out.span()) == expected) << grid;
  }
}

TEST_F(Launches, DependOnEachOther) {
  constexpr int64_t n = 5000;
  Memory memory(device, n * 4);
  CTS_OK(submit(fillWork(memory.span(), 0)));
  for (int i = 0; i < 500; ++i)
    CTS_OK(submit(launch(Increment, groupsOf(n), {memory.span()}, {n})));
  EXPECT_EQ(download<int32_t>(memory.span()), std::vector<int32_t>(n, 500));
}

TEST_F(Launches, WriteAfterRead) {
  // A reader, then a writer of what it read, on memory that only overlaps in part.
  constexpr int64_t n = 20000;
  Memory a(device, n * 4 + 256), b(device, n * 4);
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  for (int round = 0; round < 20; ++round) {
    CTS_OK(upload(values, a.span(0, n * 4)));
    CTS_OK(submit(copyWork(b.span(), a.span(0, n * 4))));
    CTS_OK(submit(fillWork(a.span(256, n * 4), static_cast<uint8_t>(round))));
    CTS_OK(submit(launch(Increment, groupsOf(n), {b.span()}, {n})));
    CTS_OK(submit(copyWork(a.span(256, n * 4), b.span())));
    std::vector<int32_t> got = download<int32_t>(a.span(256, n * 4));
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(got[i], i + 1);
  }
}

TEST_F(Launches, Bytes) {
  for (int64_t n : {1, 2, 3, 5, 64, 67, 1001}) {
    Memory a(device, n), out(device, n);
    std::vector<uint8_t> bytes = noise(n, 9);
    CTS_OK(upload(bytes, a.span()));
    CTS_OK(submit(launch(ReverseBytes, groupsOf(n), {a.span(), out.span()}, {n})));
    ASSERT_EQ(download<uint8_t>(out.span()), std::vector<uint8_t>(bytes.rbegin(), bytes.rend())) << n;
  }
}

TEST_F(Launches, SharedMemory) {
  constexpr int64_t n = 1000;
  Memory a(device, n * 4), out(device, groupsOf(n) * 4);
  std::vector<int32_t> values(n), expected(groupsOf(n));
  for (int64_t i = 0; i < n; ++i)
    expected[i / kGroup] += values[i] = int32_t(i * i % 1009);
  CTS_OK(upload(values, a.span()));
  CTS_OK(submit(launch(GroupSums, groupsOf(n), {a.span(), out.span()}, {n})));
  EXPECT_EQ(download<int32_t>(out.span()), expected);
}

TEST_F(Launches, SerialWork) {
  constexpr int64_t n = 333;
  Memory a(device, n * 4), count(device, 8), indices(device, n * 8);
  std::vector<float> values(n);
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < n; ++i)
    if (i % 7 == 3 || i == 0) {
      values[i] = float(i) - 0.5f;
      expected.push_back(i);
    }
  CTS_OK(upload(values, a.span()));
  CTS_OK(submit(launch(Nonzero, 1, {a.span(), count.span(), indices.span()}, {n})));
  int64_t found = -1;
  CTS_OK(driver->read(stream, count.span(), &found));
  ASSERT_EQ(found, int64_t(expected.size()));
  EXPECT_EQ(download<int64_t>(indices.span(0, found * 8)), expected);
}

TEST_F(Launches, EmptySpans) {
  Memory a(device, 0), b(device, 100), out(device, 100);
  CTS_OK(submit(fillWork(out.span(), 1)));
  // No element is touched; the spans lie at the start, at the end, in an empty buffer.
  CTS_OK(submit(launch(Add, 1, {a.span(), b.span(100, 0), out.span(0, 0)}, {0})));
  EXPECT_EQ(download<uint8_t>(out.span()), std::vector<uint8_t>(100, 1));
}
