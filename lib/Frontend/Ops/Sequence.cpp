//===- Sequence.cpp - Sequences as lists of values ------------------------===//
//
// A sequence exists while importing only: as a list of values, or as the pieces of a tensor, whose number and positions
// need not be known then.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/Loops.h"
#include "lib/Frontend/Ops/Pieces.h"
#include "lib/Frontend/Ops/ShapeMath.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Pieces a tensor is split into; each becomes ops.
constexpr int64_t kMaxElements = 1 << 16;

/// Input #0, which must be a sequence; nullopt after a diagnostic.
std::optional<Item> requiredSequence(NodeBuilder &node) {
  Item item = itemOf(node, 0);
  if (isSequence(item))
    return item;
  (void)node.fail("input #0 is not a sequence");
  return std::nullopt;
}

/// Whether input `i`, a position, must be known while importing, and is not.
bool isUnknown(NodeBuilder &node, unsigned i) { return node.hasInput(i) && !node.constantInts(node.input(i)); }

/// A known position from input `i`, counted from 0, in [0, limit); `fallback` when the input is absent.
std::optional<int64_t> position(NodeBuilder &node, unsigned i, int64_t limit, int64_t size, int64_t fallback) {
  int64_t at = fallback;
  if (auto known = node.constantInts(node.input(i)); known && known->size() == 1)
    at = known->front() < 0 ? known->front() + size : known->front();
  if (at >= 0 && at < limit)
    return at;
  (void)node.fail("the position is out of range for a sequence of " + Twine(size) + " elements");
  return std::nullopt;
}

/// Input #0 as pieces where its length, or the position of input `i`, is not known while importing; nullopt where
/// both are, or after a diagnostic.
std::optional<Pieces> runTimePieces(NodeBuilder &node, const Item &sequence, unsigned i, Value added = {}) {
  if (const auto *pieces = std::get_if<Pieces>(&sequence))
    return *pieces;
  return isUnknown(node, i) ? toPieces(node, std::get<Elements>(sequence), node.typeOf(added)) : std::nullopt;
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
  auto sequence = requiredSequence(node);
  Value at = node.required(1);
  if (!sequence || !at)
    return failure();
  if (auto pieces = runTimePieces(node, *sequence, 1)) {
    node.setOutput(0, pieceAt(node, *pieces, at));
  } else if (!node.failed()) {
    const Elements &elements = std::get<Elements>(*sequence);
    int64_t size = int64_t(elements.size());
    if (auto known = position(node, 1, size, size, -1))
      node.setOutput(0, elements[size_t(*known)]);
  }
  return success(!node.failed());
}

LogicalResult importSequenceLength(NodeBuilder &node) {
  auto sequence = requiredSequence(node);
  if (!sequence)
    return failure();
  if (const auto *pieces = std::get_if<Pieces>(&*sequence))
    node.setOutput(0, node.scalarOf(count(node, *pieces)));
  else
    node.setOutput(0, node.scalarI64(int64_t(std::get<Elements>(*sequence).size())));
  return success(!node.failed());
}

LogicalResult importSequenceInsert(NodeBuilder &node) {
  auto sequence = requiredSequence(node);
  Value added = node.required(1);
  if (!sequence || !added)
    return failure();
  if (auto pieces = runTimePieces(node, *sequence, 2, added)) {
    if (auto longer = insertPiece(node, *pieces, added, node.input(2)))
      setItem(node, 0, *longer);
  } else if (!node.failed()) {
    Elements elements = std::get<Elements>(*sequence);
    int64_t size = int64_t(elements.size());
    if (auto at = position(node, 2, size + 1, size, size)) {
      elements.insert(elements.begin() + *at, added);
      node.setSequence(0, elements);
    }
  }
  return success(!node.failed());
}

LogicalResult importSequenceErase(NodeBuilder &node) {
  auto sequence = requiredSequence(node);
  if (!sequence)
    return failure();
  if (auto pieces = runTimePieces(node, *sequence, 1)) {
    setItem(node, 0, erasePiece(node, *pieces, node.input(1)));
  } else if (!node.failed()) {
    Elements elements = std::get<Elements>(*sequence);
    int64_t size = int64_t(elements.size());
    if (auto at = position(node, 1, size, size, size - 1)) {
      elements.erase(elements.begin() + *at);
      node.setSequence(0, elements);
    }
  }
  return success(!node.failed());
}

LogicalResult importConcatFromSequence(NodeBuilder &node) {
  auto sequence = requiredSequence(node);
  if (!sequence)
    return failure();
  bool isNew = node.getInt("new_axis", 0) != 0;
  if (const auto *pieces = std::get_if<Pieces>(&*sequence)) {
    node.setOutput(0, joinPieces(node, *pieces, {node.getInt("axis", 0), isNew}));
    return success(!node.failed());
  }
  Elements elements = std::get<Elements>(*sequence);
  if (elements.empty())
    return node.fail("the sequence is empty");
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(elements.front()) + isNew);
  if (!axis)
    return failure();
  if (isNew)
    for (Value &element : elements)
      element = node.unsqueeze(element, {*axis});
  node.setOutput(0, node.concat(elements, *axis));
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
  if (drops)
    return {x, axis, {}, true, 1};
  Value extent = math.dim(x, axis), zero = math.number(0), one = math.number(1);
  if (!split || node.rankOf(split) == 0) {
    Value chunk = split ? math.integers(split) : one;
    Value count = math.div(math.sub(math.add(extent, chunk), one), chunk);
    auto known = node.constantInts(chunk);
    return {x, axis, math.min(math.mul(math.range(math.add(count, one)), chunk), extent), false,
            known ? known->front() : -1};
  }
  Value sizes = math.integers(split);
  Value ends = node.make<graph::ScanOp>(graph::ScanKind::Add, sizes, 0, /*exclusive=*/false, /*reverse=*/false);
  // A run checks that the pieces are all there is.
  SmallVector<Value> shape;
  for (int64_t d = 0; d < node.rankOf(x); ++d)
    shape.push_back(d == axis ? node.reduce(graph::ReduceKind::Sum, sizes, {0}, /*keepDims=*/true) : math.dim(x, d));
  return {node.reshape(x, math.concat(shape)), axis, math.concat({zero, ends}), false};
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
    setItem(node, 0, pieces);
    return success(!node.failed());
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

