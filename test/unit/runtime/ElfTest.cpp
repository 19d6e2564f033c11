//===- ElfTest.cpp - Kernel code: imports, refusals, hostile bytes --------===//

#include "runtime/drivers/cpu/Elf.h"
#include "Models.h"
#include "runtime/drivers/cpu/Conversions.h"
#include "runtime/drivers/cpu/ElfFormat.h"
#include "runtime/drivers/cpu/Imports.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace hone;
using namespace hone::cpu;
using namespace hone::test;

static std::string loadError(const std::vector<uint8_t> &bytes) {
  ElfImage image;
  Status status(image.load(bytes.data(), bytes.size()));
  return status.message();
}

using KernelFunction = void (*)(uint8_t *const *, const int64_t *, int64_t, int64_t);

TEST(Elf, LoadsAndCalls) {
  std::vector<uint8_t> bytes = testKernels();
  ElfImage image;
  Status status(image.load(bytes.data(), bytes.size()));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(image.find("no_such_kernel"), nullptr);
  EXPECT_EQ(image.find(""), nullptr);
  EXPECT_EQ(image.find("expf"), nullptr); // an import is not a kernel

  auto call = [&](const char *name, std::vector<float *> buffers, std::vector<int64_t> scalars) {
    auto kernel = reinterpret_cast<KernelFunction>(image.find(name));
    ASSERT_NE(kernel, nullptr) << name;
    kernel(reinterpret_cast<uint8_t *const *>(buffers.data()), scalars.data(), 0, 1);
  };
  float x[4] = {0.5f, 1.5f, 2.5f, 3.25f}, y[4] = {};
  call("math", {x, y}, {4});
  for (int i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(y[i],
                    std::exp(x[i]) + static_cast<float>(std::log1p(static_cast<double>(x[i]))) + std::nearbyint(x[i]));
  call("from_table", {y}, {4, 1});
  EXPECT_EQ(y[3], 2.0f);
}

TEST(Elf, NamesWhatIsMissing) {
  EXPECT_NE(loadError(testObject("kernels_forbidden")).find("'system', which this runtime does not offer"),
            std::string::npos);
}

TEST(Elf, RefusesConstructors) {
  EXPECT_NE(loadError(testObject("kernels_constructor")).find("constructors"), std::string::npos);
}

TEST(Elf, RefusesHeaders) {
  std::vector<uint8_t> good = testKernels();
  auto changed = [&](size_t at, uint8_t value) {
    std::vector<uint8_t> bytes = good;
    bytes[at] = value;
    return loadError(bytes);
  };
  EXPECT_NE(changed(0, 0).find("ELF64"), std::string::npos);
  EXPECT_NE(changed(4, 1).find("ELF64"), std::string::npos);
  EXPECT_NE(changed(18, 3).find("another architecture"), std::string::npos);
  EXPECT_NE(changed(16, 2).find("no shared object"), std::string::npos);
  EXPECT_NE(changed(54, 7).find("program headers"), std::string::npos);
  EXPECT_NE(changed(57, 255).find("program headers"), std::string::npos);
  EXPECT_NE(changed(56, 0).find("no segment"), std::string::npos);
  EXPECT_NE(loadError({}).find("cut off"), std::string::npos);
}

static int programHeaderAt(std::vector<uint8_t> &bytes, uint32_t type, uint32_t flags, elf::ProgramHeader &header) {
  elf::Header file;
  memcpy(&file, bytes.data(), sizeof(file));
  for (int i = 0; i < file.programHeaderCount; ++i) {
    int at = static_cast<int>(file.programHeaders + i * sizeof(header));
    memcpy(&header, bytes.data() + at, sizeof(header));
    if (header.type == type && (header.flags & flags) == flags)
      return at;
  }
  return -1;
}

TEST(Elf, RefusesSegments) {
  auto changed = [&](uint32_t type, uint32_t flags, auto change) {
    std::vector<uint8_t> bytes = testKernels();
    elf::ProgramHeader header;
    int at = programHeaderAt(bytes, type, flags, header);
    EXPECT_GE(at, 0);
    change(header);
    memcpy(bytes.data() + at, &header, sizeof(header));
    return loadError(bytes);
  };
  using Header = elf::ProgramHeader;
  auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.offset = ~0ull; }), "outside the file"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.fileSize = 1ull << 50; }), "outside the file"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.memorySize = 0; }), "larger in the file"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.memorySize = 1ull << 40; }), "too much memory"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.address = ~0ull - 5; }), "too much memory"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.address = 0; }), "share a page"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.flags |= 2; }), "both writable and executable"));
  EXPECT_TRUE(has(changed(1, 1, [](Header &h) { h.alignment = 3; }), "impossible alignment"));
  EXPECT_TRUE(has(changed(2, 0, [](Header &h) { h.type = 7; }), "thread-local"));
  EXPECT_TRUE(has(changed(2, 0, [](Header &h) { h.type = 0x1234; }), "no dynamic section"));
  EXPECT_TRUE(has(changed(2, 0, [](Header &h) { h.address = ~0ull - 7; }), "dynamic section lies outside"));
}

