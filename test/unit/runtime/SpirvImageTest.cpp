//===- SpirvImageTest.cpp - Images of SPIR-V modules -----------------------===//

#include "runtime/format/SpirvImage.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>

using namespace hone;
using namespace hone::format;

namespace {

/// Two kernels that share one module of a header alone.
struct Bytes {
  SpirvHeader header = {};
  SpirvKernel kernels[2] = {};
  uint32_t code[5] = {0x07230203, 0x10300, 0, 1, 0};
  char names[4] = {'a', 'k', '.', '0'};

  Bytes() {
    memcpy(header.magic, kSpirvMagic, sizeof(kSpirvMagic));
    header.kernelCount = 2;
    uint32_t at = offsetof(Bytes, code);
    uint32_t text = offsetof(Bytes, names);
    kernels[0] = {text, 1, at, sizeof(code), 64, 0, 2, 1};
    kernels[1] = {text + 1, 3, at, sizeof(code), 256, 1024, 3, 20};
  }
};

} // namespace

TEST(SpirvImage, FindsKernels) {
  Bytes bytes;
  SpirvImage image;
  Error error;
  ASSERT_TRUE(openSpirvImage(reinterpret_cast<uint8_t *>(&bytes), sizeof(bytes), image, error)) << error.text;
  ASSERT_EQ(image.kernelCount, 2u);
  const SpirvKernel *kernel = image.find("k.0");
  ASSERT_EQ(kernel, image.kernels + 1);
  EXPECT_EQ(kernel->scalarCount, 20u);
  EXPECT_EQ(image.code(*kernel)[0], 0x07230203u);
  EXPECT_EQ(image.find("k"), nullptr);
}

TEST(SpirvImage, RefusesWhatIsDamaged) {
  struct Case {
    const char *expected;
    std::function<void(Bytes &)> change;
  };
  const Case cases[] = {
      {"no list of SPIR-V modules", [](Bytes &c) { c.header.magic[0] = 'X'; }},
      {"list of kernels lies outside", [](Bytes &c) { c.header.kernelCount = 1000; }},
      {"list of kernels lies outside", [](Bytes &c) { c.header.reserved = 1; }},
      {"kernel 1: its name lies outside", [](Bytes &c) { c.kernels[1].nameSize = 100; }},
      {"kernel 0: its name lies outside", [](Bytes &c) { c.kernels[0].nameOffset = UINT32_MAX; }},
      {"kernel 0: its SPIR-V module lies outside", [](Bytes &c) { c.kernels[0].codeOffset += 2; }},
      {"kernel 0: its SPIR-V module lies outside", [](Bytes &c) { c.kernels[0].codeSize = 16; }},
      {"kernel 0: its SPIR-V module lies outside", [](Bytes &c) { c.kernels[0].codeSize = UINT32_MAX - 3; }},
      {"no SPIR-V module", [](Bytes &c) { c.code[0] = 0x03022307; }},
      {"kernel 1: its workgroups are empty", [](Bytes &c) { c.kernels[1].workgroupSize = 0; }},
      {"kernel 1: it takes", [](Bytes &c) { c.kernels[1].bufferCount = kMaxLaunchOperands + 1; }},
      {"kernel 0: it takes", [](Bytes &c) { c.kernels[0].scalarCount = UINT32_MAX; }},
  };
  for (const Case &test : cases) {
    Bytes bytes;
    test.change(bytes);
    SpirvImage image;
    Error error;
    EXPECT_FALSE(openSpirvImage(reinterpret_cast<uint8_t *>(&bytes), sizeof(bytes), image, error)) << test.expected;
    EXPECT_NE(std::string(error.text).find(test.expected), std::string::npos) << error.text;
  }
  for (size_t size = 0; size < sizeof(Bytes); ++size) {
    Bytes bytes;
    SpirvImage image;
    Error error;
    EXPECT_FALSE(openSpirvImage(reinterpret_cast<uint8_t *>(&bytes), size, image, error));
  }
}
