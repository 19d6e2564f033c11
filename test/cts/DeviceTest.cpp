//===- DeviceTest.cpp - Opening devices, memory, transfers ----------------===//

#include "test/cts/Suite.h"

#include <iostream>
#include <thread>

using namespace hone;
using namespace hone::cts;

namespace {
class Opening : public DeviceTest {};
class Buffers : public StreamTest {};
class Transfers : public StreamTest {};
} // namespace

TEST_F(Opening, Describes) {
  EXPECT_EQ(std::string(driver->name), driverName());
  std::string description = hone_device_description(handle);
  std::cout << description << "\n";
  EXPECT_EQ(description.rfind(driverName() + ": ", 0), 0u) << description;
  EXPECT_EQ(description.find('\n'), std::string::npos);
}

TEST_F(Opening, WithoutOrdinalIsTheFirst) {
  auto opened = Device::create(driverName().c_str());
  ASSERT_TRUE(opened.ok()) << opened.message();
  auto first = Device::create((driverName() + ":0").c_str());
  ASSERT_TRUE(first.ok()) << first.message();
  EXPECT_STREQ(opened->description(), first->description());
}

TEST_F(Opening, DeviceThatIsNotThere) {
  hone_device_t *other = nullptr;
  EXPECT_TRUE(failsWith(hone_device_create((driverName() + ":9999").c_str(), nullptr, &other), HONE_NOT_FOUND,
                        (driverName() + ":9999").c_str()));
  for (const char *bad : {":", ":x", ":-1", ":1x", ":12345", ": 0"})
    EXPECT_TRUE(
        failsWith(hone_device_create((driverName() + bad).c_str(), nullptr, &other), HONE_INVALID_ARGUMENT, "expected"))
        << bad;
  EXPECT_TRUE(
      failsWith(hone_device_create((driverName() + "x").c_str(), nullptr, &other), HONE_NOT_FOUND, "is built for"));
  EXPECT_EQ(other, nullptr);
}

