//===- Selection.cpp - Operators that pick or place by index --------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/NodeResult.h"
#include "lib/Frontend/Ops/SelectionDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

Value frontend::takeFirst(NodeBuilder &node, Value x, Value count, int64_t dim) {
  ShapeMath math(node);
  return node.make<graph::SliceOp>(x, math.number(0), count, math.number(1), SmallVector<int64_t>{dim});
}

Value frontend::positionsOfTrue(NodeBuilder &node, Value flags) {
  auto found = node.makeOp<graph::NonZeroOp>(flags);
  if (!found)
    return {};
  return takeFirst(node, node.squeeze(found.getPositions(), {0}), found.getCount(), 0);
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// The indices that are known at compile time; large ones stay in the bytes of the file.
static std::optional<SmallVector<int64_t>> knownIndices(NodeBuilder &node, Value indices) {
  auto constant = indices ? indices.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  auto resource = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : DenseResourceElementsAttr();
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return node.constantInts(indices);
  size_t width = node.elementOf(indices).getIntOrFloatBitWidth() / 8, count = resource.getNumElements();
  ArrayRef<char> bytes = blob->getData();
  if ((width != 4 && width != 8) || bytes.size() != count * width)
    return std::nullopt;
  SmallVector<int64_t> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const char *at = bytes.data() + i * width;
    result.push_back(width == 8 ? static_cast<int64_t>(llvm::support::endian::read64le(at))
                                : static_cast<int32_t>(llvm::support::endian::read32le(at)));
  }
  return result;
}

/// Refuses indices that are known and lie outside of `x`: element i of `indices` is a position in dimension
/// dims[i % dims.size()], and negative ones count from its end.
static LogicalResult checkIndices(NodeBuilder &node, Value x, Value indices, ArrayRef<int64_t> dims) {
  if (node.failed() || dims.empty())
    return failure(node.failed());
  auto known = knownIndices(node, indices);
  if (!known)
    return success();
  for (auto [i, index] : llvm::enumerate(*known)) {
    int64_t dim = dims[i % dims.size()], extent = node.shapeOf(x)[dim];
    if (!ShapedType::isDynamic(extent) && (index < -extent || index >= extent))
      return node.fail("index " + Twine(index) + " is out of range for dimension " + Twine(dim) + ", which has " +
                       Twine(extent) + (extent == 1 ? " element" : " elements"));
  }
  return success();
}

/// The dimensions that an index tuple of `indices` names: those behind the first `batch`.
static SmallVector<int64_t> tupleDims(NodeBuilder &node, Value x, Value indices, int64_t batch) {
  // Whether the length of tuples is known and fits, the op says.
  ArrayRef<int64_t> shape = node.shapeOf(indices);
  if (shape.empty() || ShapedType::isDynamic(shape.back()) || shape.back() > node.rankOf(x) - batch)
    return {};
  return llvm::to_vector(llvm::seq<int64_t>(batch, batch + shape.back()));
}

static LogicalResult importGather(NodeBuilder &node) {
  Value x = node.required(0), indices = node.required(1);
  auto axis = readAxis(node, 0, node.rankOf(x));
  if (!axis || failed(checkIndices(node, x, indices, *axis)))
    return failure();
  return finish(node, node.gather(x, indices, *axis));
}

static LogicalResult importGatherElements(NodeBuilder &node) {
  Value x = node.required(0), indices = node.required(1);
  auto axis = readAxis(node, 0, node.rankOf(x));
  if (!axis || failed(checkIndices(node, x, indices, *axis)))
    return failure();
  return finish(node, node.make<graph::GatherElementsOp>(x, indices, *axis));
}

/// `indices` with `depth` for a last extent that its type does not tell: as many dimensions does an index name, as the
/// ranks around it say. A run checks that.
static Value withDepth(NodeBuilder &node, Value indices, int64_t depth) {
  ArrayRef<int64_t> shape = node.shapeOf(indices);
  if (shape.empty() || !ShapedType::isDynamic(shape.back()) || depth < 0)
    return indices;
  SmallVector<Piece> pieces;
  for (int64_t d = 0; d + 1 < static_cast<int64_t>(shape.size()); ++d)
    pieces.push_back(node.piece(indices, d));
  pieces.push_back(depth);
  return node.reshape(indices, pieces);
}

