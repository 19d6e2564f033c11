//===- Sequence.cpp - Sequences as lists of values ------------------------===//
//
// A sequence exists while importing only. Lengths and positions must be known then.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Pieces a tensor is split into; each becomes ops.
constexpr int64_t kMaxElements = 1 << 16;

/// Input `i` as a sequence; nullopt after a diagnostic.
std::optional<SmallVector<Value>> requiredSequence(NodeBuilder &node, unsigned i) {
  if (const SmallVector<Value> *elements = node.sequence(i))
    return *elements;
  (void)node.fail("input #" + Twine(i) + " is not a sequence that is known while importing");
  return std::nullopt;
}

/// A position from input `i`, counted from 0, in [0, limit); `fallback` when the input is absent.
std::optional<int64_t> position(NodeBuilder &node, unsigned i, int64_t limit, int64_t size, int64_t fallback) {
  int64_t at = fallback;
  if (Value given = node.input(i)) {
    auto known = node.constantInts(given);
    if (!known || known->size() != 1) {
      (void)node.fail("the position must be known at compile time");
      return std::nullopt;
    }
    at = known->front() < 0 ? known->front() + size : known->front();
  }
  if (at >= 0 && at < limit)
    return at;
  (void)node.fail("the position is out of range for a sequence of " + Twine(size) + " elements");
  return std::nullopt;
}

LogicalResult importSequenceConstruct(NodeBuilder &node) {
  SmallVector<Value> elements;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    elements.push_back(node.required(i));
  node.setSequence(0, elements);
  return success(!node.failed());
}

LogicalResult importSequenceEmpty(NodeBuilder &node) {
  node.setSequence(0, {});
  return success();
}

LogicalResult importSequenceAt(NodeBuilder &node) {
  auto elements = requiredSequence(node, 0);
  if (!elements)
    return failure();
  int64_t size = int64_t(elements->size());
  auto at = position(node, 1, size, size, -1);
  if (!at)
    return failure();
  node.setOutput(0, (*elements)[size_t(*at)]);
  return success(!node.failed());
}

LogicalResult importSequenceLength(NodeBuilder &node) {
  auto elements = requiredSequence(node, 0);
  if (!elements)
    return failure();
  node.setOutput(0, node.scalarI64(int64_t(elements->size())));
  return success(!node.failed());
}

LogicalResult importSequenceInsert(NodeBuilder &node) {
  auto elements = requiredSequence(node, 0);
  Value added = node.required(1);
  if (!elements || !added)
    return failure();
  int64_t size = int64_t(elements->size());
  auto at = position(node, 2, size + 1, size, size);
  if (!at)
    return failure();
  elements->insert(elements->begin() + *at, added);
  node.setSequence(0, *elements);
  return success(!node.failed());
}

LogicalResult importSequenceErase(NodeBuilder &node) {
  auto elements = requiredSequence(node, 0);
  if (!elements)
    return failure();
  int64_t size = int64_t(elements->size());
  auto at = position(node, 1, size, size, size - 1);
  if (!at)
    return failure();
  elements->erase(elements->begin() + *at);
  node.setSequence(0, *elements);
  return success(!node.failed());
}

LogicalResult importConcatFromSequence(NodeBuilder &node) {
  auto elements = requiredSequence(node, 0);
  if (!elements)
    return failure();
  if (elements->empty())
    return node.fail("the sequence is empty");
  bool isNew = node.getInt("new_axis", 0) != 0;
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(elements->front()) + isNew);
  if (!axis)
    return failure();
  if (isNew)
    for (Value &element : *elements)
      element = node.unsqueeze(element, {*axis});
  node.setOutput(0, node.concat(*elements, *axis));
  return success(!node.failed());
}

