//===- ToolsTest.cpp - hone-run: files, arguments, commands ---------------===//

#include "Models.h"
#include "tools/hone-run/Arguments.h"
#include "tools/hone-run/Files.h"
#include "tools/hone-run/Random.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace hone;
using namespace hone::test;
using namespace hone::tools;

static const hone_dtype_t kAllTypes[] = {
    HONE_DTYPE_F64,        HONE_DTYPE_F32,    HONE_DTYPE_F16,        HONE_DTYPE_BF16,   HONE_DTYPE_F8E4M3FN,
    HONE_DTYPE_F8E4M3FNUZ, HONE_DTYPE_F8E5M2, HONE_DTYPE_F8E5M2FNUZ, HONE_DTYPE_F8E8M0, HONE_DTYPE_F4E2M1,
    HONE_DTYPE_I64,        HONE_DTYPE_I32,    HONE_DTYPE_I16,        HONE_DTYPE_I8,     HONE_DTYPE_I4,
    HONE_DTYPE_I2,         HONE_DTYPE_U64,    HONE_DTYPE_U32,        HONE_DTYPE_U16,    HONE_DTYPE_U8,
    HONE_DTYPE_U4,         HONE_DTYPE_U2,     HONE_DTYPE_BOOL};

static HostTensor randomTensor(hone_dtype_t dtype, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.name = "t";
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  EXPECT_TRUE(fillRandom(tensor, 42));
  return tensor;
}

TEST(Tools, TensorFilesRoundTrip) {
  for (hone_dtype_t dtype : kAllTypes)
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {7}, {3, 5}, {0, 4}, {2, 1, 3}}) {
      HostTensor tensor = randomTensor(dtype, shape), read;
      std::vector<uint8_t> bytes;
      std::string error;
      ASSERT_TRUE(encodePb(tensor, bytes, error)) << error;
      ASSERT_TRUE(decodePb(bytes, read, error)) << error;
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(read.dtype, dtype);
      EXPECT_EQ(read.data, tensor.data) << hone_dtype_name(dtype);
      bool numpyHasIt = findType(dtype)->npy != nullptr;
      ASSERT_EQ(encodeNpy(tensor, bytes, error), numpyHasIt);
      if (!numpyHasIt)
        continue;
      EXPECT_EQ(bytes.size() - tensor.data.size(), 64u * ((bytes.size() - tensor.data.size()) / 64));
      ASSERT_TRUE(decodeNpy(bytes, dtype, read, error)) << error;
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(read.dtype, dtype);
      EXPECT_EQ(read.data, tensor.data);
    }
}