static LogicalResult importGatherND(NodeBuilder &node) {
  Value x = node.required(0), indices = node.required(1);
  if (node.failed())
    return failure();
  int64_t batch = node.getInt("batch_dims", 0), most = std::min(node.rankOf(x), node.rankOf(indices)) - 1;
  if (batch < 0 || batch > most)
    return node.fail("attribute 'batch_dims' is " + Twine(batch) + ", which is out of range");
  if (auto rank = ShapeMath(node).declaredRank())
    indices = withDepth(node, indices, node.rankOf(indices) - 1 + node.rankOf(x) - batch - *rank);
  if (failed(checkIndices(node, x, indices, tupleDims(node, x, indices, batch))))
    return failure();
  return finish(node, node.make<graph::GatherNDOp>(x, indices, batch));
}

static std::optional<graph::ScatterKind> readReduction(NodeBuilder &node) {
  std::string name = node.getString("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<graph::ScatterKind>>(name)
                  .Case("none", graph::ScatterKind::Assign)
                  .Case("add", graph::ScatterKind::Add)
                  .Case("mul", graph::ScatterKind::Mul)
                  .Case("min", graph::ScatterKind::Min)
                  .Case("max", graph::ScatterKind::Max)
                  .Default(std::nullopt);
  if (!kind)
    (void)node.fail("attribute 'reduction' is '" + name + "', not one of none, add, mul, min, max");
  return kind;
}

static LogicalResult importScatterElements(NodeBuilder &node) {
  Value x = node.required(0), indices = node.required(1), updates = node.required(2);
  auto axis = readAxis(node, 0, node.rankOf(x));
  auto kind = readReduction(node);
  if (!axis || !kind || failed(checkIndices(node, x, indices, *axis)))
    return failure();
  return finish(node, node.make<graph::ScatterElementsOp>(*kind, x, indices, updates, *axis));
}

static LogicalResult importScatterND(NodeBuilder &node) {
  Value x = node.required(0), indices = node.required(1), updates = node.required(2);
  auto kind = readReduction(node);
  if (!kind || node.failed())
    return failure();
  indices = withDepth(node, indices, node.rankOf(indices) - 1 + node.rankOf(x) - node.rankOf(updates));
  if (failed(checkIndices(node, x, indices, tupleDims(node, x, indices, 0))))
    return failure();
  return finish(node, node.make<graph::ScatterNDOp>(*kind, x, indices, updates));
}

/// Writes `update` into the cache along `axis`, each batch entry from its own position on.
static LogicalResult importTensorScatter(NodeBuilder &node) {
  ShapeMath math(node);
  Value cache = node.required(0), update = node.required(1);
  auto axis = readAxis(node, -2, node.rankOf(cache));
  if (!axis)
    return failure();
  std::string mode = node.getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.fail("attribute 'mode' is '" + mode + "', not linear or circular");
  if (*axis == 0)
    return node.fail("attribute 'axis' names the batch dimension");
  if (node.rankOf(update) != node.rankOf(cache))
    return node.fail("cache and update have ranks " + Twine(node.rankOf(cache)) + " and " + Twine(node.rankOf(update)));
  int64_t room = node.shapeOf(cache)[*axis], length = node.shapeOf(update)[*axis];
  if (auto starts = node.constantInts(node.input(2));
      starts && mode == "linear" && !ShapedType::isDynamic(room) && !ShapedType::isDynamic(length))
    for (int64_t start : *starts)
      if (start < 0 || start > room - length)
        return node.fail("writes " + Twine(length) + " elements from position " + Twine(start) + " on into " +
                         Twine(room));
  SmallVector<int64_t> besidesAxis, besidesBatch;
  for (int64_t d = 0; d < node.rankOf(cache); ++d) {
    if (d != *axis)
      besidesAxis.push_back(d);
    if (d != 0)
      besidesBatch.push_back(d);
  }
  Value at = node.unsqueeze(math.range(math.dim(update, *axis)), besidesAxis);
  if (node.hasInput(2))
    at = node.add(at, node.unsqueeze(math.integers(node.input(2)), besidesBatch));
  if (mode == "circular")
    at = node.binary(graph::BinaryKind::Mod, at, node.scalarOf(math.dim(cache, *axis)));
  at = node.broadcastTo(at, math.shape(update));
  return finish(node, node.make<graph::ScatterElementsOp>(graph::ScatterKind::Assign, cache, at, update, *axis));
}

//===----------------------------------------------------------------------===//
// Selection by value
//===----------------------------------------------------------------------===//

static LogicalResult importOneHot(NodeBuilder &node) {
  ShapeMath math(node);
  Value indices = node.required(0), depth = node.required(1), values = node.required(2);
  if (node.failed())
    return failure();
  Type i64 = node.builder().getI64Type();
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(indices) + 1);
  if (!axis)
    return failure();
  if (node.rankOf(values) != 1 || (!ShapedType::isDynamic(node.shapeOf(values)[0]) && node.shapeOf(values)[0] != 2))
    return node.fail("input 'values' must have two elements: off, on");
  auto knownDepth = node.constantNumber(depth);
  Value size = knownDepth && std::abs(*knownDepth) < 1e15 ? math.number(static_cast<int64_t>(*knownDepth))
                                                          : node.cast(node.reshapeTo(depth, {1}), i64);
  SmallVector<int64_t> others;
  for (int64_t d = 0; d <= node.rankOf(indices); ++d)
    if (d != *axis)
      others.push_back(d);
  Value at = node.cast(indices, i64);
  at = node.select(node.compare(graph::Predicate::Lt, at, node.scalarI64(0)), node.add(at, node.scalarOf(size)), at);
  Value hit = node.compare(graph::Predicate::Eq, node.unsqueeze(at, {*axis}), node.unsqueeze(math.range(size), others));
  Value off = node.squeeze(node.slice(values, 0, 1, 0), {0}), on = node.squeeze(node.slice(values, 1, 2, 0), {0});
  return finish(node, node.select(hit, on, off));
}

