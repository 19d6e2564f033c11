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

/// Input `i` as a vector of i64 of known length, or nullopt after a diagnostic.
static std::optional<int64_t> knownLength(NodeBuilder &node, Value vector, StringRef name) {
  if (!vector)
    return std::nullopt;
  auto length = ShapeMath(node).length(vector);
  if (!length)
    (void)node.fail("the length of input '" + name + "' must be known at import");
  return length;
}

static LogicalResult importSlice(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), starts = math.integers(node.required(1)), ends = math.integers(node.required(2));
  auto count = knownLength(node, starts, "starts");
  if (node.failed() || !count)
    return failure();
  int64_t rank = node.rankOf(x);
  Value axes = node.hasInput(3) ? math.integers(node.input(3)) : math.iota(*count);
  Value steps = node.hasInput(4) ? math.integers(node.input(4)) : math.repeat(1, *count);
  if (node.failed())
    return failure();
  if (math.length(ends) != count || math.length(axes) != count || math.length(steps) != count)
    return node.fail(
        "inputs 'starts', 'ends', 'axes' and 'steps' must have the same number of elements, known at import");
  SmallVector<int64_t> dims;
  if (auto known = node.constantInts(axes)) {
    auto normal = node.normalizeAxes(*known, rank);
    if (!normal)
      return failure();
    dims = *normal;
  } else {
    // Axes computed by the model: slice every dimension, those not named from end to end.
    Value at = math.mod(axes, math.number(rank));
    starts = math.put(math.repeat(0, rank), at, starts);
    ends = math.put(math.shape(x), at, ends);
    steps = math.put(math.repeat(1, rank), at, steps);
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
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
  if (sizes && math.length(sizes) != parts)
    return node.fail("input 'split' must have one element for each of the " + Twine(parts) + " outputs");
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
  auto length = knownLength(node, pads, "pads");
  if (node.failed() || !mode || !length)
    return failure();
  int64_t rank = node.rankOf(x);
  Value axes = node.hasInput(3) ? math.integers(node.input(3)) : math.iota(rank);
  auto count = knownLength(node, axes, "axes");
  if (!count)
    return failure();
  if (*length != 2 * *count)
    return node.fail("input 'pads' has " + Twine(*length) + " elements for " + Twine(*count) + " dimensions");
  if (node.hasInput(3)) {
    auto known = node.constantInts(axes);
    if (known && !node.normalizeAxes(*known, rank))
      return failure();
    Value at = known ? axes : math.mod(axes, math.number(rank)), none = math.repeat(0, rank);
    pads = math.concat(
        {math.put(none, at, math.part(pads, 0, *count)), math.put(none, at, math.part(pads, *count, 2 * *count))});
  }
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
  if (math.length(wanted) != static_cast<int64_t>(axes->size()))
    return node.fail("input 'shape' must have " + Twine(axes->size()) + " elements");
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
