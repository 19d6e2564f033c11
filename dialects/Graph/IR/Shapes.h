//===- Shapes.h - Shared pieces of inferShapes ------------------*- C++ -*-===//

#ifndef DIALECTS_GRAPH_IR_SHAPES_H
#define DIALECTS_GRAPH_IR_SHAPES_H

#include "dialects/Graph/IR/Graph.h"

namespace hone::graph::shapes {

using OptLoc = std::optional<mlir::Location>;
using Results = llvm::SmallVectorImpl<TensorShape>;

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return typeOf(value).getElementType(); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }

/// Reports `message` if there is a place for it; always a failure.
inline mlir::LogicalResult refuse(OptLoc loc, const llvm::Twine &message) {
  if (loc)
    mlir::emitError(*loc) << message;
  return mlir::failure();
}

inline std::string str(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// Fails unless 0 <= dim < rank.
inline mlir::LogicalResult checkDim(OptLoc loc, llvm::StringRef what, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return mlir::success();
  return refuse(loc, llvm::Twine(what) + " " + llvm::Twine(dim) + " is not a dimension of a tensor of rank " +
                         llvm::Twine(rank));
}

/// Fails unless all `dims` are distinct dimensions of a tensor of `rank`.
mlir::LogicalResult checkDims(OptLoc loc, llvm::StringRef what, llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Fails when both extents are constants and differ; others are required to be equal when run, and
/// `message` says so then; without one it is made of `what`.
mlir::LogicalResult checkEqual(OptLoc loc, ExtentBuilder &extents, const llvm::Twine &what, Extent a, Extent b,
                               llvm::StringRef message = {});

/// Checks strides, dilations and pads of a window over `spatial` dimensions.
mlir::LogicalResult checkWindow(OptLoc loc, int64_t spatial, llvm::ArrayRef<int64_t> strides,
                                llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads);

} // namespace hone::graph::shapes

#endif // DIALECTS_GRAPH_IR_SHAPES_H
