//===- SerializationTest.cpp - What is in a written file ------------------===//

#include "lib/Serialization/Serialization.h"

#include "dialects/Plan/IR/Plan.h"
#include "runtime/format/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;

namespace {

constexpr const char *kHead = R"(
  plan.executable @code target "cpu:avx2" format "elf" features ["avx2", "fma"]
      code dense<[127, 69, 76, 70]> : tensor<4xi8>
  plan.kernel @f in @code buffers 2 scalars 1 nodes ["Relu_0", "Add_1"]
  plan.kernel @g entry "f" in @code buffers 1 scalars 0 workgroup 256 shared 4096 nodes []
)";

class Serialization : public testing::Test {
protected:
  Serialization() { context.loadDialect<arith::ArithDialect, plan::PlanDialect>(); }

  /// Serializes; on failure the diagnostics are in `diagnostics`.
  bool write(const std::string &text, const SerializationOptions &options = {}) {
    diagnostics.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return false;
    bytes.clear();
    llvm::raw_string_ostream os(bytes);
    return succeeded(serializeModule(*module, os, options));
  }

  const format::Module *open() {
    aligned.assign(bytes.size() / 8 + 1, 0);
    memcpy(aligned.data(), bytes.data(), bytes.size());
    table = format::openModule(file(), bytes.size(), error);
    return table;
  }
  const uint8_t *file() const { return reinterpret_cast<const uint8_t *>(aligned.data()); }

  std::string disassemble(size_t index = 0) {
    const format::Program &program = *table->programs()->Get(index);
    std::string text;
    for (size_t at = 0; at < program.code()->size();
         at += format::instructionLength(program.code()->data(), program.code()->size(), at)) {
      char line[512];
      format::printInstruction(*table, program, at, line, sizeof(line));
      text += std::string(line) + "\n";
    }
    return text;
  }

  std::string constant(size_t index) {
    const format::Constant &c = *table->constants()->Get(index);
    return std::string(reinterpret_cast<const char *>(file()) + table->constant_data()->offset() + c.offset(),
                       c.size());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string bytes, diagnostics;
  std::vector<uint64_t> aligned;
  const format::Module *table = nullptr;
  format::Error error;
};

} // namespace

TEST_F(Serialization, Tables) {
  ASSERT_TRUE(write("module @net {" + std::string(kHead) + R"(
    plan.program @main target "cpu:avx2"
        inputs [#plan.tensor<"x\00\FF", f16, ["N" in 1 to 64, 3, ? in 2 to ?]>,
                #plan.tensor<"c", i1, []>]
        outputs [#plan.tensor<"y", ui4, ["N"]>]
        attributes {static_bytes = 192, lower_bound = 128, total_bytes = 256, arena_bound = 1024} {
    }
  })",
                    {"hone 1", ""}))
      << diagnostics;
  ASSERT_TRUE(open()) << error.text;
  EXPECT_EQ(table->producer()->str(), "hone 1");
  EXPECT_EQ(table->model()->str(), "net");
  const format::Tensor &x = *table->inputs()->Get(0);
  EXPECT_EQ(x.name()->str(), std::string("x\0\xff", 3));
  EXPECT_EQ(x.dtype(), format::DType::F16);
  EXPECT_EQ(x.dims()->Get(0)->size(), -1);
  EXPECT_EQ(x.dims()->Get(0)->symbol()->str(), "N");
  EXPECT_EQ(x.dims()->Get(0)->min(), 1);
  EXPECT_EQ(x.dims()->Get(0)->max(), 64);
  EXPECT_EQ(x.dims()->Get(1)->size(), 3);
  EXPECT_EQ(x.dims()->Get(2)->symbol(), nullptr);
  EXPECT_EQ(x.dims()->Get(2)->min(), 2);
  EXPECT_EQ(x.dims()->Get(2)->max(), INT64_MAX);
  EXPECT_EQ(table->inputs()->Get(1)->dtype(), format::DType::Bool);
  EXPECT_EQ(table->outputs()->Get(0)->dtype(), format::DType::U4);
  const format::Executable &code = *table->executables()->Get(0);
  EXPECT_EQ(code.target()->str(), "cpu:avx2");
  EXPECT_EQ(code.format()->str(), "elf");
  EXPECT_EQ(code.features()->size(), 2u);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(file()) + code.code()->offset(), 4), "\x7f"
                                                                                            "ELF");
  EXPECT_TRUE(format::verifySegment(file(), *code.code(), "code", error));
  EXPECT_EQ(table->kernels()->Get(0)->nodes()->Get(1)->str(), "Add_1");
  EXPECT_EQ(table->kernels()->Get(1)->name()->str(), "f");
  EXPECT_EQ(table->kernels()->Get(0)->workgroup_size(), 0u);
  EXPECT_EQ(table->kernels()->Get(0)->shared_bytes(), 0u);
  EXPECT_EQ(table->kernels()->Get(1)->workgroup_size(), 256u);
  EXPECT_EQ(table->kernels()->Get(1)->shared_bytes(), 4096u);
  const format::Program &program = *table->programs()->Get(0);
  EXPECT_EQ(program.static_bytes(), 192u);
  EXPECT_EQ(program.lower_bound(), 128u);
  EXPECT_EQ(program.total_bytes(), 256u);
  EXPECT_EQ(program.arena_bound(), 1024u);
  EXPECT_TRUE(program.replayable());
}

