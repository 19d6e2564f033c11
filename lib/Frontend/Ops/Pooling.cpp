//===- Pooling.cpp - Pools, global pools, unpooling -----------------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/ShapeMath.h"
#include "lib/Frontend/Ops/Window.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::PoolKind;

/// The smallest value of the element type: what a maximum ignores.
static Value lowest(NodeBuilder &node, Value like) {
  if (!like)
    return {};
  if (node.isFloat(like))
    return node.scalarLike(-std::numeric_limits<double>::infinity(), like);
  auto type = dyn_cast<IntegerType>(node.elementOf(like));
  if (!type || type.isUnsigned() || type.getWidth() == 1)
    return node.scalarLike(0, like);
  return node.scalarInt(-(int64_t(1) << (type.getWidth() - 1)), type);
}

static std::optional<bool> readFlag(NodeBuilder &node, StringRef name) {
  int64_t value = node.getInt(name, 0);
  if (value == 0 || value == 1)
    return value == 1;
  (void)node.fail("attribute '" + name + "' is " + Twine(value) + ", not 0 or 1");
  return std::nullopt;
}

static Value makePool(NodeBuilder &node, PoolKind kind, Value x, const Window &w, bool ceilMode, bool countPad = false,
                      int64_t p = 2) {
  return node.make<graph::PoolOp>(kind, x, w.kernel, w.strides, w.dilations, w.pads, ceilMode, countPad, p);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static LogicalResult importMaxPool(NodeBuilder &node) {
  Value x = node.required(0);
  auto window = readWindow(node, x, {});
  if (!window)
    return failure();
  auto ceilMode = readFlag(node, "ceil_mode"), columnMajor = readFlag(node, "storage_order");
  if (!ceilMode || !columnMajor)
    return failure();
  if (node.wantsOutput(1) && !autoPadIsKnown(node, *window, x))
    return node.fail("positions of maxima with auto_pad SAME need known spatial extents; give them with --dim");
  Value padded = applyAutoPad(node, *window, x, lowest(node, x));
  fitWindow(node, *window, padded, /*stretch=*/true);
  node.setOutput(0, makePool(node, PoolKind::Max, padded, *window, *ceilMode));
  if (node.wantsOutput(1))
    node.setOutput(1, node.make<graph::MaxPoolIndicesOp>(padded, window->kernel, window->strides, window->dilations,
                                                         window->pads, *ceilMode, *columnMajor));
  return success(!node.failed());
}

/// Average over the elements that a runtime-padded window really covers: padded average of the input divided
/// by that of ones.
static Value averageOfCovered(NodeBuilder &node, Window &window, Value x, bool ceilMode) {
  ShapeMath math(node);
  Value zero = node.scalarLike(0, x);
  SmallVector<Value> shape = {math.repeat(1, 2)};
  for (int64_t d : llvm::seq<int64_t>(2, node.rankOf(x)))
    shape.push_back(math.dim(x, d));
  Value ones = node.broadcastTo(node.scalarLike(1, x), math.concat(shape));
  Window onesWindow = window;
  Value sums = makePool(node, PoolKind::Avg, applyAutoPad(node, window, x, zero), window, ceilMode, /*countPad=*/true);
  Value counts = makePool(node, PoolKind::Avg, applyAutoPad(node, onesWindow, ones, zero), onesWindow, ceilMode,
                          /*countPad=*/true);
  return node.div(sums, counts);
}

static LogicalResult importAveragePool(NodeBuilder &node) {
  Value x = node.required(0);
  auto window = readWindow(node, x, {});
  if (!window)
    return failure();
  auto ceilMode = readFlag(node, "ceil_mode"), countPad = readFlag(node, "count_include_pad");
  if (!ceilMode || !countPad)
    return failure();
  if (!*countPad && !autoPadIsKnown(node, *window, x)) {
    node.setOutput(0, averageOfCovered(node, *window, x, *ceilMode));
    return success(!node.failed());
  }
  Value padded = applyAutoPad(node, *window, x, node.scalarLike(0, x));
  fitWindow(node, *window, padded, /*stretch=*/true);
  node.setOutput(0, makePool(node, PoolKind::Avg, padded, *window, *ceilMode, *countPad));
  return success(!node.failed());
}

static LogicalResult importLpPool(NodeBuilder &node) {
  Value x = node.required(0);
  auto window = readWindow(node, x, {});
  if (!window)
    return failure();
  auto ceilMode = readFlag(node, "ceil_mode");
  int64_t p = node.getInt("p", 2);
  if (!ceilMode)
    return failure();
  if (p < 1)
    return node.fail("attribute 'p' is " + Twine(p) + "; a norm needs 1 or more");
  Value padded = applyAutoPad(node, *window, x, node.scalarLike(0, x));
  fitWindow(node, *window, padded, /*stretch=*/true);
  node.setOutput(0, makePool(node, PoolKind::Lp, padded, *window, *ceilMode, /*countPad=*/false, p));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Global pools
//===----------------------------------------------------------------------===//

/// The spatial dimensions of the input, or nullopt after a diagnostic.
static std::optional<SmallVector<int64_t>> spatialDims(NodeBuilder &node, Value x) {
  if (node.failed())
    return std::nullopt;
  if (node.rankOf(x) < 2) {
    (void)node.fail("needs an input of rank 2 or more, not " + Twine(node.rankOf(x)));
    return std::nullopt;
  }
  return llvm::to_vector(llvm::seq<int64_t>(2, node.rankOf(x)));
}

static LogicalResult importGlobalAveragePool(NodeBuilder &node) {
  Value x = node.required(0);
  auto dims = spatialDims(node, x);
  if (!dims)
    return failure();
  node.setOutput(0, node.mean(x, *dims, /*keepDims=*/true));
  return success(!node.failed());
}

static LogicalResult importGlobalMaxPool(NodeBuilder &node) {
  Value x = node.required(0);
  auto dims = spatialDims(node, x);
  if (!dims)
    return failure();
  node.setOutput(0, node.reduce(graph::ReduceKind::Max, x, *dims, /*keepDims=*/true));
  return success(!node.failed());
}

static LogicalResult importGlobalLpPool(NodeBuilder &node) {
  Value x = node.required(0);
  auto dims = spatialDims(node, x);
  if (!dims)
    return failure();
  int64_t p = node.getInt("p", 2);
  if (p < 1)
    return node.fail("attribute 'p' is " + Twine(p) + "; a norm needs 1 or more");
  Value wide = node.widen(x), sum;
  if (p == 1 || p == 2) {
    Value powers = p == 1 ? node.unary(graph::UnaryKind::Abs, wide) : node.mul(wide, wide);
    sum = node.reduce(graph::ReduceKind::Sum, powers, *dims, /*keepDims=*/true);
    sum = p == 1 ? sum : node.unary(graph::UnaryKind::Sqrt, sum);
  } else {
    Value powers =
        node.binary(graph::BinaryKind::Pow, node.unary(graph::UnaryKind::Abs, wide), node.scalarLike(p, wide));
    sum = node.reduce(graph::ReduceKind::Sum, powers, *dims, /*keepDims=*/true);
    sum = node.binary(graph::BinaryKind::Pow, sum, node.scalarLike(1.0 / p, wide));
  }
  node.setOutput(0, node.cast(sum, node.elementOf(x)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Unpooling
//===----------------------------------------------------------------------===//

/// Every value goes to its flat position in a tensor of the extents that the pool must have had; a larger
/// `output_shape` adds zeros at the ends.
static LogicalResult importMaxUnpool(NodeBuilder &node) {
  Value x = node.required(0), positions = node.required(1);
  auto window = readWindow(node, x, {});
  if (!window)
    return failure();
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  SmallVector<Value> extents = {math.dim(x, 0), math.dim(x, 1)};
  for (int64_t d = 0; d < window->size(); ++d) {
    Value steps = math.mul(math.sub(math.dim(x, d + 2), math.number(1)), math.number(window->strides[d]));
    int64_t rest = window->kernel[d] - window->pads[d] - window->pads[d + window->size()];
    extents.push_back(math.add(steps, math.number(rest)));
  }
  Value pooledShape = math.concat(extents);
  Value zero = node.scalarLike(0, x);
  Value flat = node.broadcastTo(zero, math.product(pooledShape));
  flat = node.make<graph::ScatterElementsOp>(graph::ScatterKind::Assign, flat, node.vectorOf(positions),
                                             node.vectorOf(x), 0);
  Value y = node.reshape(flat, pooledShape);
  if (node.hasInput(2)) {
    Value wanted = math.integers(node.input(2));
    wanted = math.ofLength(wanted, rank, "output_shape");
    if (node.failed())
      return failure();
    Value pads = math.concat({math.repeat(0, rank), math.sub(wanted, pooledShape)});
    y = node.make<graph::PadOp>(graph::PadMode::Constant, y, pads, zero);
  }
  node.setOutput(0, y);
  return success(!node.failed());
}

void frontend::registerPooling(OpRegistry &registry) {
  registry.add("", "MaxPool", importMaxPool);
  registry.add("", "AveragePool", importAveragePool);
  registry.add("", "LpPool", importLpPool);
  registry.add("", "GlobalAveragePool", importGlobalAveragePool);
  registry.add("", "GlobalMaxPool", importGlobalMaxPool);
  registry.add("", "GlobalLpPool", importGlobalLpPool);
  registry.add("", "MaxUnpool", importMaxUnpool);
}
