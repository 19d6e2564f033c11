//===- GraphImporter.cpp - The nodes of one ONNX graph --------------------===//

#include "lib/Frontend/GraphImporter.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/Types.h"
#include "lib/Support/NodeLocation.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace hone::frontend;

/// Function bodies within function bodies; ONNX's own nest twice.
static constexpr unsigned kMaxExpansionDepth = 16;

GraphImporter::GraphImporter(ImportContext &shared, const onnx::GraphProto &graph, GraphImporter *parent,
                             std::optional<Location> outer)
    : shared(shared), graph(graph), parent(parent), outer(outer) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  auto addTypes = [&](const auto &list) {
    for (const onnx::ValueInfoProto &info : list)
      types[info.name()] = &info.type();
  };
  addTypes(graph.value_info());
  addTypes(graph.input());
  addTypes(graph.output());
}

Value GraphImporter::materialize(ElementsAttr value, Location loc) {
  OpBuilder::InsertionGuard guard(builder());
  if (shared.lastConstant)
    builder().setInsertionPointAfter(shared.lastConstant);
  else
    builder().setInsertionPointToStart(shared.entry);
  auto constant = graph::createChecked<graph::ConstantOp>(builder(), loc, value);
  if (!constant)
    return {};
  shared.lastConstant = constant;
  return constant.getResult();
}

Value GraphImporter::lookup(StringRef name) {
  if (name.empty())
    return {};
  if (auto it = values.find(name); it != values.end())
    return it->second;
  if (auto it = initializers.find(name); it != initializers.end()) {
    Location loc = NameLoc::get(builder().getStringAttr(escapeName(name)),
                                FileLineColLoc::get(shared.context, shared.file.path(), 0, 0));
    std::string error;
    ElementsAttr value = shared.tensors.read(*it->second, error);
    if (!value)
      emitError(outer ? *outer : loc) << error;
    return values[name] = value ? materialize(value, loc) : Value();
  }
  return parent ? parent->lookup(name) : Value();
}

void GraphImporter::bind(StringRef name, const Item &item) {
  if (isSequence(item))
    sequences.insert_or_assign(name, item);
  else
    bind(name, tensorOf(item));
}

Item GraphImporter::find(StringRef name) {
  const Item *sequence = lookupSequenceItem(name);
  return sequence ? *sequence : Item(lookup(name));
}

bool GraphImporter::isDefined(StringRef name) { return isDefinedHere(name) || (parent && parent->isDefined(name)); }

const onnx::TypeProto *GraphImporter::typeOf(StringRef name) {
  if (auto it = types.find(name); it != types.end())
    return it->second;
  return parent ? parent->typeOf(name) : nullptr;
}

/// Locations of the nodes. One that the converter or the inliner made belongs to the nearest node of the file
/// behind it, else before it.
SmallVector<Location> GraphImporter::nodeLocations() {
  SmallVector<Location> locations;
  const ModelFile &file = shared.file;
  if (parent || outer) {
    for (const onnx::NodeProto &node : graph.node()) {
      StringRef name = ModelFile::nameOf(node);
      auto around = outer ? dyn_cast<NameLoc>(*outer) : NameLoc();
      if (!around || name.empty() || shared.depth)
        locations.push_back(*outer);
      else
        locations.push_back(NameLoc::get(builder().getStringAttr(escapeName(name)), around.getChildLoc()));
    }
    return locations;
  }
  SmallVector<std::optional<unsigned>> origins;
  for (const onnx::NodeProto &node : graph.node())
    origins.push_back(file.originOf(node));
  for (size_t i = origins.size(); i-- > 1;)
    if (!origins[i - 1])
      origins[i - 1] = origins[i];
  for (auto [index, node] : llvm::enumerate(graph.node())) {
    if (!origins[index] && index)
      origins[index] = origins[index - 1];
    unsigned number = origins[index].value_or(unsigned(index));
    NodeOrigin origin = number < file.numOrigins() ? file.origin(number) : NodeOrigin{"", node.op_type()};
    locations.push_back(nodeLocation(shared.context, file.path(), number, origin.name, origin.opType));
  }
  return locations;
}

LogicalResult GraphImporter::importNodes() {
  SmallVector<Location> locations = nodeLocations();
  bool failedAny = false;
  for (auto [node, loc] : llvm::zip(graph.node(), locations))
    failedAny |= failed(importNode(node, loc));
  return failure(failedAny);
}

