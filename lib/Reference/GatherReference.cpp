//===- GatherReference.cpp - Elements by index ----------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include <cmath>

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {

/// `index` counted from the end when negative, or a diagnostic.
static FailureOr<int64_t> checkedIndex(Operation *op, int64_t index, int64_t extent) {
  int64_t positive = index < 0 ? index + extent : index;
  if (positive < 0 || positive >= extent)
    return op->emitError() << "index " << index << " is out of range for an extent of " << extent;
  return positive;
}

static Result evalGather(GatherOp op, Operands operands) {
  const Tensor &input = operands[0], &indices = operands[1];
  FailureOr<int64_t> dim = checkedDim(op, op.getDim(), input.getRank());
  if (failed(dim))
    return failure();
  Shape shape(input.getShape().take_front(*dim));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, input.getShape().drop_front(*dim + 1));
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result))
    return failure();
  Split split(input.getShape(), *dim);
  ElementCopier copier(*result, input);
  int64_t picked = indices.size();
  for (auto [n, index] : llvm::enumerate(indices.ints())) {
    FailureOr<int64_t> at = checkedIndex(op, index, split.extent);
    if (failed(at))
      return failure();
    for (int64_t o = 0; o < split.outer; ++o)
      copier.copyRun((o * picked + n) * split.inner, (o * split.extent + *at) * split.inner, split.inner);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// One index per element
//===----------------------------------------------------------------------===//

/// For every position of `indices`, the offset in `target` that its index
/// along `dim` selects.
static FailureOr<std::vector<int64_t>> elementOffsets(Operation *op, const Tensor &target, const Tensor &indices,
                                                      int64_t dim) {
  FailureOr<int64_t> along = checkedDim(op, dim, target.getRank());
  if (failed(along))
    return failure();
  if (indices.getRank() != target.getRank())
    return op->emitError("indices have another rank than the input");
  for (int64_t d = 0; d < target.getRank(); ++d)
    if (d != *along && indices.dim(d) > target.dim(d))
      return op->emitError() << "indices of shape " << shapeText(indices.getShape())
                             << " reach beyond an input of shape " << shapeText(target.getShape());
  std::vector<int64_t> values = indices.ints();
  for (int64_t &value : values) {
    FailureOr<int64_t> at = checkedIndex(op, value, target.dim(*along));
    if (failed(at))
      return failure();
    value = *at;
  }
  Shape strides = rowMajorStrides(target.getShape());
  int64_t step = strides[*along];
  strides[*along] = 0;
  forEachOffset<1>(indices.getShape(), {ArrayRef(strides)},
                   [&](int64_t i, std::array<int64_t, 1> base) { values[i] = base[0] + values[i] * step; });
  return values;
}

static Result evalGatherElements(GatherElementsOp op, Operands operands) {
  auto offsets = elementOffsets(op, operands[0], operands[1], op.getDim());
  if (failed(offsets))
    return failure();
  Result result = allocate(op, operands[0].getElementType(), operands[1].getShape());
  if (failed(result))
    return failure();
  ElementCopier copier(*result, operands[0]);
  for (auto [i, from] : llvm::enumerate(*offsets))
    copier.copy(i, from);
  return result;
}

//===----------------------------------------------------------------------===//
// Index tuples
//===----------------------------------------------------------------------===//

namespace {
/// Slices of a tensor that tuples of indices select.
struct Slices {
  std::vector<int64_t> offsets; ///< of each slice's first element
  int64_t length;               ///< of a slice
  Shape shape;                  ///< of a slice
};
} // namespace

static FailureOr<Slices> slicesOf(Operation *op, const Tensor &target, const Tensor &indices, int64_t batchDims) {
  int64_t tuple = indices.getRank() == 0 ? 0 : indices.getShape().back();
  if (indices.getRank() == 0 || batchDims < 0 || batchDims >= indices.getRank() ||
      batchDims + tuple > target.getRank() ||
      indices.getShape().take_front(batchDims) != target.getShape().take_front(batchDims))
    return op->emitError() << "indices of shape " << shapeText(indices.getShape()) << " do not fit an input of shape "
                           << shapeText(target.getShape());
  Slices slices;
  slices.shape = Shape(target.getShape().drop_front(batchDims + tuple));
  slices.length = *elementCount(slices.shape);
  int64_t perBatch = *elementCount(target.getShape().drop_front(batchDims));
  int64_t tuples = *elementCount(indices.getShape().drop_back());
  int64_t tuplesPerBatch = *elementCount(indices.getShape().drop_back().drop_front(batchDims));
  Shape strides = rowMajorStrides(target.getShape());
  std::vector<int64_t> values = indices.ints();
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t offset = i / tuplesPerBatch * perBatch;
    for (int64_t n = 0; n < tuple; ++n) {
      FailureOr<int64_t> at = checkedIndex(op, values[i * tuple + n], target.dim(batchDims + n));
      if (failed(at))
        return failure();
      offset += *at * strides[batchDims + n];
    }
    slices.offsets.push_back(offset);
  }
  return slices;
}

