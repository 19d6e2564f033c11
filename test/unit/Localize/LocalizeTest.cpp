//===- LocalizeTest.cpp - Planted faults are found ------------------------===//
//
// Passes that break something are added to the pipeline: in the lowering of kernels, in the graph, and in the
// plan. Localizing must name the kernel and the pass.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Localize.h"
#include "dialects/Graph/IR/Graph.h"
#include "dialects/Plan/IR/Plan.h"
#include "onnx/onnx_pb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hone;
using namespace hone::driver;

namespace {

/// A pass made of a function, under a name that can be left out.
struct FaultPass : OperationPass<ModuleOp> {
  using Fault = std::function<void(ModuleOp)>;
  FaultPass(StringRef name, Fault fault)
      : OperationPass(TypeID::get<FaultPass>()), name(name), fault(std::move(fault)) {}
  FaultPass(const FaultPass &other) : OperationPass(other), name(other.name), fault(other.fault) {}
  StringRef getName() const override { return name; }
  StringRef getArgument() const override { return name; }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<FaultPass>(*this); }
  void runOnOperation() override { fault(getOperation()); }

  std::string name;
  Fault fault;
};

/// y = Softmax(Relu(x W + b) V), all nodes named.
std::string writeModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("test");
  auto declare = [](onnx::ValueInfoProto &info, const char *name, std::initializer_list<int64_t> shape) {
    info.set_name(name);
    auto &type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (int64_t extent : shape)
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  };
  auto weight = [&](const char *name, std::initializer_list<int64_t> shape) {
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    for (int64_t i = 0; i < count; ++i)
      tensor.add_float_data(static_cast<float>((i * 7919) % 23 - 11) / 11);
  };
  auto node = [&](const char *op, const char *name, std::initializer_list<const char *> inputs, const char *output) {
    onnx::NodeProto &proto = *graph.add_node();
    proto.set_op_type(op);
    proto.set_name(name);
    for (const char *input : inputs)
      proto.add_input(input);
    proto.add_output(output);
  };
  declare(*graph.add_input(), "x", {4, 8});
  weight("w", {8, 16});
  weight("b", {16});
  weight("v", {16, 6});
  node("MatMul", "first", {"x", "w"}, "t0");
  node("Add", "bias", {"t0", "b"}, "t1");
  node("Relu", "relu", {"t1"}, "t2");
  node("MatMul", "second", {"t2", "v"}, "t3");
  node("Softmax", "soft", {"t3"}, "y");
  declare(*graph.add_output(), "y", {4, 6});

  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("localize-test", "onnx", path));
  std::ofstream file(path.c_str(), std::ios::binary);
  EXPECT_TRUE(model.SerializeToOstream(&file));
  return path.str().str();
}

/// Localizes with a pass behind those of `phase`.
Localization localizeWith(Phase faulty, FaultPass::Fault fault, const std::string &target = "cpu",
                          const std::string &device = "") {
  std::string path = writeModel();
  CompileOptions options;
  options.target = target;
  options.reproducerFolder.clear();
  options.configure = [&](Phase phase, PassManager &passes) {
    if (fault && phase == faulty)
      passes.addPass(std::make_unique<FaultPass>("test-fault", fault));
  };
  llvm::SmallVector<char, 0> module;
  EXPECT_TRUE(succeeded(compileModel(path, options, module, printTo(llvm::errs()))));
  tools::Request request;
  request.modelPath = path;
  request.device = device;
  request.bytes = reinterpret_cast<const uint8_t *>(module.data());
  request.size = module.size();
  std::vector<tools::HostTensor> inputs;
  auto found = localize(request, options, inputs, Tolerance(), printTo(llvm::errs()));
  EXPECT_TRUE(succeeded(found));
  llvm::sys::fs::remove(path);
  return succeeded(found) ? *found : Localization();
}

} // namespace

