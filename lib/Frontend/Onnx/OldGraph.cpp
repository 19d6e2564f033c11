//===- OldGraph.cpp - What the version converter gets wrong ---------------===//

#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/Onnx/Proto.h"

#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using namespace onnx;

namespace hone::frontend::library {
namespace {

/// Ranks of the values of one graph, as far as they are known.
using Ranks = std::unordered_map<std::string, int>;

void collectRanks(const GraphProto &graph, Ranks &ranks) {
  auto add = [&](const ValueInfoProto &info) {
    if (info.type().has_tensor_type() && info.type().tensor_type().has_shape())
      ranks[info.name()] = info.type().tensor_type().shape().dim_size();
  };
  for (const ValueInfoProto &info : graph.input())
    add(info);
  for (const ValueInfoProto &info : graph.output())
    add(info);
  for (const ValueInfoProto &info : graph.value_info())
    add(info);
  for (const TensorProto &tensor : graph.initializer())
    ranks[tensor.name()] = tensor.dims_size();
}

/// Types of the values of one graph, as far as they are known.
using Types = std::unordered_map<std::string, TypeProto>;

void collectTypes(const GraphProto &graph, Types &types) {
  for (const auto *list : {&graph.input(), &graph.value_info()})
    for (const ValueInfoProto &info : *list)
      types[info.name()] = info.type();
  for (const TensorProto &tensor : graph.initializer()) {
    TypeProto::Tensor &type = *types[tensor.name()].mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.clear_shape();
    for (int64_t extent : tensor.dims())
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

void addInts(NodeProto &node, const std::string &name, const std::vector<int64_t> &values) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
}

void addInt(NodeProto &node, const std::string &name, int64_t value) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(value);
}

/// Rewrites the nodes of old graphs that the converter gets wrong.
class OldGraph {
public:
  OldGraph(int opset) : opset(opset) {}

  void rewrite(GraphProto &graph, Ranks ranks) {
    collectRanks(graph, ranks);
    if (opset < 9)
      collectTypes(graph, types);
    Nodes old;
    old.Swap(graph.mutable_node());
    for (NodeProto &node : old) {
      for (AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_g())
          rewrite(*attribute.mutable_g(), ranks);
      rewriteNode(graph, node, ranks);
    }
  }

private:
  static bool broadcasts(const NodeProto &node) {
    static const std::unordered_set<std::string> ops = {"Add", "Sub", "Mul",   "Div",     "Pow", "And",
                                                        "Or",  "Xor", "Equal", "Greater", "Less"};
    return node.domain().empty() && ops.count(node.op_type());
  }

  std::string fresh(const std::string &base) { return base + "/hone." + std::to_string(next++); }

  void rewriteNode(GraphProto &graph, NodeProto &node, const Ranks &ranks) {
    if (opset < 7 && broadcasts(node))
      rewriteBroadcast(graph, node, ranks);
    if (opset < 6 && node.op_type() == "Cast" && node.domain().empty())
      rewriteCast(node);
    static const std::unordered_set<std::string> flat = {"Softmax", "LogSoftmax", "Hardmax"};
    if (opset < 13 && node.domain().empty() && flat.count(node.op_type()))
      keepFlatMeaning(node);
    if (opset < 7 && node.op_type() == "PRelu" && node.domain().empty())
      rewriteSlope(graph, node, ranks);
    if (opset < 9 && node.op_type() == "Scan" && node.domain().empty()) {
      rewriteScan(graph, node);
      return;
    }
    *graph.add_node() = std::move(node);
  }

  /// B's dimensions are A's from `axis` on: give B the trailing extents of 1 that numpy rules need.
  void rewriteBroadcast(GraphProto &graph, NodeProto &node, const Ranks &ranks) {
    AttributeProto *axis = findAttribute(node, "axis");
    AttributeProto *broadcast = findAttribute(node, "broadcast");
    bool aligned = axis && broadcast && broadcast->i();
    int64_t at = aligned ? axis->i() : 0;
    removeAttribute(node, "axis");
    if (!aligned || node.input_size() != 2)
      return;
    auto a = ranks.find(node.input(0)), b = ranks.find(node.input(1));
    if (a == ranks.end() || b == ranks.end())
      throw std::runtime_error("node '" + node.name() + "' (" + node.op_type() +
                               "): the legacy broadcast needs operands of known rank");
    if (at < 0)
      at += a->second;
    int64_t trailing = a->second - at - b->second;
    if (at < 0 || trailing < 0)
      throw std::runtime_error("node '" + node.name() + "' (" + node.op_type() + "): broadcast axis out of range");
    if (!trailing)
      return;
    node.set_input(1, appendOnes(graph, node, node.input(1), b->second, trailing));
  }

  /// Before opset 7 a slope of one dimension had one number per channel.
  void rewriteSlope(GraphProto &graph, NodeProto &node, const Ranks &ranks) {
    auto x = ranks.find(node.input(0)), slope = ranks.find(node.input(1));
    if (x != ranks.end() && slope != ranks.end() && slope->second == 1 && x->second > 2)
      node.set_input(1, appendOnes(graph, node, node.input(1), 1, x->second - 2));
  }

