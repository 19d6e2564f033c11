//===- MemoryTest.cpp - Packing, arenas and constants ---------------------===//

#include "Models.h"
#include "runtime/drivers/cpu/Cpu.h"
#include "runtime/hal/Registry.h"
#include "runtime/module/Arena.h"
#include "runtime/module/Packing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace hone;
using namespace hone::test;

static Packing packAndCheck(std::vector<PackedBuffer> &buffers) {
  std::vector<uint32_t> scratch(2 * buffers.size());
  Packing packing = pack(buffers.data(), buffers.size(), scratch.data());
  uint64_t end = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    end = std::max(end, buffers[i].offset + buffers[i].size);
    for (size_t j = 0; j < i; ++j) {
      bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
      bool overlap = buffers[i].offset < buffers[j].offset + buffers[j].size &&
                     buffers[j].offset < buffers[i].offset + buffers[i].size;
      EXPECT_FALSE(together && overlap) << i << " and " << j;
    }
  }
  EXPECT_EQ(end, packing.total);
  EXPECT_GE(packing.total, packing.lowerBound);
  return packing;
}

TEST(Packing, Chain) {
  // a -> b -> c -> d: two at a time.
  std::vector<PackedBuffer> buffers = {{128, 0, 1, 0}, {64, 1, 2, 0}, {128, 2, 3, 0}, {64, 3, 4, 0}};
  Packing packing = packAndCheck(buffers);
  EXPECT_EQ(packing.total, 192u);
  EXPECT_EQ(packing.lowerBound, 192u);
}

TEST(Packing, EmptyAndZeroSizes) {
  std::vector<PackedBuffer> none;
  EXPECT_EQ(packAndCheck(none).total, 0u);
  std::vector<PackedBuffer> zeros = {{0, 0, 1, 0}, {64, 0, 1, 0}, {0, 1, 1, 0}};
  EXPECT_EQ(packAndCheck(zeros).total, 64u);
}

TEST(Packing, Random) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<PackedBuffer> buffers(random() % 60);
    for (PackedBuffer &buffer : buffers) {
      buffer.size = 64 * (random() % 50);
      buffer.first = static_cast<int32_t>(random() % 40);
      buffer.last = buffer.first + static_cast<int32_t>(random() % 10);
    }
    packAndCheck(buffers);
  }
}

namespace {
struct ArenaTest : testing::Test {
  ArenaTest() {
    const hal::DeviceTable *drivers[] = {&cpu::driver()};
    hone_status_t status = hal::openDevice({drivers, 1}, "cpu", defaultAllocator(), &device);
    EXPECT_EQ(status, nullptr);
  }
  ~ArenaTest() override { device->table->destroy(device); }
  hal::Device *device = nullptr;
};
} // namespace

TEST_F(ArenaTest, GrowsWithoutMovingAndCoalesces) {
  Arena arena(device, defaultAllocator());
  hal::Span a, b, c;
  Arena::Mark ma, mb, mc;
  ASSERT_EQ(arena.push(128, a, ma), nullptr);
  memset(a.buffer->host, 1, 128);
  ASSERT_EQ(arena.push(4096, b, mb), nullptr);
  ASSERT_EQ(arena.push(64, c, mc), nullptr);
  EXPECT_EQ(static_cast<uint8_t *>(a.buffer->host)[127], 1);
  EXPECT_EQ(arena.peak(), 128u + 4096 + 64);
  arena.pop(mc);
  arena.pop(mb);
  ASSERT_EQ(arena.push(64, c, mc), nullptr);
  arena.reset();
  EXPECT_TRUE(arena.fragmented());
  ASSERT_EQ(arena.coalesce(), nullptr);
  EXPECT_FALSE(arena.fragmented());
  EXPECT_EQ(arena.capacity(), arena.peak());
  ASSERT_EQ(arena.push(128, a, ma), nullptr);
  ASSERT_EQ(arena.push(4096, b, mb), nullptr);
  ASSERT_EQ(arena.push(64, c, mc), nullptr);
  EXPECT_EQ(a.buffer, c.buffer);
  EXPECT_EQ(c.offset, 128u + 4096);
  EXPECT_FALSE(arena.fragmented());
}

