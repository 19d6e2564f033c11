//===- CompilerTest.cpp - The compiler's C API ----------------------------===//

#include "hone/compiler.h"
#include "hone/hone.hpp"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

extern "C" int hone_test_compile_from_c(const void *bytes, size_t size);

namespace {

//===----------------------------------------------------------------------===//
// Models, as the bytes of ONNX's protobuf messages
//===----------------------------------------------------------------------===//

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(int field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(int field, const std::string &value) { return varint(field << 3 | 2) + varint(value.size()) + value; }

std::string node(const char *op, std::vector<std::string> inputs, const char *output, const char *name) {
  std::string text;
  for (const std::string &input : inputs)
    text += bytes(1, input);
  return bytes(1, text + bytes(2, output) + bytes(3, name) + bytes(4, op));
}

/// A float vector as input (field 11) or output (12) of a graph; its extent is a symbol.
std::string vectorValue(int field, const char *name, const char *symbol) {
  std::string shape = bytes(1, bytes(2, symbol));
  return bytes(field, bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape))));
}

/// A float vector [1, 2] whose values are in a file of their own.
std::string externalVector(const char *name, const char *file) {
  std::string where = bytes(13, bytes(1, "location") + bytes(2, file));
  return bytes(5, number(1, 2) + number(2, 1) + bytes(8, name) + where + number(14, 1));
}

std::string model(const std::string &graph) {
  return number(1, 8) + bytes(8, bytes(1, "") + number(2, 17)) + bytes(7, graph + bytes(2, "graph"));
}

/// y = -relu(x).
std::string goodModel() {
  return model(node("Relu", {"x"}, "t", "first") + node("Neg", {"t"}, "y", "second") + vectorValue(11, "x", "N") +
               vectorValue(12, "y", "N"));
}

/// Two operators nobody knows.
std::string strangeModel() {
  return model(node("Frobnicate", {"x"}, "t", "stranger") + node("Blub", {"t"}, "y", "other") +
               vectorValue(11, "x", "N") + vectorValue(12, "y", "N"));
}

//===----------------------------------------------------------------------===//
// Owners
//===----------------------------------------------------------------------===//

struct Options {
  hone_compile_options_t *get = nullptr;
  Options() { hone_status_free(hone_compile_options_create(&get)); }
  ~Options() { hone_compile_options_destroy(get); }
  hone::Status set(const char *name, const char *value) {
    return hone::Status(hone_compile_options_set(get, name, value));
  }
};

struct Compiled {
  hone_compiled_t *get = nullptr;
  ~Compiled() { hone_compiled_destroy(get); }
  hone::Status from(const std::string &model, const hone_compile_options_t *options = nullptr,
                    const char *folder = nullptr) {
    return hone::Status(hone_compile_memory(model.data(), model.size(), "memory.onnx", folder, options, &get));
  }
  std::string text() const { return {static_cast<const char *>(hone_compiled_data(get)), hone_compiled_size(get)}; }
};

struct Report {
  struct Entry {
    hone_severity_t severity;
    std::string message, model, text;
    std::vector<std::string> nodes;
  };
  std::vector<Entry> entries;
  static void add(void *self, const hone_diagnostic_t *d) {
    static_cast<Report *>(self)->entries.push_back(
        {d->severity, d->message, d->model, d->text, {d->nodes, d->nodes + d->node_count}});
  }
};

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "hone-capi-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char *name, const std::string &contents) const {
    std::ofstream(path / name, std::ios::binary) << contents;
    return (path / name).string();
  }
  std::filesystem::path path;
};

void expectRuns(const void *data, size_t size) {
  auto device = hone::Device::create("cpu");
  ASSERT_TRUE(device) << device.message();
  auto module = hone::Module::load(*device, data, size);
  ASSERT_TRUE(module) << module.message();
  auto session = hone::Session::create(*module);
  ASSERT_TRUE(session) << session.message();
  float x[] = {-1, 2, 3};
  hone_tensor_t input = hone::tensor(x, {3}), output = {};
  hone::Status status = session->run(&input, 1, &output, 1);
  ASSERT_TRUE(status) << status.message();
  auto *y = static_cast<const float *>(output.data);
  EXPECT_EQ(y[0], 0.f);
  EXPECT_EQ(y[1], -2.f);
  EXPECT_EQ(y[2], -3.f);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// y = x * w with [64, 64] weights.
std::string weightModel() {
  std::string elements;
  for (int i = 0; i < 64 * 64; ++i) {
    float element = static_cast<float>(i % 17 - 8) / 16;
    elements.append(reinterpret_cast<const char *>(&element), sizeof(element));
  }
  auto matrix = [](int field, const char *name) {
    std::string shape = bytes(1, number(1, 1)) + bytes(1, number(1, 64));
    return bytes(field, bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape))));
  };
  std::string weights = bytes(5, number(1, 64) + number(1, 64) + number(2, 1) + bytes(8, "w") + bytes(9, elements));
  return model(node("MatMul", {"x", "w"}, "y", "product") + weights + matrix(11, "x") + matrix(12, "y"));
}

