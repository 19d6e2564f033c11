//===- Suite.h - One set of tests for every driver -*- C++ -*-===//
//
// The device under test and its kernels, and small owners around the driver
// interface. A test never asks which driver it runs on: what a device need not
// have, it says itself (`unified`) or refuses with HONE_INCOMPATIBLE.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_CTS_SUITE_H
#define HONE_TEST_CTS_SUITE_H

#include "hone/hone.hpp"
#include "runtime/hal/device.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hone::cts {

/// Elements one workgroup of an elementwise kernel computes, on every target.
inline constexpr int64_t kGroup = 64;

/// The kernels all targets have; the numbers of operands are those of kernels.c.
struct KernelInfo {
  const char *name;
  uint32_t buffers, scalars;
};
enum KernelId : uint32_t {
  Add,
  MulScalar,
  SumMany,
  StoreScalars,
  StoreManyScalars,
  CountGroups,
  Increment,
  ReverseBytes,
  GroupSums,
  Nonzero,
  DoubleStep,
  KernelCount
};
extern const KernelInfo kKernels[KernelCount];
/// Kernels as a driver is told about them: workgroups of kGroup threads. A name that no kernel has takes
/// nothing.
std::vector<hal::KernelDescription> describe(const std::vector<const char *> &names);

/// The kernels as one target has them.
struct Image {
  std::string target, format;
  std::vector<std::string> features;
  std::vector<uint8_t> code;
};

/// What the command line says.
struct Options {
  std::string device = "cpu";
  std::string kernels; ///< a folder with <driver>.image and <driver>.needs
  /// Vulkan: device memory counts as out of the processor's reach, or as slow to
  /// read, so that all ways of transfer are tested on any device.
  enum Staging { None, Reads, All } staging = None;
};
extern Options options;

/// Opens the device under test once more.
Result<Device> openDevice(const hone_allocator_t *allocator = nullptr);

/// "cpu" of "cpu:0".
std::string driverName();
/// The image of the device under test; empty code when there is none.
const Image &image();

/// "" for success, otherwise the message; frees the status.
std::string take(hone_status_t status);
#define CTS_OK(expression) ASSERT_EQ(hone::cts::take(expression), "")
/// Whether a status has this code and its message this part; frees it.
testing::AssertionResult failsWith(hone_status_t status, hone_status_code_t code, const char *part = "");

/// Counts what an allocator hands out; fails from the `limit`-th block on.
struct CountingAllocator {
  CountingAllocator();
  hone_allocator_t allocator;
  size_t count = 0, live = 0, limit = SIZE_MAX;
};

class Needs {
public:
  explicit Needs(const Image &image);
  operator const hal::ExecutableNeeds &() const { return needs; }

private:
  std::vector<const char *> features;
  hal::ExecutableNeeds needs;
};

/// Tests that need nothing but a device. Skipped where there is none.
class DeviceTest : public testing::Test {
protected:
  void SetUp() override;

  /// The whole suite uses one device.
  hone_device_t *handle = nullptr;
  hal::Device *device = nullptr;
  const hal::DeviceTable *driver = nullptr;
};

/// A device buffer.
class Memory {
public:
  Memory(hal::Device *device, uint64_t size);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  hal::Span span() const { return {buffer, 0, buffer->size}; }
  hal::Span span(uint64_t offset, uint64_t size) const { return {buffer, offset, size}; }

  hal::Buffer *buffer = nullptr;

private:
  hal::Device *device;
};

/// A command with its operands.
struct Work {
  Work &tag(uint32_t value) {
    command.tag = value;
    return *this;
  }
  const hal::Command &get();
  hal::Command command = {};
  std::vector<hal::Span> spans;
  std::vector<int64_t> scalars;
};
Work copyWork(hal::Span target, hal::Span source);
Work fillWork(hal::Span target, uint8_t byte);
Work writeWork(hal::Span target, int64_t value);

/// Tests of work: a stream and the kernels. Kernel tests are skipped where the
/// build has no image for the device.
class StreamTest : public DeviceTest {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Loads the kernels; false (and the test skipped) when there are none.
  bool loadKernels();
  Work launch(KernelId kernel, int64_t grid, std::vector<hal::Span> spans, std::vector<int64_t> scalars = {}) const;
  hone_status_t submit(Work work) { return driver->submit(stream, work.get()); }

  template <typename T> hone_status_t upload(const std::vector<T> &values, const hal::Span &target) {
    return driver->upload(stream, values.data(), target);
  }
  /// Downloads and waits.
  template <typename T> std::vector<T> download(const hal::Span &source) {
    std::vector<T> values(source.size / sizeof(T));
    EXPECT_EQ(take(driver->download(stream, source, values.data())), "");
    EXPECT_EQ(take(driver->wait(stream)), "");
    return values;
  }

  hal::Stream *stream = nullptr;
  hal::Executable *executable = nullptr;
};

/// Workgroups of `elements`.
inline int64_t groupsOf(int64_t elements) { return (elements + kGroup - 1) / kGroup; }

/// Bytes that look like noise, from a seed.
std::vector<uint8_t> noise(size_t size, uint32_t seed);

} // namespace hone::cts

#endif // HONE_TEST_CTS_SUITE_H
