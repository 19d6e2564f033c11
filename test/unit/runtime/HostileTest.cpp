//===- HostileTest.cpp - Damaged and invented modules ---------------------===//
//
// Any bytes load or give an error, and plans without kernels may be run whatever
// they hold: the interpreter checks what the verifier cannot. Sanitizers make
// this test strict.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "runtime/base/Memory.h"
#include "runtime/format/Plan.h"

#include <gtest/gtest.h>
#include <random>

using namespace hone;
using namespace hone::test;

/// A plan with one of everything but launches.
static ModuleBuilder kernelFree() {
  ModuleBuilder m;
  m.inputs = {{"x", DType::F32, {"N", 4}}, {"i", DType::I64, {2}}};
  m.outputs = {{"y", DType::F32, {"N", 4}}, {"z", DType::I64, {"K"}}};
  m.constants = {std::vector<uint8_t>(100, 3), std::vector<uint8_t>(64, 5)};
  ProgramSpec p;
  p.buffers = 8;
  p.staticBytes = 256;
  p.messages = {"no", "still no"};
  int32_t n = p.newRegister(), bytes = p.newRegister(), k = p.newRegister();
  int32_t zero = p.constant(0), one = p.constant(1), eight = p.constant(8), sixteen = p.constant(16), i = p.constant(3);
  int32_t i64 = static_cast<int32_t>(DType::I64);
  p.op(Opcode::InputDim, {n, 0, 0}).op(Opcode::Mul, {bytes, n, sixteen});
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferInput, {1, 1});
  p.op(Opcode::BufferConstant, {2, 1});
  p.op(Opcode::BufferStatic, {3, p.poolEntry(64), p.poolEntry(128)});
  p.op(Opcode::BufferOutput, {4, 0, bytes});
  p.op(Opcode::Reserve, {3, 5, bytes, 0, 1, 6, sixteen, 1, 2, 7, eight, 0, 2});
  int32_t head = p.here();
  p.op(Opcode::Sub, {i, i, one});
  p.op(Opcode::Fill, {5, i, sixteen}).op(Opcode::Copy, {4, 0, sixteen});
  p.op(Opcode::Load, {k, 1, one, i64}).op(Opcode::Store, {3, one, k, i64});
  p.op(Opcode::BufferView, {7, 3, eight, eight});
  p.op(Opcode::Check, {one, 1});
  p.op(Opcode::JumpIfZero, {i, p.here() + 5}).op(Opcode::Jump, {head});
  p.op(Opcode::Release);
  p.op(Opcode::Mul, {bytes, k, eight}).op(Opcode::BufferOutput, {6, 1, bytes});
  p.op(Opcode::BufferMove, {5, 6}).op(Opcode::OutputDim, {1, 0, k});
  p.op(Opcode::OutputDim, {0, 0, n}).op(Opcode::Select, {k, zero, one, n});
  p.op(Opcode::End);
  m.programs = {p};
  return m;
}

/// Plans may ask for any arena; the test's machine need not have it.
static const hone_allocator_t kSmallMemory = {nullptr,
                                              [](void *, size_t size, size_t alignment) -> void * {
                                                const hone_allocator_t *memory = defaultAllocator();
                                                return size > (1 << 20)
                                                           ? nullptr
                                                           : memory->allocate(memory->self, size, alignment);
                                              },
                                              [](void *, void *block, size_t size, size_t alignment) {
                                                const hone_allocator_t *memory = defaultAllocator();
                                                memory->release(memory->self, block, size, alignment);
                                              }};

/// Loads bytes; if that works, runs them twice with small inputs.
static bool tryModule(AlignedBytes &bytes, Device &device) {
  hone_module_options_t moduleOptions = Module::options();
  moduleOptions.verify_constants = 1;
  auto module = Module::load(device, bytes.data(), bytes.size(), &moduleOptions);
  if (!module.ok())
    return false;
  hone_session_options_t options = Session::options();
  options.step_limit = 2000;
  options.allocator = &kSmallMemory;
  auto session = Session::create(*module, &options);
  if (!session.ok())
    return true;
  size_t inputs = module->inputCount(), outputs = module->outputCount();
  std::vector<std::vector<int64_t>> data(inputs, std::vector<int64_t>(64, 2));
  for (int round = 0; round < 2; ++round) {
    std::vector<hone_tensor_t> in(inputs), out(outputs);
    for (size_t i = 0; i < inputs; ++i) {
      hone_tensor_info_t info = module->input(i);
      in[i].data = data[i].data();
      in[i].size = data[i].size() * 8;
      in[i].dtype = info.dtype;
      in[i].rank = info.rank;
      for (uint32_t d = 0; d < info.rank; ++d)
        in[i].shape[d] = info.dims[d].size < 0 ? 2 + round : info.dims[d].size;
    }
    (void)session->run(in.data(), inputs, out.data(), outputs).ok();
  }
  return true;
}

namespace {
struct Hostile : testing::Test {
  Hostile() : device(Device::create("cpu").take()) {}
  Device device;
};
} // namespace

TEST_F(Hostile, TheUndamagedModuleRuns) {
  Loaded loaded(kernelFree());
  Session session = loaded.session();
  std::vector<float> x(12, 1);
  int64_t i[2] = {9, 2};
  hone_tensor_t in[2] = {tensor(x.data(), {3, 4}), tensor(i, {2})}, out[2] = {};
  Status status = session.run(in, 2, out, 2);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(out[1].shape[0], 2);
  EXPECT_EQ(out[0].shape[0], 3);
}

