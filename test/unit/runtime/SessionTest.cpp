//===- SessionTest.cpp - Runs, bindings and their errors ------------------===//

#include "Models.h"

#include <functional>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::test;

namespace {

struct Arguments {
  explicit Arguments(int64_t n) : a(n), b(n), y(n) {
    for (int64_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(i);
      b[i] = static_cast<float>(10 * i);
    }
    inputs[0] = tensor(a.data(), {n});
    inputs[1] = tensor(b.data(), {n});
    output = tensor(y.data(), {n});
  }
  void expectResult(const hone_tensor_t &result) {
    ASSERT_EQ(result.rank, 1u);
    ASSERT_EQ(result.shape[0], static_cast<int64_t>(a.size()));
    ASSERT_EQ(result.dtype, HONE_DTYPE_F32);
    ASSERT_EQ(result.size, a.size() * 4);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(static_cast<float *>(result.data)[i], expectedAddScaleAdd(a[i], b[i]));
  }
  std::vector<float> a, b, y;
  hone_tensor_t inputs[2], output;
};

/// Static or dynamic, replayed or interpreted.
class SessionRun : public testing::TestWithParam<std::pair<bool, bool>> {};

} // namespace

TEST_P(SessionRun, CallersAndOwnMemory) {
  auto [dynamic, replayable] = GetParam();
  Loaded loaded(addScaleAdd(dynamic ? -1 : 40, replayable));
  Session session = loaded.session();
  for (int64_t n : {40, 40, 7, 64, 1, 40}) {
    if (!dynamic && n != 40)
      continue;
    Arguments arguments(n);
    Status status = session.run(arguments.inputs, 2, &arguments.output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(arguments.output.data, arguments.y.data());
    arguments.expectResult(arguments.output);

    hone_tensor_t own = {};
    status = session.run(arguments.inputs, 2, &own, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    arguments.expectResult(own);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SessionRun,
                         testing::Values(std::pair(false, false), std::pair(false, true), std::pair(true, false),
                                         std::pair(true, true)));

TEST(Session, RunsByName) {
  Loaded loaded(addScaleAdd(-1, true));
  Session session = loaded.session();
  Arguments arguments(5);
  const char *names[2] = {"b", "a"};
  hone_tensor_t inputs[2] = {arguments.inputs[1], arguments.inputs[0]};
  const char *output = "y";
  Status status = session.run(names, inputs, 2, &output, &arguments.output, 1);
  ASSERT_TRUE(status.ok()) << status.message();
  arguments.expectResult(arguments.output);

  status = session.run(names, inputs, 2, nullptr, nullptr, 0);
  EXPECT_TRUE(status.ok()) << status.message();
  status = session.run(names, inputs, 1, &output, &arguments.output, 1);
  EXPECT_STREQ(status.message(), "input 'a' is missing");
  const char *twice[2] = {"a", "a"};
  status = session.run(twice, inputs, 2, &output, &arguments.output, 1);
  EXPECT_STREQ(status.message(), "input 'a' is given twice");
  const char *unknown = "z";
  status = session.run(names, inputs, 2, &unknown, &arguments.output, 1);
  EXPECT_STREQ(status.message(), "the model has no output 'z'");
  EXPECT_EQ(status.code(), HONE_NOT_FOUND);
}

TEST(Session, InputErrors) {
  struct Case {
    const char *expected;
    std::function<void(hone_tensor_t *)> change;
  };
  const Case cases[] = {
      {"input 'a' has type f64, the model expects f32", [](auto *t) { t[0].dtype = HONE_DTYPE_F64; }},
      {"input 'b' has type invalid", [](auto *t) { t[1].dtype = static_cast<hone_dtype_t>(0); }},
      {"input 'a' has rank 2, the model expects 1", [](auto *t) { t[0].rank = 2; }},
      {"input 'a' has rank 4000000000", [](auto *t) { t[0].rank = 4000000000u; }},
      {"input 'b': dimension 0 ('N') is 9, but dimension 0 of input 'a' says 8", [](auto *t) { t[1].shape[0] = 9; }},
      {"input 'a': dimension 0 ('N') is 65, outside the declared range 1..64",
       [](auto *t) { t[0].shape[0] = t[1].shape[0] = 65; }},
      {"input 'a': dimension 0 ('N') is 0, outside the declared range 1..64",
       [](auto *t) { t[0].shape[0] = t[1].shape[0] = 0; }},
      {"input 'a': dimension 0 ('N') is -3, outside", [](auto *t) { t[0].shape[0] = -3; }},
      {"input 'b': its shape takes 32 bytes, 31 are given", [](auto *t) { t[1].size = 31; }},
      {"input 'b' has no data", [](auto *t) { t[1].data = nullptr; }},
      {"input 'a' is not aligned", [](auto *t) { t[0].data = reinterpret_cast<uint8_t *>(t[0].data) + 1; }},
  };
  Loaded loaded(addScaleAdd(-1, true));
  Session session = loaded.session();
  for (const Case &c : cases) {
    Arguments arguments(8);
    c.change(arguments.inputs);
    Status status = session.run(arguments.inputs, 2, &arguments.output, 1);
    EXPECT_EQ(status.code(), HONE_INVALID_ARGUMENT);
    EXPECT_NE(strstr(status.message(), c.expected), nullptr) << status.message();
    // The session stays usable.
    Arguments good(8);
    status = session.run(good.inputs, 2, &good.output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    good.expectResult(good.output);
  }
}

TEST(Session, OtherErrors) {
  Loaded loaded(addScaleAdd(40, true));
  Session session = loaded.session();
  Arguments arguments(40);
  Status status = session.run(arguments.inputs, 1, &arguments.output, 1);
  EXPECT_STREQ(status.message(), "1 inputs are given, the model has 2");
  status = session.run(arguments.inputs, 2, &arguments.output, 0);
  EXPECT_STREQ(status.message(), "0 outputs are wanted, the model has 1");
  arguments.output.size = 159;
  status = session.run(arguments.inputs, 2, &arguments.output, 1);
  EXPECT_STREQ(status.message(), "output 'y' needs 160 bytes, 159 are given");
  Arguments small(8);
  status = session.run(small.inputs, 2, &small.output, 1);
  EXPECT_STREQ(status.message(), "input 'a': dimension 0 is 8, the model expects 40");
  EXPECT_FALSE(Status(hone_session_run(nullptr, nullptr, 0, nullptr, 0)).ok());
}

TEST(Session, DataDependentOutput) {
  ModuleBuilder m;
  m.inputs = {{"x", DType::F32, {"N"}}};
  m.outputs = {{"indices", DType::I64, {"K"}}};
  int32_t nonzero = m.kernel("nonzero", 3, 1, {"NonZero#0"});
  ProgramSpec p;
  p.buffers = 5;
  int32_t n = p.newRegister(), k = p.newRegister(), bytes = p.newRegister();
  int32_t eight = p.constant(8), one = p.constant(1), zero = p.constant(0);
  p.op(Opcode::InputDim, {n, 0, 0}).op(Opcode::Mul, {bytes, n, eight});
  p.op(Opcode::BufferInput, {0, 0});
  p.op(Opcode::Reserve, {2, 1, eight, 0, 1, 2, bytes, 0, 1});
  p.op(Opcode::Launch, {nonzero, one, 3, 0, 1, 2, 1, n});
  p.op(Opcode::Load, {k, 1, zero, static_cast<int32_t>(DType::I64)});
  p.op(Opcode::Mul, {bytes, k, eight});
  p.op(Opcode::BufferOutput, {3, 0, bytes});
  p.op(Opcode::Copy, {3, 2, bytes}).op(Opcode::OutputDim, {0, 0, k});
  p.op(Opcode::End);
  m.programs = {p};
  Loaded loaded(m);
  Session session = loaded.session();
  for (std::vector<float> x : {std::vector<float>{0, 1, 0, 2}, {0, 0}, {}, {3, 3, 3}}) {
    hone_tensor_t input = tensor(x.data(), {static_cast<int64_t>(x.size())});
    hone_tensor_t output = {};
    Status status = session.run(&input, 1, &output, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<int64_t> expected;
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i] != 0)
        expected.push_back(static_cast<int64_t>(i));
    ASSERT_EQ(output.shape[0], static_cast<int64_t>(expected.size()));
    ASSERT_NE(output.data, nullptr);
    auto *found = static_cast<int64_t *>(output.data);
    EXPECT_EQ(std::vector<int64_t>(found, found + output.shape[0]), expected);
  }
}

TEST(Session, LoopWithKernels) {
  ModuleBuilder m;
  m.inputs = {{"start", DType::I64, {}}};
  m.outputs = {{"end", DType::I64, {}}};
  int32_t step = m.kernel("double_step", 2, 1, {"Loop/Mul"});
  ProgramSpec p;
  p.buffers = 4;
  int32_t eight = p.constant(8), one = p.constant(1), limit = p.constant(1000), zero = p.constant(0),
          goOn = p.newRegister();
  p.op(Opcode::BufferInput, {0, 0}).op(Opcode::BufferOutput, {1, 0, eight});
  p.op(Opcode::Copy, {1, 0, eight});
  int32_t head = p.here();
  // A frame in every round: dynamic memory must not grow.
  p.op(Opcode::Reserve, {1, 2, one, 0, 0});
  p.op(Opcode::Launch, {step, one, 2, 1, 2, 1, limit});
  p.op(Opcode::Load, {goOn, 2, zero, static_cast<int32_t>(DType::Bool)});
  p.op(Opcode::Release);
  int32_t exit = p.here() + 3 + 2;
  p.op(Opcode::JumpIfZero, {goOn, exit}).op(Opcode::Jump, {head});
  p.op(Opcode::End);
  m.programs = {p};
  Loaded loaded(m);
  Session session = loaded.session();
  int64_t start = 3, end = 0;
  hone_tensor_t input = tensor(&start, {}), output = tensor(&end, {});
  Status status = session.run(&input, 1, &output, 1);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(end, 1536);
  EXPECT_EQ(session.memory().peak_bytes, 64u);
}

TEST(Session, BlamesNodes) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::F32, {1}}};
  int32_t add = m.kernel("add", 3, 1, {"fc1/MatMul", "Add#1"});
  ProgramSpec p;
  p.buffers = 1;
  int32_t four = p.constant(4), negative = p.constant(-1);
  p.op(Opcode::BufferOutput, {0, 0, four});
  p.op(Opcode::Launch, {add, negative, 3, 0, 0, 0, 1, four});
  p.op(Opcode::End);
  m.programs = {p};
  Loaded loaded(m);
  Session session = loaded.session();
  hone_tensor_t output = {};
  Status status = session.run(nullptr, 0, &output, 1);
  EXPECT_STREQ(status.node(), "fc1/MatMul, Add#1");
  EXPECT_NE(strstr(status.message(), "-1 workgroups"), nullptr);
}

