//===- Slicing.cpp - Slice, Split, Pad and their relatives ----------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/MovementDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

static constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

/// The length that one of the vectors tells; null ones tell nothing.
static std::optional<int64_t> lengthOfAny(ShapeMath &math, ArrayRef<Value> vectors) {
  for (Value vector : vectors)
    if (auto length = vector ? math.length(vector) : std::nullopt)
      return length;
  return std::nullopt;
}

/// Slices every dimension, those that `axes`, computed by the model, do not name from end to end.
static LogicalResult sliceAlong(NodeBuilder &node, Value x, Value starts, Value ends, Value axes, Value steps) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  Value at = math.mod(axes, math.number(rank));
  starts = math.put(math.repeat(0, rank), at, starts);
  ends = math.put(math.shape(x), at, ends);
  steps = math.put(math.repeat(1, rank), at, steps);
  node.setOutput(0, node.make<graph::SliceOp>(x, starts, ends, steps, llvm::to_vector(llvm::seq<int64_t>(0, rank))));
  return success(!node.failed());
}

/// Slice along as many dimensions as a run says.
static LogicalResult sliceAnyCount(NodeBuilder &node, Value x, Value starts, Value ends) {
  ShapeMath math(node);
  Value count = math.dim(starts, 0);
  Value axes = node.hasInput(3) ? math.integers(node.input(3)) : math.range(count);
  Value steps = node.hasInput(4) ? math.integers(node.input(4)) : math.repeat(math.number(1), count);
  return sliceAlong(node, x, starts, ends, axes, steps);
}

static LogicalResult importSlice(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), starts = math.integers(node.required(1)), ends = math.integers(node.required(2));
  if (node.failed())
    return failure();
  int64_t rank = node.rankOf(x);
  auto count = lengthOfAny(math, {starts, ends, math.integers(node.input(3)), math.integers(node.input(4))});
  if (!count)
    return sliceAnyCount(node, x, starts, ends);
  starts = math.ofLength(starts, *count, "starts");
  ends = math.ofLength(ends, *count, "ends");
  Value axes = node.hasInput(3) ? math.ofLength(math.integers(node.input(3)), *count, "axes") : math.iota(*count);
  Value steps =
      node.hasInput(4) ? math.ofLength(math.integers(node.input(4)), *count, "steps") : math.repeat(1, *count);
  if (node.failed())
    return failure();
  SmallVector<int64_t> dims;
  if (auto known = node.constantInts(axes)) {
    auto normal = node.normalizeAxes(*known, rank);
    if (!normal)
      return failure();
    dims = *normal;
  } else {
    return sliceAlong(node, x, starts, ends, axes, steps);
  }
  node.setOutput(0, node.make<graph::SliceOp>(x, starts, ends, steps, dims));
  return success(!node.failed());
}

static LogicalResult importSplit(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(x));
  if (!axis)
    return failure();
  int64_t parts = node.numOutputs(), wanted = node.getInt("num_outputs", parts);
  if (wanted < 1 || wanted < parts)
    return node.fail("attribute 'num_outputs' is " + Twine(wanted) + " for " + Twine(parts) + " outputs");
  Value sizes = node.hasInput(1) ? math.integers(node.input(1)) : Value();
  if (node.failed())
    return failure();
  if (sizes)
    sizes = math.ofLength(sizes, parts, "split");
  if (node.failed())
    return failure();
  if (auto known = node.constantInts(sizes)) {
    int64_t sum = 0, extent = node.shapeOf(x)[*axis];
    for (int64_t size : *known) {
      if (size < 0 || size > kToTheEnd - sum)
        return node.fail("input 'split' holds " + Twine(size) + ", which is out of range");
      sum += size;
    }
    if (!ShapedType::isDynamic(extent) && sum != extent)
      return node.fail("the sizes of 'split' add up to " + Twine(sum) + ", the extent is " + Twine(extent));
  }
  Value extent = math.dim(x, *axis), chunk = sizes ? Value() : math.ceilDiv(extent, wanted), start = math.number(0);
  for (int64_t i = 0; i < parts; ++i) {
    Value end = math.add(start, sizes ? math.at(sizes, i) : chunk);
    end = sizes ? end : math.min(end, extent);
    node.setOutput(i, node.make<graph::SliceOp>(x, start, end, math.number(1), SmallVector<int64_t>{*axis}));
    start = end;
  }
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

static std::optional<graph::PadMode> readPadMode(NodeBuilder &node) {
  std::string mode = node.getString("mode", "constant");
  if (auto known = graph::symbolizePadMode(mode))
    return known;
  (void)node.fail("attribute 'mode' is '" + mode + "', not one of constant, reflect, edge, wrap");
  return std::nullopt;
}

static LogicalResult importPad(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), pads = math.integers(node.required(1));
  auto mode = readPadMode(node);
  if (node.failed() || !mode)
    return failure();
  int64_t rank = node.rankOf(x);
  if (!node.hasInput(3)) {
    pads = math.ofLength(pads, 2 * rank, "pads");
  } else {
    Value axes = math.integers(node.input(3));
    auto known = node.constantInts(axes);
    if (!axes || (known && !node.normalizeAxes(*known, rank)))
      return failure();
    if (auto count = math.length(axes))
      pads = math.ofLength(pads, 2 * *count, "pads");
    // All begins, then all ends, of as many dimensions as there are axes.
    Value at = known ? axes : math.mod(axes, math.number(rank)), none = math.repeat(0, rank);
    Value count = math.dim(axes, 0);
    auto half = [&](Value begin, Value end) {
      return node.make<graph::SliceOp>(pads, begin, end, math.number(1), SmallVector<int64_t>{0});
    };
    Value ends = half(count, math.add(count, count));
    pads = math.concat({math.put(none, at, half(math.number(0), count)), math.put(none, at, ends)});
  }
  if (node.failed())
    return failure();
  Value value = node.hasInput(2) ? node.scalarOf(node.input(2)) : node.scalarLike(0, x);
  node.setOutput(0, node.make<graph::PadOp>(*mode, x, pads, value));
  return success(!node.failed());
}

/// Crops, or pads with zeros, both ends of the named dimensions to the wanted extents.
static LogicalResult importCenterCropPad(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), wanted = math.integers(node.required(1));
  if (node.failed())
    return failure();
  int64_t rank = node.rankOf(x);
  auto axes = node.normalizeAxes(node.getInts("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(0, rank))), rank);
  if (!axes)
    return failure();
  wanted = math.ofLength(wanted, static_cast<int64_t>(axes->size()), "shape");
  if (node.failed())
    return failure();
  Value two = math.number(2), zero = math.number(0);
  SmallVector<Value> begins(rank, zero), ends(rank, zero);
  for (auto [i, d] : llvm::enumerate(*axes)) {
    Value difference = math.sub(math.at(wanted, i), math.dim(x, d));
    // Both halves of what is cut or added, rounded down, lie at the begin.
    Value begin =
        math.sub(math.div(math.max(difference, zero), two), math.div(math.max(math.sub(zero, difference), zero), two));
    begins[d] = begin;
    ends[d] = math.sub(difference, begin);
  }
  begins.append(ends);
  node.setOutput(0, node.make<graph::PadOp>(graph::PadMode::Constant, x, math.concat(begins), node.scalarLike(0, x)));
  return success(!node.failed());
}

void frontend::registerSlicing(OpRegistry &registry) {
  registry.add("", "Slice", importSlice);
  registry.add("", "Split", importSplit);
  registry.add("", "Pad", importPad);
  registry.add("", "CenterCropPad", importCenterCropPad);
}
