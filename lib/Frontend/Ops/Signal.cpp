//===- Signal.cpp - Fourier transforms as matrix products -----------------===//
//
// The matrices of cosines are ordinary graph ops over iota: known lengths fold to constants. All is
// computed in f64: sums of many large terms that nearly cancel are the rule here.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/ShapeMath.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::Predicate;

static constexpr double kTau = 6.283185307179586;

namespace {
/// One transform along one dimension; the counts are vectors of one element.
struct Transform {
  Value length;       ///< N of exp(-2 pi i n k / N)
  Value inputs;       ///< positions that are read
  Value outputs;      ///< positions that are written
  bool inverse;       ///< positive exponent; results are divided by N
  bool complexInput;  ///< else real: one part per element
  bool complexOutput; ///< else only real parts are written
};
} // namespace

/// exp(-+2 pi i n k / N) as a real matrix: [parts in, n, k, parts out].
static Value fourierMatrix(NodeBuilder &node, const Transform &t) {
  ShapeMath math(node);
  Type f64 = node.builder().getF64Type();
  Value n = node.unsqueeze(math.range(t.inputs), {1}), k = node.unsqueeze(math.range(t.outputs), {0});
  // Reduced before it is a float: the angle stays exact.
  Value turn = node.cast(node.binary(graph::BinaryKind::Mod, node.mul(n, k), t.length), f64);
  Value angle = node.div(node.mul(turn, node.scalar(kTau, f64)), node.cast(t.length, f64));
  Value cosine = node.unary(graph::UnaryKind::Cos, angle), sine = node.unary(graph::UnaryKind::Sin, angle);
  if (!t.inverse)
    sine = node.neg(sine);
  auto row = [&](Value re, Value im) {
    Value parts = node.unsqueeze(re, {2});
    if (t.complexOutput)
      parts = node.concat({parts, node.unsqueeze(im, {2})}, 2);
    return node.unsqueeze(parts, {0});
  };
  Value matrix = row(cosine, sine);
  return t.complexInput ? node.concat({matrix, row(node.neg(sine), cosine)}, 0) : matrix;
}