static std::vector<uint8_t> npyFile(std::string header, const std::vector<uint8_t> &data, uint8_t version = 1) {
  std::vector<uint8_t> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', version, 0};
  bytes.push_back(static_cast<uint8_t>(header.size()));
  bytes.push_back(static_cast<uint8_t>(header.size() >> 8));
  if (version > 1)
    bytes.insert(bytes.end(), 2, 0);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

TEST(Tools, NpyVariants) {
  HostTensor tensor;
  std::string error;
  ASSERT_TRUE(decodeNpy(npyFile("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", {1, 2, 3, 4}, 2),
                        HONE_DTYPE_I16, tensor, error))
      << error;
  EXPECT_EQ(tensor.data, (std::vector<uint8_t>{2, 1, 4, 3}));
  ASSERT_TRUE(decodeNpy(npyFile("{'shape': (2, 3), 'fortran_order': True, 'descr': '|u1'}", {1, 2, 3, 4, 5, 6}, 3),
                        HONE_DTYPE_U8, tensor, error))
      << error;
  EXPECT_EQ(tensor.data, (std::vector<uint8_t>{1, 3, 5, 2, 4, 6}));
  // What NumPy makes of ml_dtypes' bfloat16 and int4.
  ASSERT_TRUE(decodeNpy(npyFile("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", {0x80, 0x3f}),
                        HONE_DTYPE_BF16, tensor, error))
      << error;
  EXPECT_EQ(tensor.dtype, HONE_DTYPE_BF16);
  EXPECT_EQ(elementValue(tensor.data.data(), tensor.dtype, 0), 1.0);
  ASSERT_TRUE(decodeNpy(npyFile("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", {0xf8}), HONE_DTYPE_I4,
                        tensor, error));
  EXPECT_EQ(tensor.dtype, HONE_DTYPE_I4);
  for (const char *header :
       {"", "{", "{'descr': '<f4'}", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}"})
    EXPECT_FALSE(decodeNpy(npyFile(header, {0, 0, 0, 0}), HONE_DTYPE_F32, tensor, error)) << header;
}

TEST(Tools, PbTypedFields) {
  HostTensor tensor;
  std::string error;
  // dims = 2 (unpacked), type int4, int32_data = {0x8f} packed: -1 and -8.
  ASSERT_TRUE(decodePb({0x08, 2, 0x10, 22, 0x2a, 2, 0x8f, 0x01}, tensor, error)) << error;
  EXPECT_EQ(tensor.data, (std::vector<uint8_t>{0xff, 0xf8}));
  // dims = {1} packed, type float16, int32_data = 0x3c00 unpacked.
  ASSERT_TRUE(decodePb({0x0a, 1, 1, 0x10, 10, 0x28, 0x80, 0x78}, tensor, error)) << error;
  EXPECT_EQ(elementValue(tensor.data.data(), tensor.dtype, 0), 1.0);
  // A scalar: float_data unpacked.
  ASSERT_TRUE(decodePb({0x10, 1, 0x25, 0, 0, 0x80, 0x3f}, tensor, error)) << error;
  EXPECT_EQ(elementValue(tensor.data.data(), tensor.dtype, 0), 1.0);
  // An unknown field is skipped, negative int64_data is kept.
  ASSERT_TRUE(decodePb({0xfa, 0x01, 1, 7, 0x10, 7, 0x38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
                       tensor, error))
      << error;
  EXPECT_EQ(elementValue(tensor.data.data(), tensor.dtype, 0), -1.0);
  for (std::vector<uint8_t> bad : {std::vector<uint8_t>{0x08},
                                   {0x10, 8},
                                   {0x10, 14},
                                   {0x10, 1, 0x4a, 5, 1},
                                   {0x08, 3, 0x10, 1, 0x4a, 4, 0, 0, 0, 0},
                                   {0x10, 1, 0x70, 1},
                                   {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x10, 1}})
    EXPECT_FALSE(decodePb(bad, tensor, error));
}

TEST(Tools, HostileTensorFiles) {
  std::mt19937 random(9);
  HostTensor tensor = randomTensor(HONE_DTYPE_F32, {2, 3}), read;
  std::vector<uint8_t> npy, pb;
  std::string error;
  ASSERT_TRUE(encodeNpy(tensor, npy, error) && encodePb(tensor, pb, error));
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = round % 2 ? npy : pb;
    bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size());
    for (unsigned flips = random() % 4; flips && !bytes.empty(); --flips)
      bytes[random() % bytes.size()] ^= 1u << (random() % 8);
    if (round % 2)
      (void)decodeNpy(bytes, HONE_DTYPE_F32, read, error);
    else
      (void)decodePb(bytes, read, error);
  }
}

TEST(Tools, RandomIsSeededAndFinite) {
  for (hone_dtype_t dtype : kAllTypes) {
    HostTensor a = randomTensor(dtype, {1000}), b = randomTensor(dtype, {1000});
    EXPECT_EQ(a.data, b.data);
    ASSERT_TRUE(fillRandom(b, 43));
    EXPECT_NE(a.data, b.data);
    for (uint64_t i = 0; i < 1000; ++i)
      ASSERT_TRUE(std::isfinite(elementValue(a.data.data(), dtype, i))) << hone_dtype_name(dtype);
  }
  HostTensor huge;
  huge.shape = {int64_t(1) << 40, 1 << 15};
  EXPECT_FALSE(fillRandom(huge, 0));
}

TEST(Tools, ElementValues) {
  auto value = [](hone_dtype_t dtype, std::vector<uint8_t> bytes) { return elementValue(bytes.data(), dtype, 0); };
  EXPECT_EQ(value(HONE_DTYPE_F8E4M3FN, {0x7e}), 448);
  EXPECT_EQ(value(HONE_DTYPE_F8E4M3FNUZ, {0x7f}), 240);
  EXPECT_EQ(value(HONE_DTYPE_F8E5M2, {0x7b}), 57344);
  EXPECT_EQ(value(HONE_DTYPE_F8E5M2FNUZ, {0x7f}), 57344);
  EXPECT_EQ(value(HONE_DTYPE_F8E8M0, {128}), 2);
  EXPECT_EQ(value(HONE_DTYPE_F4E2M1, {0x0f}), -6);
  EXPECT_EQ(value(HONE_DTYPE_F16, {0x01, 0x00}), 0x1p-24);
  EXPECT_EQ(value(HONE_DTYPE_I4, {0xf8}), -8);
  EXPECT_TRUE(std::isnan(value(HONE_DTYPE_F8E5M2FNUZ, {0x80})));
}

TEST(Tools, Names) {
  std::vector<std::string> taken;
  EXPECT_EQ(safeFileName("../../etc/passwd", taken), "_._.._etc_passwd");
  EXPECT_EQ(safeFileName("a", taken), "a");
  EXPECT_EQ(safeFileName("A", taken), "A.1");
  EXPECT_EQ(safeFileName("", taken), "output");
  EXPECT_EQ(safeFileName("a b", taken), "a_b");
  EXPECT_EQ(safeFileName("a/b", taken), "a_b.1");
  EXPECT_EQ(jsonString("a\"b\\\n\x01"), "\"a\\\"b\\\\\\u000a\\u0001\"");
  EXPECT_EQ(jsonString("gr\xc3\xbc\xc3"), "\"gr\xc3\xbc\\ufffd\"");
  std::string name, file;
  EXPECT_TRUE(splitAssignment("a=b=c.npy", name, file));
  EXPECT_EQ(name, "a=b");
  EXPECT_FALSE(splitAssignment("a=", name, file));
}

TEST(Tools, ArgumentErrors) {
  auto error = [](std::vector<const char *> words) {
    words.insert(words.begin(), "hone-run");
    Arguments arguments;
    std::string text;
    EXPECT_FALSE(parseArguments(static_cast<int>(words.size()), words.data(), arguments, text));
    return text;
  };
  EXPECT_EQ(error({}), "no command");
  EXPECT_EQ(error({"jump"}), "no command 'jump'");
  EXPECT_EQ(error({"run"}), "no file");
  EXPECT_EQ(error({"run", "a", "b"}), "more than one file: 'a' and 'b'");
  EXPECT_EQ(error({"run", "a", "--runs=3"}), "'run' has no option '--runs'");
  EXPECT_EQ(error({"bench", "a", "--runs"}), "'--runs' needs a value");
  EXPECT_EQ(error({"bench", "a", "--runs", "x"}), "--runs: 'x' is not a number up to 1000000000");
  EXPECT_EQ(error({"bench", "a", "--profile=1"}), "'--profile' takes no value");
  EXPECT_EQ(error({"run", "a", "--input=x"}), "--input: expected NAME=FILE, not 'x'");
  EXPECT_EQ(error({"run", "a", "--dim", "N=-1"}), "--dim: '-1' is not a number up to 9223372036854775807");
  const char *good[] = {"hone-run", "run", "--threads", "2", "m.hone", "--input=a=b=c.npy", "--json", "--dim=N=4"};
  Arguments arguments;
  std::string text;
  ASSERT_TRUE(parseArguments(std::size(good), good, arguments, text)) << text;
  EXPECT_EQ(arguments.command, Command::Run);
  EXPECT_EQ(arguments.run.threads, 2u);
  EXPECT_EQ(arguments.run.inputs[0].first, "a=b");
  EXPECT_EQ(arguments.run.json, "-");
  EXPECT_EQ(arguments.run.dims[0].second, 4);
}

namespace {
/// A folder that goes away, with a module in it.
struct ToolsRun : testing::Test {
  ToolsRun() {
    char pattern[] = "/tmp/hone-test-XXXXXX";
    EXPECT_NE(mkdtemp(pattern), nullptr);
    directory = pattern;
    std::string error;
    std::vector<uint8_t> module = addScaleAdd(-1, true).build();
    EXPECT_TRUE(writeFile(path("m.hone"), module.data(), module.size(), error)) << error;
  }
  ~ToolsRun() override {
    std::string command = "rm -rf " + directory;
    EXPECT_EQ(system(command.c_str()), 0);
  }
  std::string path(const char *name) { return directory + "/" + name; }
  std::string textOf(const char *name) {
    std::vector<uint8_t> bytes;
    std::string error;
    EXPECT_TRUE(tools::readFile(path(name), bytes, error)) << error;
    return {bytes.begin(), bytes.end()};
  }
  std::string directory;
};
} // namespace

TEST_F(ToolsRun, WritesOutputs) {
  RunRequest request;
  request.modelPath = path("m.hone");
  request.outputDir = path("deep/out");
  HostTensor a = randomTensor(HONE_DTYPE_F32, {5});
  std::string error, file;
  ASSERT_TRUE(writeTensor(directory, "a", a, file, error));
  request.inputs = {{"b", path("a.npy")}, {"a", path("a.npy")}};
  testing::internal::CaptureStdout();
  ASSERT_EQ(runCommand(request), ExitDone);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("output 'y' 5xfloat32:"), std::string::npos);
  EXPECT_EQ(textOf("deep/out/outputs.json"),
            "[\n  {\"name\": \"y\", \"file\": \"y.npy\", \"dtype\": \"float32\", \"shape\": [5]}\n]\n");
  HostTensor y;
  ASSERT_TRUE(readTensor(path("deep/out/y.npy"), HONE_DTYPE_F32, y, error)) << error;
  EXPECT_EQ(y.shape, (std::vector<int64_t>{5}));
  for (uint64_t i = 0; i < 5; ++i) {
    float x = static_cast<float>(elementValue(a.data.data(), a.dtype, i));
    EXPECT_NEAR(elementValue(y.data.data(), y.dtype, i), expectedAddScaleAdd(x, x), 1e-6);
  }
}

