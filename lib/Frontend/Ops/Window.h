//===- Window.h - Attributes of convolutions and pools ----------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_WINDOW_H
#define LIB_FRONTEND_OPS_WINDOW_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// A sliding window: one entry per spatial dimension; `pads` holds all begins, then all ends. Extents of `kernel` that
/// only the weights of a run tell are dynamic.
struct Window {
  enum class AutoPad { None, Valid, SameUpper, SameLower };
  llvm::SmallVector<int64_t> kernel, strides, dilations, pads;
  AutoPad autoPad = AutoPad::None;
  mlir::Value weights; ///< with the extents that the node tells; null for pools

  int64_t size() const { return kernel.size(); }
  bool isSame() const { return autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower; }
  bool hasStaticKernel() const { return llvm::none_of(kernel, mlir::ShapedType::isDynamic); }
  /// Extent that the window covers along spatial dimension `d`, of a static kernel.
  int64_t reach(int64_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
  /// The same of any kernel, a vector of one element.
  mlir::Value reach(NodeBuilder &node, int64_t d) const;
};

/// The window of the node over `input`, [N, C, spatial...]. Its extents come from `kernel_shape`, else
/// from `weights` (null: the attribute is needed). nullopt after a diagnostic.
std::optional<Window> readWindow(NodeBuilder &node, mlir::Value input, mlir::Value weights);

/// Settles `auto_pad`: fills `window.pads` where the pads are known at import. Returns the input, padded with
/// `fill` at run time where SAME pads depend on dynamic extents.
mlir::Value applyAutoPad(NodeBuilder &node, Window &window, mlir::Value input, mlir::Value fill);

/// Whether SAME pads of `window` over `input` are known at import.
bool autoPadIsKnown(NodeBuilder &node, const Window &window, mlir::Value input);

/// Fails where an input of known extents has elements, but too few for one window; the plan checks others. With
/// `stretch` pads grow at the end where ONNX's shape inference still counts a position, as it does for pools.
void fitWindow(NodeBuilder &node, Window &window, mlir::Value input, bool stretch);

/// CausalConvWithState.
void registerCausalConvolution(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_WINDOW_H
