//===- Movement.cpp - Operators that rename or move elements --------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/MovementDetail.h"
#include "lib/Frontend/Ops/NodeResult.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static LogicalResult importReshape(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), shape = math.integers(node.required(1));
  if (node.failed())
    return failure();
  shape = math.withLength(shape, math.declaredRank());
  auto rank = math.length(shape);
  if (!rank)
    return node.fail("the length of input 'shape' or the rank of the output must be known");
  auto known = node.constantInts(shape);
  if (known && llvm::count(*known, -1) > 1)
    return node.fail("input 'shape' holds -1 more than once");
  if (known && llvm::any_of(*known, [](int64_t extent) { return extent < -1; }))
    return node.fail("input 'shape' holds an extent below -1");
  if (node.getInt("allowzero", 0) == 0) {
    // 0 takes over the extent of the input.
    SmallVector<Value> extents;
    for (int64_t d = 0; d < *rank; ++d) {
      if (d >= node.rankOf(x) && known && (*known)[d] == 0)
        return node.fail("input 'shape' holds 0 at position " + Twine(d) + ", which a tensor of rank " +
                         Twine(node.rankOf(x)) + " lacks");
      Value wanted = math.at(shape, d);
      bool mayBeZero = d < node.rankOf(x) && (!known || (*known)[d] == 0);
      extents.push_back(mayBeZero ? math.selectEqual(wanted, math.number(0), math.dim(x, d), wanted) : wanted);
    }
    shape = math.concat(extents);
  } else if (known && llvm::is_contained(*known, 0) && llvm::is_contained(*known, -1)) {
    return node.fail("input 'shape' holds both 0 and -1, so that the extent for -1 is unknown");
  }
  return finish(node, node.reshape(x, shape));
}

static LogicalResult importFlatten(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  int64_t rank = node.rankOf(x), axis = node.getInt("axis", 1);
  if (node.failed())
    return failure();
  if (axis < -rank || axis > rank)
    return node.fail("attribute 'axis' is " + Twine(axis) + ", out of range for rank " + Twine(rank));
  axis += axis < 0 ? rank : 0;
  Value shape = math.shape(x);
  Value outer = math.product(math.part(shape, 0, axis)), inner = math.product(math.part(shape, axis, rank));
  return finish(node, node.reshape(x, math.concat({outer, inner})));
}

/// Squeeze whose axes are computed by the model: the kept dimensions are looked up at run time.
static Value squeezeDynamically(NodeBuilder &node, Value x, Value axes, int64_t count) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  if (count > rank)
    return node.failValue("removes " + Twine(count) + " of " + Twine(rank) + " dimensions");
  Value kept = math.put(math.repeat(1, rank), math.mod(axes, math.number(rank)), math.repeat(0, count));
  auto positions = node.makeOp<graph::NonZeroOp>(kept);
  if (!positions)
    return {};
  Value at = math.part(node.vectorOf(positions.getPositions()), 0, rank - count);
  return node.reshape(x, node.gather(math.shape(x), at, 0));
}

static LogicalResult importSqueeze(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x);
  SmallVector<int64_t> dims;
  if (!node.hasInput(1)) {
    ArrayRef<int64_t> shape = node.shapeOf(x);
    auto declared = node.declaredShape(0);
    int64_t kept = rank - llvm::count(shape, 1);
    if (llvm::any_of(shape, ShapedType::isDynamic) && (!declared || static_cast<int64_t>(declared->size()) != kept))
      mlir::emitWarning(node.loc()) << "Squeeze without axes: extents unknown at import are taken to be other than 1";
    for (auto [d, extent] : llvm::enumerate(shape))
      if (extent == 1)
        dims.push_back(d);
    return finish(node, node.squeeze(x, dims));
  }
  Value axes = math.integers(node.input(1));
  if (!axes)
    return failure();
  if (auto known = node.constantInts(axes)) {
    auto normal = node.normalizeAxes(*known, rank);
    if (!normal)
      return failure();
    for (int64_t d : *normal) {
      int64_t extent = node.shapeOf(x)[d];
      if (!ShapedType::isDynamic(extent) && extent != 1)
        return node.fail("cannot remove dimension " + Twine(d) + " of extent " + Twine(extent));
    }
    return finish(node, node.squeeze(x, *normal));
  }
  if (auto kept = math.declaredRank())
    axes = math.withLength(axes, rank - *kept);
  auto count = math.length(axes);
  if (!count)
    return node.fail("the number of axes or the rank of the output must be known");
  return finish(node, squeezeDynamically(node, x, axes, *count));
}

