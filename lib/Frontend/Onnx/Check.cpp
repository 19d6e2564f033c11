//===- Check.cpp - ONNX's checker, node by node ---------------------------===//
//
// ONNX's checker stops at the first fault. Here it sees one node at a time; one at fault is refused,
// and the checks go on behind it.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Onnx/Guard.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/Onnx/Proto.h"
#include "onnx/checker.h"

#include <optional>
#include <stdexcept>
#include <unordered_map>

using namespace onnx;

namespace hone::frontend::library {
namespace {

/// A list of nodes that is being checked, and those around it.
struct Scope {
  Scope(const Nodes &nodes, const Scope *outer) : nodes(nodes), outer(outer) {}

  const Nodes &nodes;
  const Scope *outer;
  int position = 0;
  /// Which node writes a value; made when a fault asks for it.
  mutable std::unordered_map<std::string, int> writers;

  std::optional<int> writerOf(const std::string &value) const {
    if (writers.empty())
      for (int i = 0; i < nodes.size(); ++i)
        for (const std::string &output : nodes.Get(i).output())
          writers.emplace(output, i);
    auto it = writers.find(value);
    return it == writers.end() ? std::nullopt : std::optional(it->second);
  }
};

class Checker {
public:
  Checker(const NodeReport &report) : report(report) {}

  /// Checks a graph and refuses nodes; returns what is wrong with the graph itself.
  std::vector<Error> checkGraph(GraphProto &graph, const checker::CheckerContext &context,
                                const checker::LexicalScopeContext &around, const Scope *outer) {
    std::vector<Error> errors;
    auto add = [&](Error error) {
      if (!error.empty())
        errors.push_back(std::move(error));
    };
    Nodes nodes;
    google::protobuf::RepeatedPtrField<ValueInfoProto> outputs;
    nodes.Swap(graph.mutable_node());
    outputs.Swap(graph.mutable_output());
    add(guarded([&] { checker::check_graph(graph, context, around); }));
    nodes.Swap(graph.mutable_node());
    outputs.Swap(graph.mutable_output());

    checker::LexicalScopeContext names{around};
    for (const ValueInfoProto &input : graph.input())
      names.add(input.name());
    for (const TensorProto &tensor : graph.initializer())
      names.add(tensor.name());
    for (const SparseTensorProto &tensor : graph.sparse_initializer())
      names.add(tensor.values().name());
    checkNodes(*graph.mutable_node(), context, names, outer);
    for (const ValueInfoProto &output : graph.output()) {
      add(guarded([&] { checker::check_value_info(output, context); }));
      if (!names.this_graph_has(output.name()))
        add("output '" + output.name() + "' of the graph is written by no node");
    }
    return errors;
  }

  Error checkFunction(FunctionProto &checked, const checker::CheckerContext &context) {
    // The shell first: names and duplicates.
    Nodes nodes;
    nodes.Swap(checked.mutable_node());
    checker::LexicalScopeContext nothing;
    Error error = guarded([&] { checker::check_function(checked, context, nothing); });
    nodes.Swap(checked.mutable_node());
    if (!error.empty())
      return "function '" + checked.domain() + "." + checked.name() + "': " + error;
    checker::LexicalScopeContext names;
    for (const std::string &input : checked.input())
      names.add(input);
    checker::CheckerContext own = context;
    std::unordered_map<std::string, int> imports;
    for (const OperatorSetIdProto &import : checked.opset_import())
      imports[import.domain()] = int(import.version());
    own.set_opset_imports(imports);
    function = &checked;
    modelImports = &context.get_opset_imports();
    checkNodes(*checked.mutable_node(), own, names, nullptr);
    function = nullptr;
    return {};
  }

private:
  void checkNodes(Nodes &nodes, const checker::CheckerContext &context, checker::LexicalScopeContext &names,
                  const Scope *outer) {
    Scope scope(nodes, outer);
    for (NodeProto &node : nodes) {
      if (node.domain() != kRefusedDomain)
        checkNode(node, context, names, scope);
      for (std::string &output : *node.mutable_output()) {
        // Only a refused node writes again what another one does: that one keeps the name.
        if (!output.empty() && names.this_or_ancestor_graph_has(output))
          output += "/hone.again." + std::to_string(numAgain++);
        if (!output.empty())
          names.add(output);
      }
      ++scope.position;
    }
  }