static LogicalResult importNonZero(NodeBuilder &node) {
  Value x = node.required(0);
  auto found = x ? node.makeOp<graph::NonZeroOp>(x) : nullptr;
  if (!found)
    return failure();
  return finish(node, takeFirst(node, found.getPositions(), found.getCount(), 1));
}

static LogicalResult importCompress(NodeBuilder &node) {
  Value x = node.required(0), condition = node.required(1);
  if (node.failed())
    return failure();
  if (node.rankOf(condition) != 1)
    return node.fail("input 'condition' has rank " + Twine(node.rankOf(condition)) + ", not 1");
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    auto given = readAxis(node, 0, node.rankOf(x));
    if (!given)
      return failure();
    axis = *given;
  } else {
    x = node.vectorOf(x);
  }
  return finish(node, node.gather(x, positionsOfTrue(node, condition), axis));
}

static LogicalResult importTopK(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), k = math.integers(node.required(1));
  auto axis = readAxis(node, -1, node.rankOf(x));
  if (!axis)
    return failure();
  auto top = node.makeOp<graph::TopKOp>(x, math.ofLength(k, 1, "K"), *axis, node.getInt("largest", 1) != 0);
  if (!top)
    return failure();
  node.setOutput(0, top.getValues());
  node.setOutput(1, top.getIndices());
  return success();
}

static LogicalResult importNonMaxSuppression(NodeBuilder &node) {
  ShapeMath math(node);
  Value boxes = node.required(0), scores = node.required(1);
  if (node.failed())
    return failure();
  int64_t format = node.getInt("center_point_box", 0);
  if (format != 0 && format != 1)
    return node.fail("attribute 'center_point_box' is " + Twine(format) + ", not 0 or 1");
  Type f32 = node.builder().getF32Type();
  Value limit = node.hasInput(2) ? math.integers(node.input(2)) : math.number(0);
  Value iou = node.hasInput(3) ? node.scalarOf(node.input(3)) : node.scalar(0, f32);
  Value threshold =
      node.hasInput(4) ? node.scalarOf(node.input(4)) : node.scalar(-std::numeric_limits<double>::infinity(), f32);
  limit = math.ofLength(limit, 1, "max_output_boxes_per_class");
  auto selected = node.makeOp<graph::NmsOp>(boxes, scores, limit, iou, threshold, format == 1);
  if (!selected)
    return failure();
  return finish(node, takeFirst(node, selected.getSelected(), selected.getCount(), 0));
}

void frontend::registerSelection(OpRegistry &registry) {
  registry.add("", "Gather", importGather);
  registry.add("", "GatherElements", importGatherElements);
  registry.add("", "GatherND", importGatherND);
  registry.add("", "Scatter", importScatterElements);
  registry.add("", "ScatterElements", importScatterElements);
  registry.add("", "ScatterND", importScatterND);
  registry.add("", "TensorScatter", importTensorScatter);
  registry.add("", "OneHot", importOneHot);
  registry.add("", "NonZero", importNonZero);
  registry.add("", "Compress", importCompress);
  registry.add("", "TopK", importTopK);
  registry.add("", "NonMaxSuppression", importNonMaxSuppression);
  registry.add("", "Unique", importUnique);
}
