//===- Suite.cpp - The device under test ----------------------------------===//
//
// hone-cts --device=vulkan:0 --kernels=FOLDER [--staging=reads|all] [GoogleTest's options]
//
//===----------------------------------------------------------------------===//

#include "test/cts/Suite.h"

#include "runtime/drivers/vulkan/Device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace hone;
using namespace hone::cts;

Options hone::cts::options;

const KernelInfo hone::cts::kKernels[KernelCount] = {
    {"add", 3, 1},
    {"mul_scalar", 2, 2},
    {"sum_many", 25, 1},
    {"store_scalars", 1, 16},
    {"store_many_scalars", 1, 40},
    {"count_groups", 1, 0},
    {"increment", 1, 1},
    {"reverse_bytes", 2, 1},
    {"group_sums", 2, 1},
    {"nonzero", 3, 1},
    {"double_step", 2, 1},
};

std::string hone::cts::driverName() { return options.device.substr(0, options.device.find(':')); }

/// <driver>.needs: the target, the format, then the features, separated by white space.
static Image readImage() {
  Image image;
  std::string base = options.kernels + "/" + driverName();
  std::ifstream needs(base + ".needs");
  std::ifstream code(base + ".image", std::ios::binary);
  if (!needs || !code)
    return image;
  needs >> image.target >> image.format;
  image.features.assign(std::istream_iterator<std::string>(needs), {});
  image.code.assign(std::istreambuf_iterator<char>(code), {});
  return image;
}

const Image &hone::cts::image() {
  static const Image read = readImage();
  return read;
}

std::string hone::cts::take(hone_status_t status) {
  if (!status)
    return "";
  std::string text = hone_status_message(status);
  EXPECT_NE(text, "") << "a failure without a message";
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  hone_status_free(status);
  return text;
}

testing::AssertionResult hone::cts::failsWith(hone_status_t status, hone_status_code_t code, const char *part) {
  if (!status)
    return testing::AssertionFailure() << "it succeeds";
  hone_status_code_t got = hone_status_code(status);
  std::string text = take(status);
  if (got != code)
    return testing::AssertionFailure() << "code " << got << " instead of " << code << ": " << text;
  if (!strstr(text.c_str(), part))
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
  return testing::AssertionSuccess() << text;
}

cts::CountingAllocator::CountingAllocator()
    : allocator{this,
                [](void *self, size_t size, size_t alignment) -> void * {
                  auto *counting = static_cast<CountingAllocator *>(self);
                  if (++counting->count > counting->limit)
                    return nullptr;
                  // Impossible sizes must not wrap around.
                  if (size > SIZE_MAX / 2)
                    return nullptr;
                  void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
                  counting->live += memory ? size : 0;
                  return memory;
                },
                [](void *self, void *memory, size_t size, size_t) {
                  static_cast<CountingAllocator *>(self)->live -= size;
                  free(memory);
                }} {}

std::vector<hal::KernelDescription> cts::describe(const std::vector<const char *> &names) {
  std::vector<hal::KernelDescription> result;
  for (const char *name : names) {
    result.push_back({name, 0, 0, kGroup, 0});
    for (const KernelInfo &kernel : kKernels)
      if (!strcmp(kernel.name, name))
        result.back() = {kernel.name, kernel.buffers, kernel.scalars, kGroup, 0};
  }
  return result;
}

Needs::Needs(const Image &image) {
  for (const std::string &feature : image.features)
    features.push_back(feature.c_str());
  needs = {image.target.c_str(), image.format.c_str(), features.data(), features.size()};
}

Result<Device> cts::openDevice(const hone_allocator_t *allocator) {
  auto opened = Device::create(options.device.c_str(), allocator);
  if (opened.ok() && options.staging != Options::None && driverName() == "vulkan") {
    auto &device = static_cast<vulkan::VulkanDevice &>(*opened->get()->impl);
    device.readsDirectly = false;
    device.writesDirectly &= options.staging != Options::All;
  }
  return opened;
}

/// Of all tests; destroyed at the end.
static Device &sharedDevice() {
  static Device device;
  return device;
}