TEST(Localize, NothingWrong) {
  Localization found = localizeWith(Phase::Import, nullptr);
  EXPECT_EQ(found.firstDivergent(), nullptr);
  EXPECT_FALSE(found.passesDiverge());
  EXPECT_EQ(found.uncompared, 0u);
  EXPECT_GE(found.launches.size(), 3u);
  ASSERT_NE(found.worst(), nullptr);
  EXPECT_LT(found.worst()->own.relative, 1e-5);
}

/// A device takes softmax in stages: together they are the kernel.
TEST(Localize, Stages) {
  hone_device_t *device = nullptr;
  if (hone_status_t status = hone_device_create("vulkan:0", nullptr, &device)) {
    hone_status_free(status);
    GTEST_SKIP() << "no Vulkan device";
  }
  hone_device_destroy(device);
  Localization found = localizeWith(Phase::Import, nullptr, "vulkan", "vulkan:0");
  EXPECT_EQ(found.firstDivergent(), nullptr);
  EXPECT_FALSE(found.passesDiverge());
  EXPECT_EQ(found.uncompared, 0u);
  EXPECT_GE(found.launches.size(), 3u);
}

/// The kernel that divides multiplies instead: softmax alone does.
TEST(Localize, FaultInLowering) {
  Localization found = localizeWith(Phase::Lower, [](ModuleOp module) {
    module.walk([](arith::DivFOp op) {
      OpBuilder builder(op);
      Value product = arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs());
      op.replaceAllUsesWith(product);
      op.erase();
    });
  });
  ASSERT_NE(found.firstDivergent(), nullptr);
  EXPECT_EQ(found.firstDivergent()->nodes, std::vector<std::string>{"soft"});
  EXPECT_EQ(found.firstDivergent(), found.worst());
  EXPECT_GT(found.firstDivergent()->own.ulps, 1000u);
  EXPECT_EQ(found.loweringPass, "test-fault");
  std::string text;
  llvm::raw_string_ostream os(text);
  printLocalization(found, os);
  EXPECT_THAT(text, testing::ContainsRegex("first divergent kernel: launch [0-9]+, kernel '[a-z_0-9]+', nodes 'soft'\n"
                                           "  output 0: [0-9.E+-]+ \\([0-9]+ ULP\\), [0-9.E+-]+ of the range, at "
                                           "\\[[0-9]+, [0-9]+\\]: [0-9.e+-]+ instead of [0-9.e+-]+\n"
                                           "  without pass 'test-fault' the first divergent kernel is right"));
  EXPECT_FALSE(found.passesDiverge());
  EXPECT_EQ(found.graphPass, "");
}

/// The bias is subtracted: every kernel does what the graph says, but the graph says something else.
TEST(Localize, FaultInGraph) {
  Localization found = localizeWith(Phase::Simplify, [](ModuleOp module) {
    module.walk([](graph::BinaryOp op) {
      if (op.getKind() == graph::BinaryKind::Add)
        op.setKind(graph::BinaryKind::Sub);
    });
  });
  EXPECT_EQ(found.firstDivergent(), nullptr);
  EXPECT_TRUE(found.passesDiverge());
  EXPECT_EQ(found.graphPass, "test-fault");
  EXPECT_EQ(found.planPass, "");
}

/// What a kernel is about to read is overwritten.
TEST(Localize, FaultInPlan) {
  Localization found = localizeWith(Phase::Plan, [](ModuleOp module) {
    module.walk([](plan::LaunchOp launch) {
      auto input = launch.getBuffers().front().getDefiningOp<plan::AllocOp>();
      if (!input)
        return;
      OpBuilder builder(launch);
      Value byte = arith::ConstantIndexOp::create(builder, launch.getLoc(), 63);
      plan::FillOp::create(builder, launch.getLoc(), input, byte, input.getBytes());
    });
  });
  EXPECT_EQ(found.firstDivergent(), nullptr);
  EXPECT_TRUE(found.passesDiverge());
  EXPECT_EQ(found.graphPass, "");
  EXPECT_EQ(found.planPass, "test-fault");
}
