//===- Reduction.cpp - Reduce*, arg, running sums, softmax ----------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Onnx/Library.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

namespace {

/// Reduces one tensor along the axes of the node, which may be known at run time only. Results keep the reduced
/// dimensions as extents of 1 until `finish`.
class Reducer {
public:
  explicit Reducer(NodeBuilder &node) : node(node) {}

  /// Reads input and axes; failure after a diagnostic.
  LogicalResult read() {
    x = node.required(0);
    if (!x)
      return failure();
    rank = node.rankOf(x);
    std::optional<SmallVector<int64_t>> given = node.getInts("axes");
    if (Value axes = node.input(1)) {
      given = node.constantInts(axes);
      if (!given && node.typeOf(axes).getRank() == 1 && node.shapeOf(axes)[0] == 0)
        given.emplace();
      if (!given)
        return readRuntimeAxes(axes);
    }
    if (given && !given->empty()) {
      auto normalized = node.normalizeAxes(*given, rank);
      if (!normalized)
        return failure();
      dims = *normalized;
    } else if (!node.getInt("noop_with_empty_axes", 0)) {
      dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    }
    return success();
  }

  Value input() { return x; }

  Value reduce(ReduceKind kind, Value value) {
    if (!value)
      return {};
    if (node.isBool(value) && (kind == ReduceKind::Max || kind == ReduceKind::Min))
      kind = kind == ReduceKind::Max ? ReduceKind::Any : ReduceKind::All;
    if (flags.empty())
      return dims.empty() ? value : node.reduce(kind, value, dims, /*keepDims=*/true);
    for (auto [d, flag] : llvm::enumerate(flags))
      value = reduceIf(kind, value, int64_t(d), flag);
    return value;
  }

  /// How many elements meet in one, as a scalar of `element`.
  Value count(Type element) {
    Value product = node.scalarI64(1);
    int64_t known = 1;
    auto multiply = [&](int64_t d) {
      Piece extent = node.piece(x, d);
      if (flags.empty() && extent.isNumber) {
        known *= extent.number;
        return;
      }
      Value factor = extent.isNumber ? node.scalarI64(extent.number) : node.scalarOf(extent.value);
      if (!flags.empty())
        factor = node.select(node.compare(graph::Predicate::Ne, node.scalarOf(flags[d]), node.scalarI64(0)), factor,
                             node.scalarI64(1));
      product = node.mul(product, factor);
    };
    for (int64_t d : flags.empty() ? dims : llvm::to_vector(llvm::seq<int64_t>(0, rank)))
      multiply(d);
    if (node.constantInts(product) && flags.empty())
      return node.scalarInt(known, element);
    return node.cast(node.mul(product, node.scalarI64(known)), element);
  }

  /// Drops the reduced dimensions if the node says so.
  Value finish(Value value) {
    if (node.getInt("keepdims", 1) || !value)
      return value;
    if (flags.empty())
      return node.squeeze(value, dims);
    // The extents of the dimensions that stay, found at run time.
    if (numAxes < 0 || numAxes > rank)
      return node.failValue("the number of axes or the rank of the output must be known when dimensions are dropped");
    int64_t kept = rank - numAxes;
    Value stays = node.compare(graph::Predicate::Eq, node.concat(flags, 0), node.scalarI64(0));
    auto positions = node.makeOp<graph::NonZeroOp>(stays);
    if (!positions)
      return {};
    Value which = node.slice(node.reshapeTo(positions.getPositions(), {rank}), 0, kept, 0);
    return node.reshape(value, node.gather(node.shape(value), which, 0));
  }

private:
  LogicalResult readRuntimeAxes(Value axes) {
    numAxes = node.typeOf(axes).hasStaticShape() ? node.typeOf(axes).getNumElements() : -1;
    auto declared = node.declaredShape(0);
    Value positive = node.binary(BinaryKind::Mod, node.vectorOf(axes), node.scalarI64(rank));
    // No axes at all are all of them, or none.
    Value none = node.getInt("noop_with_empty_axes", 0) || numAxes > 0 ? Value() : node.numElements(axes);
    for (int64_t d = 0; d < rank; ++d) {
      Value isReduced = node.reduce(ReduceKind::Any, node.compare(graph::Predicate::Eq, positive, node.scalarI64(d)),
                                    {0}, /*keepDims=*/true);
      if (none)
        isReduced = node.binary(BinaryKind::Or, isReduced,
                                node.compare(graph::Predicate::Eq, none, node.constant(ArrayRef<int64_t>{0})));
      flags.push_back(node.cast(isReduced, node.builder().getI64Type()));
    }
    if (numAxes < 0 && declared)
      numAxes = rank - int64_t(declared->size());
    return success(!node.failed());
  }

