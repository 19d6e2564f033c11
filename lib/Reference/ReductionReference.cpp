//===- ReductionReference.cpp - Many elements meet in one -----------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// Where each element of an input goes when dimensions are reduced.
struct Grouping {
  Shape kept;    ///< extents with 1 for reduced dimensions
  Shape strides; ///< of the groups, 0 along reduced dimensions
  int64_t groups = 0;
  int64_t groupSize = 1;
};

} // namespace

static FailureOr<Grouping> groupingOf(Operation *op, const Tensor &input, ArrayRef<int64_t> dims) {
  Grouping grouping;
  grouping.kept = Shape(input.getShape());
  SmallVector<bool> reduced(input.getRank(), false);
  for (int64_t dim : dims) {
    FailureOr<int64_t> checked = checkedDim(op, dim, input.getRank());
    if (failed(checked))
      return failure();
    if (reduced[*checked])
      continue;
    reduced[*checked] = true;
    grouping.groupSize *= input.dim(*checked);
    grouping.kept[*checked] = 1;
  }
  grouping.strides = rowMajorStrides(grouping.kept);
  for (size_t d = 0; d < reduced.size(); ++d)
    if (reduced[d])
      grouping.strides[d] = 0;
  grouping.groups = *elementCount(grouping.kept);
  return grouping;
}

/// `kept` without the reduced dimensions, unless they are to stay as 1.
static Shape reducedShape(const Grouping &grouping, ArrayRef<int64_t> dims, bool keepDims) {
  if (keepDims)
    return grouping.kept;
  Shape shape;
  int64_t rank = grouping.kept.size();
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d) && !llvm::is_contained(dims, d - rank))
      shape.push_back(grouping.kept[d]);
  return shape;
}

/// Calls visit(element, group).
template <typename Visit> static void forEachElement(const Tensor &input, const Grouping &grouping, Visit visit) {
  forEachOffset<1>(input.getShape(), {ArrayRef(grouping.strides)},
                   [&](int64_t i, std::array<int64_t, 1> group) { visit(i, group[0]); });
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

static double neutral(ReduceKind kind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Any:
    return 0;
  case ReduceKind::Prod:
  case ReduceKind::All:
    return 1;
  case ReduceKind::Min:
    return kInfinity;
  case ReduceKind::Max:
    return -kInfinity;
  }
  llvm_unreachable("unknown reduction");
}

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Prod:
    return a * b;
  case ReduceKind::Min:
    return std::isnan(a) || a < b ? a : b;
  case ReduceKind::Max:
    return std::isnan(a) || a > b ? a : b;
  case ReduceKind::All:
    return a != 0 && b != 0;
  case ReduceKind::Any:
    return a != 0 || b != 0;
  }
  llvm_unreachable("unknown reduction");
}

static int64_t neutral(ReduceKind kind, unsigned width, bool isUnsigned) {
  uint64_t ones = ~uint64_t(0) >> (64 - width);
  switch (kind) {
  case ReduceKind::Min:
    return static_cast<int64_t>(isUnsigned ? ones : ones >> 1);
  case ReduceKind::Max:
    return isUnsigned ? 0 : -static_cast<int64_t>(ones >> 1) - 1;
  default:
    return static_cast<int64_t>(neutral(kind));
  }
}

static int64_t combine(ReduceKind kind, int64_t a, int64_t b, bool isUnsigned) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  bool less = isUnsigned ? ua < ub : a < b;
  switch (kind) {
  case ReduceKind::Sum:
    return static_cast<int64_t>(ua + ub);
  case ReduceKind::Prod:
    return static_cast<int64_t>(ua * ub);
  case ReduceKind::Min:
    return less ? a : b;
  case ReduceKind::Max:
    return less ? b : a;
  case ReduceKind::All:
    return a != 0 && b != 0;
  case ReduceKind::Any:
    return a != 0 || b != 0;
  }
  llvm_unreachable("unknown reduction");
}

static Result evalReduce(ReduceOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Grouping> grouping = groupingOf(op, input, op.getDims());
  if (failed(grouping))
    return failure();
  Shape shape = reducedShape(*grouping, op.getDims(), op.getKeepDims());
  Type element = input.getElementType();
  ReduceKind kind = op.getKind();
  if (failed(allocate(op, element, shape)))
    return failure();
  if (input.isFloat()) {
    std::vector<double> values = input.doubles();
    std::vector<double> sums(grouping->groups, neutral(kind));
    forEachElement(input, *grouping,
                   [&](int64_t i, int64_t group) { sums[group] = combine(kind, sums[group], values[i]); });
    return fromDoubles(op, element, shape, sums);
  }
  std::vector<int64_t> values = input.ints();
  bool isUnsigned = input.isUnsigned();
  std::vector<int64_t> sums(grouping->groups, neutral(kind, input.getWidth(), isUnsigned));
  forEachElement(input, *grouping,
                 [&](int64_t i, int64_t group) { sums[group] = combine(kind, sums[group], values[i], isUnsigned); });
  return fromInts(op, element, shape, sums);
}

//===----------------------------------------------------------------------===//
// arg_reduce and scan
//===----------------------------------------------------------------------===//

/// Position of the extreme among `extent` elements `step` apart. NaN is more
/// extreme than anything.
template <typename T, typename Less>
static int64_t extremeOf(const T *at, int64_t extent, int64_t step, bool last, Less moreExtreme) {
  int64_t best = 0;
  for (int64_t i = 1; i < extent; ++i) {
    T challenger = at[i * step], champion = at[best * step];
    if (moreExtreme(challenger, champion) || (last && !moreExtreme(champion, challenger)))
      best = i;
  }
  return best;
}

