//===- ModuleBuilder.cpp - .hone files by hand, for tests -----------------===//

#include "ModuleBuilder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace hone;
using namespace hone::test;
using flatbuffers::FlatBufferBuilder;

ProgramSpec &ProgramSpec::op(Opcode opcode, std::vector<int32_t> operands) {
  code.push_back(static_cast<int32_t>(opcode));
  code.insert(code.end(), operands.begin(), operands.end());
  return *this;
}

int32_t ProgramSpec::poolEntry(int64_t value) {
  pool.push_back(value);
  return static_cast<int32_t>(pool.size() - 1);
}

int32_t ProgramSpec::constant(int64_t value) {
  int32_t reg = newRegister();
  op(Opcode::Const, {reg, poolEntry(value)});
  return reg;
}

int32_t ModuleBuilder::kernel(const char *name, uint32_t buffers, uint32_t scalars, std::vector<std::string> nodes) {
  if (executables.empty())
    executables.push_back({"cpu:test", {}, testKernels()});
  kernels.push_back({name, 0, buffers, scalars, std::move(nodes)});
  return static_cast<int32_t>(kernels.size() - 1);
}

static auto strings(FlatBufferBuilder &fbb, const std::vector<std::string> &list) {
  return fbb.CreateVectorOfStrings(list);
}

static auto tensors(FlatBufferBuilder &fbb, const std::vector<TensorSpec> &list) {
  std::vector<flatbuffers::Offset<format::Tensor>> offsets;
  for (const TensorSpec &tensor : list) {
    std::vector<flatbuffers::Offset<format::Dim>> dims;
    for (const DimSpec &dim : tensor.dims)
      dims.push_back(
          format::CreateDim(fbb, dim.size, dim.symbol.empty() ? 0 : fbb.CreateString(dim.symbol), dim.min, dim.max));
    auto name = fbb.CreateString(tensor.name);
    auto vector = fbb.CreateVector(dims);
    offsets.push_back(format::CreateTensor(fbb, name, tensor.dtype, vector));
  }
  return fbb.CreateVector(offsets);
}

static auto programs(FlatBufferBuilder &fbb, const std::vector<ProgramSpec> &list) {
  std::vector<flatbuffers::Offset<format::Program>> offsets;
  for (const ProgramSpec &program : list) {
    auto target = fbb.CreateString(program.target);
    auto code = fbb.CreateVector(program.code);
    auto pool = fbb.CreateVector(program.pool);
    auto messages = strings(fbb, program.messages);
    offsets.push_back(format::CreateProgram(fbb, target, code, pool, messages, program.registers, program.buffers,
                                            program.staticBytes, 0, 0, program.replayable, program.growing));
  }
  return fbb.CreateVector(offsets);
}

static uint64_t align64(uint64_t value) { return (value + 63) & ~uint64_t(63); }

/// The table, with segments placed from `base` on.
static std::vector<uint8_t> writeTable(const ModuleBuilder &module, uint64_t base, std::vector<uint8_t> &segments) {
  FlatBufferBuilder fbb;
  segments.clear();
  auto place = [&](const std::vector<uint8_t> &bytes) {
    segments.resize(align64(segments.size()));
    uint64_t offset = base + segments.size();
    segments.insert(segments.end(), bytes.begin(), bytes.end());
    return format::Segment(offset, bytes.size(), format::checksum(bytes.data(), bytes.size()));
  };
  std::vector<uint8_t> data;
  std::vector<format::Constant> constants;
  for (const auto &constant : module.constants) {
    data.resize(align64(data.size()));
    constants.push_back(format::Constant(data.size(), constant.size()));
    data.insert(data.end(), constant.begin(), constant.end());
  }
  format::Segment constantData = place(data);
  std::vector<flatbuffers::Offset<format::Executable>> executables;
  for (const ExecutableSpec &executable : module.executables) {
    format::Segment code = place(executable.code);
    auto target = fbb.CreateString(executable.target);
    auto kind = fbb.CreateString(executable.format);
    auto features = strings(fbb, executable.features);
    executables.push_back(format::CreateExecutable(fbb, target, kind, features, &code));
  }
  std::vector<flatbuffers::Offset<format::Kernel>> kernels;
  for (const KernelSpec &kernel : module.kernels) {
    auto name = fbb.CreateString(kernel.name);
    auto nodes = strings(fbb, kernel.nodes);
    kernels.push_back(format::CreateKernel(fbb, name, kernel.executable, kernel.buffers, kernel.scalars, nodes,
                                           kernel.workgroupSize, kernel.sharedBytes));
  }
  auto producer = fbb.CreateString("unit test");
  auto model = fbb.CreateString("hand-made");
  auto inputs = tensors(fbb, module.inputs);
  auto outputs = tensors(fbb, module.outputs);
  auto constantVector = fbb.CreateVectorOfStructs(constants);
  auto executableVector = fbb.CreateVector(executables);
  auto kernelVector = fbb.CreateVector(kernels);
  auto programVector = programs(fbb, module.programs);
  format::FinishModuleBuffer(fbb, format::CreateModule(fbb, producer, model, inputs, outputs, constantVector,
                                                       &constantData, executableVector, kernelVector, programVector));
  return {fbb.GetBufferPointer(), fbb.GetBufferPointer() + fbb.GetSize()};
}

std::vector<uint8_t> ModuleBuilder::build() const {
  // The table's size does not depend on where the segments lie.
  std::vector<uint8_t> segments;
  uint64_t tableSize = writeTable(*this, 0, segments).size();
  uint64_t base = align64(sizeof(format::FileHeader) + tableSize);
  std::vector<uint8_t> table = writeTable(*this, base, segments);

  format::FileHeader header = {};
  memcpy(header.magic, format::kMagic, sizeof(header.magic));
  header.version = format::kVersion;
  header.tableOffset = sizeof(header);
  header.tableSize = table.size();
  header.tableChecksum = format::checksum(table.data(), table.size());
  header.fileSize = base + segments.size();
  std::vector<uint8_t> file(header.fileSize);
  memcpy(file.data(), &header, sizeof(header));
  memcpy(file.data() + sizeof(header), table.data(), table.size());
  if (!segments.empty())
    memcpy(file.data() + base, segments.data(), segments.size());
  return file;
}

void hone::test::fixChecksum(uint8_t *bytes, size_t size) {
  format::FileHeader header;
  memcpy(&header, bytes, sizeof(header));
  if (header.tableOffset > size || header.tableSize > size - header.tableOffset)
    return;
  header.tableChecksum = format::checksum(bytes + header.tableOffset, header.tableSize);
  memcpy(bytes, &header, sizeof(header));
}

std::vector<uint8_t> hone::test::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> hone::test::testObject(const char *name) {
  return readFile(std::string(HONE_TEST_OBJECTS "/") + name + ".so");
}

std::vector<uint8_t> hone::test::testKernels() { return testObject("kernels"); }

Loaded::Loaded(const std::vector<uint8_t> &file, const hone_module_options_t *options, size_t skew)
    : bytes(file, skew) {
  auto opened = Device::create("cpu");
  if (!opened) {
    status = opened.takeStatus();
    return;
  }
  device = opened.take();
  auto loaded = Module::load(device, bytes.data(), bytes.size(), options);
  if (loaded)
    module = loaded.take();
  else
    status = loaded.takeStatus();
}

Session Loaded::session(const hone_session_options_t *options) {
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok())
    return {};
  auto created = Session::create(module, options);
  EXPECT_TRUE(created.ok()) << created.message();
  return created.take();
}
