//===- CudaImageTest.cpp - Images of CUDA code, good and bad --------------===//

#include "runtime/format/CudaImage.h"
#include "ModuleBuilder.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::format;
using namespace hone::test;

static CudaImageEntry entry(uint32_t unit, CudaCodeKind kind, uint32_t architecture, char suffix = 0) {
  return {unit, kind, architecture, static_cast<uint32_t>(suffix), 0, 0};
}

/// An image whose entries all have 64 bytes of code: zeros.
static std::vector<uint8_t> build(std::vector<CudaImageEntry> entries) {
  CudaImageHeader header{};
  std::memcpy(header.magic, kCudaImageMagic, sizeof(header.magic));
  header.version = kCudaImageVersion;
  header.entryCount = entries.size();
  size_t start = (sizeof(header) + entries.size() * sizeof(CudaImageEntry) + 63) / 64 * 64;
  for (CudaImageEntry &each : entries) {
    each.offset = start;
    each.size = 64;
    start += 64;
  }
  std::vector<uint8_t> bytes(start);
  std::memcpy(bytes.data(), &header, sizeof(header));
  auto *raw = reinterpret_cast<const uint8_t *>(entries.data());
  std::copy_n(raw, entries.size() * sizeof(CudaImageEntry), bytes.data() + sizeof(header));
  return bytes;
}

static std::string errorOf(const std::vector<uint8_t> &bytes) {
  AlignedBytes aligned(bytes);
  CudaImage image;
  Error error;
  bool good = openCudaImage(aligned.data(), aligned.size(), image, error);
  EXPECT_EQ(good, error.text[0] == 0);
  return error.text;
}

static const std::vector<CudaImageEntry> kTwoUnits = {
    entry(0, CudaCodeKind::Cubin, 80), entry(0, CudaCodeKind::Ptx, 80), entry(1, CudaCodeKind::Cubin, 90, 'a')};

TEST(CudaImage, Chooses) {
  AlignedBytes aligned(build(kTwoUnits));
  CudaImage image;
  Error error;
  ASSERT_TRUE(openCudaImage(aligned.data(), aligned.size(), image, error)) << error.text;
  EXPECT_EQ(image.unitCount, 2u);
  EXPECT_EQ(chooseCudaEntry(image, 0, 8, 0), image.entries);
  EXPECT_EQ(chooseCudaEntry(image, 0, 8, 9), image.entries);
  EXPECT_EQ(chooseCudaEntry(image, 0, 9, 0), image.entries + 1);
  EXPECT_EQ(chooseCudaEntry(image, 0, 7, 5), nullptr);
  EXPECT_EQ(chooseCudaEntry(image, 1, 9, 0), image.entries + 2);
  EXPECT_EQ(chooseCudaEntry(image, 1, 10, 0), nullptr);
}

TEST(CudaImage, Runs) {
  EXPECT_TRUE(cudaEntryRuns(entry(0, CudaCodeKind::Cubin, 100, 'f'), 10, 3));
  EXPECT_FALSE(cudaEntryRuns(entry(0, CudaCodeKind::Ptx, 100, 'f'), 12, 0));
  EXPECT_FALSE(cudaEntryRuns(entry(0, CudaCodeKind::Ptx, 100, 'a'), 10, 3));
  EXPECT_TRUE(cudaEntryRuns(entry(0, CudaCodeKind::Ptx, 75), 12, 1));
  EXPECT_FALSE(cudaEntryRuns(entry(0, CudaCodeKind::Cubin, 86), 8, 0));
}

TEST(CudaImage, Refuses) {
  EXPECT_EQ(errorOf(build(kTwoUnits)), "");
  EXPECT_EQ(errorOf(build({})), "");
  std::vector<uint8_t> good = build(kTwoUnits);
  EXPECT_NE(errorOf({good.begin(), good.begin() + 10}).find("no image"), std::string::npos);
  EXPECT_NE(errorOf({good.begin(), good.begin() + 64}).find("do not fit"), std::string::npos);
  EXPECT_NE(errorOf({good.begin(), good.end() - 1}).find("outside"), std::string::npos);
  struct Case {
    size_t at;
    uint8_t value;
    const char *words;
  };
  // Offsets: the header has 16 bytes, an entry 32.
  const Case cases[] = {{0, 'h', "magic"},      {8, 9, "version"},          {15, 1, "do not fit"},
                        {16, 1, "order"},       {20, 7, "unknown kind"},    {28, 'b', "suffix"},
                        {32, 1, "not aligned"}, {40 + 7, 0xff, "outside"},  {48, 2, "order"},
                        {80, 3, "order"},       {255, 1, "not terminated"}, {48 + 8 + 15, 0x80, "outside"}};
  for (const Case &each : cases) {
    std::vector<uint8_t> bad = good;
    bad[each.at] = each.value;
    EXPECT_NE(errorOf(bad).find(each.words), std::string::npos) << each.at << ": " << errorOf(bad);
  }
}