void GraphImporter::poisonOutputs(const onnx::NodeProto &node) {
  for (const std::string &output : node.output())
    if (!output.empty())
      poison(output);
}

LogicalResult GraphImporter::importNode(const onnx::NodeProto &node, Location loc) {
  if (node.domain() == library::kRefusedDomain) {
    poisonOutputs(node);
    return failure();
  }
  NodeBuilder nodeBuilder(*this, node, loc);
  auto fail = [&] {
    poisonOutputs(node);
    return failure();
  };
  // An operand that failed was reported where it failed.
  for (const std::string &name : node.input()) {
    if (name.empty() || lookup(name) || lookupSequenceItem(name))
      continue;
    if (!isDefined(name))
      (void)nodeBuilder.fail("operand '" + escapeName(name) + "' is not defined");
    return fail();
  }
  const OpRegistry::Entry *entry = OpRegistry::get().find(node.domain(), node.op_type());
  LogicalResult result = entry ? entry->import(nodeBuilder) : expand(nodeBuilder);
  if (failed(result) || nodeBuilder.failed()) {
    if (!nodeBuilder.failed())
      (void)nodeBuilder.fail("could not be imported");
    return fail();
  }
  for (const std::string &output : node.output())
    if (!output.empty() && !values.lookup(output) && !sequences.contains(output)) {
      (void)nodeBuilder.fail("output '" + escapeName(output) + "' is not supported");
      return fail();
    }
  for (const std::string &output : node.output())
    if (Value value = values.lookup(output); value && !isAddressable(cast<RankedTensorType>(value.getType()))) {
      (void)nodeBuilder.fail("output '" + escapeName(output) + "' of shape " +
                             describeShape(cast<RankedTensorType>(value.getType())) +
                             " is larger than can be addressed");
      return fail();
    }
  return success();
}

SmallVector<Value> GraphImporter::outputs(Location loc) {
  SmallVector<Value> result;
  for (auto [output, item] : llvm::zip(graph.output(), items(loc))) {
    if (isSequence(item))
      emitError(loc) << "output '" << escapeName(output.name()) << "' of a graph is a sequence, which is not supported";
    result.push_back(tensorOf(item));
  }
  return result;
}

SmallVector<Item> GraphImporter::items(Location loc) {
  SmallVector<Item> result;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    result.push_back(find(output.name()));
    if (!isSequence(result.back()) && !tensorOf(result.back()) && !isDefined(output.name()))
      emitError(loc) << "output '" << escapeName(output.name()) << "' of the graph is not defined";
  }
  return result;
}

bool GraphImporter::canExpand(const onnx::NodeProto &node) {
  return library::hasFunctionBody(node.domain(), node.op_type(), library::newestOpset());
}

LogicalResult GraphImporter::expand(NodeBuilder &node) {
  const onnx::NodeProto &proto = node.proto();
  std::string name = (proto.domain().empty() ? "" : escapeName(proto.domain()) + ".") + escapeName(proto.op_type());
  if (shared.depth >= kMaxExpansionDepth)
    return node.fail("operator " + name + " expands into itself");

  std::vector<onnx::TypeProto> types(size_t(proto.input_size()));
  SmallVector<Value> operands;
  for (int i = 0; i < proto.input_size(); ++i)
    if (Value value = node.input(unsigned(i))) {
      describeToOnnx(cast<RankedTensorType>(value.getType()), types[size_t(i)]);
      operands.push_back(value);
    }
  std::unique_ptr<onnx::GraphProto> body;
  std::string error = library::functionBody(proto, types, library::newestOpset(), body);
  if (!error.empty())
    return node.fail("operator " + name + ": " + error);
  if (!body)
    return node.fail("operator " + name + " is not supported");

  ++shared.depth;
  auto leave = llvm::scope_exit([&] { --shared.depth; });
  // The names of the body are its own: no parent.
  GraphImporter inner(shared, *body, nullptr, node.loc());
  for (auto [input, value] : llvm::zip(body->input(), operands))
    inner.bind(input.name(), value);
  if (failed(inner.importNodes())) {
    node.markFailed();
    return failure();
  }
  SmallVector<Value> results = inner.outputs(node.loc());
  unsigned next = 0;
  for (int i = 0; i < proto.output_size() && next < results.size(); ++i)
    if (node.wantsOutput(unsigned(i)))
      node.setOutput(unsigned(i), results[next++]);
  return success(!node.failed());
}