TEST_F(Serialization, ConstantsAreExpandedAndSharedByContent) {
  ASSERT_TRUE(write(R"(
    plan.program @a target "cpu" inputs [] outputs [] {
      %0 = plan.constant dense<[1, 2]> : tensor<2xi32>
      %1 = plan.constant dense<7> : tensor<3xi16>
      %2 = plan.constant dense<[true, false, true]> : tensor<3xi1>
      %3 = plan.constant dense<[-1, 7]> : tensor<2xi4>
      %4 = plan.constant dense<[15, 7]> : tensor<2xui4>
      %5 = plan.constant dense<true> : tensor<2xi1>
      %6 = plan.constant dense<> : tensor<0xf32>
    }
    plan.program @b target "cuda" inputs [] outputs [] {
      %0 = plan.constant dense<[7, 7, 7]> : tensor<3xi16>
      %1 = plan.constant dense_resource<blob> : tensor<8xi8>
      %2 = plan.constant dense<2.0> : tensor<300000xf32>
    }
    {-# dialect_resources: { builtin: {
      blob: "0x010000000100000002000000" } } #-}
  )")) << diagnostics;
  ASSERT_TRUE(open()) << error.text;
  // The resource and the first constant are the same bytes.
  ASSERT_EQ(table->constants()->size(), 8u);
  EXPECT_EQ(constant(0), std::string("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(constant(1), std::string("\7\0\7\0\7\0", 6));
  EXPECT_EQ(constant(2), std::string("\1\0\1", 3));
  EXPECT_EQ(constant(3), std::string("\xff\7", 2));
  EXPECT_EQ(constant(4), std::string("\xf\7", 2));
  EXPECT_EQ(constant(5), std::string("\1\1", 2));
  EXPECT_EQ(constant(6), "");
  std::string splat = constant(7);
  ASSERT_EQ(splat.size(), 1200000u);
  for (size_t i = 0; i < splat.size(); i += 4)
    ASSERT_EQ(splat.substr(i, 4), std::string("\0\0\0\x40", 4));
  EXPECT_TRUE(format::verifySegment(file(), *table->constant_data(), "constants", error)) << error.text;
}

TEST_F(Serialization, SameModuleSameBytes) {
  std::string text = std::string(kHead) + R"(
    plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>] outputs [] {
      %c1 = arith.constant 1 : index
      %n = plan.input_dim 0, 0
      %a = plan.constant dense<2.0> : tensor<100xf32>
      %x = plan.input 0
      plan.launch @f grid(%c1) buffers(%a, %x) scalars(%n)
    })";
  ASSERT_TRUE(write(text));
  std::string first = bytes;
  ASSERT_TRUE(write(text));
  EXPECT_EQ(bytes, first);
}