  /// Gives a value of rank `rank` `count` more dimensions of extent 1 at its end; returns the new name.
  std::string appendOnes(GraphProto &graph, const NodeProto &node, const std::string &value, int64_t rank,
                         int64_t count) {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < count; ++i)
      axes.push_back(rank + i);
    NodeProto &unsqueeze = add(graph, node, "Unsqueeze", value, fresh(value));
    addInts(unsqueeze, "axes", axes);
    return unsqueeze.output(0);
  }

  NodeProto &add(GraphProto &graph, const NodeProto &origin, const char *op, const std::string &input,
                 const std::string &output) {
    NodeProto &made = *graph.add_node();
    made.set_op_type(op);
    made.set_name(origin.name());
    made.add_input(input);
    made.add_output(output);
    return made;
  }

  /// Opset 8 scans a batch of sequences: a scan of today for each of them.
  void rewriteScan(GraphProto &graph, NodeProto &node) {
    if (node.input_size() < 2 || !node.input(0).empty())
      throw std::runtime_error("node '" + node.name() + "' (Scan): sequence_lens is not supported at opset 8");
    node.mutable_input()->DeleteSubrange(0, 1);
    if (AttributeProto *directions = findAttribute(node, "directions"))
      directions->set_name("scan_input_directions");
    bool isSingle = false;
    for (const std::string &input : node.input())
      if (auto type = types.find(input); type != types.end()) {
        const TensorShapeProto &shape = type->second.tensor_type().shape();
        isSingle |= shape.dim_size() && shape.dim(0).dim_value() == 1;
      }
    if (isSingle)
      scanSingle(graph, node);
    else
      scanEach(graph, node);
  }

  /// The batch dimension is removed around the scan of one sequence.
  void scanSingle(GraphProto &graph, NodeProto &node) {
    for (std::string &input : *node.mutable_input()) {
      NodeProto &squeeze = add(graph, node, "Squeeze", input, fresh(input));
      addInts(squeeze, "axes", {0});
      input = squeeze.output(0);
    }
    std::vector<std::string> outputs(node.output().begin(), node.output().end());
    for (std::string &output : *node.mutable_output())
      if (!output.empty())
        output = fresh(output);
    std::vector<std::string> inner(node.output().begin(), node.output().end());
    NodeProto origin;
    origin.set_name(node.name());
    *graph.add_node() = std::move(node);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!outputs[i].empty())
        addInts(add(graph, origin, "Unsqueeze", inner[i], outputs[i]), "axes", {0});
  }

  /// A scan over the batch, whose body scans one sequence.
  void scanEach(GraphProto &graph, NodeProto &node) {
    NodeProto outer;
    outer.set_op_type("Scan");
    outer.set_name(node.name());
    *outer.mutable_input() = node.input();
    *outer.mutable_output() = node.output();
    addInt(outer, "num_scan_inputs", node.input_size());
    AttributeProto &attribute = *outer.add_attribute();
    attribute.set_name("body");
    attribute.set_type(AttributeProto::GRAPH);
    GraphProto &body = *attribute.mutable_g();
    body.set_name(node.name() + "/sequence");
    for (std::string &input : *node.mutable_input()) {
      ValueInfoProto &sequence = *body.add_input();
      if (auto type = types.find(input); type != types.end() && type->second.tensor_type().shape().dim_size()) {
        *sequence.mutable_type() = type->second;
        sequence.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()->DeleteSubrange(0, 1);
      }
      input = fresh(input);
      sequence.set_name(input);
    }
    for (std::string &output : *node.mutable_output()) {
      output = fresh(output);
      body.add_output()->set_name(output);
    }
    *body.add_node() = std::move(node);
    *graph.add_node() = std::move(outer);
  }

  /// Before opset 6 the type was a name.
  void rewriteCast(NodeProto &node) {
    AttributeProto *to = findAttribute(node, "to");
    if (!to || to->type() != AttributeProto::STRING)
      return;
    TensorProto::DataType type = TensorProto::UNDEFINED;
    if (!TensorProto::DataType_Parse(to->s(), &type))
      throw std::runtime_error("node '" + node.name() + "' (Cast): unknown type '" + to->s() + "'");
    to->clear_s();
    to->set_type(AttributeProto::INT);
    to->set_i(type);
  }

  /// Before opset 13 these worked on all dimensions from `axis` on at once. The converter needs ranks to say that in
  /// new words; the importer has them, so it gets the old meaning under a name of its own.
  static void keepFlatMeaning(NodeProto &node) {
    if (!findAttribute(node, "axis"))
      addInt(node, "axis", 1);
    node.set_domain(kFlatDomain);
  }

  int opset;
  int next = 0;
  Types types;
};

} // namespace

void rewriteOldGraph(GraphProto &graph, int opset) { OldGraph(opset).rewrite(graph, {}); }

} // namespace hone::frontend::library
