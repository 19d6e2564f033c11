//===- Contraction.cpp - Matrix products behind graph ops -----------------===//

#include "backends/CUDA/Kernels/Contraction.h"

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool Contraction::runsAlongSums(const Access &access) const {
  SmallVector<int64_t> order = memoryOrder(typeOf(access.tensor));
  for (int64_t dim : llvm::reverse(order)) {
    const Term *sums = nullptr;
    SmallVector<Term> others;
    for (const Term &term : access.coordinates[dim].terms)
      if (term.group == Sums)
        sums = &term;
      else if (term.group != Batch)
        others.push_back(term);
    std::optional<int64_t> length = sums ? graph::constantExtent(shapes[Sums].extents[sums->dim]) : std::nullopt;
    // The windows of a convolution lie beside each other when its stride is as long as they are.
    auto isBeyond = [&](const Term &term) { return length && term.scale >= sums->scale * *length; };
    if (sums && llvm::all_of(others, isBeyond))
      return true;
    if (!others.empty())
      return false;
  }
  return true;
}

bool Contraction::isInPacks(const Access &access, int64_t count, graph::ExtentBuilder &extents) const {
  for (int64_t dim : llvm::reverse(memoryOrder(typeOf(access.tensor)))) {
    const Coordinate &innermost = access.coordinates[dim];
    std::optional<int64_t> extent = graph::constantExtent(extents.dim(access.tensor, dim));
    if (innermost.terms.empty() && extent == std::optional<int64_t>(1))
      continue;
    if (innermost.isChecked || innermost.offset % count != 0 || !extent || *extent % count != 0)
      return false;
    // One term steps through the pack, that of the index which runs along the memory; the others over whole packs.
    unsigned steps = 0;
    auto runs = [&](Group group) { return runsAlongSums(access) ? group == Sums : group == Rows || group == Columns; };
    for (const Term &term : innermost.terms) {
      llvm::ArrayRef<graph::Extent> dims = shapes[term.group].extents;
      std::optional<int64_t> length = graph::constantExtent(dims[term.dim]);
      if (term.scale == 1 && runs(term.group) && term.dim + 1 == dims.size() && length && *length % count == 0)
        ++steps;
      else if (term.scale % count != 0)
        return false;
    }
    return steps == 1;
  }
  return false;
}

namespace {

/// Collects the dimensions of a contraction in its groups.
class Grouping {
public:
  Grouping(Operation *op, graph::ExtentBuilder &extents) : extents(extents) { contraction.op = op; }

  /// A new dimension of a group; none where there is only one position.
  Coordinate add(Group group, graph::Extent extent) {
    if (graph::constantExtent(extent) == std::optional<int64_t>(1))
      return {};
    SmallVector<graph::Extent> &list = contraction.shapes[group].extents;
    list.push_back(extent);
    return {{Term{group, static_cast<unsigned>(list.size() - 1)}}};
  }

  static Coordinate sum(const Coordinate &a, int64_t scaleA, const Coordinate &b, int64_t scaleB, int64_t offset) {
    Coordinate result;
    for (auto [coordinate, scale] : {std::pair(&a, scaleA), std::pair(&b, scaleB)})
      for (Term term : coordinate->terms) {
        term.scale *= scale;
        result.terms.push_back(term);
      }
    result.offset = offset;
    return result;
  }

  graph::ExtentBuilder &extents;
  Contraction contraction;
};

} // namespace