TEST_F(Opening, ManyDevicesKnowNothingOfEachOther) {
  std::vector<std::thread> threads;
  std::vector<std::string> messages(3);
  for (std::string &message : messages)
    threads.emplace_back([&message] {
      for (int i = 0; i < 2 && message.empty(); ++i) {
        auto opened = openDevice();
        if (!opened) {
          message = opened.message();
          return;
        }
        hal::Device *own = opened->get()->impl;
        hal::Buffer *buffer = nullptr;
        message = take(own->table->bufferCreate(own, own->allocator, 100, &buffer));
        own->table->bufferDestroy(own, buffer);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_EQ(message, "");
}

TEST_F(Opening, WithoutMemory) {
  bool opened = false;
  for (size_t limit = 0; !opened && limit < 100; ++limit) {
    CountingAllocator counting;
    counting.limit = limit;
    auto created = openDevice(&counting.allocator);
    opened = created.ok();
    if (!opened) {
      EXPECT_EQ(created.code(), HONE_OUT_OF_MEMORY) << created.message();
      EXPECT_EQ(counting.live, 0u);
    }
  }
  EXPECT_TRUE(opened);
}

TEST_F(Buffers, AnySize) {
  for (uint64_t size : {0, 1, 3, 4, 63, 64, 65, 4095, 1 << 20, (1 << 24) + 1})
    Memory memory(device, size);
}

TEST_F(Buffers, ManyAtOnce) {
  std::vector<std::unique_ptr<Memory>> buffers;
  for (uint32_t i = 0; i < 200; ++i) {
    buffers.push_back(std::make_unique<Memory>(device, 16 + i));
    CTS_OK(submit(fillWork(buffers.back()->span(), static_cast<uint8_t>(i))));
  }
  for (uint32_t i = 0; i < 200; ++i)
    ASSERT_EQ(download<uint8_t>(buffers[i]->span()), std::vector<uint8_t>(16 + i, static_cast<uint8_t>(i)));
}

TEST_F(Buffers, LargerThanTheDevice) {
  CountingAllocator counting;
  for (uint64_t size : {uint64_t(1) << 50, uint64_t(1) << 62, UINT64_MAX - 100, UINT64_MAX}) {
    hal::Buffer *buffer = nullptr;
    EXPECT_TRUE(failsWith(driver->bufferCreate(device, &counting.allocator, size, &buffer), HONE_OUT_OF_MEMORY,
                          "out of memory"))
        << size;
    EXPECT_EQ(buffer, nullptr);
  }
  EXPECT_EQ(counting.live, 0u);
  Memory after(device, 1000);
}

TEST_F(Buffers, WithoutHostMemory) {
  CountingAllocator counting;
  counting.limit = 0;
  hal::Buffer *buffer = nullptr;
  EXPECT_TRUE(failsWith(driver->bufferCreate(device, &counting.allocator, 1000, &buffer), HONE_OUT_OF_MEMORY));
  EXPECT_EQ(counting.live, 0u);
}

TEST_F(Transfers, OddSizesAndOffsets) {
  constexpr uint64_t kSize = 10000;
  Memory memory(device, kSize);
  std::vector<uint8_t> expected = noise(kSize, 1);
  CTS_OK(upload(expected, memory.span()));
  uint32_t seed = 2;
  for (uint64_t offset : {0, 1, 2, 3, 5, 63, 64, 4093})
    for (uint64_t size : {0, 1, 2, 3, 4, 5, 7, 61, 64, 257, 4096}) {
      std::vector<uint8_t> part = noise(size, ++seed);
      CTS_OK(upload(part, memory.span(offset, size)));
      std::copy(part.begin(), part.end(), expected.begin() + offset);
      ASSERT_EQ(download<uint8_t>(memory.span(offset, size)), part) << offset << " " << size;
    }
  ASSERT_EQ(download<uint8_t>(memory.span()), expected);
}

TEST_F(Transfers, Large) {
  // Larger than any staging memory, and not a multiple of anything.
  constexpr uint64_t kSize = (uint64_t(40) << 20) + 13;
  Memory memory(device, kSize);
  std::vector<uint8_t> bytes = noise(kSize, 3);
  CTS_OK(upload(bytes, memory.span()));
  EXPECT_TRUE(download<uint8_t>(memory.span()) == bytes);
}

TEST_F(Transfers, SourceIsFreeAfterUpload) {
  Memory memory(device, 5000);
  std::vector<uint8_t> bytes = noise(5000, 4), sent = bytes;
  CTS_OK(upload(sent, memory.span()));
  std::fill(sent.begin(), sent.end(), 0);
  EXPECT_EQ(download<uint8_t>(memory.span()), bytes);
}

TEST_F(Transfers, StayInOrder) {
  Memory memory(device, 1000);
  std::vector<uint8_t> first(1000, 1), second(1000, 2), readFirst(1000), readFill(1000), readSecond(1000);
  CTS_OK(upload(first, memory.span()));
  CTS_OK(driver->download(stream, memory.span(), readFirst.data()));
  CTS_OK(submit(fillWork(memory.span(), 7)));
  CTS_OK(driver->download(stream, memory.span(), readFill.data()));
  CTS_OK(upload(second, memory.span()));
  CTS_OK(driver->download(stream, memory.span(), readSecond.data()));
  CTS_OK(driver->wait(stream));
  EXPECT_EQ(readFirst, first);
  EXPECT_EQ(readFill, std::vector<uint8_t>(1000, 7));
  EXPECT_EQ(readSecond, second);
}

TEST_F(Transfers, ManyDownloadsBeforeOneWait) {
  constexpr uint64_t kCount = 300, kSize = 40001;
  Memory memory(device, kCount * kSize);
  std::vector<uint8_t> bytes = noise(kCount * kSize, 5), got(kCount * kSize);
  CTS_OK(upload(bytes, memory.span()));
  for (uint64_t i = 0; i < kCount; ++i)
    CTS_OK(driver->download(stream, memory.span(i * kSize, kSize), got.data() + i * kSize));
  CTS_OK(driver->wait(stream));
  EXPECT_TRUE(got == bytes);
}

TEST_F(Transfers, ReadWaits) {
  Memory memory(device, 64);
  CTS_OK(submit(fillWork(memory.span(), 0)));
  for (int64_t i = 0; i < 20; ++i) {
    CTS_OK(submit(writeWork(memory.span(8, 8), i * 1000003)));
    int64_t value = -1;
    CTS_OK(driver->read(stream, memory.span(8, 8), &value));
    ASSERT_EQ(value, i * 1000003);
  }
  uint8_t byte = 1;
  CTS_OK(driver->read(stream, memory.span(63, 1), &byte));
  EXPECT_EQ(byte, 0);
}

TEST_F(Transfers, WaitWithoutWork) {
  CTS_OK(driver->wait(stream));
  CTS_OK(driver->wait(stream));
}

TEST_F(Transfers, DestroyedWithWorkUnderWay) {
  Memory memory(device, 1 << 20);
  hal::Stream *other = nullptr;
  CTS_OK(driver->streamCreate(device, {device->allocator, 1, nullptr, nullptr}, &other));
  for (int i = 0; i < 100; ++i)
    CTS_OK(driver->submit(other, fillWork(memory.span(), static_cast<uint8_t>(i)).get()));
  driver->streamDestroy(device, other);
  EXPECT_EQ(download<uint8_t>(memory.span(5, 3)), std::vector<uint8_t>(3, 99));
}