TEST(CompilerAPI, PrecisionHalvesWeights) {
  size_t sizes[2];
  for (bool half : {false, true}) {
    Options options;
    ASSERT_TRUE(options.set("precision", half ? "f16" : "f32"));
    Compiled compiled;
    hone::Status status = compiled.from(weightModel(), options.get);
    ASSERT_TRUE(status) << status.message();
    sizes[half] = compiled.text().size();
  }
  EXPECT_NEAR(static_cast<double>(sizes[0] - sizes[1]), 64 * 64 * 2, 1024);
  Options options;
  hone::Status status = options.set("precision", "f12");
  ASSERT_FALSE(status);
  EXPECT_NE(std::string(status.message()).find("f32, tf32, f16, bf16"), std::string::npos) << status.message();
}

TEST(CompilerAPI, VersionAndTargets) {
  EXPECT_STREQ(hone_compiler_version(), hone_runtime_version());
  ASSERT_GE(hone_compiler_target_count(), 2u);
  EXPECT_STREQ(hone_compiler_target(0), "cpu");
  EXPECT_EQ(hone_compiler_target(hone_compiler_target_count()), nullptr);
  // Every target is one.
  for (size_t i = 0; i < hone_compiler_target_count(); ++i) {
    Options options;
    Report report;
    hone_compile_options_set_diagnostics(options.get, Report::add, &report);
    ASSERT_TRUE(options.set("target", hone_compiler_target(i)));
    ASSERT_TRUE(options.set("emit", "graph"));
    Compiled compiled;
    hone::Status status = compiled.from(goodModel(), options.get);
    EXPECT_TRUE(status) << hone_compiler_target(i) << ": " << status.message();
  }
}

TEST(CompilerAPI, MemoryToMemoryRuns) {
  Compiled compiled;
  hone::Status status = compiled.from(goodModel());
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(hone_compiled_data(compiled.get)) % 64, 0u);
  expectRuns(hone_compiled_data(compiled.get), hone_compiled_size(compiled.get));
  ASSERT_EQ(hone_compiled_target_count(compiled.get), 1u);
  hone_compiled_target_t target;
  ASSERT_TRUE(hone::Status(hone_compiled_target(compiled.get, 0, &target)));
  EXPECT_EQ(std::string(target.target).rfind("cpu:", 0), 0u);
  EXPECT_LE(target.lower_bound_bytes, target.arena_bytes);
  EXPECT_EQ(hone::Status(hone_compiled_target(compiled.get, 1, &target)).code(), HONE_INVALID_ARGUMENT);
}

