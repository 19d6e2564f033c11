//===- DifferentialTest.cpp - Planning and serialization keep results -----===//

#include "lib/Serialization/Serialization.h"
#include "passes/Memory/Passes.h"
#include "test/unit/Serialization/Machine.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace hone;
using namespace hone::test;

namespace {

/// The passes before memory planning.
struct Pipeline {
  const char *name;
  bool simplify, forward, rotate, reorder;
};

void PrintTo(const Pipeline &pipeline, std::ostream *os) { *os << pipeline.name; }

class Differential : public testing::TestWithParam<Pipeline> {
protected:
  Differential() {
    context.loadDialect<arith::ArithDialect, plan::PlanDialect>();
    context.disableMultithreading();
  }

  LogicalResult plan(ModuleOp module) {
    PassManager passes(&context);
    OpPassManager &programs = passes.nest<plan::ProgramOp>();
    if (GetParam().simplify) {
      programs.addPass(createCSEPass());
      programs.addPass(createCanonicalizerPass());
    }
    if (GetParam().forward)
      programs.addPass(memory::createForwardOutputsPass());
    if (GetParam().rotate)
      programs.addPass(memory::createRotateLoopBuffersPass());
    if (GetParam().reorder)
      programs.addPass(memory::createReorderLaunchesPass());
    programs.addPass(memory::createPlanMemoryPass());
    return passes.run(module);
  }

  MLIRContext context;
};

} // namespace

static RunInputs makeInputs(int64_t n) {
  RunInputs inputs;
  inputs.dims = {{n, 16}};
  inputs.buffers.emplace_back(std::max<int64_t>(n * 16, 16));
  for (size_t i = 0; i < inputs.buffers[0].size(); ++i)
    inputs.buffers[0][i] = i * 37 + n;
  return inputs;
}

/// More of them on demand.
static uint64_t numPrograms() {
  const char *count = std::getenv("HONE_TEST_PROGRAMS");
  return count ? std::strtoull(count, nullptr, 10) : 400;
}

TEST_P(Differential, RandomPrograms) {
  for (uint64_t seed = 0; seed < numPrograms(); ++seed) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    plan::ProgramOp program = buildRandomProgram(*module, seed);
    ASSERT_TRUE(succeeded(verify(*module))) << "seed " << seed;
    std::vector<RunResult> expected;
    constexpr int64_t kExtents[] = {0, 1, 3};
    for (int64_t n : kExtents)
      expected.push_back(runPlan(program, makeInputs(n)));

    ASSERT_TRUE(succeeded(plan(*module))) << "seed " << seed;
    std::string text;
    llvm::raw_string_ostream os(text);
    ASSERT_TRUE(succeeded(serializeModule(*module, os))) << "seed " << seed;
    format::Error error;
    std::vector<uint64_t> aligned(text.size() / 8 + 1);
    memcpy(aligned.data(), text.data(), text.size());
    const auto *file = reinterpret_cast<const uint8_t *>(aligned.data());
    const format::Module *table = format::openModule(file, text.size(), error);
    ASSERT_TRUE(table) << "seed " << seed << ": " << error.text;

    for (auto [i, n] : llvm::enumerate(kExtents)) {
      RunResult actual = runCode(*table, *table->programs()->Get(0), file, makeInputs(n));
      ASSERT_EQ(actual.error, expected[i].error) << "seed " << seed;
      ASSERT_EQ(actual.dims, expected[i].dims) << "seed " << seed;
      ASSERT_TRUE(actual.outputs == expected[i].outputs) << "seed " << seed << ", n " << n;
      ASSERT_EQ(actual.openFrames, 0) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, Differential,
    testing::Values(Pipeline{"plan", false, false, false, false}, Pipeline{"simplify", true, false, false, false},
                    Pipeline{"forward", false, true, false, false}, Pipeline{"rotate", false, false, true, false},
                    Pipeline{"reorder", false, false, false, true}, Pipeline{"all", true, true, true, true}),
    [](const auto &info) { return info.param.name; });