static LogicalResult importUnsqueeze(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), axes = math.integers(node.required(1));
  if (node.failed())
    return failure();
  int64_t rank = node.rankOf(x);
  if (auto known = node.constantInts(axes)) {
    auto normal = node.normalizeAxes(*known, rank + known->size());
    return normal ? finish(node, node.unsqueeze(x, *normal)) : failure();
  }
  if (auto widened = math.declaredRank())
    axes = math.withLength(axes, *widened - rank);
  auto count = math.length(axes);
  if (!count)
    return node.fail("the number of axes or the rank of the output must be known");
  // Positions without a new axis take the input's extents in order.
  int64_t resultRank = rank + *count;
  Value old = math.put(math.repeat(1, resultRank), math.mod(axes, math.number(resultRank)), math.repeat(0, *count));
  Value order = node.make<graph::ScanOp>(graph::ScanKind::Add, old, 0, /*exclusive=*/true, /*reverse=*/false);
  Value source = node.gather(math.concat({math.shape(x), math.number(1)}), math.min(order, math.number(rank)), 0);
  return finish(node, node.reshape(x, math.selectEqual(old, math.number(1), source, math.number(1))));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static LogicalResult importTranspose(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x);
  auto given = node.getInts("perm");
  SmallVector<int64_t> perm = given ? *given : llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (static_cast<int64_t>(perm.size()) != rank)
    return node.fail("attribute 'perm' has " + Twine(perm.size()) + " entries for a tensor of rank " + Twine(rank));
  auto normal = node.normalizeAxes(perm, rank);
  return normal ? finish(node, node.transpose(x, *normal)) : failure();
}

static LogicalResult importConcat(NodeBuilder &node) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    inputs.push_back(node.required(i));
  if (node.failed() || inputs.empty())
    return node.failed() ? failure() : node.fail("has no inputs");
  if (!node.hasAttribute("axis"))
    return node.fail("attribute 'axis' is missing");
  auto axis = readAxis(node, 0, node.rankOf(inputs.front()));
  return axis ? finish(node, node.concat(inputs, *axis)) : failure();
}

/// The block size and mode of DepthToSpace and SpaceToDepth; nullopt after a diagnostic.
static std::optional<std::pair<int64_t, bool>> readBlocks(NodeBuilder &node, Value x) {
  if (node.failed())
    return std::nullopt;
  int64_t block = node.getInt("blocksize", 0);
  std::string mode = node.getString("mode", "DCR");
  if (node.rankOf(x) != 4)
    (void)node.fail("needs an input of rank 4, not " + Twine(node.rankOf(x)));
  else if (block < 1 || block > (1 << 20))
    (void)node.fail("attribute 'blocksize' is " + Twine(block) + ", which is out of range");
  else if (mode != "DCR" && mode != "CRD")
    (void)node.fail("attribute 'mode' is '" + mode + "', not DCR or CRD");
  else
    return std::pair(block, mode == "DCR");
  return std::nullopt;
}

static LogicalResult importDepthToSpace(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  auto blocks = readBlocks(node, x);
  if (!blocks)
    return failure();
  auto [block, depthFirst] = *blocks;
  Value n = math.dim(x, 0), c = math.div(math.dim(x, 1), math.number(block * block)), h = math.dim(x, 2),
        w = math.dim(x, 3);
  Value b = math.number(block);
  Value split = node.reshape(x, depthFirst ? math.concat({n, b, b, c, h, w}) : math.concat({n, c, b, b, h, w}));
  Value moved = depthFirst ? node.transpose(split, {0, 3, 4, 1, 5, 2}) : node.transpose(split, {0, 1, 4, 2, 5, 3});
  return finish(node, node.reshape(moved, math.concat({n, c, math.mul(h, b), math.mul(w, b)})));
}

