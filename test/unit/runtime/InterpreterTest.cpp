//===- InterpreterTest.cpp - What every instruction does ------------------===//
//
// Programs without kernels that store what they computed into output 'y'.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::test;

namespace {

/// A program with one i64 output of `results` elements.
class Calculator {
public:
  explicit Calculator(int64_t results) {
    module.outputs = {{"y", DType::I64, {results}}};
    out = program.newBuffer();
    program.op(Opcode::BufferOutput, {out, 0, program.constant(8 * results)});
  }

  int32_t binary(Opcode opcode, int64_t a, int64_t b) {
    int32_t left = program.constant(a), right = program.constant(b);
    int32_t result = program.newRegister();
    program.op(opcode, {result, left, right});
    return result;
  }
  void store(int32_t reg) {
    program.op(Opcode::Store, {out, program.constant(stored++), reg, static_cast<int32_t>(DType::I64)});
  }
  Status run(std::vector<int64_t> &results, const hone_session_options_t *options = nullptr) {
    program.op(Opcode::End);
    module.programs = {program};
    Loaded loaded(module);
    EXPECT_TRUE(loaded.status.ok()) << loaded.status.message();
    Session session = loaded.session(options);
    hone_tensor_t output = {};
    Status status = session.run(nullptr, 0, &output, 1);
    if (status.ok()) {
      auto *data = static_cast<int64_t *>(output.data);
      results.assign(data, data + output.shape[0]);
    }
    return status;
  }
  std::vector<int64_t> results() {
    std::vector<int64_t> values;
    Status status = run(values);
    EXPECT_TRUE(status.ok()) << status.message();
    return values;
  }
  std::string error() {
    std::vector<int64_t> values;
    Status status = run(values);
    EXPECT_FALSE(status.ok());
    return status.message();
  }

  ModuleBuilder module;
  ProgramSpec program;
  int32_t out;
  int64_t stored = 0;
};

using Values = std::vector<int64_t>;

} // namespace

TEST(Interpreter, Arithmetic) {
  struct Case {
    Opcode opcode;
    int64_t a, b, result;
  } cases[] = {
      {Opcode::Add, 40, 2, 42},
      {Opcode::Sub, 40, 42, -2},
      {Opcode::Mul, -6, 7, -42},
      {Opcode::DivS, -7, 2, -3},
      {Opcode::RemS, -7, 2, -1},
      {Opcode::FloorDivS, -7, 2, -4},
      {Opcode::FloorDivS, 7, -2, -4},
      {Opcode::FloorDivS, -8, 2, -4},
      {Opcode::FloorDivS, 7, 2, 3},
      {Opcode::CeilDivS, 7, 2, 4},
      {Opcode::CeilDivS, -7, 2, -3},
      {Opcode::CeilDivS, -7, -2, 4},
      {Opcode::CeilDivS, 8, 2, 4},
      {Opcode::CeilDivS, 0, 5, 0},
      {Opcode::MinS, -1, 1, -1},
      {Opcode::MaxS, -1, 1, 1},
      {Opcode::And, 12, 10, 8},
      {Opcode::Or, 12, 10, 14},
      {Opcode::Xor, 12, 10, 6},
      {Opcode::CmpEq, 3, 3, 1},
      {Opcode::CmpNe, 3, 3, 0},
      {Opcode::CmpLt, -1, 0, 1},
      {Opcode::CmpLt, 0, 0, 0},
      {Opcode::CmpLe, 0, 0, 1},
      {Opcode::DivS, INT64_MIN, 1, INT64_MIN},
  };
  Calculator calculator(std::size(cases));
  for (const Case &c : cases)
    calculator.store(calculator.binary(c.opcode, c.a, c.b));
  Values values = calculator.results();
  ASSERT_EQ(values.size(), std::size(cases));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], cases[i].result) << "case " << i;
}