template <typename T, typename Less>
static std::vector<int64_t> extremes(const std::vector<T> &values, Split split, bool last, Less moreExtreme) {
  std::vector<int64_t> result;
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i)
      result.push_back(
          extremeOf(values.data() + o * split.extent * split.inner + i, split.extent, split.inner, last, moreExtreme));
  return result;
}

static Result evalArgReduce(ArgReduceOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<int64_t> dim = checkedDim(op, op.getDim(), input.getRank());
  if (failed(dim))
    return failure();
  Split split(input.getShape(), *dim);
  if (split.extent == 0 && split.outer * split.inner != 0)
    return op.emitError("looks for an extreme among no elements");
  Shape shape(input.getShape());
  shape[*dim] = 1;
  if (!op.getKeepDims())
    shape.erase(shape.begin() + *dim);
  bool max = op.getKind() == ArgKind::Max, last = op.getLast();
  if (input.isFloat())
    return fromInts(op, resultElement(op), shape, extremes(input.doubles(), split, last, [=](double a, double b) {
                      if (std::isnan(a) || std::isnan(b))
                        return std::isnan(a) && !std::isnan(b);
                      return max ? a > b : a < b;
                    }));
  bool isUnsigned = input.isUnsigned();
  return fromInts(op, resultElement(op), shape, extremes(input.ints(), split, last, [=](int64_t a, int64_t b) {
                    if (!max)
                      std::swap(a, b);
                    return isUnsigned ? static_cast<uint64_t>(a) > static_cast<uint64_t>(b) : a > b;
                  }));
}

template <typename T> static std::vector<T> scanned(ScanOp op, Split split, const std::vector<T> &values) {
  std::vector<T> result(values.size());
  bool add = op.getKind() == ScanKind::Add;
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      T running = add ? T(0) : T(1);
      for (int64_t n = 0; n < split.extent; ++n) {
        int64_t position = op.getReverse() ? split.extent - 1 - n : n;
        int64_t at = (o * split.extent + position) * split.inner + i;
        T next = add ? running + values[at] : running * values[at];
        result[at] = op.getExclusive() ? running : next;
        running = next;
      }
    }
  return result;
}

static Result evalScan(ScanOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<int64_t> dim = checkedDim(op, op.getDim(), input.getRank());
  if (failed(dim))
    return failure();
  Split split(input.getShape(), *dim);
  if (input.isFloat())
    return fromDoubles(op, input.getElementType(), input.getShape(), scanned<double>(op, split, input.doubles()));
  std::vector<int64_t> values = input.ints();
  std::vector<uint64_t> sums = scanned<uint64_t>(op, split, std::vector<uint64_t>(values.begin(), values.end()));
  return fromInts(op, input.getElementType(), input.getShape(), std::vector<int64_t>(sums.begin(), sums.end()));
}

//===----------------------------------------------------------------------===//
// softmax and normalize
//===----------------------------------------------------------------------===//

static Result evalSoftmax(SoftmaxOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Grouping> grouping = groupingOf(op, input, static_cast<int64_t>(op.getDim()));
  if (failed(grouping))
    return failure();
  std::vector<double> values = input.doubles();
  std::vector<double> maxima(grouping->groups, neutral(ReduceKind::Max));
  std::vector<double> sums(grouping->groups, 0);
  forEachElement(input, *grouping,
                 [&](int64_t i, int64_t group) { maxima[group] = combine(ReduceKind::Max, maxima[group], values[i]); });
  forEachElement(input, *grouping,
                 [&](int64_t i, int64_t group) { sums[group] += std::exp(values[i] - maxima[group]); });
  forEachElement(input, *grouping, [&](int64_t i, int64_t group) {
    double shifted = values[i] - maxima[group];
    values[i] = op.getLog() ? shifted - std::log(sums[group]) : std::exp(shifted) / sums[group];
  });
  return fromDoubles(op, input.getElementType(), input.getShape(), values);
}

static Result evalNormalize(NormalizeOp op, Operands operands) {
  const Tensor &input = operands[0];
  FailureOr<Grouping> grouping = groupingOf(op, input, op.getDims());
  if (failed(grouping))
    return failure();
  std::vector<double> values = input.doubles();
  auto size = static_cast<double>(grouping->groupSize);
  std::vector<double> means(grouping->groups, 0), squares = means;
  if (op.getKind() == NormKind::Layer)
    forEachElement(input, *grouping, [&](int64_t i, int64_t group) { means[group] += values[i] / size; });
  forEachElement(input, *grouping, [&](int64_t i, int64_t group) {
    values[i] -= means[group];
    squares[group] += values[i] * values[i] / size;
  });
  double epsilon = op.getEpsilon().convertToDouble();
  forEachElement(input, *grouping, [&](int64_t i, int64_t group) { values[i] /= std::sqrt(squares[group] + epsilon); });
  return fromDoubles(op, input.getElementType(), input.getShape(), values);
}

void addReductions(OpTable &table) {
  table.add<ReduceOp>(evalReduce);
  table.add<ArgReduceOp>(evalArgReduce);
  table.add<ScanOp>(evalScan);
  table.add<SoftmaxOp>(evalSoftmax);
  table.add<NormalizeOp>(evalNormalize);
}

} // namespace hone::reference