void DeviceTest::SetUp() {
  if (!sharedDevice().get()) {
    auto opened = openDevice();
    if (!opened) {
      ASSERT_EQ(opened.code(), HONE_NOT_FOUND) << opened.message();
      GTEST_SKIP() << "skipped: no device " << options.device << ": " << opened.message();
    }
    sharedDevice() = opened.take();
  }
  handle = sharedDevice().get();
  device = handle->impl;
  driver = device->table;
}

Memory::Memory(hal::Device *device, uint64_t size) : device(device) {
  EXPECT_EQ(take(device->table->bufferCreate(device, device->allocator, size, &buffer)), "") << size << " bytes";
  if (!buffer)
    abort(); // the rest of the test would use it
  EXPECT_EQ(buffer->size, size);
  EXPECT_FALSE(buffer->external);
  EXPECT_EQ(buffer->host != nullptr, device->unified);
}

Memory::~Memory() { device->table->bufferDestroy(device, buffer); }

const hal::Command &Work::get() {
  command.spans = spans.data();
  command.spanCount = static_cast<uint32_t>(spans.size());
  command.scalars = scalars.data();
  command.scalarCount = static_cast<uint32_t>(scalars.size());
  return command;
}

static Work makeWork(hal::CommandKind kind, std::vector<hal::Span> spans, std::vector<int64_t> scalars) {
  Work work;
  work.command.kind = kind;
  work.spans = std::move(spans);
  work.scalars = std::move(scalars);
  return work;
}

Work cts::copyWork(hal::Span target, hal::Span source) {
  return makeWork(hal::CommandKind::Copy, {target, source}, {});
}
Work cts::fillWork(hal::Span target, uint8_t byte) { return makeWork(hal::CommandKind::Fill, {target}, {byte}); }
Work cts::writeWork(hal::Span target, int64_t value) { return makeWork(hal::CommandKind::Write, {target}, {value}); }

void StreamTest::SetUp() {
  DeviceTest::SetUp();
  if (!device)
    return;
  hal::StreamOptions streamOptions = {device->allocator, 2, nullptr, nullptr};
  CTS_OK(driver->streamCreate(device, streamOptions, &stream));
}

void StreamTest::TearDown() {
  if (executable)
    driver->executableDestroy(device, executable);
  if (stream)
    driver->streamDestroy(device, stream);
}

bool StreamTest::loadKernels() {
  auto load = [&] {
    if (image().code.empty())
      GTEST_SKIP() << "skipped: no kernels for " << driverName() << " in this build";
    std::vector<const char *> names;
    for (const KernelInfo &kernel : kKernels)
      names.push_back(kernel.name);
    CTS_OK(driver->executableCreate(device, Needs(image()), image().code.data(), image().code.size(),
                                    describe(names).data(), KernelCount, &executable));
  };
  load();
  return executable != nullptr;
}

Work StreamTest::launch(KernelId kernel, int64_t grid, std::vector<hal::Span> spans,
                        std::vector<int64_t> scalars) const {
  EXPECT_EQ(spans.size(), kKernels[kernel].buffers);
  EXPECT_EQ(scalars.size(), kKernels[kernel].scalars);
  Work work = makeWork(hal::CommandKind::Launch, std::move(spans), std::move(scalars));
  work.command.executable = executable;
  work.command.kernel = kernel;
  work.command.grid = grid;
  return work;
}

std::vector<uint8_t> cts::noise(size_t size, uint32_t seed) {
  std::vector<uint8_t> bytes(size);
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (uint8_t &byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<uint8_t>(state >> 32);
  }
  return bytes;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind("--device=", 0) == 0)
      options.device = argument.substr(9);
    else if (argument.rfind("--kernels=", 0) == 0)
      options.kernels = argument.substr(10);
    else if (argument == "--staging=reads")
      options.staging = Options::Reads;
    else if (argument == "--staging=all")
      options.staging = Options::All;
    else {
      fprintf(stderr, "usage: hone-cts [--device=NAME] [--kernels=FOLDER] [--staging=reads|all]\n");
      return 2;
    }
  }
  int result = RUN_ALL_TESTS();
  sharedDevice() = {};
  return result;
}
