//===- Coordinates.h - Positions in tensors from flat indices ---*- C++ -*-===//
//
// A kernel of a contraction counts rows, columns and terms of sums with one number each. These helpers
// build the index arithmetic from such numbers to elements of tensors, for any shape and layout.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CUDA_KERNELS_COORDINATES_H
#define BACKENDS_CUDA_KERNELS_COORDINATES_H

#include "dialects/Graph/IR/Graph.h"

#include "llvm/ADT/StringMap.h"

namespace hone::cuda {

/// The flat indices a contraction has.
enum Group : unsigned { Batch, Rows, Columns, Sums, NumGroups };

/// The dimensions that one flat index runs over, the last one fastest.
struct GroupShape {
  llvm::SmallVector<graph::Extent> extents;

  /// The number of positions, if it is known.
  std::optional<int64_t> count() const;
  /// Whether every position is known to fit into 32 bits.
  bool isSmall() const {
    std::optional<int64_t> number = count();
    return number && *number <= INT32_MAX;
  }
};

/// `scale` times the position along one dimension of a group.
struct Term {
  Group group;
  unsigned dim;
  int64_t scale = 1;
};

/// The position along one dimension of a tensor: the sum of some terms and a number.
struct Coordinate {
  llvm::SmallVector<Term, 2> terms;
  int64_t offset = 0;
  /// May lie outside the tensor, where elements count as zero.
  bool isChecked = false;
};

/// A tensor and where in it the element lies that belongs to flat indices: a coordinate for each logical
/// dimension.
struct Access {
  mlir::Value tensor;
  llvm::SmallVector<Coordinate> coordinates;
};

/// Index arithmetic that folds constants as it is built.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value, mlir::Type type);
  mlir::Value index(int64_t value) { return constant(value, builder.getIndexType()); }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value scale(mlir::Value a, int64_t factor) { return mul(a, constant(factor, a.getType())); }
  mlir::Value divU(mlir::Value a, mlir::Value b);
  mlir::Value remU(mlir::Value a, mlir::Value b);
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< either may be null: true
  /// An index of 32 bits as index; others as they are.
  mlir::Value widen(mlir::Value a);
};

/// Extents as index arithmetic over the scalars of a kernel.
class ScalarScope {
public:
  /// `names` are those of `values`.
  ScalarScope(mlir::ArrayAttr names, mlir::ValueRange values);

  /// Null where the extent depends on more than scalars.
  mlir::Value get(IndexMath &math, graph::Extent extent) const;
  /// The product of all extents of a group.
  mlir::Value count(IndexMath &math, const GroupShape &group) const;

private:
  llvm::StringMap<mlir::Value> byName;
};

/// Elements of tensors at given flat indices. The arithmetic stands where the builder is.
class Positions {
public:
  Positions(IndexMath &math, const ScalarScope &scope, llvm::ArrayRef<GroupShape> shapes, graph::ExtentBuilder &extents)
      : math(math), scope(scope), shapes(shapes), extents(extents) {}

  /// The flat index of a group, an index or an i32.
  mlir::Value flat[NumGroups];

  struct Place {
    mlir::Value offset; ///< in elements; an index
    mlir::Value valid;  ///< an i1; null: always
  };
  Place of(const Access &access);

private:
  mlir::Value part(Group group, unsigned first, unsigned last);
  mlir::Value position(const Coordinate &coordinate);

  IndexMath &math;
  const ScalarScope &scope;
  llvm::ArrayRef<GroupShape> shapes;
  graph::ExtentBuilder &extents;
};

using graph::memoryOrder;

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_COORDINATES_H