static LogicalResult importSpaceToDepth(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  auto blocks = readBlocks(node, x);
  if (!blocks)
    return failure();
  auto [block, depthFirst] = *blocks;
  Value b = math.number(block), n = math.dim(x, 0), c = math.dim(x, 1);
  Value h = math.div(math.dim(x, 2), b), w = math.div(math.dim(x, 3), b);
  Value split = node.reshape(x, math.concat({n, c, h, b, w, b}));
  Value moved = depthFirst ? node.transpose(split, {0, 3, 5, 1, 2, 4}) : node.transpose(split, {0, 1, 3, 5, 2, 4});
  return finish(node, node.reshape(moved, math.concat({n, math.mul(c, math.number(block * block)), h, w})));
}

/// Along the time axis, the first lens[b] elements come from lens[b] - 1 - t, the others stay.
static LogicalResult importReverseSequence(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), lengths = math.integers(node.required(1));
  if (node.failed())
    return failure();
  int64_t rank = node.rankOf(x);
  auto time = node.normalizeAxis(node.getInt("time_axis", 0), rank),
       batch = node.normalizeAxis(node.getInt("batch_axis", 1), rank);
  if (!time || !batch)
    return failure();
  if (*time == *batch)
    return node.fail("attributes 'time_axis' and 'batch_axis' name the same dimension");
  auto along = [&](Value vector, int64_t d) {
    SmallVector<int64_t> others;
    for (int64_t i = 0; i < rank; ++i)
      if (i != d)
        others.push_back(i);
    return node.unsqueeze(vector, others);
  };
  Value t = along(math.range(math.dim(x, *time)), *time), n = along(lengths, *batch);
  Value mirrored = node.sub(node.sub(n, node.scalarI64(1)), t);
  Value source = node.select(node.compare(graph::Predicate::Lt, t, n), mirrored, t);
  return finish(node, node.make<graph::GatherElementsOp>(x, node.broadcastTo(source, math.shape(x)), *time));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult importExpand(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), shape = math.integers(node.required(1));
  if (node.failed())
    return failure();
  auto length = math.length(shape);
  if (auto declared = math.declaredRank(); declared && !length) {
    // An extent that the list lacks is 1; a list that is longer than the rank keeps its length, and ends the run.
    Value missing = math.max(math.sub(math.number(*declared), math.dim(shape, 0)), math.number(0));
    shape = node.make<graph::PadOp>(graph::PadMode::Constant, shape, math.concat({missing, math.number(0)}),
                                    node.scalarI64(1));
    shape = math.ofLength(shape, *declared, "shape");
    length = declared;
  }
  if (!length)
    return node.fail("the length of input 'shape' or the rank of the output must be known");
  int64_t rank = std::max<int64_t>(*length, node.rankOf(x)), shift = rank - node.rankOf(x);
  SmallVector<Value> extents;
  for (int64_t d = 0; d < rank; ++d) {
    Value have = d >= shift ? math.dim(x, d - shift) : math.number(1);
    Value want = d >= rank - *length ? math.at(shape, d - (rank - *length)) : math.number(1);
    // Both ways: an extent of 1 gives way to the other.
    extents.push_back(math.selectEqual(want, math.number(1), have, want));
  }
  return finish(node, node.broadcastTo(x, math.concat(extents)));
}

static LogicalResult importTile(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), repeats = math.integers(node.required(1));
  return finish(node, node.make<graph::TileOp>(x, math.ofLength(repeats, node.rankOf(x), "repeats")));
}

void frontend::registerMovement(OpRegistry &registry) {
  registry.add("", "Reshape", importReshape);
  registry.add("", "Flatten", importFlatten);
  registry.add("", "Squeeze", importSqueeze);
  registry.add("", "Unsqueeze", importUnsqueeze);
  registry.add("", "Transpose", importTranspose);
  registry.add("", "Concat", importConcat);
  registry.add("", "DepthToSpace", importDepthToSpace);
  registry.add("", "SpaceToDepth", importSpaceToDepth);
  registry.add("", "ReverseSequence", importReverseSequence);
  registry.add("", "Expand", importExpand);
  registry.add("", "Tile", importTile);
  registerSlicing(registry);
}
