//===- Functions.cpp - Inlining and function bodies -----------------------===//
//
// The model's own functions, whose default attribute values ONNX's inliner forgets, and the
// functions that ONNX gives its operators.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Onnx/Guard.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/Onnx/Proto.h"
#include "onnx/defs/schema.h"
#include "onnx/inliner/inliner.h"
#include "onnx/shape_inference/attribute_binder.h"
#include "onnx/shape_inference/implementation.h"

#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_set>

using namespace onnx;

namespace hone::frontend::library {
namespace {

using FunctionKey = std::tuple<std::string, std::string, std::string>;
using FunctionMap = std::map<FunctionKey, const FunctionProto *>;

void fillDefaults(Nodes &nodes, const FunctionMap &functions) {
  forEachNode(nodes, [&](NodeProto &node) {
    auto it = functions.find({node.domain(), node.op_type(), node.overload()});
    if (it == functions.end())
      return;
    for (const AttributeProto &fallback : it->second->attribute_proto())
      if (!findAttribute(node, fallback.name()))
        *node.add_attribute() = fallback;
  });
}

/// How many nodes the main graph has once all calls are inlined: a few functions that call each other twice make
/// billions.
class InlinedSize {
public:
  explicit InlinedSize(const FunctionMap &functions) : functions(functions) {}

  /// Nodes of `nodes`, calls counted as what they become; at most about kMaxNodes.
  int64_t count(Nodes &nodes, int depth = 0) {
    int64_t sum = 0;
    forEachNode(nodes, [&](NodeProto &node) {
      auto it = functions.find({node.domain(), node.op_type(), node.overload()});
      sum = std::min(kMaxNodes + 1, sum + (it == functions.end() ? 1 : countBody(*it->second, depth)));
    });
    return sum;
  }

  static constexpr int64_t kMaxNodes = 4000000;

private:
  int64_t countBody(const FunctionProto &function, int depth) {
    if (depth > kMaxDepth)
      throw std::runtime_error("function '" + function.name() + "' is called through more than " +
                               std::to_string(kMaxDepth) + " other functions");
    auto [it, isNew] = sizes.try_emplace(&function, 0);
    // A cycle counts nothing here; the checker names it.
    if (isNew) {
      int64_t size = count(*const_cast<FunctionProto &>(function).mutable_node(), depth + 1);
      sizes[&function] = size;
      return size;
    }
    return it->second;
  }

