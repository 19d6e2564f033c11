//===- ControlFlow.cpp - If, Loop, Scan -----------------------------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Generalizing carried types terminates: every step makes a dimension dynamic.
constexpr unsigned kMaxLoopAttempts = 64;

/// The type that holds values of both types; null when there is none.
RankedTensorType joinTypes(RankedTensorType a, RankedTensorType b) {
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape;
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
    shape.push_back(x == y ? x : ShapedType::kDynamic);
  return RankedTensorType::get(shape, a.getElementType());
}

std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

/// Imports `graph` at the insertion point; empty after a diagnostic.
std::optional<SmallVector<Value>> importBody(NodeBuilder &node, const onnx::GraphProto &graph, ValueRange arguments) {
  GraphImporter importer(node.graph().context(), graph, &node.graph(), node.loc());
  if (graph.input_size() != int(arguments.size())) {
    (void)node.fail("the body takes " + Twine(graph.input_size()) + " values, " + Twine(arguments.size()) +
                    " are given");
    return std::nullopt;
  }
  for (auto [input, argument] : llvm::zip(graph.input(), arguments))
    importer.bind(input.name(), argument);
  bool imported = succeeded(importer.importNodes());
  SmallVector<Value> results = importer.outputs(node.loc());
  if (!imported || llvm::is_contained(results, Value())) {
    node.markFailed();
    return std::nullopt;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Imports a branch into a region of its own.
std::optional<SmallVector<Value>> importBranch(NodeBuilder &node, const onnx::GraphProto &graph, Region &region) {
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

LogicalResult importKnownBranch(NodeBuilder &node, const onnx::GraphProto &graph) {
  auto results = importBody(node, graph, {});
  if (!results)
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    node.setOutput(unsigned(i), result);
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
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip(*thenValues, *elseValues)) {
    alignSingles(node, thenRegion, a, b);
    alignSingles(node, elseRegion, b, a);
    RankedTensorType joined = joinTypes(node.typeOf(a), node.typeOf(b));
    // One rank must be chosen: the squeezed one, which ends the run where there is more than it keeps.
    for (auto [graph, value, other] : {std::tuple(thenGraph, a, b), std::tuple(elseGraph, b, a)})
      if (!joined && squeezes(*graph, value, other)) {
        return importKnownBranch(node, *graph);
      }
    if (!joined)
      return node.fail("the branches give tensors of different kinds: " + text(a.getType()) + " and " +
                       text(b.getType()) + "; sizes that decide between them can be given with --dim");
    types.push_back(joined);
  }
  auto yield = [&](Region &region, ValueRange values) {
    OpBuilder::InsertionGuard guard(node.builder());
    node.builder().setInsertionPointToEnd(&region.front());
    graph::YieldOp::create(node.builder(), node.loc(), values);
  };
  yield(thenRegion, *thenValues);
  yield(elseRegion, *elseValues);
  auto op = graph::IfOp::create(node.builder(), node.loc(), types, condition);
  op.getThenRegion().takeBody(thenRegion);
  op.getElseRegion().takeBody(elseRegion);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    node.setOutput(unsigned(i), result);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What one trip computes, from the trip number and the carried values: the condition for another trip, the next
/// carried values, then the per-trip values.
using TripFn = llvm::function_ref<std::optional<SmallVector<Value>>(Value trip, ValueRange carried)>;

/// Imports `trip` as a region over carried values of `types`.
std::optional<SmallVector<Value>> importTrip(NodeBuilder &node, Region &region, ArrayRef<Type> types, TripFn trip) {
  OpBuilder::InsertionGuard guard(node.builder());
  SmallVector<Type> arguments{RankedTensorType::get({}, node.builder().getI64Type())};
  llvm::append_range(arguments, types);
  SmallVector<Location> locations(arguments.size(), node.loc());
  Block *block = node.builder().createBlock(&region, {}, arguments, locations);
  return trip(block->getArgument(0), ValueRange(block->getArguments()).drop_front());
}

/// Builds a loop whose carried types hold the initial and all later values. Null after a diagnostic.
graph::LoopOp buildLoop(NodeBuilder &node, Value trips, Value condition, ArrayRef<Value> inits, TripFn trip) {
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  Region region;
  std::optional<SmallVector<Value>> values;
  for (unsigned attempt = 0;; ++attempt) {
    values = importTrip(node, region, types, trip);
    if (!values)
      return nullptr;
    bool changed = false;
    for (size_t i = 0; i < types.size(); ++i) {
      auto before = cast<RankedTensorType>(types[i]), after = node.typeOf((*values)[i + 1]);
      RankedTensorType joined = joinTypes(before, after);
      if (!joined)
        return node.fail("carried value #" + Twine(i) + " changes its kind: " + text(before) + " to " + text(after)),
               nullptr;
      changed |= joined != before;
      types[i] = joined;
    }
    if (!changed)
      break;
    if (attempt == kMaxLoopAttempts)
      return node.fail("the shapes of the carried values do not settle"), nullptr;
    region.getBlocks().clear();
  }

  // Every trip runs when nothing can stop the loop early.
  auto count = node.constantInts(trips), first = node.constantInts(condition), again = node.constantInts((*values)[0]);
  bool runsAll = count && first && first->front() && again && again->front();
  for (Value stacked : ArrayRef<Value>(*values).drop_front(types.size() + 1)) {
    SmallVector<int64_t> shape{runsAll ? std::max<int64_t>(count->front(), 0) : ShapedType::kDynamic};
    llvm::append_range(shape, node.shapeOf(stacked));
    types.push_back(RankedTensorType::get(shape, node.elementOf(stacked)));
  }
  {
    OpBuilder::InsertionGuard guard(node.builder());
    node.builder().setInsertionPointToEnd(&region.front());
    graph::YieldOp::create(node.builder(), node.loc(), *values);
  }
  auto loop = graph::LoopOp::create(node.builder(), node.loc(), types, trips, condition, inits);
  loop.getBody().takeBody(region);
  return loop;
}

LogicalResult importLoop(NodeBuilder &node) {
  const onnx::GraphProto *body = node.getGraph("body");
  if (!body)
    return node.fail("has no body");
  Value limit = node.input(0), given = node.input(1);
  Value trips = limit ? node.cast(node.scalarOf(limit), node.builder().getI64Type()) : node.scalarI64(INT64_MAX);
  Value always = node.scalar(1, node.builder().getI1Type());
  Value condition = given ? node.scalarOf(given) : always;
  SmallVector<Value> inits;
  for (unsigned i = 2; i < node.numInputs(); ++i)
    inits.push_back(node.required(i));
  if (!trips || !condition || llvm::is_contained(inits, Value()))
    return failure();

  auto trip = [&](Value number, ValueRange carried) -> std::optional<SmallVector<Value>> {
    // A trip runs only when the condition holds.
    SmallVector<Value> arguments{number, always};
    llvm::append_range(arguments, carried);
    auto results = importBody(node, *body, arguments);
    if (!results)
      return std::nullopt;
    if (results->size() < inits.size() + 1) {
      (void)node.fail("the body gives " + Twine(results->size()) + " values for a condition and " +
                      Twine(inits.size()) + " carried ones");
      return std::nullopt;
    }
    results->front() = node.scalarOf(results->front());
    if (!results->front())
      return std::nullopt;
    return results;
  };
  graph::LoopOp loop = buildLoop(node, trips, condition, inits, trip);
  if (!loop)
    return failure();
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    node.setOutput(unsigned(i), result);
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
    auto results = node.failed() ? std::nullopt : importBody(node, *body, arguments);
    if (results)
      results->insert(results->begin(), always);
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
  registry.add("", "If", importIf, "tensors only");
  registry.add("", "Loop", importLoop, "tensors only");
  registry.add("", "Scan", importScan, "tensors only");
}
