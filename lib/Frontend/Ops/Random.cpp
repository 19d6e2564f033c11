//===- Random.cpp - Random tensors as a hash of the position --------------===//
//
// Every element is a hash (SplitMix64) of the seed and its position: the same numbers on every
// target, thread count and run. Without a seed the node's name takes its place.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/CreationDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;

/// Seeds are floats but for Dropout's.
enum class SeedType { Float, Integer };

static uint64_t seedOf(NodeBuilder &node, SeedType type) {
  if (node.hasAttribute("seed"))
    return type == SeedType::Integer ? static_cast<uint64_t>(node.getInt("seed", 0))
                                     : llvm::bit_cast<uint32_t>(node.getFloat("seed", 0.0f));
  auto name = dyn_cast<NameLoc>(node.loc());
  return name ? llvm::xxh3_64bits(name.getName().getValue()) : 0;
}

namespace {
/// Streams of independent numbers for one node.
class Generator {
public:
  explicit Generator(NodeBuilder &node, SeedType type = SeedType::Float)
      : node(node), u64(node.builder().getIntegerType(64, /*isSigned=*/false)), seed(seedOf(node, type)) {}

  /// Numbers in [0, 1) of type `element` (f32 or f64) in the shape `shape`, a vector.
  Value uniform(Value shape, FloatType element, uint64_t stream) {
    ShapeMath math(node);
    Value position = node.cast(math.range(math.product(shape)), u64);
    Value z =
        node.add(node.mul(position, number(0x9e3779b97f4a7c15)), number((seed + stream + 1) * 0xd1342543de82ef95));
    z = mix(z, 30, 0xbf58476d1ce4e5b9);
    z = mix(z, 27, 0x94d049bb133111eb);
    z = node.binary(BinaryKind::Xor, z, shift(z, 31));
    int bits = element.isF64() ? 53 : 24;
    Value fraction = node.mul(node.cast(shift(z, 64 - bits), element), node.scalar(std::ldexp(1.0, -bits), element));
    return node.reshape(fraction, shape);
  }

  /// Standard normal numbers, by Box and Muller.
  Value normal(Value shape, FloatType element) {
    Value one = node.scalar(1, element), u = node.sub(one, uniform(shape, element, 0)), v = uniform(shape, element, 1);
    Value radius =
        node.unary(graph::UnaryKind::Sqrt, node.mul(node.unary(graph::UnaryKind::Log, u), node.scalar(-2, element)));
    return node.mul(radius, node.unary(graph::UnaryKind::Cos, node.mul(v, node.scalar(6.283185307179586, element))));
  }

private:
  Value number(uint64_t value) {
    auto type = RankedTensorType::get({}, u64);
    return node.constant(DenseElementsAttr::get(type, llvm::APInt(64, value)));
  }
  Value shift(Value z, unsigned bits) { return node.binary(BinaryKind::Shr, z, number(bits)); }
  Value mix(Value z, unsigned bits, uint64_t factor) {
    return node.mul(node.binary(BinaryKind::Xor, z, shift(z, bits)), number(factor));
  }

  NodeBuilder &node;
  Type u64;
  uint64_t seed;
};
} // namespace

Value frontend::randomUniform(NodeBuilder &node, Value shape, FloatType element) {
  return Generator(node, SeedType::Integer).uniform(shape, element, 0);
}

/// The type to compute in for results of type `element`; null after a diagnostic.
static FloatType computeType(NodeBuilder &node, Type element) {
  if (!element)
    return {};
  if (!isa<FloatType>(element)) {
    (void)node.fail("draws floating-point numbers; attribute 'dtype' asks for others");
    return {};
  }
  return element.isF64() ? FloatType(node.builder().getF64Type()) : FloatType(node.builder().getF32Type());
}

/// Element type of the result: `dtype`, else that of the input, else f32.
static Type resultType(NodeBuilder &node, Value input) {
  if (node.hasAttribute("dtype"))
    return node.elementType(node.getInt("dtype", 1));
  return input ? node.elementOf(input) : Type(node.builder().getF32Type());
}

