//===- PipelineCacheTest.cpp - What Vulkan drivers compiled is kept -------===//
//
// The driver is a table of functions, so that what it is given is seen.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/vulkan/Device.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace hone;
namespace fs = std::filesystem;

namespace {

const std::string kCompiled = "what the driver compiled";

/// What the driver was told, and does.
std::string given;
bool refusesData, refusesAll;
int created, destroyed;

VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *,
                                      VkPipelineCache *cache) {
  if (refusesAll || (refusesData && info->initialDataSize))
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  given.assign(static_cast<const char *>(info->pInitialData), info->initialDataSize);
  *cache = reinterpret_cast<VkPipelineCache>(uintptr_t(1));
  ++created;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL getData(VkDevice, VkPipelineCache, size_t *size, void *data) {
  if (data)
    memcpy(data, kCompiled.data(), kCompiled.size());
  *size = kCompiled.size();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, VkPipelineCache, const VkAllocationCallbacks *) { ++destroyed; }

class PipelineCache : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("hone-pipelines-" + std::to_string(getpid()));
    fs::remove_all(folder);
    fs::create_directory(folder);
    keepIn(folder);
    given.clear();
    refusesData = refusesAll = false;
    created = destroyed = 0;
  }
  void TearDown() override {
    unsetenv("HONE_PIPELINE_CACHE");
    fs::remove_all(folder);
  }

  static void keepIn(const fs::path &path) { setenv("HONE_PIPELINE_CACHE", path.c_str(), 1); }

  /// One process: opens a device whose driver has this version, compiles or not, and closes it. Returns what the
  /// driver was given.
  std::string run(bool compiles = true, uint8_t version = 7) {
    vulkan::VulkanDevice device;
    device.api.CreatePipelineCache = create;
    device.api.GetPipelineCacheData = getData;
    device.api.DestroyPipelineCache = destroy;
    device.properties.pipelineCacheUUID[0] = version;
    given.clear();
    hone_status_t status = vulkan::openPipelineCache(device);
    EXPECT_EQ(status, nullptr);
    hone_status_free(status);
    device.compiled = compiles;
    vulkan::closePipelineCache(device);
    EXPECT_EQ(created, destroyed);
    return given;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder))
      found.push_back(entry.path());
    return found;
  }

  fs::path folder;
};

} // namespace

TEST_F(PipelineCache, IsWrittenAndReadAgain) {
  EXPECT_EQ(run(), "");
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(files()[0].filename().string().rfind("vulkan-07", 0), 0u) << files()[0];
  EXPECT_EQ(run(), kCompiled);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(PipelineCache, WithoutKernelsNothingIsWritten) {
  run(/*compiles=*/false);
  EXPECT_TRUE(files().empty());
}

TEST_F(PipelineCache, AnotherDriverVersionHasItsOwn) {
  run();
  EXPECT_EQ(run(true, 8), "");
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(run(true, 8), kCompiled);
}

TEST_F(PipelineCache, WithoutTheVariableNothingIsKept) {
  for (bool isSet : {false, true}) {
    isSet ? keepIn("") : static_cast<void>(unsetenv("HONE_PIPELINE_CACHE"));
    EXPECT_EQ(run(), "");
    EXPECT_EQ(run(), "");
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(PipelineCache, DamagedFilesAreReplaced) {
  run();
  fs::path file = files().at(0);
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto damage = [&](std::string bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_EQ(run(), "") << "with " << bytes.size() << " bytes";
    EXPECT_EQ(run(), kCompiled);
  };
  for (size_t size = 0; size < whole.size(); ++size)
    damage(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] ^= 1;
    damage(bytes);
  }
  damage(whole + "x");
}

TEST_F(PipelineCache, FoldersThatAreNotThereAreNoFailure) {
  keepIn(folder / "missing");
  EXPECT_EQ(run(), "");
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(files().empty());
  // Nor is a name that is too long, or one of a file.
  keepIn(folder / std::string(2000, 'x'));
  EXPECT_EQ(run(), "");
  std::ofstream(folder / "file") << "x";
  keepIn(folder / "file");
  EXPECT_EQ(run(), "");
}

TEST_F(PipelineCache, DriversMayRefuseWhatIsThere) {
  run();
  refusesData = true;
  EXPECT_EQ(run(), "");
  refusesAll = true;
  vulkan::VulkanDevice device;
  device.api.CreatePipelineCache = create;
  hone_status_t status = vulkan::openPipelineCache(device);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(hone_status_code(status), HONE_OUT_OF_MEMORY) << hone_status_message(status);
  hone_status_free(status);
  vulkan::closePipelineCache(device);
}