TEST(CompilerAPI, FileToFileRuns) {
  Folder folder;
  std::string path = folder.file("model.onnx", goodModel());
  Compiled compiled;
  hone::Status status{hone_compile_file(path.c_str(), nullptr, &compiled.get)};
  ASSERT_TRUE(status) << status.message();
  std::string out = (folder.path / "model.hone").string();
  ASSERT_TRUE(hone::Status(hone_compiled_write(compiled.get, out.c_str())));
  std::ifstream file(out, std::ios::binary);
  std::string written(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(written, compiled.text());
  status = hone::Status(hone_compiled_write(compiled.get, (folder.path / "no" / "such.hone").c_str()));
  EXPECT_FALSE(status);
  EXPECT_NE(std::string(status.message()).find("such.hone"), std::string::npos);
}

TEST(CompilerAPI, SameBytesWhereverTheModelLies) {
  Folder folder;
  std::string path = folder.file("model.onnx", goodModel());
  Compiled fromFile, fromMemory;
  ASSERT_TRUE(hone::Status(hone_compile_file(path.c_str(), nullptr, &fromFile.get)));
  ASSERT_TRUE(fromMemory.from(goodModel()));
  EXPECT_EQ(fromFile.text(), fromMemory.text());
}

TEST(CompilerAPI, ErrorsNameNodes) {
  Options options;
  Report report;
  hone_compile_options_set_diagnostics(options.get, Report::add, &report);
  Compiled compiled;
  hone::Status status = compiled.from(strangeModel(), options.get);
  EXPECT_FALSE(status);
  EXPECT_EQ(compiled.get, nullptr);
  EXPECT_EQ(status.code(), HONE_MODEL_REFUSED);
  EXPECT_STREQ(status.node(), "stranger");
  ASSERT_EQ(report.entries.size(), 2u);
  EXPECT_EQ(report.entries[0].severity, HONE_SEVERITY_ERROR);
  EXPECT_EQ(report.entries[0].model, "memory.onnx");
  EXPECT_EQ(report.entries[0].message, status.message());
  EXPECT_EQ(report.entries[0].nodes, std::vector<std::string>{"stranger"});
  EXPECT_EQ(report.entries[0].text, "memory.onnx: node 'stranger' (#0): error: " + report.entries[0].message + "\n");
  EXPECT_EQ(report.entries[1].nodes, std::vector<std::string>{"other"});
  // Checking says the same, and compiles nothing.
  std::string bytes = strangeModel();
  status = hone::Status(hone_check_memory(bytes.data(), bytes.size(), "memory.onnx", nullptr, options.get));
  EXPECT_EQ(status.code(), HONE_MODEL_REFUSED);
  EXPECT_EQ(report.entries.size(), 4u);
}

TEST(CompilerAPI, OptionsAreThoseOfTheCommandLine) {
  Options options;
  EXPECT_TRUE(options.set("dim", "N=3"));
  EXPECT_TRUE(options.set("disable-pass", "canonicalize"));
  EXPECT_TRUE(options.set("O", "1"));
  EXPECT_TRUE(options.set("emit", "graph"));
  Compiled compiled;
  ASSERT_TRUE(compiled.from(goodModel(), options.get));
  EXPECT_NE(compiled.text().find("tensor<3xf32>"), std::string::npos);

  hone::Status status = options.set("emit", "nonsense");
  EXPECT_EQ(status.code(), HONE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("plan"), std::string::npos);
  status = options.set("no-such-option", "1");
  EXPECT_NE(std::string(status.message()).find("target"), std::string::npos);
  EXPECT_EQ(options.set("remarks", "yes").code(), HONE_INVALID_ARGUMENT);

  Options wrong;
  ASSERT_TRUE(wrong.set("target", "tpu"));
  status = compiled.from(goodModel(), wrong.get);
  EXPECT_EQ(status.code(), HONE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("cpu"), std::string::npos);
}

TEST(CompilerAPI, WrongArguments) {
  hone_compiled_t *compiled = nullptr;
  EXPECT_EQ(hone::Status(hone_compile_file(nullptr, nullptr, &compiled)).code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(hone::Status(hone_compile_file("/nowhere.onnx", nullptr, &compiled)).code(), HONE_NOT_FOUND);
  EXPECT_EQ(hone::Status(hone_compile_memory(nullptr, 1, "m", nullptr, nullptr, &compiled)).code(),
            HONE_INVALID_ARGUMENT);
  EXPECT_EQ(hone::Status(hone_compile_memory(nullptr, 0, "m", nullptr, nullptr, &compiled)).code(), HONE_MODEL_REFUSED);
  EXPECT_EQ(hone::Status(hone_compile_memory("x", 1, "m", nullptr, nullptr, nullptr)).code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(hone::Status(hone_compile_options_create(nullptr)).code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(hone::Status(hone_check_file("/nowhere.onnx", nullptr)).code(), HONE_NOT_FOUND);
  hone_compile_options_destroy(nullptr);
  hone_compiled_destroy(nullptr);
  EXPECT_EQ(hone_compiled_size(nullptr), 0u);
}

TEST(CompilerAPI, ExternalDataNeedsAFolder) {
  Folder folder;
  float values[] = {1, 2};
  folder.file("w.bin", std::string(reinterpret_cast<const char *>(values), sizeof(values)));
  std::string text = model(node("Add", {"x", "w"}, "y", "sum") + externalVector("w", "w.bin") +
                           vectorValue(11, "x", "N") + vectorValue(12, "y", "N"));
  Compiled compiled;
  hone::Status status = compiled.from(text);
  EXPECT_EQ(status.code(), HONE_MODEL_REFUSED);
  EXPECT_NE(std::string(status.message()).find("folder"), std::string::npos) << status.message();
  status = compiled.from(text, nullptr, folder.path.c_str());
  EXPECT_TRUE(status) << status.message();
}

TEST(CompilerAPI, ThreadsCompileAtOnce) {
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result] {
      Compiled compiled;
      if (compiled.from(goodModel()))
        result = compiled.text();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(results[0].empty());
  for (const std::string &result : results)
    EXPECT_EQ(result, results[0]);
}

TEST(CompilerAPI, FromC) { EXPECT_EQ(hone_test_compile_from_c("no model", 8), 1); }

} // namespace
