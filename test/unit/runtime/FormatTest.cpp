//===- FormatTest.cpp - What the verifier refuses -------------------------===//
//
// One row an error: a valid module, changed in one place, and the words the
// message must hold.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "runtime/format/Plan.h"

#include <functional>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::test;

/// x + constant -> y, with every kind of operand somewhere.
static ModuleBuilder validModule() {
  ModuleBuilder m;
  m.inputs = {{"x", DType::F32, {"N", 4}}};
  m.outputs = {{"y", DType::F32, {"N", 4}}};
  m.constants.push_back(std::vector<uint8_t>(256, 1));
  int32_t add = m.kernel("add", 3, 1, {"Add#0"});
  ProgramSpec p;
  p.buffers = 4;
  p.staticBytes = 128;
  p.messages = {"node 'Add#0': bad"};
  int32_t n = p.newRegister();
  p.op(Opcode::InputDim, {n, 0, 0});
  int32_t four = p.constant(4), sixteen = p.constant(16);
  int32_t count = p.newRegister(), bytes = p.newRegister();
  p.op(Opcode::Mul, {count, n, four}).op(Opcode::Mul, {bytes, count, four});
  p.op(Opcode::Check, {four, 0});
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferConstant, {1, 0});
  p.op(Opcode::BufferOutput, {2, 0, bytes});
  p.op(Opcode::BufferStatic, {3, p.poolEntry(64), p.poolEntry(64)});
  int32_t groups = p.newRegister();
  p.op(Opcode::CeilDivS, {groups, count, sixteen});
  p.op(Opcode::Launch, {add, groups, 3, 0, 1, 2, 1, count});
  p.op(Opcode::OutputDim, {0, 0, n}).op(Opcode::End);
  m.programs = {p};
  return m;
}

static std::string errorOf(const std::vector<uint8_t> &bytes) {
  AlignedBytes aligned(bytes);
  format::Error error;
  const format::Module *module = format::openModule(aligned.data(), aligned.size(), error);
  EXPECT_EQ(module == nullptr, error.text[0] != 0);
  return error.text;
}

TEST(Format, ValidModule) { EXPECT_EQ(errorOf(validModule().build()), ""); }

struct ModuleCase {
  const char *expected;
  std::function<void(ModuleBuilder &)> change;
};

/// Finds the first instruction of an opcode.
static int32_t *find(ModuleBuilder &m, Opcode opcode) {
  std::vector<int32_t> &code = m.programs[0].code;
  for (size_t at = 0; at < code.size(); at += format::instructionLength(code.data(), code.size(), at))
    if (code[at] == static_cast<int32_t>(opcode))
      return &code[at];
  return nullptr;
}

