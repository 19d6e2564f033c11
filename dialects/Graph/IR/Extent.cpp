//===- Extent.cpp - Building and materializing extents --------------------===//

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace hone::graph;

std::optional<int64_t> hone::graph::constantExtent(Extent extent) {
  if (extent && extent->op == ExtentOp::Constant)
    return extent->number;
  return std::nullopt;
}

RankedTensorType hone::graph::tensorType(const TensorShape &shape, Attribute encoding) {
  SmallVector<int64_t> dims;
  for (Extent extent : shape.dims) {
    auto number = constantExtent(extent);
    dims.push_back(number && *number >= 0 ? *number : ShapedType::kDynamic);
  }
  return RankedTensorType::get(dims, shape.element, encoding);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Extent ExtentBuilder::unique(ExtentNode node) {
  Key key{static_cast<int>(node.op), node.number,      node.value ? node.value.getAsOpaquePointer() : node.name.data(),
          node.operands[0],          node.operands[1], node.operands[2]};
  Extent &slot = nodes[key];
  if (!slot) {
    node.id = nodes.size();
    slot = new (allocator.Allocate<ExtentNode>()) ExtentNode(node);
  }
  return slot;
}

Extent ExtentBuilder::constant(int64_t value) {
  ExtentNode node{ExtentOp::Constant};
  node.number = value;
  return unique(node);
}

Extent ExtentBuilder::symbol(StringRef name) {
  ExtentNode node{ExtentOp::Symbol};
  node.name = names.insert({name, 0}).first->getKey();
  return unique(node);
}

Extent ExtentBuilder::product(ArrayRef<Extent> factors) {
  Extent result = constant(1);
  for (Extent factor : factors)
    result = mul(result, factor);
  return result;
}

/// Value of `op` on constants, nullopt on overflow or division by zero.
static std::optional<int64_t> foldConstants(ExtentOp op, int64_t a, int64_t b) {
  int64_t r;
  switch (op) {
  case ExtentOp::Add:
    return llvm::AddOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case ExtentOp::Sub:
    return llvm::SubOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case ExtentOp::Mul:
    return llvm::MulOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case ExtentOp::Div:
  case ExtentOp::CeilDiv:
  case ExtentOp::Mod:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    if (op == ExtentOp::Div)
      return llvm::divideFloorSigned(a, b);
    return op == ExtentOp::CeilDiv ? llvm::divideCeilSigned(a, b) : a - b * llvm::divideFloorSigned(a, b);
  case ExtentOp::Min:
    return std::min(a, b);
  case ExtentOp::Max:
    return std::max(a, b);
  case ExtentOp::Lt:
    return a < b;
  case ExtentOp::Eq:
    return a == b;
  default:
    return std::nullopt;
  }
}

/// Largest number that `extent` is known not to go below.
static std::optional<int64_t> lowerBound(Extent extent, unsigned depth = 0) {
  if (depth > 16)
    return std::nullopt;
  auto of = [&](unsigned i) { return lowerBound(extent->operands[i], depth + 1); };
  switch (extent->op) {
  case ExtentOp::Constant:
    return extent->number;
  case ExtentOp::Symbol:
  case ExtentOp::Dim:
  case ExtentOp::Lt:
  case ExtentOp::Eq:
    return 0;
  case ExtentOp::Add:
    if (auto a = of(0), b = of(1); a && b)
      return foldConstants(ExtentOp::Add, *a, *b);
    return std::nullopt;
  case ExtentOp::Mul:
  case ExtentOp::Div:
  case ExtentOp::CeilDiv:
  case ExtentOp::Mod:
    if (auto a = of(0), b = of(1); a && b && *a >= 0 && *b >= 0)
      return extent->op == ExtentOp::Mul ? foldConstants(ExtentOp::Mul, *a, *b) : std::optional<int64_t>(0);
    return std::nullopt;
  case ExtentOp::Min:
    if (auto a = of(0), b = of(1); a && b)
      return std::min(*a, *b);
    return std::nullopt;
  case ExtentOp::Max: {
    auto a = of(0), b = of(1);
    return a && b ? std::max(*a, *b) : (a ? a : b);
  }
  case ExtentOp::Select:
    if (auto a = of(1), b = of(2); a && b)
      return std::min(*a, *b);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

bool ExtentBuilder::atLeast(Extent extent, int64_t bound) const {
  auto known = lowerBound(extent);
  return known && *known >= bound;
}

/// x + c and c apart: every extent is a rest plus a constant.
static std::pair<Extent, int64_t> splitOffset(Extent extent) {
  if (extent->op == ExtentOp::Add && extent->operands[1]->op == ExtentOp::Constant)
    return {extent->operands[0], extent->operands[1]->number};
  return {extent, 0};
}

/// Takes a product apart into factors, ordered, and a constant; nullopt when that overflows.
static std::optional<int64_t> splitProduct(Extent extent, SmallVectorImpl<Extent> &factors) {
  int64_t number = 1;
  SmallVector<Extent> open{extent};
  while (!open.empty()) {
    Extent next = open.pop_back_val();
    if (next->op == ExtentOp::Mul)
      open.append({next->operands[0], next->operands[1]});
    else if (next->op != ExtentOp::Constant)
      factors.push_back(next);
    else if (llvm::MulOverflow(number, next->number, number))
      return std::nullopt;
  }
  llvm::sort(factors, [](Extent a, Extent b) { return a->id < b->id; });
  return number;
}

/// Whether both are products of the same factors, in whatever order.
static bool sameProduct(Extent a, Extent b) {
  if (a->op != ExtentOp::Mul || b->op != ExtentOp::Mul)
    return false;
  SmallVector<Extent> ofA, ofB;
  auto numberA = splitProduct(a, ofA), numberB = splitProduct(b, ofB);
  return numberA && numberA == numberB && ofA == ofB;
}

namespace {

/// Operands whose constant, if one is, stands right. A sum with a constant is also known as `rest` and `offset`.
struct Operands {
  Operands(Extent a, Extent b) : a(a), b(b), number(constantExtent(b)) {
    std::tie(restA, offsetA) = splitOffset(a);
    std::tie(restB, offsetB) = splitOffset(b);
  }

  Extent a, b, restA, restB;
  std::optional<int64_t> number; ///< that `b` is
  int64_t offsetA, offsetB;
};

} // namespace

// What a binary extent is beside itself; null when it is nothing simpler.

static Extent simplifySum(ExtentBuilder &extents, const Operands &o) {
  if (o.number && *o.number == 0)
    return o.a;
  if (o.number && o.offsetA)
    return extents.add(o.restA, extents.constant(o.offsetA + *o.number));
  if (!o.number && (o.offsetA || o.offsetB))
    return extents.add(extents.add(o.restA, o.restB), extents.constant(o.offsetA + o.offsetB));
  return nullptr;
}

static Extent simplifyDifference(ExtentBuilder &extents, const Operands &o) {
  if (o.number && *o.number != INT64_MIN)
    return extents.add(o.a, extents.constant(-*o.number));
  if (o.restA == o.restB)
    return extents.constant(o.offsetA - o.offsetB);
  if (o.restA->op == ExtentOp::Add && o.restA->operands[1] == o.b)
    return extents.add(o.restA->operands[0], extents.constant(o.offsetA));
  if (o.restA->op == ExtentOp::Add && o.restA->operands[0] == o.b)
    return extents.add(o.restA->operands[1], extents.constant(o.offsetA));
  return nullptr;
}

static Extent simplifyProduct(ExtentBuilder &extents, const Operands &o) {
  if (o.number && *o.number == 1)
    return o.a;
  if (o.number && *o.number == 0)
    return o.b;
  // Constants meet, unless their product overflows.
  if (auto factor = o.a->op == ExtentOp::Mul ? constantExtent(o.a->operands[1]) : std::nullopt; factor && o.number)
    if (auto folded = foldConstants(ExtentOp::Mul, *factor, *o.number))
      return extents.mul(o.a->operands[0], extents.constant(*folded));
  return nullptr;
}

/// Of either rounding.
static Extent simplifyQuotient(ExtentBuilder &extents, const Operands &o) {
  if (o.number && *o.number == 1)
    return o.a;
  if (o.a == o.b && extents.atLeast(o.b, 1))
    return extents.constant(1);
  if (o.a->op != ExtentOp::Mul || !extents.atLeast(o.b, 1))
    return nullptr;
  if (o.a->operands[0] == o.b)
    return o.a->operands[1];
  if (o.a->operands[1] == o.b)
    return o.a->operands[0];
  if (auto factor = constantExtent(o.a->operands[1]); o.number && factor && *factor % *o.number == 0)
    return extents.mul(o.a->operands[0], extents.constant(*factor / *o.number));
  return nullptr;
}

static Extent simplifyBound(ExtentBuilder &extents, ExtentOp op, const Operands &o) {
  bool isMin = op == ExtentOp::Min;
  if (o.a == o.b)
    return o.a;
  if (o.restA == o.restB)
    return (isMin ? o.offsetA <= o.offsetB : o.offsetA >= o.offsetB) ? o.a : o.b;
  if (o.number && extents.atLeast(o.a, *o.number))
    return isMin ? o.b : o.a;
  return nullptr;
}

static Extent simplifyComparison(ExtentBuilder &extents, ExtentOp op, const Operands &o) {
  bool isEqual = op == ExtentOp::Eq;
  if (o.restA == o.restB)
    return extents.constant(isEqual ? o.offsetA == o.offsetB : o.offsetA < o.offsetB);
  if (isEqual && sameProduct(o.a, o.b))
    return extents.constant(1);
  if (isEqual ? o.number && *o.number < INT64_MAX && extents.atLeast(o.a, *o.number + 1)
              : o.number && extents.atLeast(o.a, *o.number))
    return extents.constant(0);
  return nullptr;
}

static Extent simplify(ExtentBuilder &extents, ExtentOp op, const Operands &o) {
  switch (op) {
  case ExtentOp::Add:
    return simplifySum(extents, o);
  case ExtentOp::Sub:
    return simplifyDifference(extents, o);
  case ExtentOp::Mul:
    return simplifyProduct(extents, o);
  case ExtentOp::Div:
  case ExtentOp::CeilDiv:
    return simplifyQuotient(extents, o);
  case ExtentOp::Mod:
    return o.number && *o.number == 1 ? extents.constant(0) : nullptr;
  case ExtentOp::Min:
  case ExtentOp::Max:
    return simplifyBound(extents, op, o);
  case ExtentOp::Lt:
  case ExtentOp::Eq:
    return simplifyComparison(extents, op, o);
  default:
    return nullptr;
  }
}

Extent ExtentBuilder::binary(ExtentOp op, Extent a, Extent b) {
  auto ca = constantExtent(a), cb = constantExtent(b);
  if (ca && cb)
    if (auto folded = foldConstants(op, *ca, *cb))
      return constant(*folded);
  bool commutes =
      op == ExtentOp::Add || op == ExtentOp::Mul || op == ExtentOp::Min || op == ExtentOp::Max || op == ExtentOp::Eq;
  // Constants stand right, other operands in order of creation.
  if (commutes && (ca || (!cb && b->id < a->id)))
    std::swap(a, b);
  if (Extent simple = simplify(*this, op, Operands(a, b)))
    return simple;
  ExtentNode node{op};
  node.operands[0] = a;
  node.operands[1] = b;
  return unique(node);
}

Extent ExtentBuilder::select(Extent condition, Extent a, Extent b) {
  if (auto known = constantExtent(condition))
    return *known ? a : b;
  if (a == b)
    return a;
  ExtentNode node{ExtentOp::Select};
  node.operands[0] = condition;
  node.operands[1] = a;
  node.operands[2] = b;
  return unique(node);
}

Extent ExtentBuilder::broadcast(Extent a, Extent b) {
  auto ca = constantExtent(a), cb = constantExtent(b);
  if (a == b || (cb && *cb == 1) || (ca && *ca != 1) || atLeast(a, 2))
    return a;
  if ((ca && *ca == 1) || cb || atLeast(b, 2))
    return b;
  return select(eq(a, constant(1)), b, a);
}

//===----------------------------------------------------------------------===//
// Dimensions of values
//===----------------------------------------------------------------------===//

/// The name that a function's `graph.dims` argument attribute gives to a dimension.
static StringRef argumentSymbol(BlockArgument argument, int64_t dim) {
  // A region that is being built may have no op around it yet.
  auto function = dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return {};
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
  if (!names || dim >= static_cast<int64_t>(names.size()))
    return {};
  auto name = dyn_cast<StringAttr>(names[dim]);
  return name ? name.getValue() : StringRef();
}

Extent ExtentBuilder::dim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  auto known = knownDims.find({tensor, dim});
  if (known != knownDims.end())
    return known->second;

  ExtentNode leaf{ExtentOp::Dim};
  leaf.value = tensor;
  leaf.number = dim;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    StringRef name = argumentSymbol(argument, dim);
    return knownDims[{tensor, dim}] = name.empty() ? unique(leaf) : symbol(name);
  }
  Operation *producer = tensor.getDefiningOp();
  if (!lookThrough)
    return knownDims[{tensor, dim}] = unique(leaf);
  if (auto kernel = dyn_cast<KernelOp>(producer)) {
    Value inner = kernel.getBody().front().getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
    Extent extent = this->dim(inner, dim);
    return knownDims[{tensor, dim}] = extent;
  }
  if (auto relayout = dyn_cast<RelayoutOp>(producer)) {
    Extent extent = this->dim(relayout.getInput(), dim);
    return knownDims[{tensor, dim}] = extent;
  }
  auto shaped = dyn_cast<ShapedOpInterface>(producer);
  SmallVector<TensorShape> shapes;
  // What producers ask for is theirs.
  llvm::SaveAndRestore quiet(required, static_cast<SmallVectorImpl<ShapeRequirement> *>(nullptr));
  if (!shaped || failed(shaped.resultShapes(*this, shapes)))
    return knownDims[{tensor, dim}] = unique(leaf);
  for (auto [result, shape] : llvm::zip(producer->getResults(), shapes))
    for (auto [index, extent] : llvm::enumerate(shape.dims))
      knownDims[{result, static_cast<int64_t>(index)}] = extent;
  return knownDims[{tensor, dim}];
}

SmallVector<Extent> ExtentBuilder::dims(Value tensor) {
  SmallVector<Extent> result;
  for (int64_t i = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); i < rank; ++i)
    result.push_back(dim(tensor, i));
  return result;
}