/// Loads hostile bytes and looks symbols up; nothing is called.
static void poke(const std::vector<uint8_t> &bytes) {
  // Exactly as large as the bytes, so that a sanitizer sees every overrun.
  std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
  if (!bytes.empty())
    memcpy(exact.get(), bytes.data(), bytes.size());
  ElfImage image;
  Status status(image.load(exact.get(), bytes.size()));
  if (status.ok()) {
    image.find("add");
    image.find("nothing");
  }
}

TEST(Elf, SurvivesTruncation) {
  std::vector<uint8_t> good = testKernels();
  for (size_t size = 0; size < good.size(); size += size < 2048 ? 1 : 61)
    poke({good.begin(), good.begin() + static_cast<long>(size)});
}

TEST(Elf, SurvivesBitFlips) {
  std::vector<uint8_t> good = testKernels();
  std::mt19937 random(11);
  for (int round = 0; round < 6000; ++round) {
    std::vector<uint8_t> bytes = good;
    // Mostly where the structure is: headers and dynamic tables.
    size_t range = round % 3 ? std::min<size_t>(bytes.size(), 2048) : bytes.size();
    for (unsigned flips = 1 + random() % 4; flips; --flips)
      bytes[random() % range] ^= 1u << (random() % 8);
    poke(bytes);
  }
}

TEST(Elf, SurvivesWildWords) {
  std::vector<uint8_t> good = testKernels();
  std::mt19937_64 random(13);
  const uint64_t wild[] = {0, 1, 0xffffffff, ~0ull, 1ull << 63, 4095, 4096};
  for (int round = 0; round < 6000; ++round) {
    std::vector<uint8_t> bytes = good;
    size_t range = round % 2 ? std::min<size_t>(bytes.size(), 2048) : bytes.size();
    size_t at = random() % (range / 8) * 8;
    uint64_t word = round % 5 ? wild[random() % std::size(wild)] : random() % bytes.size();
    memcpy(bytes.data() + at, &word, std::min<size_t>(sizeof(word), bytes.size() - at));
    poke(bytes);
  }
}

TEST(Elf, SurvivesRandomBytes) {
  std::vector<uint8_t> good = testKernels();
  std::mt19937 random(17);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint8_t> bytes(random() % 5000);
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    // A real header every other time, so that more than the magic is read.
    if (round % 2 && bytes.size() > 700)
      memcpy(bytes.data(), good.data(), 64 + random() % 600);
    poke(bytes);
  }
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

TEST(Imports, Known) {
  for (const char *name :
       {"memcpy", "memset", "memmove", "memcmp", "expf", "exp", "tanhf", "erff", "roundeven", "__truncsfhf2",
        "__extendhfsf2", "__truncsfbf2", "__gnu_h2f_ieee", "sincosf", "__udivti3", "fmodf", "cbrt"})
    EXPECT_NE(findImport(name), nullptr) << name;
  for (const char *name : {"malloc", "system", "open", "printf", ""})
    EXPECT_EQ(findImport(name), nullptr) << name;
}

TEST(Imports, RoundEven) {
  auto round = reinterpret_cast<double (*)(double)>(findImport("roundeven"));
  for (double value : {0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 1e300, -0.0, 7.0, 4503599627370495.5, -3.7}) {
    EXPECT_EQ(round(value), std::nearbyint(value)) << value;
    EXPECT_EQ(std::signbit(round(value)), std::signbit(value));
  }
  EXPECT_TRUE(std::isnan(round(NAN)));
  EXPECT_EQ(round(INFINITY), INFINITY);
}

#if defined(__FLT16_MAX__)
TEST(Conversions, HalfExhaustive) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    _Float16 native;
    memcpy(&native, &half, 2);
    float value = halfToFloat(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(native)));
      continue;
    }
    ASSERT_EQ(value, static_cast<float>(native)) << bits;
    ASSERT_EQ(floatToHalf(value), half);
    ASSERT_EQ(doubleToHalf(static_cast<double>(value)), half);
  }
}

TEST(Conversions, FloatToHalfRounds) {
  std::mt19937 random(3);
  for (int round = 0; round < 300000; ++round) {
    uint32_t bits = random();
    // Near the range of halves every other time.
    if (round % 2)
      bits = (bits & 0x807fffff) | ((100 + random() % 45) << 23);
    float value;
    memcpy(&value, &bits, 4);
    if (std::isnan(value))
      continue;
    _Float16 native = static_cast<_Float16>(value);
    uint16_t expected;
    memcpy(&expected, &native, 2);
    ASSERT_EQ(floatToHalf(value), expected) << value;
  }
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(0x1p-25f), 0);
  EXPECT_EQ(floatToHalf(0x1.000002p-25f), 1);
  // Must not round twice.
  EXPECT_EQ(doubleToHalf(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
}
#endif

TEST(Conversions, Bfloat) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(-2.0f), 0xc000);
  EXPECT_EQ(floatToBfloat(1.00390625f), 0x3f80); // tie to even
  EXPECT_EQ(floatToBfloat(1.01171875f), 0x3f82); // tie to even
  EXPECT_EQ(floatToBfloat(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(floatToBfloat(INFINITY), 0x7f80);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(NAN))));
  EXPECT_EQ(floatToBfloat(0x1p-133f), 1); // least subnormal
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = bfloatToFloat(static_cast<uint16_t>(bits));
    if (!std::isnan(value))
      ASSERT_EQ(floatToBfloat(value), bits);
  }
}