static const ModuleCase kModuleCases[] = {
    {"unknown type", [](auto &m) { m.inputs[0].dtype = DType(7 + 8); }},
    {"rank 17", [](auto &m) { m.outputs[0].dims.assign(17, 1); }},
    {"is too large", [](auto &m) { m.inputs[0].dims = {int64_t(1) << 40, int64_t(1) << 40}; }},
    {"dimension 0 is -5", [](auto &m) { m.inputs[0].dims[0] = -5; }},
    {"range of dimension 0 is empty", [](auto &m) { m.inputs[0].dims[0] = DimSpec("N", 5, 4); }},
    {"names executable 1 of 1", [](auto &m) { m.kernels[0].executable = 1; }},
    {"more than 1024 operands", [](auto &m) { m.kernels[0].buffers = 5000; }},
    {"workgroups of 1025 threads", [](auto &m) { m.kernels[0].workgroupSize = 1025; }},
    {"1048577 bytes of shared memory", [](auto &m) { m.kernels[0].sharedBytes = (1 << 20) + 1; }},
    {"has no program", [](auto &m) { m.programs.clear(); }},
    {"is empty", [](auto &m) { m.programs[0].code.clear(); }},
    {"more registers", [](auto &m) { m.programs[0].registers = 1u << 30; }},
    {"more registers", [](auto &m) { m.programs[0].buffers = 1u << 30; }},
    {"size is negative", [](auto &m) { m.programs[0].staticBytes = ~0ull; }},
    {"no instruction", [](auto &m) { m.programs[0].code[0] = 77; }},
    {"no instruction", [](auto &m) { m.programs[0].code[0] = -1; }},
    {"no instruction", [](auto &m) { m.programs[0].code.push_back(int(Opcode::Const)); }},
    {"no instruction", [](auto &m) { m.programs[0].op(Opcode::Launch, {0, 0, INT32_MAX, 0}); }},
    {"no instruction", [](auto &m) { m.programs[0].op(Opcode::Reserve, {-1}); }},
    {"runs off the end", [](auto &m) { m.programs[0].code.pop_back(); }},
    {"no such register", [](auto &m) { find(m, Opcode::Mul)[1] = 99; }},
    {"no such register", [](auto &m) { find(m, Opcode::Mul)[2] = -1; }},
    {"no such buffer", [](auto &m) { find(m, Opcode::BufferInput)[1] = 4; }},
    {"no such growing memory",
     [](auto &m) {
       m.programs[0].code.insert(m.programs[0].code.begin(), {static_cast<int32_t>(Opcode::Grow), 0, 0, 0});
     }},
    {"no such pool entry", [](auto &m) { find(m, Opcode::Const)[2] = 90; }},
    {"no such input", [](auto &m) { find(m, Opcode::InputDim)[2] = 1; }},
    {"no such dimension", [](auto &m) { find(m, Opcode::InputDim)[3] = 2; }},
    {"no such output", [](auto &m) { find(m, Opcode::OutputDim)[1] = 1; }},
    {"no such dimension", [](auto &m) { find(m, Opcode::OutputDim)[2] = -1; }},
    {"no such constant", [](auto &m) { find(m, Opcode::BufferConstant)[2] = 1; }},
    {"no such kernel", [](auto &m) { find(m, Opcode::Launch)[1] = 1; }},
    {"no such message", [](auto &m) { find(m, Opcode::Check)[2] = 1; }},
    {"another number of buffers", [](auto &m) { m.kernels[0].buffers = 2; }},
    {"another number of scalars", [](auto &m) { m.kernels[0].scalars = 2; }},
    {"jump out of the code", [](auto &m) { m.programs[0].op(Opcode::Jump, {9999}).op(Opcode::End); }},
    {"jump into an instruction", [](auto &m) { m.programs[0].op(Opcode::Jump, {1}).op(Opcode::End); }},
    {"jump into an instruction", [](auto &m) { m.programs[0].op(Opcode::JumpIfZero, {0, 2}).op(Opcode::End); }},
    {"replayable program",
     [](auto &m) {
       m.programs[0].replayable = true;
       m.programs[0].op(Opcode::Jump, {0});
     }},
    {"replayable program",
     [](auto &m) {
       m.programs[0].replayable = true;
       m.programs[0].op(Opcode::Load, {0, 0, 0, int(DType::I64)}).op(Opcode::End);
     }},
    {"no integer type", [](auto &m) { m.programs[0].op(Opcode::Load, {0, 0, 0, int(DType::F32)}).op(Opcode::End); }},
    {"no integer type", [](auto &m) { m.programs[0].op(Opcode::Store, {0, 0, 0, 256 + 16}).op(Opcode::End); }},
    {"offset lies outside", [](auto &m) { m.programs[0].pool[2] = 200; }},
    {"offset lies outside", [](auto &m) { m.programs[0].pool[2] = -64; }},
    {"ends outside the arena", [](auto &m) { m.programs[0].pool[3] = 65; }},
    {"ends outside the arena", [](auto &m) { m.programs[0].pool[3] = INT64_MAX; }},
    {"ends before it starts", [](auto &m) { m.programs[0].op(Opcode::Reserve, {1, 0, 0, 3, 2}).op(Opcode::End); }},
};

TEST(Format, RefusesModules) {
  for (const ModuleCase &c : kModuleCases) {
    ModuleBuilder m = validModule();
    c.change(m);
    std::string error = errorOf(m.build());
    EXPECT_NE(error.find(c.expected), std::string::npos) << "expected '" << c.expected << "', got '" << error << "'";
  }
}

struct HeaderCase {
  const char *expected;
  std::function<void(format::FileHeader &)> change;
};

static const HeaderCase kHeaderCases[] = {
    {"first bytes", [](auto &h) { h.magic[4] = '\n'; }},       {"version 99", [](auto &h) { h.version = 99; }},
    {"unknown flags 0x8", [](auto &h) { h.flags = 8; }},       {"should have", [](auto &h) { h.fileSize += 1; }},
    {"lies outside", [](auto &h) { h.tableOffset = 0; }},      {"lies outside", [](auto &h) { h.tableOffset = 65; }},
    {"lies outside", [](auto &h) { h.tableOffset = ~63ull; }}, {"lies outside", [](auto &h) { h.tableSize = ~0ull; }},
    {"size is impossible", [](auto &h) { h.tableSize = 3; }},  {"checksum", [](auto &h) { h.tableChecksum ^= 1; }},
};