/// The results of SequenceMap's body for one element of each input that is a sequence; nullopt after a diagnostic.
std::optional<SmallVector<Value>> mapElement(NodeBuilder &node, const onnx::GraphProto &body,
                                             llvm::function_ref<Value(const Item &)> elementOf) {
  GraphImporter importer(node.graph().context(), body, &node.graph(), node.loc());
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    Item item = requiredItem(node, i);
    Value value = isSequence(item) ? elementOf(item) : tensorOf(item);
    if (!value)
      return std::nullopt;
    importer.bind(body.input(int(i)).name(), value);
  }
  bool imported = succeeded(importer.importNodes());
  SmallVector<Value> values = importer.outputs(node.loc());
  if (imported && !llvm::is_contained(values, Value()))
    return values;
  node.markFailed();
  return std::nullopt;
}

/// A loop over as many elements as a run says.
LogicalResult mapInRun(NodeBuilder &node, const onnx::GraphProto &body) {
  // The first sequence says how many; a run ends where another has fewer.
  SmallVector<Pieces> sequences;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    Item item = requiredItem(node, i);
    if (!isSequence(item))
      continue;
    const auto *pieces = std::get_if<Pieces>(&item);
    auto made = pieces ? *pieces : toPieces(node, std::get<Elements>(item));
    if (!made)
      return failure();
    sequences.push_back(*made);
  }
  SmallVector<State> states;
  for (const std::string &output : node.proto().output())
    states.push_back({Elements(), output, /*isAppended=*/true});
  Value always = node.scalar(1, node.builder().getI1Type());
  auto trip = [&](Value number, ArrayRef<Item> carried) -> std::optional<SmallVector<Item>> {
    size_t next = 0;
    auto values = mapElement(node, body, [&](const Item &) { return pieceAt(node, sequences[next++], number); });
    if (!values)
      return std::nullopt;
    SmallVector<Item> results{always};
    for (auto [item, value] : llvm::zip(carried, *values)) {
      const auto *pieces = std::get_if<Pieces>(&item);
      if (!pieces) {
        results.push_back(Elements(std::get<Elements>(item)));
        std::get<Elements>(results.back()).push_back(value);
      } else if (auto longer = insertPiece(node, *pieces, value, {})) {
        results.push_back(*longer);
      } else {
        return std::nullopt;
      }
    }
    return results;
  };
  Value length = node.scalarOf(count(node, sequences.front()));
  auto results = node.failed() ? std::nullopt : buildItemLoop(node, length, always, states, trip);
  if (!results)
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    setItem(node, unsigned(i), result);
  return success(!node.failed());
}

LogicalResult importSequenceMap(NodeBuilder &node) {
  auto first = requiredSequence(node);
  const onnx::GraphProto *body = node.getGraph("body");
  if (!first || !body)
    return failure();
  if (body->input_size() != int(node.numInputs()))
    return node.fail("the body takes " + Twine(body->input_size()) + " values for " + Twine(node.numInputs()) +
                     " inputs");
  if (body->output_size() < int(node.numOutputs()))
    return node.fail("the body gives " + Twine(body->output_size()) + " values for " + Twine(node.numOutputs()) +
                     " outputs");
  for (unsigned i = 0; i < node.numInputs(); ++i)
    if (std::holds_alternative<Pieces>(itemOf(node, i)))
      return mapInRun(node, *body);
  size_t length = std::get<Elements>(*first).size();
  for (unsigned i = 1; i < node.numInputs(); ++i)
    if (const Elements *elements = node.sequence(i); elements && elements->size() != length)
      return node.fail("the sequences have different lengths");
  // One copy of the body per element.
  SmallVector<SmallVector<Value>> results(node.numOutputs());
  for (size_t k = 0; k < length; ++k) {
    auto values = mapElement(node, *body, [&](const Item &item) { return std::get<Elements>(item)[k]; });
    if (!values)
      return failure();
    for (auto [elements, value] : llvm::zip(results, *values))
      elements.push_back(value);
  }
  for (auto [i, elements] : llvm::enumerate(results))
    node.setSequence(unsigned(i), elements);
  return success(!node.failed());
}

} // namespace

void frontend::registerSequence(OpRegistry &registry) {
  constexpr llvm::StringLiteral note =
      "not as inputs and outputs of the model; elements of one type and rank where a run tells lengths or positions";
  registry.add("", "SequenceConstruct", importSequenceConstruct, note);
  registry.add("", "SequenceEmpty", importSequenceEmpty, note);
  registry.add("", "SequenceAt", importSequenceAt, note);
  registry.add("", "SequenceLength", importSequenceLength, note);
  registry.add("", "SequenceInsert", importSequenceInsert, note);
  registry.add("", "SequenceErase", importSequenceErase, note);
  registry.add("", "ConcatFromSequence", importConcatFromSequence, note);
  registry.add("", "SplitToSequence", importSplitToSequence);
  registry.add("", "SequenceMap", importSequenceMap, note);
}