static std::optional<Contraction> analyze(graph::ContractOp op, graph::ExtentBuilder &extents) {
  Grouping grouping(op, extents);
  Contraction &c = grouping.contraction;
  Value left = op.getLhs(), right = op.getRhs(), result = op.getResult();
  ArrayRef<int64_t> leftDims = op.getLhsDims(), rightDims = op.getRhsDims(), resultDims = op.getResultDims();
  SmallVector<int64_t> resultOrder = memoryOrder(typeOf(result));
  // Columns are what varies fastest in the result.
  for (int64_t dim : llvm::reverse(resultOrder)) {
    bool inLeft = llvm::is_contained(leftDims, resultDims[dim]),
         inRight = llvm::is_contained(rightDims, resultDims[dim]);
    if (inLeft == inRight)
      continue;
    if (inLeft) {
      std::swap(left, right);
      std::swap(leftDims, rightDims);
    }
    break;
  }
  llvm::SmallDenseMap<int64_t, Coordinate> coordinates;
  for (int64_t dim : resultOrder) {
    int64_t index = resultDims[dim];
    bool inLeft = llvm::is_contained(leftDims, index), inRight = llvm::is_contained(rightDims, index);
    coordinates[index] = grouping.add(inLeft && inRight ? Batch : inLeft ? Rows : Columns, extents.dim(result, dim));
  }
  for (auto [tensor, dims] : {std::pair(left, leftDims), std::pair(right, rightDims)})
    for (int64_t dim : memoryOrder(typeOf(tensor)))
      if (!coordinates.contains(dims[dim]))
        coordinates[dims[dim]] = grouping.add(Sums, extents.dim(tensor, dim));
  auto access = [&](Value tensor, ArrayRef<int64_t> dims) {
    Access result{tensor, {}};
    for (int64_t index : dims)
      result.coordinates.push_back(coordinates.lookup(index));
    return result;
  };
  c.left = access(left, leftDims);
  c.right = access(right, rightDims);
  c.result = access(result, resultDims);
  c.number = graph_to_linalg::computeType(op.getTo());
  return c;
}

static std::optional<Contraction> analyze(graph::ConvOp op, graph::ExtentBuilder &extents) {
  RankedTensorType inputType = op.getInput().getType(), weightsType = op.getWeights().getType();
  if (!weightsType.hasStaticShape() || weightsType.getNumElements() == 0)
    return std::nullopt;
  Grouping grouping(op, extents);
  Contraction &c = grouping.contraction;
  int64_t rank = inputType.getRank(), groups = op.getGroups();
  int64_t channels = weightsType.getDimSize(1), outputs = weightsType.getDimSize(0) / groups;
  auto constant = [&](int64_t value) { return extents.constant(value); };
  SmallVector<int64_t> resultOrder = memoryOrder(typeOf(op.getResult()));
  bool channelsLast = resultOrder.back() == 1;

  Coordinate group = grouping.add(Batch, constant(groups));
  Coordinate output = grouping.add(channelsLast ? Columns : Rows, constant(outputs));
  SmallVector<Coordinate> pixel(rank), window(rank);
  for (int64_t dim : resultOrder)
    if (dim != 1)
      pixel[dim] = grouping.add(channelsLast ? Rows : Columns, extents.dim(op.getResult(), dim));
  // In the order of the operand that the sums run along.
  Coordinate channel;
  for (int64_t dim : memoryOrder(channelsLast ? inputType : weightsType))
    if (dim == 1)
      channel = grouping.add(Sums, constant(channels));
    else if (dim > 1)
      window[dim] = grouping.add(Sums, constant(weightsType.getDimSize(dim)));

  Access input{op.getInput(), SmallVector<Coordinate>(rank)}, weights{op.getWeights(), SmallVector<Coordinate>(rank)};
  c.result = {op.getResult(), SmallVector<Coordinate>(rank)};
  input.coordinates[0] = c.result.coordinates[0] = pixel[0];
  input.coordinates[1] = Grouping::sum(group, channels, channel, 1, 0);
  weights.coordinates[0] = c.result.coordinates[1] = Grouping::sum(group, outputs, output, 1, 0);
  weights.coordinates[1] = channel;
  for (int64_t dim = 2; dim < rank; ++dim) {
    int64_t i = dim - 2, before = op.getPads()[i], after = op.getPads()[rank - 2 + i];
    weights.coordinates[dim] = window[dim];
    c.result.coordinates[dim] = pixel[dim];
    input.coordinates[dim] = Grouping::sum(pixel[dim], op.getStrides()[i], window[dim], op.getDilations()[i], -before);
    // Negative padding crops, which keeps positions inside.
    input.coordinates[dim].isChecked = before > 0 || after > 0;
  }
  c.left = channelsLast ? input : weights;
  c.right = channelsLast ? weights : input;
  c.number = graph_to_linalg::computeType(op.getTo());
  return c;
}

std::optional<Contraction> cuda::analyzeContraction(Operation *op, graph::ExtentBuilder &extents) {
  return llvm::TypeSwitch<Operation *, std::optional<Contraction>>(op)
      .Case<graph::ContractOp, graph::ConvOp>([&](auto contraction) { return analyze(contraction, extents); })
      .Default([](Operation *) { return std::nullopt; });
}
