//===- Library.cpp - Checking and walking models ----------------*- C++ -*-===//

#include "lib/Frontend/Onnx/Library.h"

#include "lib/Frontend/Onnx/Guard.h"
#include "onnx/checker.h"
#include "onnx/defs/schema.h"

#include <set>

using namespace onnx;

namespace hone::frontend::library {

/// The domain of ONNX Runtime's operators.
static constexpr char kRuntimeDomain[] = "com.microsoft";

int newestOpset() {
  static const int newest = [] {
    int version = 1;
    (void)guarded([&] { version = OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second; });
    return version;
  }();
  return newest;
}

Error parse(const char *data, size_t size, ModelProto &model) {
  if (size > size_t(INT32_MAX))
    return "protobuf messages end at 2 GiB; store the weights as external data";
  bool parsed = false;
  Error error = guarded([&] { parsed = model.ParseFromArray(data, int(size)); });
  if (error.empty() && !parsed)
    error = "not an ONNX model, or cut off or damaged";
  return error;
}

bool isKnownOperator(const std::string &domain, const std::string &opType, int opset) {
  bool known = false;
  (void)guarded([&] {
    const OpSchema *schema =
        domain.empty() ? OpSchemaRegistry::Schema(opType, opset, domain) : OpSchemaRegistry::Schema(opType, domain);
    known = schema && !schema->Deprecated();
  });
  return known;
}

std::map<std::pair<std::string, std::string>, OperatorFacts> operators() {
  std::map<std::pair<std::string, std::string>, OperatorFacts> known;
  (void)guarded([&] {
    for (const OpSchema &schema : OpSchemaRegistry::get_all_schemas()) {
      if (schema.Deprecated())
        continue;
      OperatorFacts &facts = known[{schema.domain(), schema.Name()}];
      const auto &parameters = schema.inputs().empty() ? schema.outputs() : schema.inputs();
      if (!parameters.empty())
        for (const std::string *type : parameters.front().GetTypes())
          facts.types.insert(*type);
    }
    for (const OpSchema &schema : OpSchemaRegistry::get_all_schemas_with_history())
      if (auto found = known.find({schema.domain(), schema.Name()}); found != known.end())
        found->second.versions.insert(schema.SinceVersion());
  });
  return known;
}

Error openExternalData(const std::string &folder, const std::string &location, const std::string &tensor, int &fd) {
  return guarded([&] { fd = int(checker::open_external_data(folder, location, tensor, /*read_only=*/true)); });
}

namespace {

/// Applies a function to all tensors of nested graphs.
struct TensorWalk {
  const std::function<void(TensorProto &)> &visit;

  void nodes(google::protobuf::RepeatedPtrField<NodeProto> &list) {
    for (NodeProto &node : list)
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          visit(*attribute.mutable_t());
        for (TensorProto &tensor : *attribute.mutable_tensors())
          visit(tensor);
        if (attribute.has_g())
          graph(*attribute.mutable_g());
        for (GraphProto &nested : *attribute.mutable_graphs())
          graph(nested);
      }
  }
  void graph(GraphProto &g) {
    for (TensorProto &tensor : *g.mutable_initializer())
      visit(tensor);
    nodes(*g.mutable_node());
  }
};

/// Operators that ONNX Runtime has in ONNX's domain, though ONNX has not, or only from an opset on: before that they
/// move to the domain of its own.
struct Stranger {
  const char *opType;
  int64_t knownFrom;
};
constexpr Stranger kStrangers[] = {{"SimplifiedLayerNormalization", INT64_MAX}, {"LayerNormalization", 17}};

template <typename Nodes> void shortenDomains(Nodes &nodes, int64_t opset, bool &hasStrangers) {
  for (NodeProto &node : nodes) {
    if (node.domain() == "ai.onnx")
      node.clear_domain();
    for (const Stranger &stranger : kStrangers)
      if (node.domain().empty() && opset < stranger.knownFrom && node.op_type() == stranger.opType) {
        node.set_domain(kRuntimeDomain);
        hasStrangers = true;
      }
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        shortenDomains(*attribute.mutable_g()->mutable_node(), opset, hasStrangers);
      for (GraphProto &graph : *attribute.mutable_graphs())
        shortenDomains(*graph.mutable_node(), opset, hasStrangers);
    }
  }
}

template <typename Imports> void addRuntimeImport(Imports &imports) {
  for (const OperatorSetIdProto &import : imports)
    if (import.domain() == kRuntimeDomain)
      return;
  OperatorSetIdProto &added = *imports.Add();
  added.set_domain(kRuntimeDomain);
  added.set_version(1);
}

template <typename Imports> void shortenImports(Imports &imports) {
  for (OperatorSetIdProto &import : imports)
    if (import.domain() == "ai.onnx")
      import.set_domain("");
}

} // namespace

void forEachTensor(ModelProto &model, const std::function<void(TensorProto &)> &visit) {
  TensorWalk walk{visit};
  walk.graph(*model.mutable_graph());
  for (FunctionProto &function : *model.mutable_functions()) {
    walk.nodes(*function.mutable_node());
    for (AttributeProto &attribute : *function.mutable_attribute_proto())
      if (attribute.has_t())
        visit(*attribute.mutable_t());
  }
}

void normalizeDomains(ModelProto &model) {
  auto normalize = [](auto &imports, auto &nodes) {
    bool hasStrangers = false;
    shortenImports(imports);
    int64_t opset = 1;
    for (const OperatorSetIdProto &import : imports)
      if (import.domain().empty())
        opset = import.version();
    shortenDomains(nodes, opset, hasStrangers);
    if (hasStrangers)
      addRuntimeImport(imports);
  };
  normalize(*model.mutable_opset_import(), *model.mutable_graph()->mutable_node());
  for (FunctionProto &function : *model.mutable_functions())
    normalize(*function.mutable_opset_import(), *function.mutable_node());
}

} // namespace hone::frontend::library
