//===- Models.h - Modules used by several tests -*- C++ -*-===//

#ifndef HONE_TEST_UNIT_RUNTIME_MODELS_H
#define HONE_TEST_UNIT_RUNTIME_MODELS_H

#include "ModuleBuilder.h"

namespace hone::test {

/// y = (a + b) * 3 + c, floats of shape [N] (or [count] when it is not -1),
/// where c is a constant of 64 ones, repeated... so N must be at most 64.
/// Intermediates come from a Reserve, or from the static arena.
inline ModuleBuilder addScaleAdd(int64_t count, bool replayable) {
  ModuleBuilder m;
  DimSpec dim = count < 0 ? DimSpec("N", 1, 64) : DimSpec(count);
  m.inputs = {{"a", DType::F32, {dim}}, {"b", DType::F32, {dim}}};
  m.outputs = {{"y", DType::F32, {dim}}};
  std::vector<float> ones(64, 1.0f);
  auto *bytes = reinterpret_cast<const uint8_t *>(ones.data());
  m.constants = {{bytes, bytes + 256}};
  int32_t add = m.kernel("add", 3, 1, {"Add#0", "Add#2"});
  int32_t mul = m.kernel("mul_scalar", 2, 2, {"Mul#1"});
  ProgramSpec p;
  p.buffers = 6;
  p.replayable = replayable;
  int32_t n = p.newRegister(), bytesOf = p.newRegister(), four = p.constant(4);
  p.op(Opcode::InputDim, {n, 0, 0}).op(Opcode::Mul, {bytesOf, n, four});
  int32_t groups = p.newRegister(), sixteen = p.constant(16), three = p.constant(3);
  p.op(Opcode::CeilDivS, {groups, n, sixteen});
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferInput, {1, 1});
  p.op(Opcode::BufferConstant, {2, 0});
  p.op(Opcode::BufferOutput, {3, 0, bytesOf});
  if (count < 0) {
    p.op(Opcode::Reserve, {2, 4, bytesOf, 0, 1, 5, bytesOf, 1, 2});
  } else {
    p.staticBytes = 1024;
    p.op(Opcode::BufferStatic, {4, p.poolEntry(0), p.poolEntry(512)});
    p.op(Opcode::BufferStatic, {5, p.poolEntry(512), p.poolEntry(512)});
  }
  p.op(Opcode::Launch, {add, groups, 3, 0, 1, 4, 1, n});
  p.op(Opcode::Launch, {mul, groups, 2, 4, 5, 2, n, three});
  p.op(Opcode::Launch, {add, groups, 3, 5, 2, 3, 1, n});
  if (count < 0)
    p.op(Opcode::Release);
  p.op(Opcode::OutputDim, {0, 0, n}).op(Opcode::End);
  m.programs = {p};
  return m;
}

inline float expectedAddScaleAdd(float a, float b) { return (a + b) * 3 + 1; }

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_MODELS_H
