//===- ModuleTest.cpp - Choosing programs, files, introspection -----------===//

#include "Models.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace hone;
using namespace hone::test;

extern "C" const char *hone_test_version_from_c(void);

TEST(Module, HeaderWorksFromC) { EXPECT_STREQ(hone_test_version_from_c(), hone_runtime_version()); }

/// Programs for several targets, each of which writes its own number.
static ModuleBuilder fatModule(const std::vector<std::pair<std::string, std::vector<std::string>>> &targets) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::I32, {1}}};
  for (size_t i = 0; i < targets.size(); ++i) {
    uint32_t number = static_cast<uint32_t>(i);
    m.executables.push_back({targets[i].first, targets[i].second, testKernels()});
    m.kernels.push_back({"count_groups", number, 1, 0, {}});
    ProgramSpec p;
    p.target = targets[i].first;
    p.buffers = 1;
    int32_t four = p.constant(4), one = p.constant(1), zero = p.constant(0), value = p.constant(number * 100);
    p.op(Opcode::BufferOutput, {0, 0, four});
    p.op(Opcode::Store, {0, zero, value, static_cast<int32_t>(DType::I32)});
    p.op(Opcode::Launch, {static_cast<int32_t>(i), one, 1, 0, 0});
    p.op(Opcode::End);
    m.programs.push_back(p);
  }
  return m;
}

static int32_t runFat(Loaded &loaded) {
  Session session = loaded.session();
  hone_tensor_t output = {};
  EXPECT_TRUE(session.run(nullptr, 0, &output, 1).ok());
  return *static_cast<int32_t *>(output.data);
}

TEST(Module, TakesTheFirstOfEquals) {
  Loaded loaded(fatModule({{"cuda:sm_90a", {}}, {"cpu:future", {"avx2048"}}, {"cpu:good", {}}, {"cpu:also", {}}}));
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.message();
  EXPECT_EQ(runFat(loaded), 201);
  EXPECT_STREQ(loaded.module.info().target, "cpu:good");
  hone_program_info_t info;
  ASSERT_EQ(hone_module_program_info(loaded.module.get(), 2, &info), nullptr);
  EXPECT_TRUE(info.is_selected);
  EXPECT_FALSE(Status(hone_module_program_info(loaded.module.get(), 4, &info)).ok());
}

TEST(Module, TargetCanBeAskedFor) {
  auto file = fatModule({{"cpu:a", {}}, {"cpu:b", {}}}).build();
  hone_module_options_t options = Module::options();
  options.target = "cpu:b";
  Loaded loaded(file, &options);
  EXPECT_EQ(runFat(loaded), 101);
  options.target = "cpu:c";
  Loaded missing(file, &options);
  EXPECT_EQ(missing.status.code(), HONE_INCOMPATIBLE);
  EXPECT_NE(strstr(missing.status.message(), "no program for 'cpu:c'; it has: cpu:a; cpu:b"), nullptr)
      << missing.status.message();
  options.target = "cpu";
  EXPECT_EQ(runFat(*std::make_unique<Loaded>(file, &options)), 1);
}

#if defined(__x86_64__)
static const char *const kCommon = "sse2", *const kMore = "cmov";
#else
static const char *const kCommon = "neon", *const kMore = "fp-armv8";
#endif

TEST(Module, TakesTheMostDemandingProgram) {
  Loaded loaded(fatModule({{"cpu:plain", {}},
                           {"cpu:more", {kCommon}},
                           {"cpu:most", {kCommon, kMore}},
                           {"cpu:too-much", {kCommon, kMore, "avx2048"}},
                           {"cpu:as-much", {kMore, kCommon}}}));
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.message();
  EXPECT_EQ(runFat(loaded), 201);
  EXPECT_STREQ(loaded.module.info().target, "cpu:most");
}

TEST(Module, FallsBackWhenTheBestDoesNotLoad) {
  ModuleBuilder m = fatModule({{"cpu:plain", {}}, {"cpu:best", {kCommon, kMore}}, {"cpu:good", {kCommon}}});
  m.executables[1].code[18] = 2; // SPARC
  Loaded loaded(m);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.message();
  EXPECT_EQ(runFat(loaded), 201);
}

TEST(Module, SaysWhatTheMachineLacks) {
  Loaded loaded(fatModule({{"cuda:sm_90a", {}}, {"cpu:future", {"sse2", "neon", "avx2048"}}}));
  EXPECT_EQ(loaded.status.code(), HONE_INCOMPATIBLE);
  EXPECT_NE(strstr(loaded.status.message(), "'cuda:sm_90a' is not for this"), nullptr);
  EXPECT_NE(strstr(loaded.status.message(), "'cpu:future' is compiled for sse2 neon avx2048; this "), nullptr)
      << loaded.status.message();
#if defined(__x86_64__)
  EXPECT_NE(strstr(loaded.status.message(), "lacks neon avx2048"), nullptr);
#endif
}

