//===- Models.cpp - Modules made of the suite's kernels -------------------===//

#include "test/cts/Models.h"

using namespace hone;
using namespace hone::cts;

ModuleBuilder cts::makeModule() {
  ModuleBuilder module;
  module.executables.push_back({image().target, image().features, image().code, image().format});
  return module;
}

int32_t cts::addKernel(ModuleBuilder &module, KernelId kernel, std::vector<std::string> nodes) {
  const KernelInfo &info = kKernels[kernel];
  return module.kernel(info.name, info.buffers, info.scalars, std::move(nodes));
}

static ProgramSpec makeProgram(uint32_t buffers) {
  ProgramSpec program;
  program.target = image().target;
  program.buffers = buffers;
  return program;
}

ModuleBuilder cts::addScaleAdd(int64_t count, bool replayable, int64_t factor) {
  ModuleBuilder m = makeModule();
  test::DimSpec dim = count < 0 ? test::DimSpec("N", 0, kMostElements) : test::DimSpec(count);
  m.inputs = {{"a", DType::F32, {dim}}, {"b", DType::F32, {dim}}};
  m.outputs = {{"y", DType::F32, {dim}}};
  std::vector<float> ones(kMostElements, 1.0f);
  auto *bytes = reinterpret_cast<const uint8_t *>(ones.data());
  m.constants = {{bytes, bytes + ones.size() * 4}};
  int32_t add = addKernel(m, Add, {"Add#0", "Add#2"}), mul = addKernel(m, MulScalar, {"Mul#1"});
  ProgramSpec p = makeProgram(6);
  p.replayable = replayable;
  int32_t n = p.newRegister(), bytesOf = p.newRegister(), groups = p.newRegister();
  p.op(Opcode::InputDim, {n, 0, 0}).op(Opcode::Mul, {bytesOf, n, p.constant(4)});
  p.op(Opcode::CeilDivS, {groups, n, p.constant(kGroup)});
  int32_t factorRegister = p.constant(factor);
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferInput, {1, 1});
  p.op(Opcode::BufferConstant, {2, 0});
  p.op(Opcode::BufferOutput, {3, 0, bytesOf});
  if (count < 0) {
    p.op(Opcode::Reserve, {2, 4, bytesOf, 0, 1, 5, bytesOf, 1, 2});
  } else {
    int64_t size = (count * 4 + 63) / 64 * 64;
    p.staticBytes = 2 * size;
    p.op(Opcode::BufferStatic, {4, p.poolEntry(0), p.poolEntry(size)});
    p.op(Opcode::BufferStatic, {5, p.poolEntry(size), p.poolEntry(size)});
  }
  p.op(Opcode::Launch, {add, groups, 3, 0, 1, 4, 1, n});
  p.op(Opcode::Launch, {mul, groups, 2, 4, 5, 2, n, factorRegister});
  p.op(Opcode::Launch, {add, groups, 3, 5, 2, 3, 1, n});
  if (count < 0)
    p.op(Opcode::Release);
  p.op(Opcode::OutputDim, {0, 0, n}).op(Opcode::End);
  m.programs = {p};
  return m;
}

ModuleBuilder cts::nonzeroIndices() {
  ModuleBuilder m = makeModule();
  m.inputs = {{"a", DType::F32, {test::DimSpec("N", 0, kMostElements)}}};
  m.outputs = {{"y", DType::I64, {test::DimSpec("M")}}};
  int32_t nonzero = addKernel(m, Nonzero, {"NonZero#0"});
  ProgramSpec p = makeProgram(4);
  int32_t n = p.newRegister(), bytes = p.newRegister(), found = p.newRegister(), foundBytes = p.newRegister();
  int32_t eight = p.constant(8), one = p.constant(1), zero = p.constant(0);
  p.op(Opcode::InputDim, {n, 0, 0}).op(Opcode::Mul, {bytes, n, eight});
  p.op(Opcode::BufferInput, {0, 0});
  p.op(Opcode::Reserve, {2, 1, eight, 0, 1, 2, bytes, 0, 2});
  p.op(Opcode::Launch, {nonzero, one, 3, 0, 1, 2, 1, n});
  p.op(Opcode::Load, {found, 1, zero, static_cast<int32_t>(DType::I64)});
  p.op(Opcode::Mul, {foundBytes, found, eight});
  p.op(Opcode::BufferOutput, {3, 0, foundBytes});
  p.op(Opcode::Copy, {3, 2, foundBytes});
  p.op(Opcode::Release).op(Opcode::OutputDim, {0, 0, found}).op(Opcode::End);
  m.programs = {p};
  return m;
}

ModuleBuilder cts::doubleUntil(int64_t limit) {
  ModuleBuilder m = makeModule();
  m.inputs = {{"x", DType::I64, {}}};
  m.outputs = {{"y", DType::I64, {}}};
  int32_t step = addKernel(m, DoubleStep, {"Loop#0"});
  ProgramSpec p = makeProgram(4);
  int32_t eight = p.constant(8), one = p.constant(1), zero = p.constant(0), limitRegister = p.constant(limit);
  int32_t again = p.newRegister();
  p.staticBytes = 128;
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferOutput, {1, 0, eight});
  p.op(Opcode::BufferStatic, {2, p.poolEntry(0), p.poolEntry(8)});
  p.op(Opcode::BufferStatic, {3, p.poolEntry(64), p.poolEntry(1)});
  p.op(Opcode::Copy, {2, 0, eight});
  int32_t head = p.here();
  p.op(Opcode::Launch, {step, one, 2, 2, 3, 1, limitRegister});
  p.op(Opcode::Load, {again, 3, zero, static_cast<int32_t>(DType::Bool)});
  p.op(Opcode::JumpIfZero, {again, p.here() + 3 + 2});
  p.op(Opcode::Jump, {head});
  p.op(Opcode::Copy, {1, 2, eight}).op(Opcode::End);
  m.programs = {p};
  return m;
}

LoadedModel::LoadedModel(hone_device_t *device, const std::vector<uint8_t> &file) : bytes(file) {
  EXPECT_EQ(take(hone_module_load(device, bytes.data(), bytes.size(), nullptr, &module)), "");
}

Session LoadedModel::session(const hone_session_options_t *options) {
  hone_session_t *created = nullptr;
  if (module)
    EXPECT_EQ(take(hone_session_create(module, options, &created)), "");
  return Session(created);
}
