//===- CommandTest.cpp - Copies, fills, writes ----------------------------===//

#include "test/cts/Suite.h"

#include <cstring>

using namespace hone;
using namespace hone::cts;

namespace {

constexpr uint64_t kSize = 4200;

/// A buffer of noise, and what the host says must be in it.
class Commands : public StreamTest {
protected:
  void SetUp() override {
    StreamTest::SetUp();
    if (!stream)
      return;
    memory = std::make_unique<Memory>(device, kSize);
    expected = noise(kSize, 1);
    CTS_OK(upload(expected, memory->span()));
  }
  void TearDown() override {
    if (stream)
      take(driver->wait(stream));
    memory.reset();
    StreamTest::TearDown();
  }
  void check() { ASSERT_EQ(download<uint8_t>(memory->span()), expected); }

  std::unique_ptr<Memory> memory;
  std::vector<uint8_t> expected;
};

} // namespace

TEST_F(Commands, FillOddRanges) {
  uint8_t byte = 0;
  for (uint64_t offset : {0, 1, 2, 3, 64, 1021})
    for (uint64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 1030}) {
      byte += 37;
      CTS_OK(submit(fillWork(memory->span(offset, size), byte)));
      memset(expected.data() + offset, byte, size);
    }
  check();
}

TEST_F(Commands, WriteOddRanges) {
  int64_t value = 0x1122334455667788;
  for (uint64_t offset : {0, 1, 2, 3, 4, 7, 8, 100, 1023})
    for (uint64_t size : {1, 2, 4, 8}) {
      value = static_cast<int64_t>(static_cast<uint64_t>(value) * 31 + 7);
      uint64_t at = offset + size * 1100;
      at = at > kSize - 8 ? at % (kSize - 8) : at;
      CTS_OK(submit(writeWork(memory->span(at, size), value)));
      memcpy(expected.data() + at, &value, size);
    }
  check();
}

TEST_F(Commands, CopyBetweenBuffers) {
  Memory other(device, kSize);
  std::vector<uint8_t> source = noise(kSize, 2);
  CTS_OK(upload(source, other.span()));
  for (uint64_t to : {0, 1, 3, 700})
    for (uint64_t from : {0, 2, 5, 128})
      for (uint64_t size : {1, 3, 4, 64, 1001}) {
        CTS_OK(submit(copyWork(memory->span(to, size), other.span(from, size))));
        memcpy(expected.data() + to, source.data() + from, size);
      }
  check();
}

TEST_F(Commands, CopyWithinOneBuffer) {
  for (uint64_t from : {0, 17, 1200})
    for (uint64_t to : {0, 1, 16, 18, 600, 1201, 3000}) {
      CTS_OK(submit(copyWork(memory->span(to, 1100), memory->span(from, 1100))));
      memmove(expected.data() + to, expected.data() + from, 1100);
    }
  check();
}

TEST_F(Commands, LargeOverlappingCopy) {
  constexpr uint64_t kLarge = (uint64_t(9) << 20) + 5;
  Memory large(device, kLarge);
  std::vector<uint8_t> bytes = noise(kLarge, 3);
  CTS_OK(upload(bytes, large.span()));
  CTS_OK(submit(copyWork(large.span(1, kLarge - 1), large.span(0, kLarge - 1))));
  memmove(bytes.data() + 1, bytes.data(), kLarge - 1);
  CTS_OK(submit(copyWork(large.span(0, kLarge - 64), large.span(64, kLarge - 64))));
  memmove(bytes.data(), bytes.data() + 64, kLarge - 64);
  EXPECT_TRUE(download<uint8_t>(large.span()) == bytes);
}

TEST_F(Commands, DependentChain) {
  // Every command needs the one before it.
  for (int i = 0; i < 300; ++i) {
    uint64_t to = (i * 97) % 3000, from = ((i + 300) * 131) % 3000;
    switch (i % 3) {
    case 0:
      CTS_OK(submit(copyWork(memory->span(to, 900), memory->span(from, 900))));
      memmove(expected.data() + to, expected.data() + from, 900);
      break;
    case 1:
      CTS_OK(submit(fillWork(memory->span(to, 33), static_cast<uint8_t>(i))));
      memset(expected.data() + to, i & 255, 33);
      break;
    case 2: {
      int64_t value = i * 0x0101010101;
      CTS_OK(submit(writeWork(memory->span(to, 8), value)));
      memcpy(expected.data() + to, &value, 8);
      break;
    }
    }
  }
  check();
}
