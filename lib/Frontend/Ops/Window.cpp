//===- Window.cpp - Attributes of convolutions and pools ------------------===//

#include "lib/Frontend/Ops/Window.h"

#include "lib/Frontend/Ops/ShapeMath.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

static constexpr int64_t kMaxWindow = int64_t(1) << 31;

/// Reads `name` into `values` unless it is absent; fails unless it has `count` entries >= `least`.
static LogicalResult readList(NodeBuilder &node, StringRef name, int64_t count, int64_t least,
                              SmallVector<int64_t> &values) {
  auto given = node.getInts(name);
  if (!given)
    return success();
  if (static_cast<int64_t>(given->size()) != count)
    return node.fail("attribute '" + name + "' has " + Twine(given->size()) + " entries, " + Twine(count) +
                     " are needed");
  for (int64_t value : *given)
    if (value < least || value > kMaxWindow)
      return node.fail("attribute '" + name + "' holds " + Twine(value) + ", which is out of range");
  values = *given;
  return success();
}

static LogicalResult readKernel(NodeBuilder &node, Value weights, int64_t spatial, Window &window) {
  SmallVector<int64_t> fromWeights;
  if (weights) {
    ArrayRef<int64_t> shape = node.shapeOf(weights);
    if (static_cast<int64_t>(shape.size()) != spatial + 2)
      return node.fail("weights of rank " + Twine(shape.size()) + " do not fit an input of rank " + Twine(spatial + 2));
    fromWeights.assign(shape.begin() + 2, shape.end());
  }
  if (failed(readList(node, "kernel_shape", spatial, 1, window.kernel)))
    return failure();
  if (!weights)
    return window.kernel.empty() ? node.fail("attribute 'kernel_shape' is missing") : success();
  window.weights = weights;
  if (window.kernel.empty()) {
    window.kernel = fromWeights;
    return success();
  }
  for (auto [kernel, weight] : llvm::zip(window.kernel, fromWeights))
    if (!ShapedType::isDynamic(weight) && kernel != weight)
      return node.fail("attribute 'kernel_shape' holds " + Twine(kernel) + " where the weights have extent " +
                       Twine(weight));
  if (llvm::any_of(fromWeights, ShapedType::isDynamic)) {
    // What the attribute says is checked by a run, and known from here on.
    SmallVector<Piece> shape = {node.piece(weights, 0), node.piece(weights, 1)};
    shape.append(window.kernel.begin(), window.kernel.end());
    window.weights = node.reshape(weights, shape);
  }
  return failure(node.failed());
}

Value Window::reach(NodeBuilder &node, int64_t d) const {
  ShapeMath math(node);
  if (!ShapedType::isDynamic(kernel[d]))
    return math.number(reach(d));
  Value steps = math.sub(math.dim(weights, d + 2), math.number(1));
  return math.add(math.mul(steps, math.number(dilations[d])), math.number(1));
}

std::optional<Window> frontend::readWindow(NodeBuilder &node, Value input, Value weights) {
  if (node.failed())
    return std::nullopt;
  int64_t rank = node.rankOf(input), spatial = rank - 2;
  if (spatial < 1) {
    (void)node.fail("needs an input of rank 3 or more, not " + Twine(rank));
    return std::nullopt;
  }
  Window window;
  window.strides.assign(spatial, 1);
  window.dilations.assign(spatial, 1);
  window.pads.assign(2 * spatial, 0);
  if (failed(readKernel(node, weights, spatial, window)) ||
      failed(readList(node, "strides", spatial, 1, window.strides)) ||
      failed(readList(node, "dilations", spatial, 1, window.dilations)) ||
      failed(readList(node, "pads", 2 * spatial, 0, window.pads)))
    return std::nullopt;
  for (int64_t d = 0; d < spatial; ++d)
    if (window.kernel[d] > kMaxWindow / window.dilations[d]) {
      (void)node.fail("the window is too large along spatial dimension " + Twine(d));
      return std::nullopt;
    }

  std::string mode = node.getString("auto_pad", "NOTSET");
  if (mode == "VALID")
    window.autoPad = Window::AutoPad::Valid;
  else if (mode == "SAME_UPPER")
    window.autoPad = Window::AutoPad::SameUpper;
  else if (mode == "SAME_LOWER")
    window.autoPad = Window::AutoPad::SameLower;
  else if (mode != "NOTSET" && !mode.empty()) {
    (void)node.fail("attribute 'auto_pad' is '" + mode + "', not one of NOTSET, VALID, SAME_UPPER, SAME_LOWER");
    return std::nullopt;
  }
  if (window.autoPad != Window::AutoPad::None)
    window.pads.assign(2 * spatial, 0);
  return window;
}

