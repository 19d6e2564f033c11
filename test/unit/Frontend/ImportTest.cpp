//===- ImportTest.cpp - What the importer makes of small models -----------===//

#include "lib/Frontend/Import.h"
#include "dialects/Graph/IR/Graph.h"
#include "lib/Support/NodeLocation.h"
#include "onnx/onnx_pb.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace hone;
using namespace mlir;

namespace {

/// A model under construction, imported through a file as users' are.
class Model {
public:
  explicit Model(int64_t opset) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(opset);
    proto.mutable_graph()->set_name("test");
  }

  onnx::NodeProto &node(const char *op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                        const char *name = "") {
    onnx::NodeProto &node = *proto.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string &input : inputs)
      node.add_input(input);
    for (const std::string &output : outputs)
      node.add_output(output);
    return node;
  }

  static void attribute(onnx::NodeProto &node, const char *name, int64_t value) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  void input(const char *name, std::vector<int64_t> shape, int type = onnx::TensorProto::FLOAT) {
    declare(*proto.mutable_graph()->add_input(), name, shape, type);
  }
  void output(const char *name, std::vector<int64_t> shape, int type = onnx::TensorProto::FLOAT) {
    declare(*proto.mutable_graph()->add_output(), name, shape, type);
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context, std::string &errors) {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createTemporaryFile("import-test", "onnx", path))
      return nullptr;
    {
      std::ofstream file(path.c_str(), std::ios::binary);
      file << proto.SerializeAsString();
    }
    llvm::raw_string_ostream os(errors);
    NodeDiagnosticHandler handler(&context, os);
    OwningOpRef<ModuleOp> module = frontend::importModel(path, &context);
    llvm::sys::fs::remove(path);
    return module;
  }

  onnx::ModelProto proto;

private:
  static void declare(onnx::ValueInfoProto &info, const char *name, const std::vector<int64_t> &shape, int type) {
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    auto &dims = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int64_t extent : shape)
      dims.add_dim()->set_dim_value(extent);
  }
};