TEST(Interpreter, ArithmeticErrors) {
  struct Case {
    Opcode opcode;
    int64_t a, b;
    const char *expected;
  } cases[] = {
      {Opcode::Add, INT64_MAX, 1, "overflow"},     {Opcode::Sub, INT64_MIN, 1, "overflow"},
      {Opcode::Mul, INT64_MAX, 2, "overflow"},     {Opcode::DivS, 1, 0, "divided by zero"},
      {Opcode::RemS, 1, 0, "divided by zero"},     {Opcode::FloorDivS, 1, 0, "divided by zero"},
      {Opcode::CeilDivS, 1, 0, "divided by zero"}, {Opcode::DivS, INT64_MIN, -1, "overflows"},
      {Opcode::RemS, INT64_MIN, -1, "overflows"},
  };
  for (const Case &c : cases) {
    Calculator calculator(1);
    calculator.store(calculator.binary(c.opcode, c.a, c.b));
    std::string error = calculator.error();
    EXPECT_NE(error.find(c.expected), std::string::npos) << error;
    EXPECT_NE(error.find("in the plan at"), std::string::npos) << error;
  }
}

TEST(Interpreter, SelectMoveCheck) {
  Calculator calculator(3);
  ProgramSpec &p = calculator.program;
  int32_t zero = p.constant(0), seven = p.constant(7), nine = p.constant(9);
  int32_t a = p.newRegister(), b = p.newRegister(), c = p.newRegister();
  p.messages = {"node 'Gather': index out of range"};
  p.op(Opcode::Select, {a, zero, seven, nine});
  p.op(Opcode::Select, {b, seven, seven, nine});
  p.op(Opcode::Move, {c, a});
  p.op(Opcode::Check, {seven, 0});
  for (int32_t reg : {a, b, c})
    calculator.store(reg);
  EXPECT_EQ(calculator.results(), (Values{9, 7, 9}));

  Calculator failing(1);
  failing.program.messages = {"node 'Gather': index out of range"};
  failing.program.op(Opcode::Check, {failing.program.constant(0), 0});
  Values values;
  Status status = failing.run(values);
  EXPECT_EQ(status.code(), HONE_MODEL_FAILURE);
  EXPECT_STREQ(status.message(), "node 'Gather': index out of range");
}

TEST(Interpreter, LoopSumsUp) {
  Calculator calculator(1);
  ProgramSpec &p = calculator.program;
  int32_t i = p.constant(10), one = p.constant(1), sum = p.constant(0);
  int32_t head = p.here();
  p.op(Opcode::JumpIfZero, {i, head + 3 + 4 + 4 + 2});
  p.op(Opcode::Add, {sum, sum, i}).op(Opcode::Sub, {i, i, one});
  p.op(Opcode::Jump, {head});
  calculator.store(sum);
  EXPECT_EQ(calculator.results(), (Values{55}));
}

TEST(Interpreter, StepLimitEndsLoops) {
  Calculator calculator(1);
  calculator.program.op(Opcode::Jump, {calculator.program.here()});
  hone_session_options_t options = Session::options();
  options.step_limit = 1000;
  Values values;
  Status status = calculator.run(values, &options);
  EXPECT_NE(strstr(status.message(), "step limit"), nullptr);
}

