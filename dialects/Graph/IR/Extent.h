//===- Extent.h - Extents of tensors as expressions -------------*- C++ -*-===//
//
// One algebra for sizes, four uses: type inference asks whether an extent is a constant, passes ask
// whether two are equal, the plan and the kernels turn them into arithmetic. Expressions are
// uniqued and simplified when built, so equal pointers are equal extents.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_GRAPH_IR_EXTENT_H
#define DIALECTS_GRAPH_IR_EXTENT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

#include <map>
#include <optional>
#include <tuple>

namespace hone::graph {

/// Operators of extent arithmetic. Div and Mod floor; Lt and Eq give 0 or 1; Select takes three.
enum class ExtentOp { Constant, Symbol, Dim, Element, Add, Sub, Mul, Div, CeilDiv, Mod, Min, Max, Lt, Eq, Select };

/// One node. Leaves are constants, named symbols, dimensions of values and elements of small
/// integer tensors.
struct ExtentNode {
  ExtentNode(ExtentOp op) : op(op) {}

  ExtentOp op;
  int64_t number = 0;   ///< constant; dimension or element position
  mlir::Value value;    ///< of Dim and Element
  llvm::StringRef name; ///< of Symbol
  size_t id = 0;        ///< order of creation: deterministic
  const ExtentNode *operands[3] = {nullptr, nullptr, nullptr};
};
using Extent = const ExtentNode *;

/// Element type and extents of one tensor.
struct TensorShape {
  mlir::Type element;
  llvm::SmallVector<Extent> dims;
};

/// What must hold for the shapes of an op to fit where only a run can tell: an expression of 0 or 1.
struct ShapeRequirement {
  Extent holds;
  std::string message;
};

/// Builds, simplifies and owns extents. Values are looked through to their producers as far as
/// those are graph ops; what cannot be looked through is a leaf.
class ExtentBuilder {
public:
  /// With `lookThrough` off, dimensions come from types alone; elements still look at producers. For type
  /// inference of one op, which needs to know constants only.
  explicit ExtentBuilder(bool lookThrough = true) : lookThrough(lookThrough) {}
  ExtentBuilder(const ExtentBuilder &) = delete;

  Extent constant(int64_t value);
  /// Equal names are equal extents.
  Extent symbol(llvm::StringRef name);
  /// Extent of dimension `dim` of `tensor`.
  Extent dim(mlir::Value tensor, int64_t dim);
  llvm::SmallVector<Extent> dims(mlir::Value tensor);
  /// Elements of an integer tensor of at most kMaxElements elements and static shape, row-major;
  /// nullopt when the tensor is larger or not an integer tensor.
  std::optional<llvm::SmallVector<Extent>> elements(mlir::Value tensor);

  Extent add(Extent a, Extent b) { return binary(ExtentOp::Add, a, b); }
  Extent sub(Extent a, Extent b) { return binary(ExtentOp::Sub, a, b); }
  Extent mul(Extent a, Extent b) { return binary(ExtentOp::Mul, a, b); }
  Extent div(Extent a, Extent b) { return binary(ExtentOp::Div, a, b); }
  Extent ceilDiv(Extent a, Extent b) { return binary(ExtentOp::CeilDiv, a, b); }
  Extent mod(Extent a, Extent b) { return binary(ExtentOp::Mod, a, b); }
  Extent min(Extent a, Extent b) { return binary(ExtentOp::Min, a, b); }
  Extent max(Extent a, Extent b) { return binary(ExtentOp::Max, a, b); }
  Extent lt(Extent a, Extent b) { return binary(ExtentOp::Lt, a, b); }
  Extent eq(Extent a, Extent b) { return binary(ExtentOp::Eq, a, b); }
  Extent select(Extent condition, Extent a, Extent b);
  Extent product(llvm::ArrayRef<Extent> factors);
  Extent binary(ExtentOp op, Extent a, Extent b);
  /// The extent of two broadcast dimensions.
  Extent broadcast(Extent a, Extent b);

  /// Whether `extent` can be shown to be at least `bound`. Extents of tensors are at least 0.
  bool atLeast(Extent extent, int64_t bound) const;

  /// Notes a requirement of the op whose shapes are being inferred.
  void require(Extent holds, const llvm::Twine &message);
  /// That `extent` is not below 0.
  void requireExtent(Extent extent, const llvm::Twine &message);
  /// What `op` asks of the shapes of its operands beyond what types tell; fails as shape inference does.
  mlir::LogicalResult requirements(mlir::Operation *op, llvm::SmallVectorImpl<ShapeRequirement> &list);

  static constexpr int64_t kMaxElements = 64;

private:
  Extent unique(ExtentNode node);
  std::optional<llvm::SmallVector<Extent>> elementsOfProducer(mlir::Value tensor);

  using Key = std::tuple<int, int64_t, const void *, const void *, const void *, const void *>;
  bool lookThrough;
  llvm::BumpPtrAllocator allocator;
  std::map<Key, Extent> nodes;
  llvm::StringMap<char> names;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Extent> knownDims;
  llvm::DenseMap<mlir::Value, std::optional<llvm::SmallVector<Extent>>> knownElements;
  llvm::SmallVectorImpl<ShapeRequirement> *required = nullptr; ///< of one op; null while nobody asks
};

/// Constant value of `extent`, if it is one.
std::optional<int64_t> constantExtent(Extent extent);

/// The tensor type of `shape`: constants become static extents.
mlir::RankedTensorType tensorType(const TensorShape &shape, mlir::Attribute encoding = {});

/// Turns extents into index arithmetic (arith ops) at the insertion point of the builder.
class ExtentMaterializer {
public:
  /// `leaf` makes Symbol, Dim and Element nodes; a null result is a failure.
  using LeafFn = std::function<mlir::Value(mlir::OpBuilder &, Extent)>;
  using Cache = llvm::DenseMap<Extent, mlir::Value>;
  explicit ExtentMaterializer(LeafFn leaf) : leaf(std::move(leaf)) {}

  /// An index value, or null when a leaf could not be made. With a cache, nodes found there are used
  /// and new ones added: whoever owns it answers for dominance.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Location loc, Extent extent, Cache *cache = nullptr);

private:
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc, Extent extent, Cache *cache);

  LeafFn leaf;
};

} // namespace hone::graph

#endif // DIALECTS_GRAPH_IR_EXTENT_H