TEST(Format, RefusesHeaders) {
  for (const HeaderCase &c : kHeaderCases) {
    std::vector<uint8_t> bytes = validModule().build();
    format::FileHeader header;
    memcpy(&header, bytes.data(), sizeof(header));
    c.change(header);
    memcpy(bytes.data(), &header, sizeof(header));
    std::string error = errorOf(bytes);
    EXPECT_NE(error.find(c.expected), std::string::npos) << error;
  }
}

/// Changes a segment or constant inside the finished table.
static std::string errorAfter(const std::function<void(format::Module &)> &change) {
  std::vector<uint8_t> bytes = validModule().build();
  AlignedBytes aligned(bytes);
  auto *module = flatbuffers::GetMutableRoot<format::Module>(aligned.data() + sizeof(format::FileHeader));
  change(*module);
  fixChecksum(aligned.data(), aligned.size());
  format::Error error;
  EXPECT_EQ(format::openModule(aligned.data(), aligned.size(), error), nullptr);
  return error.text;
}

TEST(Format, RefusesSegments) {
  auto setSegment = [](const format::Segment *segment, uint64_t offset, uint64_t size) {
    *const_cast<format::Segment *>(segment) = format::Segment(offset, size, segment->checksum());
  };
  auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(errorAfter([&](format::Module &m) { setSegment(m.constant_data(), 65, 8); }),
                  "constants segment is not aligned"));
  EXPECT_TRUE(has(errorAfter([&](format::Module &m) { setSegment(m.constant_data(), ~uint64_t(63), 128); }),
                  "constants segment lies outside"));
  EXPECT_TRUE(has(errorAfter([&](format::Module &m) { setSegment(m.constant_data(), 64, ~uint64_t(0)); }),
                  "constants segment lies outside"));
  EXPECT_TRUE(has(errorAfter([&](format::Module &m) { setSegment(m.constant_data(), 0, 64); }), "overlaps the header"));
  EXPECT_TRUE(
      has(errorAfter([&](format::Module &m) { setSegment(m.constant_data(), m.constant_data()->offset(), 64); }),
          "constant 0 lies outside"));
  EXPECT_TRUE(has(errorAfter([&](format::Module &m) { setSegment(m.executables()->Get(0)->code(), 64, 1ull << 60); }),
                  "code of an executable lies outside"));
}

TEST(Format, PrintsEveryInstruction) {
  ModuleBuilder m = validModule();
  AlignedBytes bytes(m.build());
  format::Error error;
  const format::Module *module = format::openModule(bytes.data(), bytes.size(), error);
  ASSERT_TRUE(module) << error.text;
  const format::Program &program = *module->programs()->Get(0);
  std::string text;
  for (size_t at = 0; at < program.code()->size();
       at += format::instructionLength(program.code()->data(), program.code()->size(), at)) {
    char line[200];
    format::printInstruction(*module, program, at, line, sizeof(line));
    text += line;
    text += '\n';
  }
  EXPECT_NE(text.find("0: input_dim r0, 'x', 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("launch add, r5, [b0, b1, b2], [r3]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("static b3, 64, 64\n"), std::string::npos) << text;
  char tiny[8];
  EXPECT_GT(format::printInstruction(*module, program, 0, tiny, sizeof(tiny)), 7);
  EXPECT_EQ(strlen(tiny), 7u);
}

TEST(Format, Types) {
  EXPECT_EQ(hone_dtype_size(HONE_DTYPE_F64), 8u);
  EXPECT_EQ(hone_dtype_size(HONE_DTYPE_BF16), 2u);
  EXPECT_EQ(hone_dtype_size(HONE_DTYPE_I4), 1u);
  EXPECT_EQ(hone_dtype_size(static_cast<hone_dtype_t>(99)), 0u);
  EXPECT_EQ(hone_dtype_size(static_cast<hone_dtype_t>(256 + 1)), 0u);
  EXPECT_STREQ(hone_dtype_name(HONE_DTYPE_F8E5M2FNUZ), "f8e5m2fnuz");
  EXPECT_STREQ(hone_dtype_name(static_cast<hone_dtype_t>(0)), "invalid");
}