TEST_F(ArenaTest, LargerFrameAfterRelease) {
  Arena arena(device, defaultAllocator());
  hal::Span span;
  Arena::Mark mark;
  ASSERT_EQ(arena.push(640, span, mark), nullptr);
  Arena::Mark inner;
  ASSERT_EQ(arena.push(320, span, inner), nullptr);
  arena.pop(inner);
  arena.pop(mark);
  ASSERT_EQ(arena.push(700, span, mark), nullptr);
  arena.reset();
  EXPECT_TRUE(arena.fragmented());
  ASSERT_EQ(arena.coalesce(), nullptr);
  EXPECT_EQ(arena.capacity(), 960u);
}

TEST_F(ArenaTest, TooMuchIsAnError) {
  Arena arena(device, defaultAllocator());
  hal::Span span;
  Arena::Mark mark;
  Status status(arena.push(uint64_t(1) << 62, span, mark));
  EXPECT_EQ(status.code(), HONE_OUT_OF_MEMORY);
  ASSERT_EQ(arena.push(64, span, mark), nullptr);
}

TEST(Memory, HugeBlocksAreAligned) {
  const hone_allocator_t *allocator = defaultAllocator();
  for (size_t size : {size_t(1) << 20, (size_t(5) << 20) + 3}) {
    void *block = allocator->allocate(allocator->self, size, blockAlignment(size));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kHugePage, 0u);
    memset(block, 1, size);
    allocator->release(allocator->self, block, size, blockAlignment(size));
  }
  EXPECT_EQ(allocator->allocate(allocator->self, SIZE_MAX - 5, kHugePage), nullptr);
}

TEST(Memory, ArenaIsPeakAndReserveIsPacked) {
  Loaded loaded(addScaleAdd(-1, true));
  Session session = loaded.session();
  std::vector<float> a(64), b(64), y(64);
  for (int64_t n : {16, 64, 16}) {
    hone_tensor_t inputs[2] = {tensor(a.data(), {n}), tensor(b.data(), {n})};
    hone_tensor_t output = tensor(y.data(), {n});
    ASSERT_TRUE(session.run(inputs, 2, &output, 1).ok());
  }
  hone_memory_info_t info = session.memory();
  EXPECT_EQ(info.peak_bytes, 512u); // two buffers of 64 floats
  EXPECT_EQ(info.lower_bound_bytes, 512u);
  EXPECT_EQ(info.arena_bytes, 512u);
  EXPECT_EQ(info.output_bytes, 0u);
}

/// 3 MB of constants, the last float of which is copied out.
static ModuleBuilder bigConstants() {
  ModuleBuilder m;
  m.outputs = {{"y", DType::U8, {4}}};
  std::vector<uint8_t> data(3 << 20);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<uint8_t>(i * 7);
  m.constants = {data};
  ProgramSpec p;
  p.buffers = 3;
  p.replayable = true;
  int32_t four = p.constant(4), offset = p.constant((3 << 20) - 4);
  p.op(Opcode::BufferConstant, {0, 0});
  p.op(Opcode::BufferView, {1, 0, offset, four});
  p.op(Opcode::BufferOutput, {2, 0, four}).op(Opcode::Copy, {2, 1, four});
  p.op(Opcode::End);
  m.programs = {p};
  return m;
}

TEST(Memory, ConstantsInEveryPlace) {
  std::vector<uint8_t> file = bigConstants().build();
  for (hone_constants_t mode : {HONE_CONSTANTS_AUTO, HONE_CONSTANTS_IN_PLACE, HONE_CONSTANTS_COPY})
    for (size_t skew : {0, 8, 1}) {
      hone_module_options_t options = Module::options();
      options.constants = mode;
      options.verify_constants = 1;
      Loaded loaded(file, &options, skew);
      hone_session_options_t sessionOptions = Session::options();
      sessionOptions.threads = 2;
      Session first = loaded.session(&sessionOptions), second = loaded.session();
      for (Session *session : {&first, &second}) {
        hone_tensor_t output = {};
        Status status = session->run(nullptr, 0, &output, 1);
        ASSERT_TRUE(status.ok()) << status.message();
        auto *bytes = static_cast<uint8_t *>(output.data);
        for (int i = 0; i < 4; ++i)
          EXPECT_EQ(bytes[i], static_cast<uint8_t>(((3 << 20) - 4 + i) * 7));
      }
    }
}

TEST(Memory, DamagedConstantsAreFoundWhenAsked) {
  std::vector<uint8_t> file = bigConstants().build();
  file[file.size() - 1] ^= 1;
  EXPECT_TRUE(Loaded(file).status.ok());
  hone_module_options_t options = Module::options();
  options.verify_constants = 1;
  Loaded loaded(file, &options);
  EXPECT_EQ(loaded.status.code(), HONE_MALFORMED);
}
