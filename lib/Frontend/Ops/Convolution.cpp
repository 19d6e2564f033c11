//===- Convolution.cpp - Conv, ConvTranspose, DeformConv, Col2Im ----------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/ShapeMath.h"
#include "lib/Frontend/Ops/Window.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

/// Attribute `name`, at least 1; nullopt after a diagnostic.
static std::optional<int64_t> readCount(NodeBuilder &node, StringRef name) {
  int64_t value = node.getInt(name, 1);
  if (value >= 1)
    return value;
  (void)node.fail("attribute '" + name + "' is " + Twine(value) + "; 1 or more is needed");
  return std::nullopt;
}

/// `y` plus input `i`, one number per channel, if the node has it.
static Value addBias(NodeBuilder &node, Value y, unsigned i) {
  if (!y || !node.hasInput(i))
    return y;
  Value bias = node.input(i);
  if (node.rankOf(bias) != 1)
    return node.failValue("the bias has rank " + Twine(node.rankOf(bias)) + ", not 1");
  return node.add(y, node.perChannel(bias, node.rankOf(y)));
}

static LogicalResult importConv(NodeBuilder &node) {
  Value x = node.required(0), weights = node.required(1);
  auto window = readWindow(node, x, weights);
  auto groups = readCount(node, "group");
  if (!window || !groups)
    return failure();
  Value padded = applyAutoPad(node, *window, x, node.scalarLike(0, x));
  fitWindow(node, *window, padded, /*stretch=*/false);
  Value y = node.make<graph::ConvOp>(padded, window->weights, window->strides, window->dilations, window->pads, *groups,
                                     node.elementOf(x));
  node.setOutput(0, addBias(node, y, 2));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// Larger extents and paddings are no convolution's; products of two of them fit.
static constexpr int64_t kMaxExtent = int64_t(1) << 31;

namespace {
/// Attributes of ConvTranspose beyond the window.
struct Transposed {
  SmallVector<int64_t> outputPadding;
  std::optional<SmallVector<int64_t>> outputShape;
};
} // namespace

static std::optional<Transposed> readTransposed(NodeBuilder &node, const Window &window) {
  Transposed result;
  result.outputPadding = node.getInts("output_padding").value_or(SmallVector<int64_t>(window.size(), 0));
  result.outputShape = node.getInts("output_shape");
  auto check = [&](StringRef name, ArrayRef<int64_t> values) {
    bool fits = static_cast<int64_t>(values.size()) == window.size() &&
                llvm::all_of(values, [](int64_t v) { return v >= 0 && v <= kMaxExtent; });
    if (!fits)
      (void)node.fail("attribute '" + name + "' needs " + Twine(window.size()) + " entries between 0 and " +
                      Twine(kMaxExtent));
    return fits;
  };
  if (!check("output_padding", result.outputPadding) ||
      (result.outputShape && !check("output_shape", *result.outputShape)))
    return std::nullopt;
  return result;
}

/// Distributes `total` (may be negative: then the end grows) over the pads of dimension `d`.
static void setPads(Window &window, Transposed &attributes, int64_t d, int64_t total) {
  if (total < 0) {
    attributes.outputPadding[d] -= total;
    total = 0;
  }
  bool upper = window.autoPad == Window::AutoPad::SameUpper;
  window.pads[d] = upper ? total / 2 : total - total / 2;
  window.pads[d + window.size()] = total - window.pads[d];
}

/// What SAME pads cut off `y`, or what is beyond the extents that the node asks for: per spatial dimension.
static SmallVector<Value> excessOf(NodeBuilder &node, Value y, const Window &window, const Transposed &attributes) {
  ShapeMath math(node);
  SmallVector<Value> excess;
  for (int64_t d = 0; d < window.size(); ++d) {
    if (attributes.outputShape) {
      excess.push_back(math.sub(math.dim(y, d + 2), math.number((*attributes.outputShape)[d])));
      continue;
    }
    Value beyond = math.add(window.reach(node, d), math.number(attributes.outputPadding[d] - window.strides[d]));
    excess.push_back(math.max(beyond, math.number(0)));
  }
  return excess;
}

/// Crops (or grows at the end) every spatial dimension of `y` by `excess`, as ONNX distributes it.
static Value crop(NodeBuilder &node, Value y, const Window &window, ArrayRef<Value> excessOfDims) {
  ShapeMath math(node);
  SmallVector<Value> begins = {math.repeat(0, 2)}, ends = {math.repeat(0, 2)};
  for (int64_t d = 0; d < window.size(); ++d) {
    Value excess = excessOfDims[d], cut = math.max(excess, math.number(0));
    Value half = math.div(cut, math.number(2));
    Value begin = window.autoPad == Window::AutoPad::SameUpper ? half : math.sub(cut, half);
    begins.push_back(math.sub(math.number(0), begin));
    ends.push_back(math.sub(begin, excess));
  }
  begins.append(ends);
  return node.make<graph::PadOp>(graph::PadMode::Constant, y, math.concat(begins), node.scalarLike(0, y));
}

static LogicalResult importConvTranspose(NodeBuilder &node) {
  Value x = node.required(0), weights = node.required(1);
  auto window = readWindow(node, x, weights);
  auto groups = readCount(node, "group");
  if (!window || !groups)
    return failure();
  auto attributes = readTransposed(node, *window);
  if (!attributes)
    return failure();
  ArrayRef<int64_t> shape = node.shapeOf(x);
  bool known = llvm::none_of(shape.drop_front(2), ShapedType::isDynamic);
  bool crops = (attributes->outputShape && !(known && window->hasStaticKernel())) ||
               (window->isSame() && !window->hasStaticKernel());
  if (attributes->outputShape)
    window->pads.assign(2 * window->size(), 0);
  if (llvm::any_of(shape.drop_front(2), [](int64_t extent) { return extent > kMaxExtent; }))
    return node.fail("a spatial extent is above " + Twine(kMaxExtent));
  for (int64_t d = 0; d < window->size() && !crops; ++d) {
    if (!attributes->outputShape && !window->isSame())
      break;
    int64_t beyond = window->reach(d) + attributes->outputPadding[d];
    if (attributes->outputShape)
      setPads(*window, *attributes, d,
              (shape[d + 2] - 1) * window->strides[d] + beyond - (*attributes->outputShape)[d]);
    else
      setPads(*window, *attributes, d, std::max<int64_t>(beyond - window->strides[d], 0));
  }
  Value y = node.make<graph::ConvTransposeOp>(x, window->weights, window->strides, window->dilations, window->pads,
                                              attributes->outputPadding, *groups, node.elementOf(x));
  if (crops)
    y = crop(node, y, *window, excessOf(node, y, *window, *attributes));
  node.setOutput(0, addBias(node, y, 2));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// DeformConv: sample the input where the offsets point, then one product
//===----------------------------------------------------------------------===//

/// Position of every window element along spatial dimension `d`, without offsets: [K, out...].
static Value windowPositions(NodeBuilder &node, const Window &window, int64_t d, Value out, Type element) {
  ShapeMath math(node);
  int64_t count = 1, inner = 1;
  for (int64_t i = 0; i < window.size(); ++i) {
    count *= window.kernel[i];
    inner *= i > d ? window.kernel[i] : 1;
  }
  SmallVector<int64_t> inside;
  for (int64_t k = 0; k < count; ++k)
    inside.push_back(k / inner % window.kernel[d] * window.dilations[d] - window.pads[d]);
  SmallVector<int64_t> insideShape(window.size() + 1, 1), outsideDims;
  insideShape[0] = count;
  for (int64_t i = 0; i <= window.size(); ++i)
    if (i != d + 1)
      outsideDims.push_back(i);
  Value outside = math.mul(math.range(math.at(out, d)), math.number(window.strides[d]));
  Value sum = node.add(node.reshapeTo(node.constant(inside), insideShape), node.unsqueeze(outside, outsideDims));
  return node.cast(sum, element);
}

/// Where each output position samples the input: [N * offset groups, K, out..., S], last spatial dimension first.
static Value samplingGrid(NodeBuilder &node, const Window &window, Value offset, int64_t offsetGroups,
                          int64_t windowSize) {
  ShapeMath math(node);
  int64_t spatial = window.size();
  Value batch = math.mul(math.dim(offset, 0), math.number(offsetGroups));
  Value out = math.part(math.shape(offset), 2, 2 + spatial);
  Value split = node.reshape(offset, math.concat({batch, math.numbers({windowSize, spatial}), out}));
  SmallVector<Value> coordinates;
  for (int64_t d = spatial - 1; d >= 0; --d) {
    Value along = node.squeeze(node.slice(split, d, d + 1, 2), {2});
    along = node.add(along, windowPositions(node, window, d, out, node.elementOf(offset)));
    coordinates.push_back(node.unsqueeze(along, {spatial + 2}));
  }
  return node.concat(coordinates, spatial + 2);
}

static LogicalResult importDeformConv(NodeBuilder &node) {
  Value x = node.required(0), weights = node.required(1), offset = node.required(2);
  auto window = readWindow(node, x, weights);
  auto groups = readCount(node, "group"), offsetGroups = readCount(node, "offset_group");
  if (!window || !groups || !offsetGroups)
    return failure();
  if (!window->hasStaticKernel())
    return node.fail("the extents of the weights must be known when 'kernel_shape' is absent");
  weights = window->weights;
  ShapeMath math(node);
  int64_t spatial = window->size(), windowSize = 1;
  for (int64_t extent : window->kernel)
    if ((windowSize *= extent) > (1 << 20))
      return node.fail("the window has too many elements");
  ArrayRef<int64_t> offsetShape = node.shapeOf(offset);
  if (static_cast<int64_t>(offsetShape.size()) != spatial + 2)
    return node.fail("offsets of rank " + Twine(offsetShape.size()) + " do not fit an input of rank " +
                     Twine(spatial + 2));
  if (!ShapedType::isDynamic(offsetShape[1]) && offsetShape[1] != *offsetGroups * windowSize * spatial)
    return node.fail("offsets have " + Twine(offsetShape[1]) + " channels; offset_group * window * dimensions is " +
                     Twine(*offsetGroups * windowSize * spatial));

  Value batch = math.dim(x, 0), channels = math.dim(x, 1), out = math.part(math.shape(offset), 2, 2 + spatial);
  Value wideBatch = math.mul(batch, math.number(*offsetGroups)), groupCount = math.number(*groups);
  Value image = node.reshape(x, math.concat({wideBatch, math.div(channels, math.number(*offsetGroups)),
                                             math.part(math.shape(x), 2, 2 + spatial)}));
  Value grid = samplingGrid(node, *window, offset, *offsetGroups, windowSize);
  Value samples =
      node.make<graph::GridSampleOp>(graph::Interpolation::Linear, image, grid, graph::Outside::Zeros, false);
  if (node.hasInput(4))
    samples =
        node.mul(samples, node.reshape(node.input(4), math.concat({wideBatch, math.numbers({1, windowSize}), out})));

  // [N, g, C / g, K, out...] x [g, O / g, C / g, K] -> [N, g, O / g, out...]
  samples = node.reshape(
      samples, math.concat({batch, groupCount, math.div(channels, groupCount), math.number(windowSize), out}));
  Value outputs = math.dim(weights, 0);
  Value grouped = node.reshape(
      weights, math.concat({groupCount, math.div(outputs, groupCount), math.dim(weights, 1), math.number(windowSize)}));
  SmallVector<int64_t> sampleDims = {4, 0, 2, 3}, resultDims = {4, 0, 1};
  for (int64_t d = 0; d < spatial; ++d) {
    sampleDims.push_back(5 + d);
    resultDims.push_back(5 + d);
  }
  Value y = node.make<graph::ContractOp>(samples, grouped, sampleDims, SmallVector<int64_t>{0, 1, 2, 3}, resultDims,
                                         node.elementOf(x));
  y = node.reshape(y, math.concat({batch, outputs, out}));
  node.setOutput(0, addBias(node, y, 3));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Col2Im: every column element is added to its place in the image
//===----------------------------------------------------------------------===//

/// Coordinate along dimension `d` of each row-major position in a grid of `extents`.
static Value unravel(ShapeMath &math, Value positions, ArrayRef<Value> extents, int64_t d) {
  Value inner = math.number(1);
  for (Value extent : extents.drop_front(d + 1))
    inner = math.mul(inner, extent);
  return math.mod(math.div(positions, inner), extents[d]);
}

/// How many dimensions the image has: an extent, an attribute or the rank of the output tells.
static std::optional<int64_t> imageRank(NodeBuilder &node, Value imageShape, Value blockShape) {
  ShapeMath math(node);
  for (Value extents : {imageShape, blockShape})
    if (auto length = math.length(extents))
      return length;
  for (auto [name, perDimension] : {std::pair("strides", 1), std::pair("dilations", 1), std::pair("pads", 2)})
    if (auto values = node.getInts(name))
      return int64_t(values->size()) / perDimension;
  auto rank = math.declaredRank();
  return rank ? std::optional(*rank - 2) : std::nullopt;
}

static LogicalResult importCol2Im(NodeBuilder &node) {
  ShapeMath math(node);
  Value columns = node.required(0), imageShape = math.integers(node.required(1)),
        blockShape = math.integers(node.required(2));
  if (node.failed())
    return failure();
  auto spatial = imageRank(node, imageShape, blockShape);
  if (!spatial || *spatial < 1 || node.rankOf(columns) != 3)
    return node.fail("needs a 3-D input and as many block extents as image extents, their number known");
  imageShape = math.ofLength(imageShape, *spatial, "image_shape");
  blockShape = math.ofLength(blockShape, *spatial, "block_shape");
  auto attribute = [&](StringRef name, int64_t count, int64_t fallback) {
    auto values = node.getInts(name).value_or(SmallVector<int64_t>(count, fallback));
    if (static_cast<int64_t>(values.size()) != count || llvm::any_of(values, [&](int64_t v) { return v < fallback; }))
      (void)node.fail("attribute '" + name + "' needs " + Twine(count) + " entries of at least " + Twine(fallback));
    return values;
  };
  auto strides = attribute("strides", *spatial, 1), dilations = attribute("dilations", *spatial, 1),
       pads = attribute("pads", 2 * *spatial, 0);
  if (node.failed())
    return failure();

  SmallVector<Value> image, block, counts;
  for (int64_t d : llvm::seq<int64_t>(0, *spatial)) {
    image.push_back(math.at(imageShape, d));
    block.push_back(math.at(blockShape, d));
    Value reach = math.add(math.mul(math.sub(block[d], math.number(1)), math.number(dilations[d])), math.number(1));
    Value room = math.sub(math.add(image[d], math.number(pads[d] + pads[d + *spatial])), reach);
    counts.push_back(math.add(math.div(room, math.number(strides[d])), math.number(1)));
  }
  Value blockSize = math.product(blockShape), pixels = math.product(imageShape),
        places = math.product(math.concat(counts));
  Value inside = math.range(blockSize), outside = math.range(places);
  Value zero = node.scalarI64(0), target = zero, valid, inner = math.number(1);
  for (int64_t d = *spatial - 1; d >= 0; --d) {
    Value k = math.sub(math.mul(unravel(math, inside, block, d), math.number(dilations[d])), math.number(pads[d]));
    Value l = math.mul(unravel(math, outside, counts, d), math.number(strides[d]));
    Value at = node.add(node.unsqueeze(k, {1}), node.unsqueeze(l, {0}));
    Value fits = node.binary(graph::BinaryKind::And, node.compare(graph::Predicate::Ge, at, zero),
                             node.compare(graph::Predicate::Lt, at, image[d]));
    valid = valid ? node.binary(graph::BinaryKind::And, valid, fits) : fits;
    target = node.add(target, node.mul(at, inner));
    inner = math.mul(inner, image[d]);
  }
  // What falls into the padding goes to one extra element, which is cut off.
  target = node.vectorOf(node.select(valid, target, pixels));
  Value batch = math.dim(columns, 0), channels = math.div(math.dim(columns, 1), blockSize);
  Value flat = math.concat({batch, channels, math.mul(blockSize, places)});
  Value sums =
      node.broadcastTo(node.scalarLike(0, columns), math.concat({batch, channels, math.add(pixels, math.number(1))}));
  sums = node.make<graph::ScatterElementsOp>(graph::ScatterKind::Add, sums, node.broadcastTo(target, flat),
                                             node.reshape(columns, flat), 2);
  Value cut = node.make<graph::SliceOp>(sums, math.number(0), pixels, math.number(1), SmallVector<int64_t>{2});
  node.setOutput(0, node.reshape(cut, math.concat({batch, channels, imageShape})));
  return success(!node.failed());
}

void frontend::registerConvolution(OpRegistry &registry) {
  registry.add("", "Conv", importConv);
  registry.add("", "ConvTranspose", importConvTranspose);
  registry.add("", "DeformConv", importDeformConv);
  registry.add("", "Col2Im", importCol2Im);
  registerCausalConvolution(registry);
}
