//===- ExecutableTest.cpp - Code that is damaged, missing, or too much ----===//

#include "test/cts/Suite.h"

#include "runtime/base/Status.h"

using namespace hone;
using namespace hone::cts;

namespace {
class Executables : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device && image().code.empty())
      GTEST_SKIP() << "skipped: no kernels for " << driverName() << " in this build";
  }

  /// Loads and unloads.
  hone_status_t load(const Image &given, const uint8_t *code, size_t size, std::vector<const char *> names) {
    hal::Executable *executable = nullptr;
    hone_status_t status =
        driver->executableCreate(device, Needs(given), code, size, describe(names).data(), names.size(), &executable);
    EXPECT_EQ(executable != nullptr, status == nullptr);
    if (executable)
      driver->executableDestroy(device, executable);
    return status;
  }
  hone_status_t load(std::vector<const char *> names) {
    return load(image(), image().code.data(), image().code.size(), std::move(names));
  }
};
} // namespace

TEST_F(Executables, AnyKernelsInAnyOrder) {
  CTS_OK(load({}));
  CTS_OK(load({"mul_scalar"}));
  CTS_OK(load({"increment", "add", "count_groups"}));
  CTS_OK(load({"add", "add"}));
}

TEST_F(Executables, MissingKernel) {
  hone_status_t status = load({"add", "no_such_kernel"});
  EXPECT_EQ(kernelAtFault(status), 1u);
  EXPECT_TRUE(failsWith(status, HONE_MALFORMED, "no_such_kernel"));
  EXPECT_TRUE(failsWith(load({""}), HONE_MALFORMED));
}

TEST_F(Executables, ManyAtOnce) {
  std::vector<hal::Executable *> loaded(5);
  auto kernel = describe({"add"});
  for (hal::Executable *&executable : loaded)
    CTS_OK(driver->executableCreate(device, Needs(image()), image().code.data(), image().code.size(), kernel.data(), 1,
                                    &executable));
  for (hal::Executable *executable : loaded)
    driver->executableDestroy(device, executable);
}

TEST_F(Executables, CodeIsOnlyBorrowed) {
  std::vector<uint8_t> code = image().code;
  auto kernel = describe({"increment"});
  hal::Executable *executable = nullptr;
  CTS_OK(driver->executableCreate(device, Needs(image()), code.data(), code.size(), kernel.data(), 1, &executable));
  std::fill(code.begin(), code.end(), 0xee);
  hal::Stream *stream = nullptr;
  CTS_OK(driver->streamCreate(device, {device->allocator, 1, nullptr, nullptr}, &stream));
  Memory memory(device, 4);
  hal::Span span = memory.span();
  CTS_OK(driver->submit(stream, fillWork(span, 0).get()));
  int64_t n = 1;
  hal::Command command = {};
  command.kind = hal::CommandKind::Launch;
  command.executable = executable;
  command.grid = 1;
  command.spans = &span;
  command.spanCount = 1;
  command.scalars = &n;
  command.scalarCount = 1;
  CTS_OK(driver->submit(stream, command));
  int32_t value = 0;
  CTS_OK(driver->read(stream, span, &value));
  EXPECT_EQ(value, 1);
  driver->streamDestroy(device, stream);
  driver->executableDestroy(device, executable);
}

TEST_F(Executables, OtherFormat) {
  Image other = image();
  other.format = "punched cards";
  EXPECT_TRUE(failsWith(driver->accepts(device, Needs(other)), HONE_INCOMPATIBLE, "punched cards"));
  EXPECT_TRUE(failsWith(load(other, other.code.data(), other.code.size(), {"add"}), HONE_INCOMPATIBLE));
}

TEST_F(Executables, MissingFeatures) {
  CTS_OK(driver->accepts(device, Needs(image())));
  Image other = image();
  other.features.push_back("time-travel");
  other.features.push_back("antigravity");
  EXPECT_TRUE(failsWith(driver->accepts(device, Needs(other)), HONE_INCOMPATIBLE, "time-travel"));
  EXPECT_TRUE(failsWith(driver->accepts(device, Needs(other)), HONE_INCOMPATIBLE, "antigravity"));
  EXPECT_TRUE(failsWith(load(other, other.code.data(), other.code.size(), {"add"}), HONE_INCOMPATIBLE));
}

TEST_F(Executables, CutOff) {
  const std::vector<uint8_t> &code = image().code;
  for (size_t size : {size_t(0), size_t(1), size_t(4), size_t(15), size_t(16), size_t(40), size_t(63), size_t(64),
                      code.size() / 4, code.size() / 2}) {
    std::vector<uint8_t> cut(code.begin(), code.begin() + size);
    EXPECT_TRUE(failsWith(load(image(), cut.data(), cut.size(), {"add"}), HONE_MALFORMED)) << size;
  }
}

TEST_F(Executables, Noise) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::vector<uint8_t> bytes = noise(1000 + seed, seed);
    EXPECT_TRUE(failsWith(load(image(), bytes.data(), bytes.size(), {"add"}), HONE_MALFORMED));
  }
}

TEST_F(Executables, DamagedHeader) {
  // Of the first bytes each is changed in turn: an error, or code that still loads.
  std::vector<uint8_t> code = image().code;
  for (size_t at = 0; at < 64 && at < code.size(); ++at) {
    uint8_t kept = code[at];
    code[at] ^= 0x5a;
    hone_status_t status = load(image(), code.data(), code.size(), {"add"});
    if (status) {
      EXPECT_TRUE(hone_status_code(status) == HONE_MALFORMED || hone_status_code(status) == HONE_INCOMPATIBLE)
          << hone_status_message(status);
      take(status);
    }
    code[at] = kept;
  }
}

TEST_F(Executables, WithoutMemory) {
  bool loaded = false;
  for (size_t limit = 0; !loaded && limit < 200; ++limit) {
    CountingAllocator counting;
    auto opened = openDevice(&counting.allocator);
    ASSERT_TRUE(opened.ok()) << opened.message();
    counting.limit = counting.count + limit;
    size_t before = counting.live;
    hal::Device *own = opened->get()->impl;
    auto kernels = describe({"add", "increment"});
    hal::Executable *executable = nullptr;
    hone_status_t status = own->table->executableCreate(own, Needs(image()), image().code.data(), image().code.size(),
                                                        kernels.data(), 2, &executable);
    if (executable)
      own->table->executableDestroy(own, executable);
    loaded = !status;
    EXPECT_EQ(counting.live, before);
    if (status)
      EXPECT_TRUE(failsWith(status, HONE_OUT_OF_MEMORY));
  }
  EXPECT_TRUE(loaded);
}
