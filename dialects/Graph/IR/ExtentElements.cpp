//===- ExtentElements.cpp - Small integer tensors as extents --------------===//
//
// Shape arithmetic of a model (Shape, Gather, Concat, Mul, ...) runs on small integer tensors. This
// evaluates it on extents, so that a runtime shape becomes plain integer arithmetic of the plan.
//
//===----------------------------------------------------------------------===//

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone::graph;

using Elements = std::optional<SmallVector<Extent>>;

std::optional<SmallVector<int64_t>> hone::graph::constantIntegers(Value value) {
  ElementsAttr attribute;
  if (!value || !matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  auto type = dyn_cast<IntegerType>(attribute.getElementType());
  if (!type || attribute.getNumElements() > (1 << 20))
    return std::nullopt;
  auto values = attribute.tryGetValues<APInt>();
  if (!values)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const APInt &element : *values)
    result.push_back(type.isUnsigned() || type.getWidth() == 1 ? static_cast<int64_t>(element.getZExtValue())
                                                               : element.getSExtValue());
  return result;
}

/// Whether sums and products of the type are those of extents. Narrow numbers wrap, as unsigned ones do below 0;
/// extents stay far below 2^31 in practice, which the plan checks.
static bool hasExtentArithmetic(Type tensor) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(tensor));
  return type && !type.isUnsigned() && type.getWidth() >= 32;
}

namespace {

/// Evaluates one producer; every case gives up (nullopt) on what it cannot express.
struct ElementEvaluator {
  ExtentBuilder &extents;

  Elements visit(ShapeOp op) { return extents.dims(op.getInput()); }
  Elements visit(ReshapeOp op) { return extents.elements(op.getInput()); }
  Elements visit(TransposeOp op) {
    SmallVector<int64_t> from = mlir::computeStrides(op.getInput().getType().getShape()), strides;
    for (int64_t dim : op.getPerm())
      strides.push_back(from[dim]);
    return pick(op.getInput(), op.getResult(), 0, strides);
  }
  Elements visit(CastOp op) {
    auto from = dyn_cast<IntegerType>(op.getInput().getType().getElementType());
    Elements input = from ? extents.elements(op.getInput()) : std::nullopt;
    if (!input)
      return std::nullopt;
    if (op.getTo().isInteger(1) && !from.isInteger(1)) {
      for (Extent &element : *input)
        element = negate(extents.eq(element, extents.constant(0)));
      return input;
    }
    return op.getTo() == from || hasExtentArithmetic(op.getTo()) ? input : std::nullopt;
  }
  Elements visit(BroadcastOp op) {
    Elements input = extents.elements(op.getInput());
    int64_t count = op.getResult().getType().getNumElements();
    if (!input || input->size() != 1)
      return op.getResult().getType() == op.getInput().getType() ? input : std::nullopt;
    return SmallVector<Extent>(count, input->front());
  }
  Elements visit(ConcatOp op) {
    if (op.getDim() != 0)
      return std::nullopt;
    SmallVector<Extent> result;
    for (Value input : op.getInputs()) {
      Elements part = extents.elements(input);
      if (!part)
        return std::nullopt;
      llvm::append_range(result, *part);
    }
    return result;
  }
  Elements visit(SliceOp op) {
    auto starts = constantIntegers(op.getStarts()), steps = constantIntegers(op.getSteps());
    if (!starts || !steps || !constantIntegers(op.getEnds()))
      return std::nullopt;
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    SmallVector<int64_t> strides = mlir::computeStrides(shape);
    int64_t base = 0;
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      int64_t size = shape[dim], start = (*starts)[i], step = (*steps)[i];
      start = start < 0 ? start + size : start;
      base += std::clamp<int64_t>(start, 0, step > 0 ? size : std::max<int64_t>(size - 1, 0)) * strides[dim];
      // Where one element is taken, the step may be any number.
      if (op.getResult().getType().getDimSize(dim) > 1)
        strides[dim] *= step;
    }
    return pick(op.getInput(), op.getResult(), base, strides);
  }
  Elements visit(GatherOp op) {
    auto indices = constantIntegers(op.getIndices());
    Elements input = extents.elements(op.getInput());
    if (!indices || !input || op.getInput().getType().getRank() != 1)
      return std::nullopt;
    SmallVector<Extent> result;
    for (int64_t index : *indices) {
      index += index < 0 ? input->size() : 0;
      if (index < 0 || index >= static_cast<int64_t>(input->size()))
        return std::nullopt;
      result.push_back((*input)[index]);
    }
    return result;
  }
  Elements visit(ReduceOp op) {
    Elements input = extents.elements(op.getInput());
    if (!input || op.getResult().getType().getNumElements() != 1 || !hasExtentArithmetic(op.getInput().getType()))
      return std::nullopt;
    auto fold = [&](ExtentOp kind, int64_t start) -> Elements {
      Extent result = extents.constant(start);
      for (Extent element : *input)
        result = extents.binary(kind, result, element);
      return SmallVector<Extent>{result};
    };
    if (op.getKind() == ReduceKind::Sum)
      return fold(ExtentOp::Add, 0);
    if (op.getKind() == ReduceKind::Prod)
      return fold(ExtentOp::Mul, 1);
    return std::nullopt;
  }
  Elements visit(UnaryOp op) {
    bool isNot = op.getKind() == UnaryKind::Not && op.getResult().getType().getElementType().isInteger(1);
    if (!isNot && (op.getKind() != UnaryKind::Neg || !hasExtentArithmetic(op.getInput().getType())))
      return std::nullopt;
    Elements input = extents.elements(op.getInput());
    if (input)
      for (Extent &element : *input)
        element = isNot ? negate(element) : extents.sub(extents.constant(0), element);
    return input;
  }
  Elements visit(BinaryOp op) {
    return zip(op.getLhs(), op.getRhs(), op.getResult(), [&](Extent a, Extent b) -> Extent {
      bool isBool = op.getResult().getType().getElementType().isInteger(1);
      bool plain = extents.atLeast(a, 0) && extents.atLeast(b, 1);
      bool same = hasExtentArithmetic(op.getResult().getType());
      switch (op.getKind()) {
      case BinaryKind::Add:
        return same ? extents.add(a, b) : nullptr;
      case BinaryKind::Sub:
        return same ? extents.sub(a, b) : nullptr;
      case BinaryKind::Mul:
        return same ? extents.mul(a, b) : nullptr;
      case BinaryKind::Min:
        return extents.min(a, b);
      case BinaryKind::Max:
        return extents.max(a, b);
      // Integer division truncates, extents floor: the same only where nothing is negative.
      case BinaryKind::Div:
        return plain ? extents.div(a, b) : nullptr;
      case BinaryKind::Mod:
        return plain ? extents.mod(a, b) : nullptr;
      case BinaryKind::And:
        return isBool ? extents.min(a, b) : nullptr;
      case BinaryKind::Or:
        return isBool ? extents.max(a, b) : nullptr;
      default:
        return nullptr;
      }
    });
  }
  Elements visit(CompareOp op) {
    return zip(op.getLhs(), op.getRhs(), op.getResult(), [&](Extent a, Extent b) -> Extent {
      switch (op.getPredicate()) {
      case Predicate::Eq:
        return extents.eq(a, b);
      case Predicate::Ne:
        return negate(extents.eq(a, b));
      case Predicate::Lt:
        return extents.lt(a, b);
      case Predicate::Gt:
        return extents.lt(b, a);
      case Predicate::Le:
        return negate(extents.lt(b, a));
      case Predicate::Ge:
        return negate(extents.lt(a, b));
      }
      return nullptr;
    });
  }
  Elements visit(SelectOp op) {
    Elements condition = extents.elements(op.getCondition()), a = extents.elements(op.getIfTrue()),
             b = extents.elements(op.getIfFalse());
    size_t count = op.getResult().getType().getNumElements();
    auto fits = [&](const Elements &part) { return part && (part->size() == count || part->size() == 1); };
    if (!fits(condition) || !fits(a) || !fits(b))
      return std::nullopt;
    auto at = [](const Elements &part, size_t i) { return (*part)[part->size() == 1 ? 0 : i]; };
    SmallVector<Extent> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(extents.select(at(condition, i), at(a, i), at(b, i)));
    return result;
  }

private:
  /// 1 for 0, 0 for 1.
  Extent negate(Extent truth) { return extents.sub(extents.constant(1), truth); }