TEST_F(ToolsRun, ReportsFaults) {
  auto message = [&](auto change) {
    RunRequest request;
    request.modelPath = path("m.hone");
    change(request);
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_EQ(runCommand(request), ExitFault);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    return testing::internal::GetCapturedStderr();
  };
  using R = RunRequest;
  auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(message([](R &r) { r.modelPath = "/no/such"; }), "hone-run: error: cannot open '/no/such'"));
  EXPECT_TRUE(has(message([](R &r) { r.device = "abacus:0"; }), "no device 'abacus:0'"));
  EXPECT_TRUE(has(message([](R &r) { r.inputs = {{"z", "z.npy"}}; }), "no input 'z'"));
  EXPECT_TRUE(has(message([](R &r) { r.inputs = {{"a", "/no/a.npy"}}; }), "cannot open '/no/a.npy'"));
  EXPECT_TRUE(has(message([](R &r) { r.inputs = {{"a", "a.txt"}}; }), ".npy and .pb"));
  HostTensor a = randomTensor(HONE_DTYPE_F32, {5});
  std::string error, file;
  ASSERT_TRUE(writeTensor(directory, "a", a, file, error)) << error;
  EXPECT_TRUE(has(message([&](R &r) { r.inputs = {{"a", path("a.npy")}}; }), "input 'b' is not given"));
  EXPECT_TRUE(
      has(message([&](R &r) { r.inputs = {{"a", path("a.npy")}, {"a", path("a.npy")}}; }), "input 'a' is given twice"));
  EXPECT_TRUE(has(message([](R &r) { r.dims = {{"M", 4}}; }), "free dimensions are 'N'"));
  EXPECT_TRUE(has(message([](R &r) { r.dims = {{"N", 65}}; }), "outside the declared range 1..64"));
  EXPECT_TRUE(has(message([](R &r) { r.outputDir = "/proc/nowhere"; }), "cannot make directory"));
  EXPECT_TRUE(has(message([&](R &r) { r.outputDir = path("m.hone"); }), "m.hone"));
}

