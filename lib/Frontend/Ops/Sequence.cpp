//===- Sequence.cpp - Sequences as lists of values ------------------------===//
//
// A sequence exists while importing only: as a list of values, whose length and positions must be known then, or as the
// pieces of a tensor, which need not be.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/ShapeMath.h"
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

/// Input `i` as pieces of a tensor, if that is what it is.
const Pieces *pieces(NodeBuilder &node, unsigned i) {
  return i < node.numInputs() ? node.graph().lookupPieces(node.proto().input(int(i))) : nullptr;
}

/// How many pieces there are, a vector of one.
Value count(NodeBuilder &node, const Pieces &sequence) {
  ShapeMath math(node);
  return math.sub(math.dim(sequence.offsets, 0), math.number(1));
}

/// The piece at `position`, which counts from the end where it is negative.
Value pieceAt(NodeBuilder &node, const Pieces &sequence, Value position) {
  ShapeMath math(node);
  Value at = node.cast(node.scalarOf(position), node.builder().getI64Type());
  if (sequence.dropsAxis)
    return node.gather(sequence.whole, at, sequence.axis);
  Value zero = node.scalarI64(0), length = node.scalarOf(count(node, sequence));
  at = node.vectorOf(node.select(node.compare(graph::Predicate::Lt, at, zero), node.add(at, length), at));
  Value begin = node.gather(sequence.offsets, at, 0),
        end = node.gather(sequence.offsets, math.add(at, math.number(1)), 0);
  return node.make<graph::SliceOp>(sequence.whole, begin, end, math.number(1), SmallVector<int64_t>{sequence.axis});
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
  if (const Pieces *sequence = pieces(node, 0)) {
    node.setOutput(0, pieceAt(node, *sequence, node.required(1)));
    return success(!node.failed());
  }
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
  if (const Pieces *sequence = pieces(node, 0)) {
    node.setOutput(0, node.scalarOf(count(node, *sequence)));
    return success(!node.failed());
  }
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

/// Pieces joined along the dimension they were cut along are the whole.
LogicalResult joinPieces(NodeBuilder &node, const Pieces &sequence) {
  bool isNew = node.getInt("new_axis", 0) != 0;
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(sequence.whole) - sequence.dropsAxis + isNew);
  if (!axis)
    return failure();
  if (*axis != sequence.axis || isNew != sequence.dropsAxis)
    return node.fail("the length of the sequence must be known at compile time");
  node.setOutput(0, sequence.whole);
  return success(!node.failed());
}

LogicalResult importConcatFromSequence(NodeBuilder &node) {
  if (const Pieces *sequence = pieces(node, 0))
    return joinPieces(node, *sequence);
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

/// Extents of the pieces of `extent` elements as far as they are known.
std::optional<SmallVector<int64_t>> pieceSizes(NodeBuilder &node, Value split, int64_t extent) {
  auto known = split ? node.constantInts(split) : SmallVector<int64_t>{1};
  if (!known || (split && node.rankOf(split) == 1))
    return known;
  int64_t chunk = known->front();
  if (extent < 0 || chunk < 1 || extent / chunk > kMaxElements)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (int64_t done = 0; done < extent; done += chunk)
    sizes.push_back(std::min(chunk, extent - done));
  return sizes;
}

/// As many pieces as a run says.
Pieces splitInRun(NodeBuilder &node, Value x, int64_t axis, Value split, bool drops) {
  ShapeMath math(node);
  Value extent = math.dim(x, axis), zero = math.number(0), one = math.number(1);
  if (!split || node.rankOf(split) == 0) {
    Value chunk = split ? math.integers(split) : one;
    Value count = math.div(math.sub(math.add(extent, chunk), one), chunk);
    return {x, axis, math.min(math.mul(math.range(math.add(count, one)), chunk), extent), drops};
  }
  Value sizes = math.integers(split);
  Value ends = node.make<graph::ScanOp>(graph::ScanKind::Add, sizes, 0, /*exclusive=*/false, /*reverse=*/false);
  // A run checks that the pieces are all there is.
  SmallVector<Value> shape;
  for (int64_t d = 0; d < node.rankOf(x); ++d)
    shape.push_back(d == axis ? node.reduce(graph::ReduceKind::Sum, sizes, {0}, /*keepDims=*/true) : math.dim(x, d));
  return {node.reshape(x, math.concat(shape)), axis, math.concat({zero, ends}), drops};
}

LogicalResult importSplitToSequence(NodeBuilder &node) {
  Value x = node.required(0), split = node.input(1);
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(x));
  if (!x || !axis)
    return failure();
  bool drops = !split && !node.getInt("keepdims", 1);
  int64_t extent = node.shapeOf(x)[*axis];
  auto sizes = pieceSizes(node, split, extent);
  if (!sizes) {
    if (auto chunk = node.constantInts(split); chunk && chunk->front() < 1)
      return node.fail("pieces have at least one element, not " + Twine(chunk->front()));
    Pieces pieces = splitInRun(node, x, *axis, split, drops);
    if (node.failed())
      return failure();
    if (node.wantsOutput(0))
      node.graph().bindPieces(node.proto().output(0), pieces);
    return success();
  }
  SmallVector<Value> elements;
  int64_t at = 0;
  for (int64_t size : *sizes) {
    if (size < 0)
      return node.fail("a piece has a negative size");
    Value piece = node.slice(x, at, at + size, *axis);
    elements.push_back(drops ? node.squeeze(piece, {*axis}) : piece);
    at += size;
  }
  if (extent >= 0 && at != extent)
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
  constexpr llvm::StringLiteral pieceNote = "lengths and positions known while importing, but for pieces of a tensor";
  registry.add("", "SequenceConstruct", importSequenceConstruct, note);
  registry.add("", "SequenceEmpty", importSequenceEmpty, note);
  registry.add("", "SequenceAt", importSequenceAt, pieceNote);
  registry.add("", "SequenceLength", importSequenceLength, pieceNote);
  registry.add("", "SequenceInsert", importSequenceInsert, note);
  registry.add("", "SequenceErase", importSequenceErase, note);
  registry.add("", "ConcatFromSequence", importConcatFromSequence, pieceNote);
  registry.add("", "SplitToSequence", importSplitToSequence);
  registry.add("", "SequenceMap", importSequenceMap, note);
}
