//===- ControlFlow.cpp - If, Loop, Scan -----------------------------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/Loops.h"
#include "lib/Frontend/Ops/Pieces.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Imports `graph` at the insertion point; empty after a diagnostic.
std::optional<SmallVector<Item>> importBody(NodeBuilder &node, const onnx::GraphProto &graph,
                                            ArrayRef<Item> arguments) {
  GraphImporter importer(node.graph().context(), graph, &node.graph(), node.loc());
  if (graph.input_size() != int(arguments.size())) {
    (void)node.fail("the body takes " + Twine(graph.input_size()) + " values, " + Twine(arguments.size()) +
                    " are given");
    return std::nullopt;
  }
  for (auto [input, argument] : llvm::zip(graph.input(), arguments))
    importer.bind(input.name(), argument);
  bool imported = succeeded(importer.importNodes());
  SmallVector<Item> results = importer.items(node.loc());
  if (!imported || llvm::any_of(results, [](const Item &item) { return !isSequence(item) && !tensorOf(item); })) {
    node.markFailed();
    return std::nullopt;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Imports a branch into a region of its own.
std::optional<SmallVector<Item>> importBranch(NodeBuilder &node, const onnx::GraphProto &graph, Region &region) {
  OpBuilder::InsertionGuard guard(node.builder());
  node.builder().createBlock(&region);
  return importBody(node, graph, {});
}

/// Gives `value`, computed in `region`, the rank of `other` when both hold one element and `other`'s rank is larger.
void alignSingles(NodeBuilder &node, Region &region, Value &value, Value other) {
  auto isSingle = [&](Value v) { return node.typeOf(v).hasStaticShape() && node.typeOf(v).getNumElements() == 1; };
  if (node.rankOf(value) >= node.rankOf(other) || !isSingle(value) || !isSingle(other))
    return;
  OpBuilder::InsertionGuard guard(node.builder());
  node.builder().setInsertionPointToEnd(&region.front());
  value = node.reshapeTo(value, node.shapeOf(other));
}

/// The node of `graph` that gives its first output, or null.
const onnx::NodeProto *lastNode(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &inner : graph.node())
    if (graph.output_size() == 1 && llvm::is_contained(inner.output(), graph.output(0).name()))
      return &inner;
  return nullptr;
}

/// Whether `graph` squeezes `other`'s result `kept`: how exporters write a squeeze of an extent they do not know.
bool squeezes(const onnx::GraphProto &graph, Value squeezed, Value kept) {
  const onnx::NodeProto *last = lastNode(graph);
  auto reshape = squeezed.getDefiningOp<graph::ReshapeOp>();
  return last && last->op_type() == "Squeeze" && last->domain().empty() && reshape && reshape.getInput() == kept;
}

/// Appends the tensors of `item`, computed in `region`, in `form`.
bool flatten(NodeBuilder &node, Region &region, const Item &item, const Form &form, SmallVector<Value> &tensors) {
  OpBuilder::InsertionGuard guard(node.builder());
  node.builder().setInsertionPointToEnd(&region.front());
  auto values = toTensors(node, item, form);
  if (values)
    llvm::append_range(tensors, *values);
  return values.has_value();
}

LogicalResult importKnownBranch(NodeBuilder &node, const onnx::GraphProto &graph) {
  auto results = importBody(node, graph, {});
  if (!results)
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    setItem(node, unsigned(i), result);
  return success(!node.failed());
}

LogicalResult importIf(NodeBuilder &node) {
  Value condition = node.scalarOf(node.required(0));
  const onnx::GraphProto *thenGraph = node.getGraph("then_branch"), *elseGraph = node.getGraph("else_branch");
  if (!condition || !thenGraph || !elseGraph)
    return node.fail("needs a condition and two branches");
  if (auto known = node.constantInts(condition))
    return importKnownBranch(node, known->front() ? *thenGraph : *elseGraph);

  Region thenRegion, elseRegion;
  auto thenValues = importBranch(node, *thenGraph, thenRegion), elseValues = importBranch(node, *elseGraph, elseRegion);
  if (!thenValues || !elseValues)
    return failure();
  if (thenValues->size() != elseValues->size())
    return node.fail("the branches give " + Twine(thenValues->size()) + " and " + Twine(elseValues->size()) +
                     " values");
  SmallVector<Form> forms;
  SmallVector<Value> thenTensors, elseTensors;
  SmallVector<Type> types;
  for (auto [i, thenItem, elseItem] : llvm::enumerate(*thenValues, *elseValues)) {
    if (!isSequence(thenItem) && !isSequence(elseItem)) {
      Value a = tensorOf(thenItem), b = tensorOf(elseItem);
      alignSingles(node, thenRegion, a, b);
      alignSingles(node, elseRegion, b, a);
      // One rank must be chosen: the one that the model tells.
      bool joins = bool(joinTypes(node.typeOf(a), node.typeOf(b)));
      auto declared = joins ? std::nullopt : node.declaredShape(unsigned(i));
      if (declared && node.rankOf(a) != node.rankOf(b))
        for (auto [graph, value] : {std::pair(thenGraph, a), std::pair(elseGraph, b)})
          if (node.rankOf(value) == int64_t(declared->size()))
            return importKnownBranch(node, *graph);
      // Else the squeezed one, which ends the run where there is more than it keeps.
      for (auto [graph, value, other] : {std::tuple(thenGraph, a, b), std::tuple(elseGraph, b, a)})
        if (!joins && squeezes(*graph, value, other))
          return importKnownBranch(node, *graph);
      thenItem = a;
      elseItem = b;
    }
    StringRef name = node.wantsOutput(unsigned(i)) ? StringRef(node.proto().output(int(i))) : StringRef();
    auto form = commonForm(node, thenItem, elseItem, findJoin(node.graph().proto(), name));
    if (!form || !flatten(node, thenRegion, thenItem, *form, thenTensors) ||
        !flatten(node, elseRegion, elseItem, *form, elseTensors))
      return failure();
    forms.push_back(*form);
    for (size_t k = types.size(); k < thenTensors.size(); ++k) {
      Value a = thenTensors[k], b = elseTensors[k];
      types.push_back(joinTypes(node.typeOf(a), node.typeOf(b)));
      if (!types.back())
        return node.fail("the branches give tensors of different kinds: " + describe(a.getType()) + " and " +
                         describe(b.getType()) + "; sizes that decide between them can be given with --dim");
    }
  }
  auto yield = [&](Region &region, ValueRange values) {
    OpBuilder::InsertionGuard guard(node.builder());
    node.builder().setInsertionPointToEnd(&region.front());
    graph::YieldOp::create(node.builder(), node.loc(), values);
  };
  yield(thenRegion, thenTensors);
  yield(elseRegion, elseTensors);
  auto op = graph::IfOp::create(node.builder(), node.loc(), types, condition);
  op.getThenRegion().takeBody(thenRegion);
  op.getElseRegion().takeBody(elseRegion);
  ValueRange results = op.getResults();
  for (auto [i, form] : llvm::enumerate(forms)) {
    setItem(node, unsigned(i), fromTensors(form, results.take_front(form.numTensors())));
    results = results.drop_front(form.numTensors());
  }
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// How often nodes of `graph`, and results of those within, read `name`.
int numUses(const onnx::GraphProto &graph, StringRef name) {
  int count = 0;
  for (const onnx::NodeProto &node : graph.node()) {
    count += int(llvm::count(node.input(), name));
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g()) {
        count += numUses(attribute.g(), name);
        for (const onnx::ValueInfoProto &output : attribute.g().output())
          count += StringRef(output.name()) == name;
      }
  }
  return count;
}

/// Whether all that `body` does with state `i` is to append one element.
bool onlyAppends(const onnx::GraphProto &body, int i) {
  if (i + 2 >= body.input_size() || i + 1 >= body.output_size())
    return false;
  const std::string &before = body.input(i + 2).name(), &after = body.output(i + 1).name();
  auto inserts = [&](const onnx::NodeProto &node) {
    return node.op_type() == "SequenceInsert" && node.domain().empty() && node.output_size() == 1 &&
           node.output(0) == after && node.input_size() >= 2 && node.input(0) == before &&
           (node.input_size() == 2 || node.input(2).empty());
  };
  auto isState = [&](const onnx::ValueInfoProto &output) { return output.name() == before || output.name() == after; };
  return numUses(body, before) == 1 && numUses(body, after) == 0 && llvm::count_if(body.output(), isState) == 1 &&
         llvm::any_of(body.node(), inserts);
}

LogicalResult importLoop(NodeBuilder &node) {
  const onnx::GraphProto *body = node.getGraph("body");
  if (!body)
    return node.fail("has no body");
  Value limit = node.input(0), given = node.input(1);
  Value trips = limit ? node.cast(node.scalarOf(limit), node.builder().getI64Type()) : node.scalarI64(INT64_MAX);
  Value always = node.scalar(1, node.builder().getI1Type());
  Value condition = given ? node.scalarOf(given) : always;
  SmallVector<State> states;
  for (unsigned i = 2; i < node.numInputs(); ++i) {
    std::string output = i - 2 < node.numOutputs() ? node.proto().output(int(i - 2)) : "";
    states.push_back({requiredItem(node, i), output, onlyAppends(*body, int(i - 2))});
  }
  if (!trips || !condition || node.failed())
    return failure();

  auto trip = [&](Value number, ArrayRef<Item> carried) -> std::optional<SmallVector<Item>> {
    // A trip runs only when the condition holds.
    SmallVector<Item> arguments{number, always};
    llvm::append_range(arguments, carried);
    auto results = importBody(node, *body, arguments);
    if (!results)
      return std::nullopt;
    if (results->size() < states.size() + 1) {
      (void)node.fail("the body gives " + Twine(results->size()) + " values for a condition and " +
                      Twine(states.size()) + " carried ones");
      return std::nullopt;
    }
    results->front() = node.scalarOf(tensorOf(results->front()));
    if (!tensorOf(results->front()))
      return std::nullopt;
    return results;
  };
  auto results = buildItemLoop(node, trips, condition, states, trip);
  if (!results)
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    setItem(node, unsigned(i), result);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// The attributes of Scan, one entry per scanned input or output.
struct ScanAttributes {
  SmallVector<int64_t> inputAxes, inputDirections, outputAxes, outputDirections;
};

std::optional<ScanAttributes> readScan(NodeBuilder &node, size_t scanned, size_t stacked) {
  ScanAttributes result;
  auto read = [&](StringRef name, size_t count, SmallVector<int64_t> &values) {
    values = node.getInts(name).value_or(SmallVector<int64_t>(count, 0));
    if (values.size() == count)
      return true;
    (void)node.fail("attribute '" + name + "' has " + Twine(values.size()) + " entries, " + Twine(count) +
                    " are needed");
    return false;
  };
  if (!read("scan_input_axes", scanned, result.inputAxes) ||
      !read("scan_input_directions", scanned, result.inputDirections) ||
      !read("scan_output_axes", stacked, result.outputAxes) ||
      !read("scan_output_directions", stacked, result.outputDirections))
    return std::nullopt;
  return result;
}

LogicalResult importScan(NodeBuilder &node) {
  const onnx::GraphProto *body = node.getGraph("body");
  int64_t scanned = node.getInt("num_scan_inputs", 0), numInputs = node.numInputs();
  if (!body || scanned < 1 || scanned > numInputs)
    return node.fail("needs a body and at least one input to scan");
  size_t states = size_t(numInputs - scanned);
  if (body->output_size() < int(states))
    return node.fail("the body gives fewer values than there are states");
  auto attributes = readScan(node, size_t(scanned), size_t(body->output_size()) - states);
  if (!attributes)
    return failure();

  SmallVector<Value> inits, inputs;
  for (unsigned i = 0; i < numInputs; ++i)
    (i < states ? inits : inputs).push_back(node.required(i));
  if (node.failed())
    return failure();
  SmallVector<Value> lengths;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto axis = node.normalizeAxis(attributes->inputAxes[i], node.rankOf(input));
    if (!axis)
      return failure();
    attributes->inputAxes[i] = *axis;
    lengths.push_back(node.scalarOf(node.dim(input, *axis)));
  }
  Value always = node.scalar(1, node.builder().getI1Type()), one = node.scalarI64(1);

  auto trip = [&](Value number, ValueRange carried) -> std::optional<SmallVector<Value>> {
    SmallVector<Value> arguments(carried);
    for (auto [i, input] : llvm::enumerate(inputs)) {
      Value index = attributes->inputDirections[i] ? node.sub(node.sub(lengths[i], one), number) : number;
      arguments.push_back(node.gather(input, index, attributes->inputAxes[i]));
    }
    auto items = node.failed() ? std::nullopt : importBody(node, *body, llvm::to_vector_of<Item>(arguments));
    if (!items)
      return std::nullopt;
    SmallVector<Value> results{always};
    for (const Item &item : *items) {
      if (isSequence(item))
        return (void)node.fail("the body gives a sequence, which is not supported here"), std::nullopt;
      results.push_back(tensorOf(item));
    }
    return results;
  };
  graph::LoopOp loop = buildLoop(node, lengths[0], always, inits, trip);
  if (!loop)
    return failure();
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    Value value = result;
    if (i >= states) {
      size_t k = i - states;
      int64_t rank = node.rankOf(value);
      auto axis = node.normalizeAxis(attributes->outputAxes[k], rank);
      if (!axis)
        return failure();
      if (attributes->outputDirections[k])
        value = node.slice(value, {-1}, {INT64_MIN}, {-1}, {0});
      SmallVector<int64_t> perm;
      for (int64_t d = 1; d < rank; ++d)
        perm.push_back(d);
      perm.insert(perm.begin() + *axis, 0);
      value = node.transpose(value, perm);
    }
    node.setOutput(unsigned(i), value);
  }
  return success(!node.failed());
}

} // namespace

void frontend::registerControlFlow(OpRegistry &registry) {
  registry.add("", "If", importIf);
  registry.add("", "Loop", importLoop);
  registry.add("", "Scan", importScan, "tensors only");
}