TEST(Session, ShapeErrorsOfPlans) {
  ModuleBuilder m;
  m.outputs = {{"y", DType::F32, {"K"}}};
  ProgramSpec p;
  p.buffers = 1;
  p.op(Opcode::End);
  m.programs = {p};
  {
    Loaded loaded(m);
    Session session = loaded.session();
    hone_tensor_t output = {};
    Status status = session.run(nullptr, 0, &output, 1);
    EXPECT_NE(strstr(status.message(), "does not set dimension 0"), nullptr);
  }
  m.outputs = {{"y", DType::F32, {4}}};
  Loaded loaded(m);
  Session session = loaded.session();
  hone_tensor_t output = {};
  Status status = session.run(nullptr, 0, &output, 1);
  EXPECT_NE(strstr(status.message(), "its shape takes 16"), nullptr);
}

TEST(Session, Profile) {
  Loaded loaded(addScaleAdd(40, true));
  hone_session_options_t options = Session::options();
  options.profile = 1;
  Session session = loaded.session(&options);
  Arguments arguments(40);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(session.run(arguments.inputs, 2, &arguments.output, 1).ok());
  hone_profile_entry_t entries[4];
  ASSERT_EQ(hone_session_profile(session.get(), entries, 4), 2u);
  EXPECT_STREQ(entries[0].kernel, "add");
  EXPECT_EQ(entries[0].calls, 6u);
  ASSERT_EQ(entries[0].node_count, 2u);
  EXPECT_STREQ(entries[0].nodes[1], "Add#2");
  EXPECT_STREQ(entries[1].kernel, "mul_scalar");
  EXPECT_EQ(entries[1].calls, 3u);
  hone_session_profile_reset(session.get());
  EXPECT_EQ(hone_session_profile(session.get(), nullptr, 0), 0u);
}
