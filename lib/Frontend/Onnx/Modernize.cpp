//===- Modernize.cpp - The newest opset -----------------------------------===//
//
// ONNX's version converter, with the adapters that it lacks and around what it gets wrong.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Onnx/Guard.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/Onnx/Proto.h"
#include "onnx/defs/tensor_util.h"
#include "onnx/shape_inference/implementation.h"
#include "onnx/version_converter/adapters/resize_10_11.h"
#include "onnx/version_converter/convert.h"

#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

using namespace onnx;

namespace hone::frontend::library {
namespace {

/// Whether `scales` is known and has scales below 1, but none above: runtimes round positions up then.
bool shrinksOnly(Graph &graph, Value *scales) {
  std::vector<float> values;
  auto initializer = graph.getInitializer(scales->uniqueName());
  if (initializer != graph.initializers().end())
    values = ParseData<float>(&*initializer);
  else if (scales->node()->kind() == kConstant && scales->node()->hasAttribute(kvalue))
    values = ParseData<float>(&scales->node()->t(kvalue));
  bool shrinks = false;
  for (float value : values) {
    if (value > 1)
      return false;
    shrinks |= value < 1;
  }
  return shrinks;
}

/// ONNX's converter and the adapters it lacks.
class Converter : public version_conversion::DefaultVersionConverter {
public:
  Converter() {
    using namespace version_conversion;
    auto compatible = [&](const char *op, int64_t from) {
      registerAdapter(std::make_unique<CompatibleAdapter>(op, OpSetID(from), OpSetID(from + 1)));
    };
    auto without = [&](const char *op, int64_t from, std::vector<const char *> names) {
      registerAdapter(op, from, from + 1, [names](std::shared_ptr<Graph>, Node *node) {
        for (const char *name : names)
          if (node->hasAttribute(Symbol(name)))
            node->removeAttribute(Symbol(name));
        return node;
      });
    };
    registerAdapter("Pad", 1, 2, [](std::shared_ptr<Graph>, Node *node) {
      Symbol old("paddings");
      if (node->hasAttribute(old)) {
        std::vector<int64_t> pads = node->is(old);
        node->removeAttribute(old);
        node->is_(Symbol("pads"), std::move(pads));
      }
      return node;
    });
    for (const char *op : {"LpPool", "GlobalLpPool"})
      registerAdapter(op, 1, 2, [](std::shared_ptr<Graph>, Node *node) {
        Symbol p("p");
        if (node->hasAttribute(p) && node->kindOf(p) == AttributeKind::f) {
          auto value = int64_t(node->f(p));
          node->removeAttribute(p);
          node->i_(p, value);
        }
        return node;
      });
    // Upsample becomes the Resize of opset 10, which knew one mapping of positions only: the newest default is another.
    registerAdapter("Resize", 10, 11, [](std::shared_ptr<Graph> graph, Node *node) {
      bool shrinks = shrinksOnly(*graph, node->inputs()[1]);
      node = Resize_10_11().adapt(graph, node);
      node->s_(Symbol("coordinate_transformation_mode"), "asymmetric");
      node->s_(Symbol("nearest_mode"), shrinks ? "ceil" : "floor");
      return node;
    });
    compatible("Split", 1);
    compatible("Cast", 5);
    compatible("Scan", 8);
    without("GRU", 2, {"output_sequence"});
    for (const char *op : {"GRU", "LSTM", "RNN"})
      without(op, 6, {"output_sequence"});
    // The library's own ask for extents, which models need not tell.
    without("Gemm", 6, {"broadcast"});
    // The library's own want shapes that nodes of ours lack; rewriteOldGraph has done their work.
    for (const char *op : {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less"})
      without(op, 6, {"broadcast", "axis"});
  }
};

/// Operators of one operand, or one with a parameter, whose result has the operand's shape.
bool keepsShape(const NodeProto &node) {
  static const std::unordered_set<std::string> ops = {
      "Abs",         "Acos",       "Acosh",    "Asin",     "Asinh",      "Atan",      "Atanh",
      "BitCast",     "BitwiseNot", "Cast",     "CastLike", "Ceil",       "Celu",      "Clip",
      "Cos",         "Cosh",       "Elu",      "Erf",      "Exp",        "Floor",     "Gelu",
      "HardSigmoid", "HardSwish",  "Identity", "IsInf",    "IsNaN",      "LeakyRelu", "Log",
      "LogSoftmax",  "Mish",       "Neg",      "Not",      "Reciprocal", "Relu",      "Round",
      "Selu",        "Shrink",     "Sigmoid",  "Sign",     "Sin",        "Sinh",      "Softmax",
      "Softplus",    "Softsign",   "Sqrt",     "Swish",    "Tan",        "Tanh",      "ThresholdedRelu"};
  return node.domain().empty() && node.input_size() && node.output_size() && ops.count(node.op_type());
}

/// Shape inference goes forward: where it does not know a rank, what becomes of the value may tell.
void inferRanksBackward(GraphProto &graph) {
  std::unordered_map<std::string, ValueInfoProto *> infos;
  for (auto *list : {graph.mutable_value_info(), graph.mutable_output()})
    for (ValueInfoProto &info : *list)
      infos[info.name()] = &info;
  auto hasRank = [&](const std::string &name) {
    auto it = infos.find(name);
    return it != infos.end() && it->second->type().tensor_type().has_shape();
  };
  for (int i = graph.node_size(); i-- > 0;) {
    NodeProto &node = *graph.mutable_node(i);
    for (AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        inferRanksBackward(*attribute.mutable_g());
    if (!keepsShape(node) || !hasRank(node.output(0)) || hasRank(node.input(0)))
      continue;
    // A name that inference says nothing of may be one of the graph around this one.
    auto operand = infos.find(node.input(0));
    if (operand == infos.end() || !operand->second->type().has_tensor_type())
      continue;
    *operand->second->mutable_type()->mutable_tensor_type()->mutable_shape() =
        infos[node.output(0)]->type().tensor_type().shape();
  }
}

} // namespace

void convertToNewest(ModelProto &model) {
  OperatorSetIdProto *import = defaultImport(model);
  if (!import)
    return;
  auto from = int(import->version());
  if (from > newestOpset())
    throw std::runtime_error("ai.onnx opset " + std::to_string(from) + " is newer than the newest known, " +
                             std::to_string(newestOpset()));
  if (from == newestOpset())
    return;
  shape_inference::InferShapes(model);
  if (from < 13) {
    rewriteOldGraph(*model.mutable_graph(), from);
    OperatorSetIdProto &flat = *model.add_opset_import();
    flat.set_domain(kFlatDomain);
    flat.set_version(1);
  }
  Converter converter;
  // The converter forgets the functions and the metadata; the functions are inlined, the metadata is read before.
  ModelProto converted = converter.convert_version(model, OpSetID(from), OpSetID(newestOpset()));
  // What the model takes and gives is the user's to say.
  auto restore = [](auto &list, const auto &original) {
    for (ValueInfoProto &info : list)
      for (const ValueInfoProto &old : original)
        if (old.name() == info.name() && old.has_type())
          *info.mutable_type() = old.type();
  };
  restore(*converted.mutable_graph()->mutable_input(), model.graph().input());
  restore(*converted.mutable_graph()->mutable_output(), model.graph().output());
  model = std::move(converted);
}

Error modernize(ModelProto &model) {
  return guarded([&] {
    convertToNewest(model);
    shape_inference::InferShapes(model);
    inferRanksBackward(*model.mutable_graph());
  });
}

} // namespace hone::frontend::library