TEST(Module, SkipsOtherArchitectures) {
  ModuleBuilder m = fatModule({{"cpu:other", {}}, {"cpu:host", {}}});
  m.executables[0].code[18] = 2; // SPARC
  Loaded loaded(m);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.message();
  EXPECT_EQ(runFat(loaded), 101);
}

TEST(Module, CodeErrors) {
  ModuleBuilder m = fatModule({{"cpu:a", {}}});
  // The second of two kernels.
  m.kernels.insert(m.kernels.begin(), {"count_groups", 0, 1, 0, {"fine"}});
  m.kernels[1].name = "missing";
  m.kernels[1].nodes = {"fc1/MatMul", "relu"};
  Loaded loaded(m);
  EXPECT_NE(strstr(loaded.status.message(), "no function 'missing'"), nullptr);
  EXPECT_STREQ(loaded.status.node(), "fc1/MatMul, relu");
  m = fatModule({{"cpu:a", {}}});
  m.executables[0].format = "cubin";
  EXPECT_NE(strstr(Loaded(m).status.message(), "the cpu runs 'elf' code"), nullptr);
  std::vector<uint8_t> file = fatModule({{"cpu:a", {}}}).build();
  file[file.size() - 100] ^= 4;
  EXPECT_NE(strstr(Loaded(file).status.message(), "checksum of the kernel"), nullptr);
}

TEST(Module, Introspection) {
  Loaded loaded(addScaleAdd(-1, true));
  ASSERT_TRUE(loaded.status.ok());
  const Module &module = loaded.module;
  EXPECT_EQ(module.inputCount(), 2u);
  hone_tensor_info_t info = module.input(1);
  EXPECT_STREQ(info.name, "b");
  EXPECT_EQ(info.dtype, HONE_DTYPE_F32);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_EQ(info.dims[0].size, -1);
  EXPECT_STREQ(info.dims[0].symbol, "N");
  EXPECT_EQ(info.dims[0].max, 64);
  EXPECT_STREQ(module.output(0).name, "y");
  size_t index = 7;
  EXPECT_EQ(hone_module_find_input(module.get(), "b", &index), nullptr);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(Status(hone_module_find_output(module.get(), "b", &index)).code(), HONE_NOT_FOUND);
  EXPECT_FALSE(Status(hone_module_find_input(module.get(), nullptr, &index)).ok());
  EXPECT_FALSE(Status(hone_module_input_info(module.get(), 2, &info)).ok());
  hone_module_info_t all = module.info();
  EXPECT_STREQ(all.model, "hand-made");
  EXPECT_EQ(all.kernel_count, 2u);
  EXPECT_EQ(all.constant_bytes, 256u);
}

TEST(Module, LoadsFiles) {
  std::vector<uint8_t> bytes = addScaleAdd(-1, true).build();
  std::string path = testing::TempDir() + "/hone-" + std::to_string(getpid()) + ".hone";
  FILE *file = fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  ASSERT_EQ(fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  fclose(file);
  auto device = Device::create("cpu");
  ASSERT_TRUE(device.ok());
  {
    auto module = Module::load(*device, path.c_str());
    ASSERT_TRUE(module.ok()) << module.message();
    auto session = Session::create(*module);
    ASSERT_TRUE(session.ok());
    float a = 1, b = 2, y = 0;
    hone_tensor_t inputs[2] = {tensor(&a, {1}), tensor(&b, {1})};
    hone_tensor_t output = tensor(&y, {1});
    ASSERT_TRUE(session->run(inputs, 2, &output, 1).ok());
    EXPECT_EQ(y, expectedAddScaleAdd(a, b));
  }
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_NE(strstr(Module::load(*device, path.c_str()).message(), "is empty"), nullptr);
  unlink(path.c_str());
  EXPECT_EQ(Module::load(*device, path.c_str()).code(), HONE_NOT_FOUND);
  EXPECT_EQ(Module::load(*device, "/").code(), HONE_INVALID_ARGUMENT);
}

TEST(Module, Devices) {
  EXPECT_EQ(Device::create("tpu").code(), HONE_NOT_FOUND);
  EXPECT_NE(strstr(Device::create("tpu").message(), "'cpu'"), nullptr);
  EXPECT_EQ(Device::create("cpu:1").code(), HONE_NOT_FOUND);
  EXPECT_EQ(Device::create("cpu:x").code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(Device::create("cpu:").code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(Device::create(nullptr).code(), HONE_INVALID_ARGUMENT);
  auto device = Device::create("cpu:0");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(strncmp(device->description(), "cpu: ", 5), 0);
  hone_module_destroy(nullptr);
  hone_session_destroy(nullptr);
  hone_device_destroy(nullptr);
  hone_status_free(nullptr);
}