/// Names of the nodes of all ops of type `OpTy`.
template <typename OpTy> std::vector<std::string> namesOf(ModuleOp module) {
  std::vector<std::string> names;
  module.walk([&](OpTy op) { llvm::append_range(names, nodeNames(op.getLoc())); });
  return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST(Import, OpsAreAtTheirNodes) {
  Model model(11);
  model.input("x", {2, 3, 4});
  model.node("Exp", {"x"}, {"a"}, "first");
  model.node("Log", {"a"}, {"b"});
  Model::attribute(model.node("Softmax", {"b"}, {"y"}, "s\xc3\xa4\n"), "axis", 1);
  model.output("y", {2, 3, 4});

  MLIRContext context;
  std::string errors;
  OwningOpRef<ModuleOp> module = model.import(context, errors);
  ASSERT_TRUE(module) << errors;
  EXPECT_EQ(namesOf<graph::UnaryOp>(*module), (Names{"first", "Log#1"}));
  EXPECT_EQ(namesOf<graph::SoftmaxOp>(*module), (Names{"s\\xC3\\xA4\\x0A"}));
  // What softmax over several dimensions is made of belongs to it as well.
  for (const std::string &name : namesOf<graph::ReshapeOp>(*module))
    EXPECT_EQ(name, "s\\xC3\\xA4\\x0A");
}

TEST(Import, FunctionBodiesAreAtTheirNode) {
  Model model(22);
  model.input("scores", {3, 5});
  model.input("labels", {3}, onnx::TensorProto::INT64);
  model.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"}, "criterion");
  model.output("loss", {});

  MLIRContext context;
  std::string errors;
  OwningOpRef<ModuleOp> module = model.import(context, errors);
  ASSERT_TRUE(module) << errors;
  EXPECT_EQ(namesOf<graph::SoftmaxOp>(*module), (Names{"criterion"}));
}

TEST(Import, AllFailuresAreReportedOnce) {
  Model model(22);
  model.input("x", {2, 3});
  model.node("Frobnicate", {"x"}, {"a"}, "one");
  model.node("Relu", {"a"}, {"b"}, "behind");
  onnx::NodeProto &other = model.node("Custom", {"x"}, {"c"}, "two");
  other.set_domain("somewhere");
  model.proto.add_opset_import()->set_domain("somewhere");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.node("Add", {"b", "c"}, {"y"}, "join");
  model.output("y", {2, 3});

  MLIRContext context;
  std::string errors;
  EXPECT_FALSE(model.import(context, errors));
  EXPECT_NE(errors.find("node 'one' (#0): error: operator Frobnicate"), std::string::npos) << errors;
  EXPECT_NE(errors.find("node 'two' (#2): error: operator somewhere.Custom"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("behind"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("join"), std::string::npos) << errors;
}

TEST(Import, ErrorsOfTheCheckerNameTheNode) {
  Model model(22);
  model.input("x", {2, 3});
  model.node("Concat", {"x", "x"}, {"y"}, "joiner");
  model.output("y", {4, 3});

  MLIRContext context;
  std::string errors;
  EXPECT_FALSE(model.import(context, errors));
  EXPECT_NE(errors.find("node 'joiner' (#0): error:"), std::string::npos) << errors;
  EXPECT_EQ(errors.find('\x01'), std::string::npos) << errors;
}

TEST(Import, LoopShapesThatGrowBecomeDynamic) {
  Model model(22);
  model.input("x", {1});
  model.input("trips", {}, onnx::TensorProto::INT64);
  onnx::NodeProto &loop = model.node("Loop", {"trips", "", "x"}, {"y"}, "grow");
  onnx::AttributeProto &attribute = *loop.add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);

  Model body(22);
  body.input("i", {}, onnx::TensorProto::INT64);
  body.input("go", {}, onnx::TensorProto::BOOL);
  onnx::ValueInfoProto &carried = *body.proto.mutable_graph()->add_input();
  carried.set_name("v");
  carried.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  body.node("Identity", {"go"}, {"again"});
  Model::attribute(body.node("Concat", {"v", "x"}, {"w"}), "axis", 0);
  body.output("again", {}, onnx::TensorProto::BOOL);
  onnx::ValueInfoProto &next = *body.proto.mutable_graph()->add_output();
  next = carried;
  next.set_name("w");
  *attribute.mutable_g() = body.proto.graph();
  onnx::ValueInfoProto &output = *model.proto.mutable_graph()->add_output();
  output = carried;
  output.set_name("y");

  MLIRContext context;
  std::string errors;
  OwningOpRef<ModuleOp> module = model.import(context, errors);
  ASSERT_TRUE(module) << errors;
  module->walk([&](graph::LoopOp op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    EXPECT_EQ(type.getRank(), 1);
    EXPECT_TRUE(type.isDynamicDim(0));
    EXPECT_EQ(nodeNames(op.getLoc()), (llvm::SmallVector<std::string>{"grow"}));
  });
}

TEST(Import, EmptyMessagesDoNotEatMemory) {
  MLIRContext context;
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("import-test", "onnx", path));
  {
    // Field 7 of the model, a graph of 16384 empty nodes.
    std::string nodes;
    for (int i = 0; i < 16384; ++i)
      nodes += std::string("\x0a\0", 2);
    std::ofstream file(path.c_str(), std::ios::binary);
    file << std::string("\x08\x08\x3a\x80\x80\x02", 6) << nodes;
  }
  std::string errors;
  llvm::raw_string_ostream os(errors);
  NodeDiagnosticHandler handler(&context, os);
  frontend::ImportOptions options;
  options.maxParsedBytes = 1 << 20;
  EXPECT_FALSE(frontend::importModel(path, &context, options));
  EXPECT_NE(errors.find("MiB of memory"), std::string::npos) << errors;
  llvm::sys::fs::remove(path);
}