TEST(Interpreter, LoadAndStoreTypes) {
  struct Case {
    DType type;
    int64_t value, expected;
  } cases[] = {
      {DType::I8, -3, -3},
      {DType::U8, 250, 250},
      {DType::U8, 257, 1},
      {DType::I16, -300, -300},
      {DType::U16, 65535, 65535},
      {DType::I32, INT32_MIN, INT32_MIN},
      {DType::U32, 0xffffffffll, 0xffffffffll},
      {DType::I64, INT64_MIN, INT64_MIN},
      {DType::Bool, 5, 1},
      {DType::I4, -8, -8},
      {DType::U4, 15, 15},
  };
  Calculator calculator(std::size(cases));
  ProgramSpec &p = calculator.program;
  int32_t scratch = p.newBuffer();
  p.staticBytes = 64;
  p.op(Opcode::BufferStatic, {scratch, p.poolEntry(0), p.poolEntry(64)});
  int32_t one = p.constant(1);
  for (const Case &c : cases) {
    int32_t type = static_cast<int32_t>(c.type), loaded = p.newRegister();
    p.op(Opcode::Store, {scratch, one, p.constant(c.value), type});
    p.op(Opcode::Load, {loaded, scratch, one, type});
    calculator.store(loaded);
  }
  Values values = calculator.results();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], cases[i].expected) << "case " << i;
}

TEST(Interpreter, BufferErrors) {
  struct Case {
    const char *expected;
    std::function<void(ProgramSpec &)> code;
  };
  auto number = [](ProgramSpec &p, int64_t value) { return p.constant(value); };
  int32_t i64 = static_cast<int32_t>(DType::I64);
  // Buffer 0 is the output of 8 bytes, 1 the constant of 16, 2 is never set.
  const Case cases[] = {
      {"used unset", [&](auto &p) { p.op(Opcode::BufferMove, {3, 2}); }},
      {"leaves its 8", [&](auto &p) { p.op(Opcode::BufferView, {3, 0, number(p, 8), number(p, 1)}); }},
      {"is -1", [&](auto &p) { p.op(Opcode::BufferView, {3, 0, number(p, -1), number(p, 1)}); }},
      {"leaves its 8", [&](auto &p) { p.op(Opcode::BufferView, {3, 0, number(p, 9), number(p, 0)}); }},
      {"leaves its buffers", [&](auto &p) { p.op(Opcode::Copy, {0, 1, number(p, 16)}); }},
      {"an input or a constant", [&](auto &p) { p.op(Opcode::Copy, {1, 0, number(p, 8)}); }},
      {"an input or a constant", [&](auto &p) { p.op(Opcode::Fill, {1, number(p, 0), number(p, 8)}); }},
      {"an input or a constant", [&](auto &p) { p.op(Opcode::Store, {1, number(p, 0), number(p, 0), i64}); }},
      {"leaves its buffer", [&](auto &p) { p.op(Opcode::Fill, {0, number(p, 0), number(p, 9)}); }},
      {"no byte", [&](auto &p) { p.op(Opcode::Fill, {0, number(p, 256), number(p, 8)}); }},
      {"leaves its buffer", [&](auto &p) { p.op(Opcode::Store, {0, number(p, 1), number(p, 0), i64}); }},
      {"leaves its buffer", [&](auto &p) { p.op(Opcode::Load, {p.newRegister(), 0, number(p, INT64_MAX), i64}); }},
      {"leaves its buffer", [&](auto &p) { p.op(Opcode::Load, {p.newRegister(), 0, number(p, -1), i64}); }},
      {"no frame to release", [&](auto &p) { p.op(Opcode::Release); }},
      {"too large", [&](auto &p) { p.op(Opcode::Reserve, {1, 3, number(p, INT64_MAX), 0, 0}); }},
      {"is -1", [&](auto &p) { p.op(Opcode::Reserve, {1, 3, number(p, -1), 0, 0}); }},
      {"enlarges output", [&](auto &p) { p.op(Opcode::BufferOutput, {3, 0, number(p, 9)}); }},
      {"where the model has 1", [&](auto &p) { p.op(Opcode::OutputDim, {0, 0, number(p, 2)}); }},
  };
  for (const Case &c : cases) {
    Calculator calculator(1);
    calculator.module.constants.push_back(std::vector<uint8_t>(16));
    ProgramSpec &p = calculator.program;
    p.buffers = 4;
    p.op(Opcode::BufferConstant, {1, 0});
    c.code(p);
    std::string error = calculator.error();
    EXPECT_NE(error.find(c.expected), std::string::npos) << "expected '" << c.expected << "', got '" << error << "'";
  }
}