  /// `value` reduced along `d` if `flag` is 1: both are computed, laid side by side, and one is cut out.
  Value reduceIf(ReduceKind kind, Value value, int64_t d, Value flag) {
    Value reduced = node.reduce(kind, value, {d}, /*keepDims=*/true);
    Value both = node.concat({reduced, value}, d);
    Value one = node.constant(ArrayRef<int64_t>{1});
    Value start = node.sub(one, flag);
    Value length = node.add(flag, node.mul(start, node.dim(value, d)));
    return node.make<graph::SliceOp>(both, start, node.add(start, length), one, ArrayRef<int64_t>{d});
  }

  NodeBuilder &node;
  Value x;
  int64_t rank = 0, numAxes = 0;
  SmallVector<int64_t> dims;
  /// Per dimension a 1-element vector, 1 where it is reduced; empty when `dims` is known.
  SmallVector<Value> flags;
};

using Formula = Value (*)(NodeBuilder &, Reducer &, Value x);

/// Narrow floats compute in f32; the composite formulas of integers compute in floats where they need roots or
/// logarithms.
template <Formula formula, bool viaFloat> LogicalResult importReduce(NodeBuilder &node) {
  Reducer reducer(node);
  if (failed(reducer.read()))
    return failure();
  Value x = node.widen(reducer.input());
  if (viaFloat && !node.isFloat(x))
    x = node.cast(x, node.elementOf(x).getIntOrFloatBitWidth() > 16 ? Type(node.builder().getF64Type())
                                                                    : Type(node.builder().getF32Type()));
  Value y = node.cast(formula(node, reducer, x), node.elementOf(reducer.input()));
  node.setOutput(0, reducer.finish(y));
  return success(!node.failed());
}

template <ReduceKind kind> Value plain(NodeBuilder &, Reducer &reducer, Value x) { return reducer.reduce(kind, x); }

Value meanOf(NodeBuilder &node, Reducer &reducer, Value x) {
  return node.div(reducer.reduce(ReduceKind::Sum, x), reducer.count(node.elementOf(x)));
}
Value l1(NodeBuilder &node, Reducer &reducer, Value x) {
  return reducer.reduce(ReduceKind::Sum, node.isUnsigned(x) ? x : node.unary(UnaryKind::Abs, x));
}
Value sumSquare(NodeBuilder &node, Reducer &reducer, Value x) {
  return reducer.reduce(ReduceKind::Sum, node.mul(x, x));
}
Value l2(NodeBuilder &node, Reducer &reducer, Value x) {
  return node.unary(UnaryKind::Sqrt, sumSquare(node, reducer, x));
}
Value logSum(NodeBuilder &node, Reducer &reducer, Value x) {
  return node.unary(UnaryKind::Log, reducer.reduce(ReduceKind::Sum, x));
}
Value logSumExp(NodeBuilder &node, Reducer &reducer, Value x) {
  // Subtracting the maximum keeps exp in range; an infinite one would make NaNs.
  Value top = reducer.reduce(ReduceKind::Max, x);
  Value infinite = node.make<graph::ClassifyOp>(graph::FloatClass::Inf, top);
  top = node.select(infinite, node.scalarLike(0, x), top);
  Value sum = reducer.reduce(ReduceKind::Sum, node.exp(node.sub(x, top)));
  return node.add(node.unary(UnaryKind::Log, sum), top);
}

//===----------------------------------------------------------------------===//
// Positions and running values
//===----------------------------------------------------------------------===//

template <graph::ArgKind kind> LogicalResult importArg(NodeBuilder &node) {
  Value x = node.required(0);
  auto axis = node.normalizeAxis(node.getInt("axis", 0), node.rankOf(x));
  if (!x || !axis)
    return failure();
  node.setOutput(0, node.make<graph::ArgReduceOp>(kind, x, *axis, node.getInt("keepdims", 1) != 0,
                                                  node.getInt("select_last_index", 0) != 0));
  return success(!node.failed());
}

template <graph::ScanKind kind> LogicalResult importRunning(NodeBuilder &node) {
  Value x = node.required(0), axisInput = node.required(1);
  if (!x || !axisInput)
    return failure();
  int64_t rank = node.rankOf(x);
  bool exclusive = node.getInt("exclusive", 0) != 0, reverse = node.getInt("reverse", 0) != 0;
  auto along = [&](int64_t d) { return node.make<graph::ScanOp>(kind, x, d, exclusive, reverse); };
  if (auto known = node.constantInts(axisInput); known && known->size() == 1) {
    auto axis = node.normalizeAxis(known->front(), rank);
    if (!axis)
      return failure();
    node.setOutput(0, along(*axis));
    return success(!node.failed());
  }
  if (rank == 0)
    return node.fail("a scalar has no axis");
  // The axis is known at run time only: all are computed, one is chosen.
  Value axis = node.cast(node.scalarOf(axisInput), node.builder().getI64Type());
  axis = node.binary(BinaryKind::Mod, axis, node.scalarI64(rank));
  Value result = along(0);
  for (int64_t d = 1; d < rank; ++d)
    result = node.select(node.compare(graph::Predicate::Eq, axis, node.scalarI64(d)), along(d), result);
  node.setOutput(0, result);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Softmax and its relatives
//===----------------------------------------------------------------------===//

using SoftmaxFn = Value (*)(NodeBuilder &, Value x, int64_t dim);

template <bool isLog> Value softmax(NodeBuilder &node, Value x, int64_t dim) {
  return node.make<graph::SoftmaxOp>(x, dim, isLog);
}

/// 1 where the first maximum along `dim` is.
Value hardmax(NodeBuilder &node, Value x, int64_t dim) {
  if (!x)
    return {};
  Value best = node.make<graph::ArgReduceOp>(graph::ArgKind::Max, x, dim, /*keepDims=*/true, /*last=*/false);
  Value positions = node.make<graph::RangeOp>(node.scalarI64(0), node.scalarOf(node.dim(x, dim)), node.scalarI64(1));
  Value aligned = node.perChannel(positions, node.rankOf(x), dim);
  return node.cast(node.compare(graph::Predicate::Eq, aligned, best), node.elementOf(x));
}

template <SoftmaxFn function> LogicalResult importAlong(NodeBuilder &node) {
  Value x = node.required(0);
  auto axis = node.normalizeAxis(node.getInt("axis", -1), node.rankOf(x));
  if (!x || !axis)
    return failure();
  node.setOutput(0, function(node, x, *axis));
  return success(!node.failed());
}

/// All dimensions from `axis` on as one.
template <SoftmaxFn function> LogicalResult importFlat(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x), axis = node.getInt("axis", 1);
  if (axis < -rank || axis > rank)
    return node.fail("axis " + Twine(axis) + " is out of range for a tensor of rank " + Twine(rank));
  axis = axis < 0 ? axis + rank : axis;
  if (axis == rank - 1) {
    node.setOutput(0, function(node, x, axis));
    return success(!node.failed());
  }
  SmallVector<Piece> pieces;
  for (int64_t d = 0; d < axis; ++d)
    pieces.push_back(node.piece(x, d));
  Value tail = node.constant(ArrayRef<int64_t>{1});
  for (int64_t d = axis; d < rank; ++d)
    tail = node.mul(tail, node.dim(x, d));
  pieces.push_back(tail);
  Value y = function(node, node.reshape(x, pieces), axis);
  node.setOutput(0, node.reshape(y, node.shape(x)));
  return success(!node.failed());
}

} // namespace