/// Shape of the result: the input's for the Like forms, else attribute `shape`; null after a diagnostic.
static Value resultShape(NodeBuilder &node, Value input, bool like) {
  if (like)
    return node.shape(input);
  auto shape = node.getInts("shape");
  if (!shape || llvm::any_of(*shape, [](int64_t extent) { return extent < 0; }))
    return node.failValue("attribute 'shape' is missing or holds a negative extent");
  return node.constant(*shape);
}

template <bool like> static LogicalResult importRandomUniform(NodeBuilder &node) {
  Value input = like ? node.required(0) : Value(), shape = resultShape(node, input, like);
  Type element = shape ? resultType(node, input) : Type();
  FloatType compute = computeType(node, element);
  if (!compute)
    return failure();
  double low = node.getFloat("low", 0.0f), high = node.getFloat("high", 1.0f);
  Value y = node.mul(Generator(node).uniform(shape, compute, 0), node.scalar(high - low, compute));
  node.setOutput(0, node.cast(node.add(y, node.scalar(low, compute)), element));
  return success(!node.failed());
}

template <bool like> static LogicalResult importRandomNormal(NodeBuilder &node) {
  Value input = like ? node.required(0) : Value(), shape = resultShape(node, input, like);
  Type element = shape ? resultType(node, input) : Type();
  FloatType compute = computeType(node, element);
  if (!compute)
    return failure();
  Value y = node.mul(Generator(node).normal(shape, compute), node.scalar(node.getFloat("scale", 1.0f), compute));
  node.setOutput(0, node.cast(node.add(y, node.scalar(node.getFloat("mean", 0.0f), compute)), element));
  return success(!node.failed());
}

static LogicalResult importBernoulli(NodeBuilder &node) {
  Value p = node.required(0);
  Type element = p ? resultType(node, p) : Type();
  if (!element)
    return failure();
  Value wide = node.widen(p);
  auto compute = dyn_cast<FloatType>(node.elementOf(wide));
  if (!compute)
    return node.fail("input must hold probabilities of a float type");
  Value hit = node.compare(graph::Predicate::Lt, Generator(node).uniform(node.shape(p), compute, 0), wide);
  node.setOutput(0, node.cast(hit, element));
  return success(!node.failed());
}

/// The class with the largest log-probability plus Gumbel noise is a draw from the distribution.
static LogicalResult importMultinomial(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t samples = node.getInt("sample_size", 1);
  Type element = node.elementType(node.getInt("dtype", 6));
  if (!element)
    return failure();
  if (node.rankOf(x) != 2 || samples < 0)
    return node.fail("needs an input of rank 2 and a sample size that is not negative");
  Value wide = node.widen(x);
  auto compute = dyn_cast<FloatType>(node.elementOf(wide));
  if (!compute)
    return node.fail("input must hold log-probabilities of a float type");
  Value shape = math.concat({math.dim(x, 0), math.number(samples), math.dim(x, 1)});
  Value u = node.sub(node.scalar(1, compute), Generator(node).uniform(shape, compute, 0));
  Value noise = node.neg(node.unary(graph::UnaryKind::Log, node.neg(node.unary(graph::UnaryKind::Log, u))));
  Value score = node.add(node.unsqueeze(wide, {1}), noise);
  node.setOutput(0, node.cast(node.make<graph::ArgReduceOp>(graph::ArgKind::Max, score, 2, false, false), element));
  return success(!node.failed());
}

void frontend::registerRandom(OpRegistry &registry) {
  StringRef note = "the same numbers in every run";
  registry.add("", "RandomUniform", importRandomUniform<false>, note);
  registry.add("", "RandomUniformLike", importRandomUniform<true>, note);
  registry.add("", "RandomNormal", importRandomNormal<false>, note);
  registry.add("", "RandomNormalLike", importRandomNormal<true>, note);
  registry.add("", "Bernoulli", importBernoulli, note);
  registry.add("", "Multinomial", importMultinomial, note);
}