/// Extents of the pieces along `axis`; nullopt after a diagnostic.
std::optional<SmallVector<int64_t>> pieceSizes(NodeBuilder &node, Value x, int64_t axis) {
  auto refuse = [&](const Twine &message) {
    (void)node.fail(message);
    return std::nullopt;
  };
  int64_t extent = node.shapeOf(x)[axis];
  Value split = node.input(1);
  auto known = split ? node.constantInts(split) : SmallVector<int64_t>{1};
  if (!known)
    return refuse("the split must be known at compile time");
  bool isChunk = !split || node.rankOf(split) == 0;
  if (!isChunk) {
    if (llvm::any_of(*known, [](int64_t size) { return size < 0; }))
      return refuse("a piece has a negative size");
    return known;
  }
  int64_t chunk = known->front();
  if (extent < 0 || chunk < 1 || extent / chunk > kMaxElements)
    return refuse("the number of pieces must be known at compile time");
  SmallVector<int64_t> sizes;
  for (int64_t done = 0; done < extent; done += chunk)
    sizes.push_back(std::min(chunk, extent - done));
  return sizes;
}

LogicalResult importSplitToSequence(NodeBuilder &node) {
  Value x = node.required(0);
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(x));
  if (!x || !axis)
    return failure();
  auto sizes = pieceSizes(node, x, *axis);
  if (!sizes)
    return failure();
  bool drops = !node.hasInput(1) && !node.getInt("keepdims", 1);
  SmallVector<Value> elements;
  int64_t at = 0;
  for (int64_t size : *sizes) {
    Value piece = node.slice(x, at, at + size, *axis);
    elements.push_back(drops ? node.squeeze(piece, {*axis}) : piece);
    at += size;
  }
  if (int64_t extent = node.shapeOf(x)[*axis]; extent >= 0 && at != extent)
    return node.fail("the pieces add up to " + Twine(at) + ", the dimension has " + Twine(extent));
  node.setSequence(0, elements);
  return success(!node.failed());
}

/// One copy of the body per element.
LogicalResult importSequenceMap(NodeBuilder &node) {
  auto first = requiredSequence(node, 0);
  const onnx::GraphProto *body = node.getGraph("body");
  if (!first || !body)
    return failure();
  if (body->input_size() != int(node.numInputs()))
    return node.fail("the body takes " + Twine(body->input_size()) + " values for " + Twine(node.numInputs()) +
                     " inputs");
  SmallVector<SmallVector<Value>> results(node.numOutputs());
  for (size_t k = 0; k < first->size(); ++k) {
    GraphImporter importer(node.graph().context(), *body, &node.graph(), node.loc());
    for (unsigned i = 0; i < node.numInputs(); ++i) {
      const SmallVector<Value> *elements = node.sequence(i);
      if (elements && elements->size() != first->size())
        return node.fail("the sequences have different lengths");
      importer.bind(body->input(int(i)).name(), elements ? (*elements)[k] : node.required(i));
    }
    bool imported = succeeded(importer.importNodes());
    SmallVector<Value> values = importer.outputs(node.loc());
    if (!imported || llvm::is_contained(values, Value()) || values.size() < results.size()) {
      node.markFailed();
      return failure();
    }
    for (size_t i = 0; i < results.size(); ++i)
      results[i].push_back(values[i]);
  }
  for (auto [i, elements] : llvm::enumerate(results))
    node.setSequence(unsigned(i), elements);
  return success(!node.failed());
}

} // namespace

void frontend::registerSequence(OpRegistry &registry) {
  constexpr llvm::StringLiteral note = "lengths and positions known while importing";
  registry.add("", "SequenceConstruct", importSequenceConstruct, note);
  registry.add("", "SequenceEmpty", importSequenceEmpty, note);
  registry.add("", "SequenceAt", importSequenceAt, note);
  registry.add("", "SequenceLength", importSequenceLength, note);
  registry.add("", "SequenceInsert", importSequenceInsert, note);
  registry.add("", "SequenceErase", importSequenceErase, note);
  registry.add("", "ConcatFromSequence", importConcatFromSequence, note);
  registry.add("", "SplitToSequence", importSplitToSequence, note);
  registry.add("", "SequenceMap", importSequenceMap, note);
}