TEST_F(Hostile, Truncations) {
  for (const auto &file : {kernelFree().build(), addScaleAdd(-1, true).build()})
    for (size_t size = 0; size < file.size(); size += size < 4096 ? 1 : 97) {
      std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<long>(size));
      AlignedBytes bytes(cut);
      EXPECT_FALSE(tryModule(bytes, device));
    }
}

TEST_F(Hostile, BitFlipsAreCaught) {
  std::vector<uint8_t> file = addScaleAdd(-1, true).build();
  std::mt19937 random(1);
  format::FileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  for (int round = 0; round < 2000; ++round) {
    AlignedBytes bytes(file);
    // Header or table; the header's reserved bytes mean nothing.
    size_t at = random() % (header.tableOffset + header.tableSize);
    if (at >= 48 && at < 64)
      continue;
    bytes.data()[at] ^= 1u << (random() % 8);
    EXPECT_FALSE(tryModule(bytes, device)) << "byte " << at;
  }
}

TEST_F(Hostile, FlipsBehindAValidChecksum) {
  std::vector<uint8_t> file = kernelFree().build();
  std::mt19937 random(2);
  format::FileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  int accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    AlignedBytes bytes(file);
    for (unsigned flips = 1 + random() % 3; flips; --flips)
      bytes.data()[header.tableOffset + random() % header.tableSize] ^= 1u << (random() % 8);
    fixChecksum(bytes.data(), bytes.size());
    accepted += tryModule(bytes, device);
  }
  // Both sides of the verifier were exercised.
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 29000);
}

TEST_F(Hostile, WildWordsBehindAValidChecksum) {
  std::vector<uint8_t> file = kernelFree().build();
  std::mt19937_64 random(3);
  format::FileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  const uint32_t wild[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 64};
  for (int round = 0; round < 30000; ++round) {
    AlignedBytes bytes(file);
    size_t at = header.tableOffset + random() % (header.tableSize / 4) * 4;
    uint32_t word = round % 3 ? wild[random() % std::size(wild)] : static_cast<uint32_t>(random() % 60);
    memcpy(bytes.data() + at, &word, 4);
    fixChecksum(bytes.data(), bytes.size());
    tryModule(bytes, device);
  }
}

/// Random instructions that the verifier accepts, so that the interpreter runs.
TEST_F(Hostile, RandomPrograms) {
  std::mt19937_64 random(4);
  const int64_t values[] = {0, 1, 2, 3, 8, 16, 64, -1, 100, 4096, INT64_MAX, INT64_MIN};
  for (int round = 0; round < 4000; ++round) {
    ModuleBuilder m = kernelFree();
    ProgramSpec p;
    p.registers = 8;
    p.buffers = 6;
    p.growing = 2;
    p.staticBytes = 256;
    p.messages = {"no"};
    p.pool.assign(values, values + std::size(values));
    p.pool.push_back(64);
    for (int32_t r = 0; r < 8; ++r)
      p.op(Opcode::Const, {r, static_cast<int32_t>(random() % 12)});
    std::vector<int32_t> starts;
    for (int n = 0; n < 40; ++n) {
      starts.push_back(p.here());
      int32_t opcode;
      const format::InstructionInfo *info;
      do
        info = format::instructionInfo(opcode = static_cast<int32_t>(random() % 54));
      while (!info || opcode == static_cast<int32_t>(Opcode::Launch) || opcode == static_cast<int32_t>(Opcode::End));
      p.code.push_back(opcode);
      auto pick = [&](uint64_t limit) { p.code.push_back(static_cast<int32_t>(random() % limit)); };
      for (const char *kind = info->operands; *kind; ++kind) {
        if (*kind == 'w' || *kind == 'r')
          pick(8);
        else if (*kind == 'd' || *kind == 'b')
          pick(6);
        else if (*kind == 'p' && opcode == int(Opcode::BufferStatic))
          p.code.push_back(kind[1] ? 0 : 12); // offset 0, size 64
        else if (*kind == 'p')
          pick(12);
        else if (*kind == 'j')
          p.code.push_back(starts[random() % starts.size()]);
        else if (*kind == 't')
          p.code.push_back(static_cast<int32_t>(DType::I64));
        else if (*kind == 'V') {
          int32_t count = static_cast<int32_t>(random() % 4);
          p.code.push_back(count);
          for (int32_t g = 0; g < count; ++g) {
            pick(6);
            pick(8);
            int32_t first = static_cast<int32_t>(random() % 3);
            p.code.push_back(first);
            p.code.push_back(first + static_cast<int32_t>(random() % 3));
          }
        } else if (*kind == 'm')
          p.code.push_back(0);
        else if (*kind == 'x')
          p.code.push_back(0);
        else
          pick(2); // inputs, outputs, constants
      }
    }
    p.op(Opcode::End);
    m.programs = {p};
    AlignedBytes bytes(m.build());
    EXPECT_TRUE(tryModule(bytes, device)) << Loaded(m).status.message();
  }
}

TEST_F(Hostile, RandomBytes) {
  std::mt19937 random(5);
  std::vector<uint8_t> file = kernelFree().build();
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> noise(64 + random() % 2000);
    for (uint8_t &byte : noise)
      byte = static_cast<uint8_t>(random());
    AlignedBytes bytes(noise);
    if (round % 2) {
      // A valid header over noise.
      format::FileHeader header = {};
      memcpy(header.magic, format::kMagic, 8);
      header.version = format::kVersion;
      header.tableOffset = 64;
      header.tableSize = noise.size() - 64;
      header.fileSize = noise.size();
      memcpy(bytes.data(), &header, sizeof(header));
      fixChecksum(bytes.data(), bytes.size());
    }
    EXPECT_FALSE(tryModule(bytes, device));
  }
}