  /// The elements of `result`: position `at` of it is element base + sum(at[d] * strides[d]) of `input`.
  Elements pick(Value input, Value result, int64_t base, ArrayRef<int64_t> strides) {
    Elements from = extents.elements(input);
    auto type = cast<RankedTensorType>(result.getType());
    if (!from || !type.hasStaticShape() || type.getNumElements() > ExtentBuilder::kMaxElements)
      return std::nullopt;
    SmallVector<Extent> elements;
    SmallVector<int64_t> shapeStrides = mlir::computeStrides(type.getShape());
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      int64_t position = base;
      for (auto [d, at] : llvm::enumerate(mlir::delinearize(i, shapeStrides)))
        position += at * strides[d];
      if (position < 0 || position >= static_cast<int64_t>(from->size()))
        return std::nullopt;
      elements.push_back((*from)[position]);
    }
    return elements;
  }

  /// Applies `f` pairwise; operands have the result's size or one element.
  Elements zip(Value lhs, Value rhs, Value result, llvm::function_ref<Extent(Extent, Extent)> f) {
    Elements a = extents.elements(lhs), b = extents.elements(rhs);
    size_t count = cast<RankedTensorType>(result.getType()).getNumElements();
    if (!a || !b || (a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1))
      return std::nullopt;
    SmallVector<Extent> elements;
    for (size_t i = 0; i < count; ++i) {
      Extent element = f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
      if (!element)
        return std::nullopt;
      elements.push_back(element);
    }
    return elements;
  }
};

} // namespace

Elements ExtentBuilder::elementsOfProducer(Value tensor) {
  ElementEvaluator evaluator{*this};
  return llvm::TypeSwitch<Operation *, Elements>(tensor.getDefiningOp())
      .Case<ShapeOp, ReshapeOp, TransposeOp, CastOp, BroadcastOp, ConcatOp, SliceOp, GatherOp, ReduceOp, UnaryOp,
            BinaryOp, CompareOp, SelectOp>([&](auto op) { return evaluator.visit(op); })
      .Default(Elements());
}

Elements ExtentBuilder::elements(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) ||
      type.getNumElements() > kMaxElements)
    return std::nullopt;
  auto known = knownElements.find(tensor);
  if (known != knownElements.end())
    return known->second;

  Elements result;
  if (auto constants = constantIntegers(tensor)) {
    result.emplace();
    for (int64_t number : *constants)
      result->push_back(constant(number));
  } else if (tensor.getDefiningOp()) {
    result = elementsOfProducer(tensor);
  }
  if (!result || static_cast<int64_t>(result->size()) != type.getNumElements()) {
    result.emplace();
    for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
      ExtentNode leaf{ExtentOp::Element};
      leaf.value = tensor;
      leaf.number = i;
      result->push_back(unique(leaf));
    }
  }
  knownElements[tensor] = result;
  return result;
}