  void checkNode(NodeProto &node, const checker::CheckerContext &context, const checker::LexicalScopeContext &names,
                 const Scope &scope) {
    std::vector<Error> errors;
    for (const std::string &input : node.input())
      if (!input.empty() && !names.this_or_ancestor_graph_has(input))
        errors.push_back(describeUndefined(input, scope));

    // Subgraphs are checked on their own, and an empty one stands for them meanwhile.
    std::vector<GraphProto> subgraphs;
    forEachSubgraph(node, [&](GraphProto &graph) {
      checker::CheckerContext inner(context);
      inner.set_is_main_graph(false);
      for (Error &error : checkGraph(graph, inner, names, &scope))
        errors.push_back(std::move(error));
      subgraphs.emplace_back().set_name("g");
      subgraphs.back().Swap(&graph);
    });
    Error error = guarded([&] {
      if (function && !scope.outer)
        checker::check_opset_compatibility(node, context, context.get_opset_imports(), *modelImports);
      checker::check_node(node, context, names);
    });
    size_t next = 0;
    forEachSubgraph(node, [&](GraphProto &graph) { graph.Swap(&subgraphs[next++]); });
    if (!error.empty())
      errors.push_back(std::move(error));

    std::set<std::string> own;
    for (const std::string &output : node.output())
      if (!output.empty() && (names.this_or_ancestor_graph_has(output) || !own.insert(output).second))
        errors.push_back("writes '" + output + "', which is written before: every value is written once");
    for (const Error &message : errors)
      report(node, function, message);
    if (!errors.empty())
      refuse(node);
  }

  template <typename F> static void forEachSubgraph(NodeProto &node, F &&visit) {
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        visit(*attribute.mutable_g());
      for (GraphProto &graph : *attribute.mutable_graphs())
        visit(graph);
    }
  }

  Error describeUndefined(const std::string &value, const Scope &scope) {
    for (const Scope *level = &scope; level; level = level->outer)
      if (std::optional<int> writer = level->writerOf(value)) {
        if (needs(*level, *writer, level->position))
          return "operand '" + value + "' depends on this node's own result: the graph has a cycle";
        return "operand '" + value + "' is written by a node behind this one: nodes must be in the order of their data";
      }
    return "operand '" + value + "' is written by no node, and is no input or initializer";
  }

  /// Whether node `from` needs results of node `to`. A hostile graph has as many questions as nodes: together they
  /// take a bounded number of steps, behind which the answer is no.
  bool needs(const Scope &scope, int from, int to) {
    std::vector<bool> seen(size_t(scope.nodes.size()));
    std::vector<int> pending{from};
    while (!pending.empty()) {
      int at = pending.back();
      pending.pop_back();
      if (at == to)
        return true;
      if (seen[size_t(at)])
        continue;
      seen[size_t(at)] = true;
      for (const std::string &input : scope.nodes.Get(at).input()) {
        if (!stepsLeft)
          return false;
        --stepsLeft;
        if (std::optional<int> writer = scope.writerOf(input); !input.empty() && writer)
          pending.push_back(*writer);
      }
    }
    return false;
  }

  const NodeReport &report;
  const FunctionProto *function = nullptr;
  const std::unordered_map<std::string, int> *modelImports = nullptr;
  unsigned numAgain = 0;
  unsigned stepsLeft = 1000000;
};

/// What the model and its functions import; the checker wants functions to fit that.
std::unordered_map<std::string, int> allImports(const ModelProto &model) {
  std::unordered_map<std::string, int> imports;
  for (const OperatorSetIdProto &import : model.opset_import())
    imports[import.domain()] = int(import.version());
  for (const FunctionProto &function : model.functions())
    for (const OperatorSetIdProto &import : function.opset_import())
      imports.emplace(import.domain(), int(import.version()));
  return imports;
}

} // namespace

void refuse(NodeProto &node) {
  node.set_domain(kRefusedDomain);
  node.set_op_type("Refused");
  node.clear_overload();
  node.clear_input();
  node.clear_attribute();
}

void importRefused(ModelProto &model) {
  auto import = [](OperatorSetIdProto &added) {
    added.set_domain(kRefusedDomain);
    added.set_version(1);
  };
  import(*model.add_opset_import());
  for (FunctionProto &function : *model.mutable_functions())
    import(*function.add_opset_import());
}

std::vector<Error> check(ModelProto &model, const std::string &folder, const NodeReport &report) {
  // As checker::check_model does it from a path, without reading the file a second time.
  if (model.ir_version() <= 0)
    return {"the model has no ir_version"};
  if (model.ir_version() > IR_VERSION)
    return {"the model's ir_version " + std::to_string(model.ir_version()) + " is newer than the newest known, " +
            std::to_string(int(IR_VERSION))};
  if (Error error = guarded([&] { checker::check_function_call_cycles(model); }); !error.empty())
    return {error};
  checker::CheckerContext context;
  context.set_ir_version(int(model.ir_version()));
  context.set_model_dir(folder);
  std::unordered_map<std::string, int> imports;
  for (const OperatorSetIdProto &import : model.opset_import())
    imports[import.domain()] = int(import.version());
  context.set_opset_imports(imports);
  Checker checker(report);
  std::vector<Error> errors = checker.checkGraph(*model.mutable_graph(), context, {}, nullptr);
  context.set_opset_imports(allImports(model));
  for (FunctionProto &function : *model.mutable_functions())
    if (Error error = checker.checkFunction(function, context); !error.empty())
      errors.push_back(error);
  return errors;
}

} // namespace hone::frontend::library
