//===- ReproducerTest.cpp - What failures of the compiler leave -----------===//
//
// Passes that fail, break IR or die are added to every phase. What is left must parse, verify, and fail again.
//
//===----------------------------------------------------------------------===//

#include "backends/Register.h"
#include "lib/Pipeline/Compiler.h"
#include "lib/Pipeline/Registration.h"
#include "lib/Support/CrashHandler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hone;

namespace {

enum class Fault { Fails, BreaksIR, Dies, Recurses };
Fault fault = Fault::Fails;

/// Does not return before the stack ends.
[[gnu::noinline]] int recurse(volatile int *above) {
  volatile int here[1024] = {*above};
  if (*above < 0)
    return 0;
  return recurse(here) + here[7];
}

struct FaultPass : PassWrapper<FaultPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FaultPass)
  StringRef getArgument() const override { return "test-fault"; }
  void runOnOperation() override {
    switch (fault) {
    case Fault::Fails:
      getOperation().emitError("planted");
      return signalPassFailure();
    case Fault::BreaksIR:
      for (auto function : getOperation().getOps<func::FuncOp>())
        function.getBody().back().back().erase();
      return;
    case Fault::Dies:
      raise(SIGSEGV);
      return;
    case Fault::Recurses: {
      volatile int zero = 0;
      if (recurse(&zero) == 1)
        signalPassFailure();
    }
    }
  }
};

struct ReproducerTest : testing::Test {
  static void SetUpTestSuite() {
    registerPasses();
    registerBackendPasses();
    PassRegistration<FaultPass>();
  }
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("reproducer-test", folder));
    context = createContext();
    context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  LogicalResult compile(Phase faulty, const std::string &target = "cpu") {
    OwningOpRef<ModuleOp> graph = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
        %w = graph.constant dense<0.5> : tensor<4x8xf32>
        %y = graph.binary<add> %x, %w : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
        %z = graph.unary<abs> %y : tensor<4x8xf32> -> tensor<4x8xf32>
        return %z : tensor<4x8xf32>
      })",
                                                              context.get());
    if (!graph)
      return failure();
    CompileOptions options;
    options.target = target;
    options.reproducerFolder = folder.str().str();
    options.configure = [=](Phase phase, PassManager &passes) {
      if (phase == faulty)
        passes.addPass(std::make_unique<FaultPass>());
    };
    SmallVector<char> out;
    return compileGraph(std::move(graph), options, out, &report);
  }

  /// Runs what the file says on what it holds.
  LogicalResult repeat(StringRef path) {
    PassReproducerOptions reproducer;
    ParserConfig config(context.get());
    reproducer.attachResourceParser(config);
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, config);
    EXPECT_TRUE(module) << said;
    if (!module)
      return failure();
    PassManager passes(context.get(), ModuleOp::getOperationName());
    EXPECT_TRUE(succeeded(reproducer.apply(passes))) << said;
    said.clear();
    return passes.run(*module);
  }

  std::string onlyFile() {
    std::error_code error;
    llvm::sys::fs::directory_iterator entry(folder, error);
    return error || entry == llvm::sys::fs::directory_iterator() ? "" : entry->path();
  }

  llvm::SmallString<128> folder;
  std::unique_ptr<MLIRContext> context;
  std::string said;
  CompileReport report;
};

using ReproducerDeathTest = ReproducerTest;

TEST_F(ReproducerTest, EveryPhaseLeavesWhatFailsAgain) {
  fault = Fault::Fails;
  for (std::string target : {"cpu", "cuda:sm_90", "vulkan"})
    for (int phase = static_cast<int>(Phase::Simplify); phase < static_cast<int>(Phase::Emit); ++phase) {
      SCOPED_TRACE(target + " " + phaseName(static_cast<Phase>(phase)).str());
      report = {};
      EXPECT_TRUE(failed(compile(static_cast<Phase>(phase), target))) << said;
      EXPECT_TRUE(report.internalError);
      ASSERT_FALSE(report.reproducer.empty()) << said;
      EXPECT_TRUE(failed(repeat(report.reproducer)));
      EXPECT_EQ(said, "planted\n");
    }
}

TEST_F(ReproducerTest, BrokenIRIsNotWhatIsLeft) {
  fault = Fault::BreaksIR;
  EXPECT_TRUE(failed(compile(Phase::Simplify)));
  EXPECT_TRUE(report.internalError);
  ASSERT_FALSE(report.reproducer.empty()) << said;
  EXPECT_TRUE(failed(repeat(report.reproducer)));
}

TEST_F(ReproducerDeathTest, DeathIsAMistakeOfOurs) {
  for (Fault way : {Fault::Dies, Fault::Recurses}) {
    auto die = [&] {
      fault = way;
      installCrashHandler(70);
      (void)compile(Phase::Fuse);
    };
    EXPECT_EXIT(die(), testing::ExitedWithCode(70), "hone: a mistake of the compiler: .*hone-reproducer-.*mlir'");
    std::string left = onlyFile();
    ASSERT_FALSE(left.empty());
    fault = Fault::Fails;
    EXPECT_TRUE(failed(repeat(left)));
    EXPECT_EQ(said, "planted\n");
    llvm::sys::fs::remove(left);
  }
}

} // namespace
