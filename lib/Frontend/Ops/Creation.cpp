//===- Creation.cpp - Operators that make tensors from shapes -------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/CreationDetail.h"
#include "lib/Frontend/Ops/NodeResult.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

//===----------------------------------------------------------------------===//
// Shapes as tensors
//===----------------------------------------------------------------------===//

static LogicalResult importShape(NodeBuilder &node) {
  ShapeMath math(node);
  Value x = node.required(0);
  if (!x)
    return failure();
  int64_t rank = node.rankOf(x);
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  int64_t start = clamp(node.getInt("start", 0)), end = clamp(node.getInt("end", rank));
  Value shape = math.shape(x);
  return finish(node, start == 0 && end == rank ? shape : math.part(shape, start, std::max(start, end)));
}

static LogicalResult importSize(NodeBuilder &node) {
  ShapeMath math(node);
  return finish(node, node.scalarOf(math.product(math.shape(node.required(0)))));
}

static LogicalResult importConstantOfShape(NodeBuilder &node) {
  ShapeMath math(node);
  Value shape = math.withLength(math.integers(node.required(0)), math.declaredRank());
  if (!shape)
    return failure();
  if (!math.length(shape))
    return node.fail("the length of input 'input' or the rank of the output must be known");
  Value value = node.scalar(0, node.builder().getF32Type());
  if (node.hasAttribute("value")) {
    ElementsAttr tensor = node.getTensor("value");
    if (!tensor)
      return failure();
    if (tensor.getNumElements() != 1)
      return node.fail("attribute 'value' has " + Twine(tensor.getNumElements()) + " elements, one is needed");
    value = node.scalarOf(node.constant(tensor));
  }
  return finish(node, node.broadcastTo(value, shape));
}

//===----------------------------------------------------------------------===//
// Sequences and matrices
//===----------------------------------------------------------------------===//

/// start + i * delta; the count is ceil((limit - start) / delta).
static LogicalResult importRange(NodeBuilder &node) {
  ShapeMath math(node);
  Value start = node.scalarOf(node.required(0)), limit = node.scalarOf(node.required(1)),
        delta = node.scalarOf(node.required(2));
  if (node.failed())
    return failure();
  if (node.constantNumber(delta) == 0.0)
    return node.fail("input 'delta' is 0");
  if (!node.isFloat(start))
    return finish(node, node.make<graph::RangeOp>(start, limit, delta));
  Type element = node.elementOf(start), f64 = node.builder().getF64Type(), i64 = node.builder().getI64Type();
  Value distance = node.sub(node.cast(limit, f64), node.cast(start, f64));
  Value steps = node.unary(graph::UnaryKind::Ceil, node.div(distance, node.cast(delta, f64)));
  Value count;
  auto first = node.constantNumber(start), last = node.constantNumber(limit), step = node.constantNumber(delta);
  auto declared = node.declaredShape(0);
  if (first && last && step) {
    double exact = std::ceil((*last - *first) / *step);
    if (!(exact < 1e15))
      return node.fail("the range has too many elements");
    count = math.number(std::max<int64_t>(static_cast<int64_t>(exact), 0));
  } else if (declared && declared->size() == 1 && declared->front() >= 0) {
    count = math.number(declared->front());
  } else {
    count = math.max(node.reshapeTo(node.cast(steps, i64), {1}), math.number(0));
  }
  bool wide = node.getInt("stash_type", 1) == 11;
  Type compute = element.isF64() || (wide && !element.isF32()) ? f64 : node.builder().getF32Type();
  Value y = node.mul(node.cast(math.range(count), compute), node.cast(delta, compute));
  return finish(node, node.cast(node.add(y, node.cast(start, compute)), element));
}

/// Column minus row of every element of the last two dimensions of `x`: [n, m].
static Value diagonals(NodeBuilder &node, Value x) {
  ShapeMath math(node);
  int64_t rank = node.rankOf(x);
  Value rows = node.unsqueeze(math.range(math.dim(x, rank - 2)), {1}),
        columns = node.unsqueeze(math.range(math.dim(x, rank - 1)), {0});
  return node.sub(columns, rows);
}

static LogicalResult importTrilu(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  if (node.rankOf(x) < 2)
    return node.fail("needs an input of rank 2 or more, not " + Twine(node.rankOf(x)));
  Value k = node.hasInput(1) ? node.scalarOf(node.input(1)) : node.scalarI64(0);
  auto predicate = node.getInt("upper", 1) != 0 ? graph::Predicate::Ge : graph::Predicate::Le;
  Value kept = node.compare(predicate, diagonals(node, x), k);
  return finish(node, node.select(kept, x, node.scalarLike(0, x)));
}

static LogicalResult importEyeLike(NodeBuilder &node) {
  Value x = node.required(0);
  if (!x)
    return failure();
  if (node.rankOf(x) != 2)
    return node.fail("needs an input of rank 2, not " + Twine(node.rankOf(x)));
  Type element = node.hasAttribute("dtype") ? node.elementType(node.getInt("dtype", 1)) : node.elementOf(x);
  if (!element)
    return failure();
  Value on = node.compare(graph::Predicate::Eq, diagonals(node, x), node.scalarI64(node.getInt("k", 0)));
  return finish(node, node.cast(on, element));
}

void frontend::registerCreation(OpRegistry &registry) {
  registry.add("", "Shape", importShape);
  registry.add("", "Size", importSize);
  registry.add("", "ConstantOfShape", importConstantOfShape);
  registry.add("", "Range", importRange);
  registry.add("", "Trilu", importTrilu);
  registry.add("", "EyeLike", importEyeLike);
  registerRandom(registry);
}
