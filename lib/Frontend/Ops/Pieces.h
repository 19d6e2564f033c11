//===- Pieces.h - Sequences as tensors --------------------------*- C++ -*-===//
//
// How sequences cross the borders of regions, and what operators do to those whose length a run tells: their elements
// are pieces of one tensor, cut along one axis.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_OPS_PIECES_H
#define LIB_FRONTEND_OPS_PIECES_H

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

// What the node reads and defines.
Item itemOf(NodeBuilder &node, unsigned i);
/// Input `i`, or a null tensor after a diagnostic when the node lacks it.
Item requiredItem(NodeBuilder &node, unsigned i);
void setItem(NodeBuilder &node, unsigned i, const Item &item);

/// How a node joins the elements of a sequence.
struct Join {
  int64_t axis;
  bool isNew; ///< the axis is a new one
};

/// The ConcatFromSequence among the nodes of `graph` that joins the sequence `name`, if there is one.
std::optional<Join> findJoin(const onnx::GraphProto &graph, llvm::StringRef name);

/// How an item is carried by tensors: as itself, as that many, or as a whole and offsets.
struct Form {
  enum Kind { Tensor, List, Cut };
  Kind kind = Tensor;
  size_t length = 0;              ///< of a list
  int64_t axis = 0;               ///< of a cut
  bool dropsAxis = false;         ///< of a cut
  mlir::RankedTensorType element; ///< that holds all elements of a cut

  size_t numTensors() const { return kind == Tensor ? 1 : kind == List ? length : 2 - dropsAxis; }
  /// Types that hold the tensors of a cut at all times.
  llvm::SmallVector<mlir::Type> cutTypes() const;
};

/// The form that both items can take; nullopt after a diagnostic.
std::optional<Form> commonForm(NodeBuilder &node, const Item &a, const Item &b, std::optional<Join> join);
/// The tensors of `item` in `form`; nullopt after a diagnostic.
std::optional<llvm::SmallVector<mlir::Value>> toTensors(NodeBuilder &node, const Item &item, const Form &form);
Item fromTensors(const Form &form, mlir::ValueRange tensors);

/// A list as pieces, where its elements have one kind, which is that of type `added` as well; nullopt after a
/// diagnostic.
std::optional<Pieces> toPieces(NodeBuilder &node, llvm::ArrayRef<mlir::Value> elements,
                               mlir::RankedTensorType added = {});

/// How many pieces there are, a vector of one.
mlir::Value count(NodeBuilder &node, const Pieces &sequence);
/// The piece at `position`, which counts from the end where it is negative.
mlir::Value pieceAt(NodeBuilder &node, const Pieces &sequence, mlir::Value position);
/// With `element` before `position`, or at the end where that is null; nullopt after a diagnostic.
std::optional<Pieces> insertPiece(NodeBuilder &node, const Pieces &sequence, mlir::Value element, mlir::Value position);
/// Without the piece at `position`, or the last one where that is null.
Pieces erasePiece(NodeBuilder &node, const Pieces &sequence, mlir::Value position);
/// All pieces joined; null after a diagnostic.
mlir::Value joinPieces(NodeBuilder &node, const Pieces &sequence, Join join);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_PIECES_H