TEST_F(Serialization, StraightLine) {
  ASSERT_TRUE(write(std::string(kHead) + R"(
    plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
        outputs [#plan.tensor<"y", f32, ["N"]>] attributes {static_bytes = 256} {
      %c4 = arith.constant 4 : index
      %d4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %n = plan.input_dim 0, 0
      %ok = arith.cmpi sgt, %n, %c4 : index
      plan.check %ok, "too short" loc("Relu_0")
      %x = plan.input 0
      %bytes = arith.muli %n, %d4 : index
      %a = plan.alloc %c64 at 128
      plan.launch @f grid(%c4) buffers(%x, %a) scalars(%n) writes [1]
      %r:2 = plan.reserve %bytes live [0, 1], %c64 live [2, 3]
      plan.fill %r#0, %c4, %bytes
      plan.release
      plan.store %n, %a[%c4] : i32
      plan.output_dim 0, 0, %n
      %y = plan.output_buffer 0, %bytes
      plan.copy %a to %y, %c64
    })"))
      << diagnostics;
  ASSERT_TRUE(open()) << error.text;
  const format::Program &program = *table->programs()->Get(0);
  EXPECT_TRUE(program.replayable());
  EXPECT_EQ(program.messages()->Get(0)->str(), "node 'Relu_0': too short");
  // Equal constants have one register.
  EXPECT_EQ(program.registers(), 5u);
  EXPECT_EQ(program.buffers(), 5u);
  EXPECT_NE(disassemble().find("reserve"), std::string::npos);
}

TEST_F(Serialization, ControlFlowAndLoadsAreNotReplayable) {
  const char *body[] = {R"(
      %n = plan.load %x[%c1] : i64)",
                        R"(
      plan.if %ok { plan.output_dim 0, 0, %c1 })"};
  for (const char *part : body) {
    ASSERT_TRUE(write(R"(
    plan.program @main target "cpu" inputs [#plan.tensor<"x", i64, ["N"]>]
        outputs [#plan.tensor<"y", f32, [?]>] {
      %c1 = arith.constant 1 : index
      %x = plan.input 0
      %d = plan.input_dim 0, 0
      %ok = arith.cmpi ult, %d, %c1 : index)" +
                      std::string(part) + "}"))
        << diagnostics;
    ASSERT_TRUE(open()) << error.text;
    EXPECT_FALSE(table->programs()->Get(0)->replayable());
  }
}

TEST_F(Serialization, Refusals) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"", "has no plan.program to serialize"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = arith.constant 1 : index
            %a = plan.alloc %c
          })",
       "memory planning comes before serialization"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {}
          plan.program @b target "cpu" inputs [] outputs [] {})",
       "is the second one for target 'cpu'"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {}
          plan.program @b target "cuda" inputs [#plan.tensor<"x", f32, []>] outputs [] {})",
       "has other inputs or outputs than @a"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = arith.constant 1 : index
            %s = arith.shli %c, %c : index
          })",
       "'arith.shli' op has no place in a program"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = arith.constant 1 : i8
            %s = arith.addi %c, %c : i8
          })",
       "'arith.addi' op of type 'i8' has no place in a program"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = plan.constant dense_resource<nowhere> : tensor<4xf32>
          })",
       "which has no bytes"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = plan.constant dense_resource<blob> : tensor<4xf32>
          }
          {-# dialect_resources: { builtin: { blob: "0x010000000100" } } #-})",
       "has 2 bytes of elements, but 'tensor<4xf32>' needs 16"},
      {R"(plan.program @a target "cpu" inputs [#plan.tensor<"x", f32,
            [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]>] outputs [] {})",
       "of rank 17, more than 16"},
      {R"(plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
          plan.kernel @f in @code buffers 2000 scalars 0 nodes []
          plan.program @a target "cpu" inputs [] outputs [] {})",
       "more than the 1024 of each"},
      {R"(plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
          plan.kernel @f in @code buffers 1 scalars 0 workgroup 2048 nodes []
          plan.program @a target "cpu" inputs [] outputs [] {})",
       "has workgroups of 2048 threads and 0 shared bytes, more than the 1024 and 1048576 of any device"},
      {R"(plan.program @a target "cpu" inputs [] outputs [] {
            %c = arith.constant 1 : index
            %a = plan.reserve %c live [0, 4294967296]
          })",
       "which an instruction cannot hold"},
  };
  for (const Case &c : cases) {
    EXPECT_FALSE(write(c.text)) << c.message;
    EXPECT_NE(diagnostics.find(c.message), std::string::npos) << c.message << "\n" << diagnostics;
    EXPECT_TRUE(bytes.empty());
  }
}