std::optional<SmallVector<Extent>> hone::graph::broadcastShapes(ExtentBuilder &extents, ArrayRef<Value> values) {
  SmallVector<Extent> result;
  for (Value value : values) {
    SmallVector<Extent> dims = extents.dims(value);
    while (result.size() < dims.size())
      result.insert(result.begin(), extents.constant(1));
    size_t shift = result.size() - dims.size();
    for (auto [i, extent] : llvm::enumerate(dims)) {
      auto a = constantExtent(result[shift + i]), b = constantExtent(extent);
      if (a && b && *a != *b && *a != 1 && *b != 1)
        return std::nullopt;
      Extent &slot = result[shift + i], one = extents.constant(1);
      if (slot != extent && slot != one && extent != one)
        extents.require(
            extents.max(extents.max(extents.eq(slot, extent), extents.eq(slot, one)), extents.eq(extent, one)),
            "the operands do not broadcast: extents of dimension " + Twine(shift + i) + " differ");
      slot = extents.broadcast(slot, extent);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

void ExtentBuilder::require(Extent holds, const Twine &message) {
  if (required && constantExtent(holds).value_or(0) == 0)
    required->push_back({holds, message.str()});
}

void ExtentBuilder::requireExtent(Extent extent, const Twine &message) {
  if (!atLeast(extent, 0))
    require(sub(constant(1), lt(extent, constant(0))), message);
}

LogicalResult ExtentBuilder::requirements(Operation *op, SmallVectorImpl<ShapeRequirement> &list) {
  auto shaped = dyn_cast<ShapedOpInterface>(op);
  if (!shaped)
    return success();
  llvm::SaveAndRestore collect(required, &list);
  SmallVector<TensorShape> shapes;
  return shaped.resultShapes(*this, shapes);
}

//===----------------------------------------------------------------------===//
// Materialization
//===----------------------------------------------------------------------===//

Value ExtentMaterializer::get(OpBuilder &builder, Location loc, Extent extent, Cache *cache) {
  if (!cache)
    return create(builder, loc, extent, cache);
  if (Value known = cache->lookup(extent))
    return known;
  Value made = create(builder, loc, extent, cache);
  if (made)
    cache->insert({extent, made});
  return made;
}

Value ExtentMaterializer::create(OpBuilder &builder, Location loc, Extent extent, Cache *cache) {
  switch (extent->op) {
  case ExtentOp::Constant:
    return arith::ConstantIndexOp::create(builder, loc, extent->number);
  case ExtentOp::Symbol:
  case ExtentOp::Dim:
  case ExtentOp::Element:
    return leaf(builder, extent);
  default:
    break;
  }
  SmallVector<Value, 3> operands;
  for (Extent operand : extent->operands) {
    if (!operand)
      break;
    operands.push_back(get(builder, loc, operand, cache));
    if (!operands.back())
      return nullptr;
  }
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    Value bit = arith::CmpIOp::create(builder, loc, predicate, operands[0], operands[1]);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return arith::SelectOp::create(builder, loc, bit, one, zero);
  };
  switch (extent->op) {
  case ExtentOp::Add:
    return arith::AddIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Sub:
    return arith::SubIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Mul:
    return arith::MulIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Div:
    return arith::FloorDivSIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Mod: {
    Value quotient = arith::FloorDivSIOp::create(builder, loc, operands[0], operands[1]);
    Value whole = arith::MulIOp::create(builder, loc, quotient, operands[1]);
    return arith::SubIOp::create(builder, loc, operands[0], whole);
  }
  case ExtentOp::Min:
    return arith::MinSIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Max:
    return arith::MaxSIOp::create(builder, loc, operands[0], operands[1]);
  case ExtentOp::Lt:
    return compare(arith::CmpIPredicate::slt);
  case ExtentOp::Eq:
    return compare(arith::CmpIPredicate::eq);
  case ExtentOp::Select: {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value bit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, operands[0], zero);
    return arith::SelectOp::create(builder, loc, bit, operands[1], operands[2]);
  }
  default:
    return nullptr;
  }
}