  static constexpr int kMaxDepth = 200;
  const FunctionMap &functions;
  std::map<const FunctionProto *, int64_t> sizes;
};

/// Removes nodes that no output needs.
void removeDeadNodes(GraphProto &graph) {
  std::unordered_set<std::string> live;
  for (const ValueInfoProto &output : graph.output())
    live.insert(output.name());
  Nodes &nodes = *graph.mutable_node();
  std::vector<bool> keep(size_t(nodes.size()));
  std::function<void(const NodeProto &)> use = [&](const NodeProto &node) {
    live.insert(node.input().begin(), node.input().end());
    for (const AttributeProto &attribute : node.attribute())
      if (attribute.has_g()) {
        for (const NodeProto &inner : attribute.g().node())
          use(inner);
        for (const ValueInfoProto &output : attribute.g().output())
          live.insert(output.name());
      }
  };
  for (int i = nodes.size() - 1; i >= 0; --i)
    for (const std::string &output : nodes.Get(i).output())
      if (!keep[size_t(i)] && !output.empty() && live.count(output)) {
        keep[size_t(i)] = true;
        use(nodes.Get(i));
      }
  Nodes kept;
  for (int i = 0; i < nodes.size(); ++i)
    if (keep[size_t(i)])
      *kept.Add() = std::move(*nodes.Mutable(i));
  nodes.Swap(&kept);
}

const OpSchema *schemaOf(const std::string &domain, const std::string &opType, int opset) {
  return domain.empty() ? OpSchemaRegistry::Schema(opType, opset, domain) : OpSchemaRegistry::Schema(opType, domain);
}

/// The function with its opset, as ONNX's text gives it: it is written for the opset it was registered for.
bool buildFunction(const OpSchema &schema, const NodeProto &node, const std::vector<TypeProto> &inputTypes, int opset,
                   FunctionProto &function, int &bodyOpset) {
  bodyOpset = opset;
  if (schema.HasFunction()) {
    const FunctionProto *found = schema.GetFunction(opset, /*validate=*/false);
    if (!found)
      return false;
    function = *found;
    for (const OperatorSetIdProto &import : function.opset_import())
      if (import.domain().empty())
        bodyOpset = int(import.version());
    return true;
  }
  if (!schema.HasContextDependentFunction())
    return false;
  FunctionBodyBuildContextImpl context(node, inputTypes);
  if (!schema.BuildContextDependentFunction(context, function, opset))
    return false;
  if (!node.domain().empty()) {
    for (const OperatorSetIdProto &import : function.opset_import())
      if (import.domain().empty())
        bodyOpset = int(import.version());
    return true;
  }
  for (int version : schema.context_dependent_function_opset_versions())
    if (version <= opset)
      bodyOpset = version;
  return true;
}

} // namespace

static FunctionMap functionsOf(const ModelProto &model) {
  FunctionMap functions;
  for (const FunctionProto &function : model.functions())
    functions[{function.domain(), function.name(), function.overload()}] = &function;
  return functions;
}

Error checkFunctions(ModelProto &model) {
  if (!model.functions_size())
    return {};
  return guarded([&] {
    FunctionMap functions = functionsOf(model);
    InlinedSize size(functions);
    if (size.count(*model.mutable_graph()->mutable_node()) > InlinedSize::kMaxNodes)
      throw std::runtime_error("with its functions inlined the model has more than " +
                               std::to_string(InlinedSize::kMaxNodes) + " nodes");
    // Functions that nobody calls are checked as well.
    for (FunctionProto &function : *model.mutable_functions())
      size.count(*function.mutable_node());
  });
}

Error inlineFunctions(ModelProto &model) {
  if (!model.functions_size())
    return {};
  return guarded([&] {
    FunctionMap functions = functionsOf(model);
    fillDefaults(*model.mutable_graph()->mutable_node(), functions);
    for (FunctionProto &function : *model.mutable_functions())
      fillDefaults(*function.mutable_node(), functions);
    inliner::InlineLocalFunctions(model, /*convert_version=*/true);
    if (model.functions_size())
      throw std::runtime_error("function '" + model.functions(0).domain() + "." + model.functions(0).name() +
                               "' was written for other opsets than the model imports");
  });
}

bool hasFunctionBody(const std::string &domain, const std::string &opType, int opset) {
  bool has = false;
  (void)guarded([&] {
    const OpSchema *schema = schemaOf(domain, opType, opset);
    has = schema && (schema->HasFunction() || schema->HasContextDependentFunction());
  });
  return has;
}

Error functionBody(const NodeProto &original, const std::vector<TypeProto> &inputTypes, int opset,
                   std::unique_ptr<GraphProto> &body) {
  return guarded([&] {
    const OpSchema *schema = schemaOf(original.domain(), original.op_type(), opset);
    if (!schema)
      return;
    NodeProto node = original;
    for (const auto &[name, attribute] : schema->attributes())
      if (!findAttribute(node, name) && attribute.default_value.type() != AttributeProto::UNDEFINED) {
        AttributeProto &added = *node.add_attribute();
        added = attribute.default_value;
        added.set_name(name);
      }
    FunctionProto function;
    int bodyOpset = opset;
    if (!buildFunction(*schema, node, inputTypes, opset, function, bodyOpset))
      return;
    onnx::internal::AttributeBinder::BindAttributes(node, function);

    ModelProto model;
    model.set_ir_version(IR_VERSION);
    *model.mutable_opset_import() = function.opset_import();
    if (!defaultImport(model))
      model.add_opset_import()->set_domain("");
    defaultImport(model)->set_version(bodyOpset);
    GraphProto &graph = *model.mutable_graph();
    graph.set_name(function.name());
    std::unordered_set<std::string> absent;
    for (int i = 0; i < function.input_size(); ++i) {
      if (i >= node.input_size() || node.input(i).empty()) {
        absent.insert(function.input(i));
        continue;
      }
      ValueInfoProto &input = *graph.add_input();
      input.set_name(function.input(i));
      *input.mutable_type() = inputTypes[size_t(i)];
    }
    for (int i = 0; i < function.output_size() && i < node.output_size(); ++i)
      if (!node.output(i).empty())
        graph.add_output()->set_name(function.output(i));
    *graph.mutable_node() = std::move(*function.mutable_node());
    forEachNode(*graph.mutable_node(), [&](NodeProto &inner) {
      for (std::string &input : *inner.mutable_input())
        if (absent.count(input))
          input.clear();
    });
    removeDeadNodes(graph);
    convertToNewest(model);
    shape_inference::InferShapes(model);
    body = std::make_unique<GraphProto>(std::move(*model.mutable_graph()));
  });
}

} // namespace hone::frontend::library
