//===- ContractionReference.cpp - Products summed over indices ------------===//
//
// Both operands become batched matrices, then three loops. Floats accumulate
// in double, integers wrap around.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// The index numbers of a contraction by the role they play.
struct Roles {
  SmallVector<int64_t> batch, rows, columns, summed;
  SmallVector<int64_t> lhsOnly, rhsOnly; ///< summed within one operand
  DenseMap<int64_t, int64_t> extents;

  Shape shapeOf(ArrayRef<int64_t> numbers) const {
    Shape shape;
    for (int64_t number : numbers)
      shape.push_back(extents.lookup(number));
    return shape;
  }
  int64_t count(ArrayRef<int64_t> numbers) const { return *elementCount(shapeOf(numbers)); }
};

} // namespace

static LogicalResult addExtents(ContractOp op, const Tensor &tensor, ArrayRef<int64_t> numbers, Roles &roles) {
  if (static_cast<int64_t>(numbers.size()) != tensor.getRank())
    return op.emitError("has another number of indices than dimensions");
  for (auto [number, extent] : llvm::zip_equal(numbers, tensor.getShape())) {
    auto [at, isNew] = roles.extents.try_emplace(number, extent);
    if (!isNew && at->second != extent)
      return op.emitError() << "index " << number << " has extents " << at->second << " and " << extent;
  }
  return success();
}

static FailureOr<Roles> rolesOf(ContractOp op, Operands operands) {
  Roles roles;
  if (failed(addExtents(op, operands[0], op.getLhsDims(), roles)) ||
      failed(addExtents(op, operands[1], op.getRhsDims(), roles)))
    return failure();
  for (int64_t number : op.getLhsDims()) {
    bool shared = llvm::is_contained(op.getRhsDims(), number);
    bool kept = llvm::is_contained(op.getResultDims(), number);
    (shared ? (kept ? roles.batch : roles.summed) : (kept ? roles.rows : roles.lhsOnly)).push_back(number);
  }
  for (int64_t number : op.getRhsDims())
    if (!llvm::is_contained(op.getLhsDims(), number))
      (llvm::is_contained(op.getResultDims(), number) ? roles.columns : roles.rhsOnly).push_back(number);
  for (int64_t number : op.getResultDims())
    if (!roles.extents.count(number))
      return op.emitError() << "index " << number << " of the result is in no "
                            << "operand";
  return roles;
}

/// Strides that visit a tensor with dimensions `own` in the order `wanted`.
static Shape stridesFor(ArrayRef<int64_t> own, ArrayRef<int64_t> shape, ArrayRef<int64_t> wanted) {
  Shape strides = rowMajorStrides(shape), result;
  for (int64_t number : wanted)
    result.push_back(strides[llvm::find(own, number) - own.begin()]);
  return result;
}

/// Elements in the order of `wanted`, summed over the last `folded` of them.
template <typename T>
static std::vector<T> matrixOf(const std::vector<T> &values, ArrayRef<int64_t> own, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> wanted, const Roles &roles, int64_t folded) {
  std::vector<T> result(folded == 0 ? 0 : values.size() / static_cast<size_t>(folded), T(0));
  Shape strides = stridesFor(own, shape, wanted);
  forEachOffset<1>(roles.shapeOf(wanted), {ArrayRef(strides)},
                   [&](int64_t i, std::array<int64_t, 1> from) { result[i / folded] += values[from[0]]; });
  return result;
}

/// result[b][m][n] += lhs[b][m][k] * rhs[b][k][n].
template <typename T>
static std::vector<T> multiply(const std::vector<T> &lhs, const std::vector<T> &rhs, int64_t batch, int64_t rows,
                               int64_t columns, int64_t summed) {
  std::vector<T> result(batch * rows * columns, T(0));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t m = 0; m < rows; ++m) {
      T *to = result.data() + (b * rows + m) * columns;
      const T *left = lhs.data() + (b * rows + m) * summed;
      for (int64_t k = 0; k < summed; ++k) {
        const T *right = rhs.data() + (b * summed + k) * columns;
        for (int64_t n = 0; n < columns; ++n)
          to[n] += left[k] * right[n];
      }
    }
  return result;
}

static SmallVector<int64_t> joined(ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> all;
  for (ArrayRef<int64_t> list : lists)
    llvm::append_range(all, list);
  return all;
}

/// The result, row-major in the order of its own indices.
template <typename T>
static std::vector<T> contract(ContractOp op, const Roles &roles, Operands operands, const std::vector<T> &lhs,
                               const std::vector<T> &rhs) {
  std::vector<T> left =
      matrixOf<T>(lhs, op.getLhsDims(), operands[0].getShape(),
                  joined({roles.batch, roles.rows, roles.summed, roles.lhsOnly}), roles, roles.count(roles.lhsOnly));
  std::vector<T> right =
      matrixOf<T>(rhs, op.getRhsDims(), operands[1].getShape(),
                  joined({roles.batch, roles.summed, roles.columns, roles.rhsOnly}), roles, roles.count(roles.rhsOnly));
  int64_t summed = roles.count(roles.summed);
  // A sum over no elements is 0: nothing to multiply.
  if (roles.count(roles.lhsOnly) == 0 || roles.count(roles.rhsOnly) == 0)
    summed = 0;
  std::vector<T> product =
      multiply<T>(left, right, roles.count(roles.batch), roles.count(roles.rows), roles.count(roles.columns), summed);
  SmallVector<int64_t> made = joined({roles.batch, roles.rows, roles.columns});
  return matrixOf<T>(product, made, roles.shapeOf(made), op.getResultDims(), roles, 1);
}

static std::vector<uint64_t> bitsOf(const Tensor &tensor) {
  std::vector<int64_t> values = tensor.ints();
  return {values.begin(), values.end()};
}

static Result evalContract(ContractOp op, Operands operands) {
  FailureOr<Roles> roles = rolesOf(op, operands);
  if (failed(roles))
    return failure();
  Shape shape = roles->shapeOf(op.getResultDims());
  if (failed(allocate(op, op.getTo(), shape)))
    return failure();
  if (isa<FloatType>(op.getTo()))
    return fromDoubles(op, op.getTo(), shape,
                       contract<double>(op, *roles, operands, operands[0].doubles(), operands[1].doubles()));
  std::vector<uint64_t> values = contract<uint64_t>(op, *roles, operands, bitsOf(operands[0]), bitsOf(operands[1]));
  return fromInts(op, op.getTo(), shape, std::vector<int64_t>(values.begin(), values.end()));
}

void addContractions(OpTable &table) { table.add<ContractOp>(evalContract); }

} // namespace hone::reference