static Result evalGatherND(GatherNDOp op, Operands operands) {
  const Tensor &input = operands[0], &indices = operands[1];
  FailureOr<Slices> slices = slicesOf(op, input, indices, op.getBatchDims());
  if (failed(slices))
    return failure();
  Shape shape(indices.getShape().drop_back());
  shape.append(slices->shape);
  Result result = allocate(op, input.getElementType(), shape);
  if (failed(result))
    return failure();
  ElementCopier copier(*result, input);
  for (auto [i, from] : llvm::enumerate(slices->offsets))
    copier.copyRun(i * slices->length, from, slices->length);
  return result;
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static double meet(ScatterKind kind, double old, double update) {
  switch (kind) {
  case ScatterKind::Assign:
    return update;
  case ScatterKind::Add:
    return old + update;
  case ScatterKind::Mul:
    return old * update;
  case ScatterKind::Min:
    return std::isnan(old) || old < update ? old : update;
  case ScatterKind::Max:
    return std::isnan(old) || old > update ? old : update;
  }
  llvm_unreachable("unknown scatter kind");
}

static int64_t meet(ScatterKind kind, int64_t old, int64_t update, bool isUnsigned) {
  auto a = static_cast<uint64_t>(old), b = static_cast<uint64_t>(update);
  bool less = isUnsigned ? a < b : old < update;
  switch (kind) {
  case ScatterKind::Assign:
    return update;
  case ScatterKind::Add:
    return static_cast<int64_t>(a + b);
  case ScatterKind::Mul:
    return static_cast<int64_t>(a * b);
  case ScatterKind::Min:
    return less ? old : update;
  case ScatterKind::Max:
    return less ? update : old;
  }
  llvm_unreachable("unknown scatter kind");
}

/// Lets `updates` meet runs of `length` elements of `target`, in order. Every
/// step is rounded to the element type.
static void scatterInto(Tensor &target, const Tensor &updates, ArrayRef<int64_t> offsets, int64_t length,
                        ScatterKind kind) {
  if (kind == ScatterKind::Assign) {
    ElementCopier copier(target, updates);
    for (auto [i, to] : llvm::enumerate(offsets))
      copier.copyRun(to, i * length, length);
    return;
  }
  for (auto [i, first] : llvm::enumerate(offsets))
    for (int64_t n = 0; n < length; ++n) {
      int64_t to = first + n, from = i * length + n;
      if (target.isFloat())
        target.setDouble(to, meet(kind, target.asDouble(to), updates.asDouble(from)));
      else
        target.setInt(to, meet(kind, target.asInt(to), updates.asInt(from), target.isUnsigned()));
    }
}

static Result evalScatterElements(ScatterElementsOp op, Operands operands) {
  const Tensor &updates = operands[2];
  auto offsets = elementOffsets(op, operands[0], operands[1], op.getDim());
  if (failed(offsets))
    return failure();
  if (updates.getShape() != operands[1].getShape())
    return op.emitError() << "updates have shape " << shapeText(updates.getShape()) << ", indices "
                          << shapeText(operands[1].getShape());
  Tensor result = operands[0];
  scatterInto(result, updates, *offsets, 1, op.getKind());
  return result;
}

static Result evalScatterND(ScatterNDOp op, Operands operands) {
  const Tensor &indices = operands[1], &updates = operands[2];
  FailureOr<Slices> slices = slicesOf(op, operands[0], indices, 0);
  if (failed(slices))
    return failure();
  Shape expected(indices.getShape().drop_back());
  expected.append(slices->shape);
  if (updates.getShape() != ArrayRef<int64_t>(expected))
    return op.emitError() << "updates have shape " << shapeText(updates.getShape()) << " instead of "
                          << shapeText(expected);
  Tensor result = operands[0];
  scatterInto(result, updates, slices->offsets, slices->length, op.getKind());
  return result;
}

void addGathers(OpTable &table) {
  table.add<GatherOp>(evalGather);
  table.add<GatherElementsOp>(evalGatherElements);
  table.add<GatherNDOp>(evalGatherND);
  table.add<ScatterElementsOp>(evalScatterElements);
  table.add<ScatterNDOp>(evalScatterND);
}

} // namespace hone::reference