bool frontend::autoPadIsKnown(NodeBuilder &node, const Window &window, Value input) {
  if (!window.isSame())
    return true;
  if (!window.hasStaticKernel())
    return false;
  ArrayRef<int64_t> shape = node.shapeOf(input);
  for (int64_t d = 0; d < window.size(); ++d)
    if (window.strides[d] != 1 && ShapedType::isDynamic(shape[d + 2]))
      return false;
  return true;
}

/// Splits `total` between both ends of dimension `d`.
static void splitPads(Window &window, int64_t d, int64_t total) {
  int64_t small = total / 2, large = total - small;
  bool upper = window.autoPad == Window::AutoPad::SameUpper;
  window.pads[d] = upper ? small : large;
  window.pads[d + window.size()] = upper ? large : small;
}

/// Pads `input` at run time so that every dimension has ceil(extent / stride) windows.
static Value padDynamically(NodeBuilder &node, const Window &window, Value input, Value fill) {
  ShapeMath math(node);
  SmallVector<Value> begins = {math.repeat(0, 2)}, ends = {math.repeat(0, 2)};
  for (int64_t d = 0; d < window.size(); ++d) {
    Value extent = math.dim(input, d + 2), stride = math.number(window.strides[d]);
    Value covered = math.mul(math.sub(math.ceilDiv(extent, window.strides[d]), math.number(1)), stride);
    Value total = math.max(math.sub(math.add(covered, window.reach(node, d)), extent), math.number(0));
    Value small = math.div(total, math.number(2)), large = math.sub(total, small);
    bool upper = window.autoPad == Window::AutoPad::SameUpper;
    begins.push_back(upper ? small : large);
    ends.push_back(upper ? large : small);
  }
  begins.append(ends);
  return node.make<graph::PadOp>(graph::PadMode::Constant, input, math.concat(begins), fill);
}

Value frontend::applyAutoPad(NodeBuilder &node, Window &window, Value input, Value fill) {
  if (!input || !window.isSame())
    return input;
  if (!autoPadIsKnown(node, window, input))
    return padDynamically(node, window, input, fill);
  ArrayRef<int64_t> shape = node.shapeOf(input);
  for (int64_t d = 0; d < window.size(); ++d) {
    int64_t stride = window.strides[d], total = window.reach(d) - 1;
    if (stride != 1) {
      // The last window starts at the last multiple of the stride: so many elements are left from there.
      int64_t rest = shape[d + 2] % stride;
      total = window.reach(d) - (rest == 0 ? stride : rest);
    }
    splitPads(window, d, std::max<int64_t>(total, 0));
  }
  return input;
}

void frontend::fitWindow(NodeBuilder &node, Window &window, Value input, bool stretch) {
  for (int64_t d = 0; d < window.size() && input; ++d) {
    int64_t &end = window.pads[d + window.size()], extent = node.shapeOf(input)[d + 2];
    if (ShapedType::isDynamic(window.kernel[d]) || ShapedType::isDynamic(extent) || extent == 0)
      continue;
    int64_t missing = window.reach(d) - window.pads[d] - end - extent;
    if (missing <= 0)
      continue;
    // Rounding towards zero gives a position to less than a stride.
    if (stretch && missing < window.strides[d])
      end += missing;
    else
      (void)node.fail("dimension " + Twine(d + 2) + " of the input lacks " + Twine(missing) +
                      " elements of what the window needs");
  }
}
