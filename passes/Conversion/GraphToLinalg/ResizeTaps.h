//===- ResizeTaps.h - Which elements a sample is made of --------*- C++ -*-===//
//
// One dimension of a resize: where a result position lies in the input, and the weights of its
// neighbours. Positions are f32, as in the runtimes that models are exported for: with f32 scales,
// wider arithmetic would miss the ties and whole numbers that the exact ratio has.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_RESIZETAPS_H
#define PASSES_CONVERSION_GRAPHTOLINALG_RESIZETAPS_H

#include "passes/Conversion/GraphToLinalg/IndexMath.h"

namespace hone::graph_to_linalg {

/// A dimension that is resampled. Everything here is the same for all positions.
struct ResizeAxis {
  int64_t dim;
  mlir::Value extent, result; ///< index
  mlir::Value scale;          ///< float, like all below
  mlir::Value last;           ///< extent - 1
  /// Position = (x + shift) / divisor + origin, or x * step + origin where there is a step.
  mlir::Value divisor, shift, origin, step;
  bool extrapolates = false;
  mlir::Value kernelScale;       ///< of an antialiasing kernel: min(scale, 1); null without
  mlir::Value firstTap, numTaps; ///< of an antialiasing kernel, as index
};

/// What is needed to make an axis. The region of interest may be null.
struct ResizeAxisInput {
  int64_t dim;
  mlir::Value extent, result, scale, roiStart, roiEnd;
};

/// Builds the invariant parts of an axis for `op` in arithmetic of type `number`.
ResizeAxis makeResizeAxis(mlir::OpBuilder &builder, mlir::Location loc, graph::ResizeOp op,
                          const ResizeAxisInput &input, mlir::Type number);

/// Neighbours of one result position.
struct ResizeTaps {
  llvm::SmallVector<mlir::Value> places;  ///< index, inside of the input
  llvm::SmallVector<mlir::Value> weights; ///< none for a single tap of weight 1
  mlir::Value outside;                    ///< whether the value is extrapolated; null when never
};
ResizeTaps makeTaps(mlir::OpBuilder &builder, mlir::Location loc, graph::ResizeOp op, const ResizeAxis &axis,
                    mlir::Value position);

/// The sum over the taps of an antialiasing kernel, by a loop; `read` gives the number at a place.
using ReadFn = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
mlir::Value sumTaps(mlir::OpBuilder &builder, mlir::Location loc, graph::ResizeOp op, const ResizeAxis &axis,
                    mlir::Value position, ReadFn read, mlir::Value &outside);

/// How often every element is repeated, when a nearest resize of `extent` to `result` elements is
/// exactly that.
std::optional<int64_t> repeatsOf(graph::ResizeOp op, int64_t extent, int64_t result, float scale);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_RESIZETAPS_H