/// Whether the last dimension of `x` says complex; nullopt after a diagnostic. Where only a run knows, a transform that
/// `needs` one of both gets that, checked by the run; else a real signal gets imaginary parts of 0.
static std::optional<bool> readParts(NodeBuilder &node, Value &x, std::optional<bool> needs) {
  ShapeMath math(node);
  int64_t last = node.rankOf(x) - 1, parts = node.shapeOf(x)[last];
  if (parts == 1 || parts == 2)
    return parts == 2;
  if (!ShapedType::isDynamic(parts)) {
    (void)node.fail("the last extent of the signal must be 1 (real) or 2 (complex), not " + Twine(parts));
    return std::nullopt;
  }
  Value shape = math.part(math.shape(x), 0, last);
  if (!needs) {
    Value missing = math.max(math.sub(math.number(2), math.dim(x, last)), math.number(0));
    x = node.make<graph::PadOp>(graph::PadMode::Constant, x, math.concat({math.repeat(0, 2 * last + 1), missing}),
                                node.scalarLike(0, x));
  }
  x = node.reshape(x, math.concat({shape, math.number(needs.value_or(true) ? 2 : 1)}));
  return x ? std::optional(needs.value_or(true)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// The input as [outer, n, inner, parts] around `axis` (a vector of one, perhaps computed by the model), with `count`
/// elements along n: cut, or filled with zeros.
static Value aroundAxis(NodeBuilder &node, Value x, Value axis, Value count) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  Value shape = math.part(math.shape(x), 0, rank - 1), at = math.iota(rank - 1), one = math.number(1);
  Value outer = math.product(math.selectIf(Predicate::Lt, at, axis, shape, one));
  Value inner = math.product(math.selectIf(Predicate::Gt, at, axis, shape, one));
  Value length = math.product(math.selectIf(Predicate::Eq, at, axis, shape, one));
  Value wide = node.cast(node.reshape(x, math.concat({outer, length, inner, math.dim(x, rank - 1)})),
                         node.builder().getF64Type());
  Value zero = math.number(0),
        pads = math.concat({math.repeat(0, 4), zero, math.sub(count, length), math.repeat(0, 2)});
  return node.make<graph::PadOp>(graph::PadMode::Constant, wide, pads, node.scalarLike(0, wide));
}

/// Weights of the half spectrum of a real signal: every bin but the first and (even N) the middle stands for two.
static Value halfSpectrumWeights(NodeBuilder &node, const Transform &t) {
  ShapeMath math(node);
  Value k = math.range(t.inputs), one = math.number(1);
  Value weight = math.selectEqual(math.mul(k, math.number(2)), t.length, one, math.number(2));
  weight = math.selectEqual(k, math.number(0), one, weight);
  return node.unsqueeze(node.cast(weight, node.builder().getF64Type()), {1, 2});
}

static LogicalResult importDFT(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x);
  if (rank < 2)
    return node.fail("needs an input of rank 2 or more, not " + Twine(rank));
  bool inverse = node.getInt("inverse", 0) != 0, onesided = node.getInt("onesided", 0) != 0;
  auto complexInput = readParts(node, x, onesided ? std::optional(inverse) : std::nullopt);
  if (!complexInput)
    return failure();
  Value axis = node.hasInput(2) ? math.integers(node.input(2)) : math.number(-2);
  if (auto known = node.constantInts(axis); known && known->size() == 1) {
    auto normal = node.normalizeAxis(known->front(), rank);
    if (!normal)
      return failure();
    if (*normal == rank - 1)
      return node.fail("input 'axis' names the last dimension, which holds real and imaginary parts");
  }
  axis = math.mod(axis, math.number(rank));
  if (onesided && *complexInput != inverse)
    return node.fail(inverse ? "an inverse one-sided transform needs a complex input"
                             : "a one-sided transform needs a real input");

  Value one = math.number(1), two = math.number(2), shape = math.part(math.shape(x), 0, rank - 1);
  Value extent = math.product(math.selectEqual(math.iota(rank - 1), axis, shape, one));
  bool toReal = inverse && onesided;
  Value length = node.hasInput(1) ? math.integers(node.input(1))
                 : toReal         ? math.mul(math.sub(extent, one), two)
                                  : extent;
  if (!length)
    return failure();
  Value half = math.add(math.div(length, two), one);
  Transform t{length, toReal ? half : length, onesided && !inverse ? half : length, inverse, *complexInput, !toReal};
  Value matrix = fourierMatrix(node, t);
  if (toReal)
    matrix = node.mul(matrix, halfSpectrumWeights(node, t));
  Value signal = aroundAxis(node, x, axis, t.inputs);
  SmallVector<int64_t> signalDims = {0, 1, 2, 3}, matrixDims = {3, 1, 4, 5}, resultDims = {0, 4, 2, 5};
  Value y =
      node.make<graph::ContractOp>(signal, matrix, signalDims, matrixDims, resultDims, node.builder().getF64Type());
  if (inverse)
    y = node.div(y, node.cast(length, node.builder().getF64Type()));
  Value outShape = math.concat(
      {math.selectEqual(math.iota(rank - 1), axis, t.outputs, shape), math.number(t.complexOutput ? 2 : 1)});
  node.setOutput(0, node.cast(node.reshape(y, outShape), node.elementOf(x)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// STFT
//===----------------------------------------------------------------------===//

static LogicalResult importSTFT(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0), step = math.integers(node.required(1));
  if (node.failed())
    return failure();
  if (node.rankOf(x) != 3)
    return node.fail("needs a signal of rank 3, not " + Twine(node.rankOf(x)));
  bool onesided = node.getInt("onesided", 1) != 0;
  auto complexInput = readParts(node, x, onesided ? std::optional(false) : std::nullopt);
  if (!complexInput)
    return failure();
  if (onesided && *complexInput)
    return node.fail("a one-sided transform needs a real signal");
  Value length = node.hasInput(3)   ? math.integers(node.input(3))
                 : node.hasInput(2) ? math.dim(node.input(2), 0)
                                    : math.dim(x, 1);
  if (!length)
    return failure();
  Value one = math.number(1), bins = onesided ? math.add(math.div(length, math.number(2)), one) : length;
  Value frames = math.add(math.div(math.sub(math.dim(x, 1), length), step), one);
  Value at = node.add(node.unsqueeze(math.mul(math.range(frames), step), {1}), node.unsqueeze(math.range(length), {0}));
  Type f64 = node.builder().getF64Type();
  Value framed = node.cast(node.gather(x, at, 1), f64);
  if (node.hasInput(2))
    framed = node.mul(framed, node.cast(node.unsqueeze(node.input(2), {1}), f64));
  Value matrix = fourierMatrix(node, {length, length, bins, /*inverse=*/false, *complexInput, /*complexOutput=*/true});
  // [batch, frame, n, part] x [part, n, k, part out]
  SmallVector<int64_t> frameDims = {0, 1, 2, 3}, matrixDims = {3, 2, 4, 5}, resultDims = {0, 1, 4, 5};
  Value y = node.make<graph::ContractOp>(framed, matrix, frameDims, matrixDims, resultDims, f64);
  node.setOutput(0, node.cast(y, node.elementOf(x)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

/// Triangles over spectrogram bins, spaced evenly on the mel scale: 2595 * log10(1 + f / 700).
static LogicalResult importMelWeightMatrix(NodeBuilder &node) {
  ShapeMath math(node);
  Value bands = math.integers(node.required(0)), length = math.integers(node.required(1)),
        rate = math.integers(node.required(2));
  Value lowest = node.required(3), highest = node.required(4);
  if (node.failed())
    return failure();
  Type element = node.elementType(node.getInt("output_datatype", 1)), f64 = node.builder().getF64Type();
  if (!element)
    return failure();
  auto number = [&](double value) { return node.scalar(value, f64); };
  const double perLog = 2595 / std::log(10.0);
  auto mel = [&](Value hertz) {
    Value ratio = node.div(node.cast(node.scalarOf(hertz), f64), number(700));
    return node.mul(node.unary(graph::UnaryKind::Log1p, ratio), number(perLog));
  };
  Value low = mel(lowest), high = mel(highest), two = math.number(2), one = math.number(1);
  Value points = math.add(bands, two);
  Value step = node.div(node.sub(high, low), node.cast(points, f64));
  Value mels = node.add(node.mul(node.cast(math.range(points), f64), step), low);
  Value hertz = node.mul(node.sub(node.exp(node.div(mels, number(perLog))), number(1)), number(700));
  Value edge = node.div(node.mul(hertz, node.cast(math.add(length, one), f64)), node.cast(rate, f64));
  Value bins = node.cast(node.unary(graph::UnaryKind::Floor, edge), node.builder().getI64Type());

  auto pick = [&](int64_t shift) { return node.gather(bins, node.add(math.range(bands), node.scalarI64(shift)), 0); };
  Value left = pick(0), center = pick(1), right = pick(2);
  Value bin = node.unsqueeze(math.range(math.add(math.div(length, two), one)), {1});
  auto ratio = [&](Value a, Value b) { return node.div(node.cast(a, f64), node.cast(b, f64)); };
  auto both = [&](Value a, Value b) { return node.binary(graph::BinaryKind::And, a, b); };
  Value rise = node.sub(center, left), fall = node.sub(right, center), zero = number(0), none = node.scalarI64(0);
  Value rising = both(node.compare(Predicate::Ge, bin, left), node.compare(Predicate::Le, bin, center));
  Value falling = both(node.compare(Predicate::Ge, bin, center), node.compare(Predicate::Lt, bin, right));
  Value steep = node.compare(Predicate::Eq, rise, none);
  Value up = node.select(steep, node.cast(node.compare(Predicate::Eq, bin, center), f64),
                         node.select(rising, ratio(node.sub(bin, left), rise), zero));
  Value y = node.select(falling, ratio(node.sub(right, bin), fall), up);
  node.setOutput(0, node.cast(y, element));
  return success(!node.failed());
}

void frontend::registerSignal(OpRegistry &registry) {
  registry.add("", "DFT", importDFT);
  registry.add("", "STFT", importSTFT);
  registry.add("", "MelWeightMatrix", importMelWeightMatrix);
}