TEST_F(ToolsRun, Benches) {
  BenchRequest request;
  request.modelPath = path("m.hone");
  request.runs = 5;
  request.profile = true;
  request.json = path("bench.json");
  testing::internal::CaptureStdout();
  ASSERT_EQ(benchCommand(request), ExitDone);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("5 runs"), std::string::npos) << text;
  EXPECT_NE(text.find("Add#0, Add#2"), std::string::npos) << text;
  std::string json = textOf("bench.json");
  EXPECT_NE(json.find("\"median_ns\": "), std::string::npos) << json;
  EXPECT_NE(json.find("{\"kernel\": \"mul_scalar\", \"nodes\": [\"Mul#1\"], \"calls\": 1,"), std::string::npos) << json;
}

TEST_F(ToolsRun, Inspects) {
  InspectRequest request;
  request.modelPath = path("m.hone");
  request.plan = request.verify = true;
  testing::internal::CaptureStdout();
  ASSERT_EQ(inspectCommand(request), ExitDone);
  std::string text = testing::internal::GetCapturedStdout();
  for (const char *part : {"input 'a' N(1..64)xf32", "output 'y' N(1..64)xf32",
                           "program cpu:test: launches 3, replayable", "reserve b4: r1 bytes in 0..1"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  request.json = "-";
  testing::internal::CaptureStdout();
  ASSERT_EQ(inspectCommand(request), ExitDone);
  text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("\"inputs\": [{\"name\": \"a\", \"dtype\": \"float32\", \"shape\": [\"N\"]}"), std::string::npos);
}