TEST(Interpreter, TooManyOpenFramesAreAnError) {
  Calculator calculator(1);
  ProgramSpec &p = calculator.program;
  int32_t buffer = p.newBuffer(), size = p.constant(64), head = p.here();
  p.op(Opcode::Reserve, {1, buffer, size, 0, 0}).op(Opcode::Jump, {head});
  EXPECT_NE(calculator.error().find("frames are open"), std::string::npos);
}

/// Three times larger, each time with one more value behind the others; the second run finds the memory.
TEST(Interpreter, GrowKeepsWhatIsThere) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::I64, {3}}};
  ProgramSpec p;
  p.buffers = 3;
  p.growing = 1;
  int32_t i64 = static_cast<int32_t>(DType::I64), bytes[3] = {p.constant(8), p.constant(16), p.constant(4096)};
  for (int64_t i = 0; i < 3; ++i) {
    int32_t at = p.constant(i), value = p.constant(10 + i);
    p.op(Opcode::Grow, {0, 0, bytes[i]}).op(Opcode::Store, {0, at, value, i64});
  }
  int32_t size = p.constant(24);
  p.op(Opcode::BufferOutput, {1, 0, size}).op(Opcode::Copy, {1, 0, size}).op(Opcode::End);
  m.programs = {p};
  Loaded loaded(m);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.message();
  Session session = loaded.session();
  uint64_t allocations = 0;
  for (int run = 0; run < 3; ++run) {
    hone_tensor_t output = {};
    Status status = session.run(nullptr, 0, &output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    auto *values = static_cast<int64_t *>(output.data);
    EXPECT_EQ(Values(values, values + 3), (Values{10, 11, 12}));
    hone_memory_info_t info;
    hone_session_memory(session.get(), &info);
    EXPECT_GE(info.peak_bytes, 4096u);
    if (run)
      EXPECT_EQ(info.allocation_count, allocations);
    allocations = info.allocation_count;
  }
}

TEST(Interpreter, GrowToNegativeSizeIsAnError) {
  Calculator calculator(1);
  ProgramSpec &p = calculator.program;
  p.growing = 1;
  int32_t buffer = p.newBuffer();
  p.op(Opcode::Grow, {buffer, 0, p.constant(-1)});
  EXPECT_NE(calculator.error().find("is -1"), std::string::npos);
}

TEST(Interpreter, FillCopyView) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::U8, {8}}};
  m.constants = {{1, 2, 3, 4, 5, 6, 7, 8}};
  ProgramSpec p;
  p.buffers = 4;
  p.replayable = true;
  int32_t zero = p.constant(0), two = p.constant(2), four = p.constant(4), eight = p.constant(8),
          byte = p.constant(0xee);
  p.op(Opcode::BufferConstant, {0, 0}).op(Opcode::BufferOutput, {1, 0, eight});
  p.op(Opcode::Fill, {1, byte, eight});
  p.op(Opcode::BufferView, {2, 0, two, four});
  p.op(Opcode::BufferView, {3, 1, four, four});
  p.op(Opcode::Copy, {3, 2, four});
  p.op(Opcode::Copy, {3, 2, zero}); // nothing
  p.op(Opcode::Store, {1, zero, two, static_cast<int32_t>(DType::U8)});
  p.op(Opcode::End);
  m.programs = {p};
  Loaded loaded(m);
  Session session = loaded.session();
  for (int i = 0; i < 2; ++i) {
    uint8_t out[8] = {};
    hone_tensor_t output = {};
    output.data = out;
    output.size = sizeof(out);
    Status status = session.run(nullptr, 0, &output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    const uint8_t expected[8] = {2, 0xee, 0xee, 0xee, 3, 4, 5, 6};
    EXPECT_EQ(memcmp(out, expected, 8), 0);
  }
}
