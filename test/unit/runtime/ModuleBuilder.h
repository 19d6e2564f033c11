//===- ModuleBuilder.h - .hone files by hand, for tests -*- C++ -*-===//
//
// Writes any module, valid or not: nothing is checked here.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_MODULEBUILDER_H
#define HONE_TEST_UNIT_RUNTIME_MODULEBUILDER_H

#include "hone/hone.hpp"
#include "runtime/format/Format.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace hone::test {

using format::DType;
using format::Opcode;

struct DimSpec {
  DimSpec(int64_t size) : size(size) {}
  DimSpec(const char *symbol, int64_t min = 0, int64_t max = INT64_MAX)
      : size(-1), symbol(symbol), min(min), max(max) {}
  int64_t size;
  std::string symbol;
  int64_t min = 0, max = INT64_MAX;
};

struct TensorSpec {
  std::string name;
  DType dtype;
  std::vector<DimSpec> dims;
};

struct KernelSpec {
  std::string name;
  uint32_t executable, buffers, scalars;
  std::vector<std::string> nodes;
  uint32_t workgroupSize = 0, sharedBytes = 0;
};

struct ExecutableSpec {
  std::string target;
  std::vector<std::string> features;
  std::vector<uint8_t> code;
  std::string format = "elf";
};

struct ProgramSpec {
  std::string target = "cpu:test";
  std::vector<int32_t> code;
  std::vector<int64_t> pool;
  std::vector<std::string> messages;
  uint32_t registers = 0, buffers = 0, growing = 0;
  uint64_t staticBytes = 0;
  bool replayable = false;

  /// Appends an instruction and notes the registers it names (by letter).
  ProgramSpec &op(Opcode opcode, std::vector<int32_t> operands = {});
  /// A register holding a constant.
  int32_t constant(int64_t value);
  int32_t newRegister() { return static_cast<int32_t>(registers++); }
  int32_t newBuffer() { return static_cast<int32_t>(buffers++); }
  int32_t poolEntry(int64_t value);
  int32_t here() const { return static_cast<int32_t>(code.size()); }
};

/// Bytes at an address aligned as a mapped file is.
class AlignedBytes {
public:
  explicit AlignedBytes(size_t size, size_t skew = 0) : storage(new uint8_t[size + 128]), count(size) {
    auto address = reinterpret_cast<uintptr_t>(storage.get());
    start = storage.get() + (64 - address % 64) % 64 + skew;
  }
  AlignedBytes(const std::vector<uint8_t> &bytes, size_t skew = 0) : AlignedBytes(bytes.size(), skew) {
    if (!bytes.empty())
      memcpy(start, bytes.data(), bytes.size());
  }
  uint8_t *data() { return start; }
  size_t size() const { return count; }

private:
  std::unique_ptr<uint8_t[]> storage;
  uint8_t *start;
  size_t count;
};

struct ModuleBuilder {
  std::vector<TensorSpec> inputs, outputs;
  std::vector<std::vector<uint8_t>> constants;
  std::vector<ExecutableSpec> executables;
  std::vector<KernelSpec> kernels;
  std::vector<ProgramSpec> programs;

  /// The test kernels as executable 0; returns a kernel's number.
  int32_t kernel(const char *name, uint32_t buffers, uint32_t scalars, std::vector<std::string> nodes = {});

  std::vector<uint8_t> build() const;
};

/// Corrects the table's checksum after bytes were changed.
void fixChecksum(uint8_t *bytes, size_t size);

std::vector<uint8_t> readFile(const std::string &path);
/// The compiled kernels.c and its relatives.
std::vector<uint8_t> testKernels();
std::vector<uint8_t> testObject(const char *name);

/// A device, the module on it, and the bytes it borrows.
struct Loaded {
  explicit Loaded(const std::vector<uint8_t> &bytes, const hone_module_options_t *options = nullptr, size_t skew = 0);
  explicit Loaded(const ModuleBuilder &builder) : Loaded(builder.build()) {}

  Session session(const hone_session_options_t *options = nullptr);

  AlignedBytes bytes;
  Device device;
  Module module;
  Status status;
};

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_MODULEBUILDER_H