void frontend::registerReduction(OpRegistry &registry) {
  registry.add("", "ReduceSum", importReduce<plain<ReduceKind::Sum>, false>);
  registry.add("", "ReduceProd", importReduce<plain<ReduceKind::Prod>, false>);
  registry.add("", "ReduceMin", importReduce<plain<ReduceKind::Min>, false>);
  registry.add("", "ReduceMax", importReduce<plain<ReduceKind::Max>, false>);
  registry.add("", "ReduceMean", importReduce<meanOf, false>);
  registry.add("", "ReduceL1", importReduce<l1, false>);
  registry.add("", "ReduceL2", importReduce<l2, true>);
  registry.add("", "ReduceSumSquare", importReduce<sumSquare, false>);
  registry.add("", "ReduceLogSum", importReduce<logSum, true>);
  registry.add("", "ReduceLogSumExp", importReduce<logSumExp, true>);
  registry.add("", "ArgMax", importArg<graph::ArgKind::Max>);
  registry.add("", "ArgMin", importArg<graph::ArgKind::Min>);
  registry.add("", "CumSum", importRunning<graph::ScanKind::Add>);
  registry.add("", "CumProd", importRunning<graph::ScanKind::Mul>);
  registry.add("", "Softmax", importAlong<softmax<false>>);
  registry.add("", "LogSoftmax", importAlong<softmax<true>>);
  registry.add("", "Hardmax", importAlong<hardmax>);
  // Named by the modernizer of old models.
  registry.add(library::kFlatDomain, "Softmax", importFlat<softmax<false>>);
  registry.add(library::kFlatDomain, "LogSoftmax", importFlat<softmax<true>>);
  registry.add(library::kFlatDomain, "Hardmax", importFlat<hardmax>);
}
