//===- IndexMath.cpp - Positions, loops and copies of tensors -------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::graph_to_linalg {

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value IndexMath::constant(int64_t value) const { return arith::ConstantIndexOp::create(builder, loc, value); }

Value IndexMath::value(OpFoldResult result) const {
  if (auto value = dyn_cast<Value>(result))
    return value;
  return constant(cast<IntegerAttr>(cast<Attribute>(result)).getInt());
}

Value IndexMath::add(Value a, Value b) const { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value IndexMath::sub(Value a, Value b) const { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value IndexMath::mul(Value a, Value b) const { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value IndexMath::min(Value a, Value b) const { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value IndexMath::max(Value a, Value b) const { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }

Value IndexMath::less(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
}

Value IndexMath::select(Value condition, Value a, Value b) const {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Value IndexMath::mod(Value a, Value b) const {
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, a, b);
  return select(less(rest, constant(0)), add(rest, b), rest);
}

Value IndexMath::clamp(Value position, Value size) const {
  return max(min(position, sub(size, constant(1))), constant(0));
}

Value IndexMath::position(Value stored, Value size) const {
  Value at = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), stored);
  return clamp(select(less(at, constant(0)), add(at, size), at), size);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Extent elementExtent(LoweringContext &context, Value value, int64_t position) {
  auto elements = context.extents.elements(value);
  return elements && position < static_cast<int64_t>(elements->size()) ? (*elements)[position] : nullptr;
}

FailureOr<SmallVector<Value>> dimIndices(ConversionPatternRewriter &rewriter, Location loc, Value value,
                                         LoweringContext &context) {
  SmallVector<Value> result;
  for (int64_t i = 0, rank = rankOf(value); i < rank; ++i) {
    auto size = dimIndex(rewriter, loc, value, i, context);
    if (failed(size))
      return failure();
    result.push_back(*size);
  }
  return result;
}

SmallVector<AffineExpr> logicalLoops(RankedTensorType type) {
  SmallVector<AffineExpr> result;
  for (int64_t i = 0, rank = type.getRank(); i < rank; ++i)
    result.push_back(getAffineDimExpr(memoryDim(type, i), type.getContext()));
  return result;
}

//===----------------------------------------------------------------------===//
// Views and copies
//===----------------------------------------------------------------------===//

Value castTensor(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value).getResult();
}

namespace {

/// Dimensions of both sides of a reshape that hold the same elements.
struct ReshapeGroups {
  SmallVector<ReassociationIndices> from, to;
};

/// A product of extents: a number times the others, sorted.
struct Product {
  int64_t number = 1;
  SmallVector<Extent> others;

  bool multiply(Extent extent) {
    auto constant = constantExtent(extent);
    if (constant)
      return !llvm::MulOverflow(number, *constant, number);
    if (extent->op == ExtentOp::Mul)
      return multiply(extent->operands[0]) && multiply(extent->operands[1]);
    others.insert(llvm::upper_bound(others, extent, std::less<Extent>()), extent);
    return true;
  }
  bool operator==(const Product &other) const { return number == other.number && others == other.others; }
  /// Whether something of `other` is missing here.
  bool lacks(const Product &other) const {
    return !std::includes(others.begin(), others.end(), other.others.begin(), other.others.end(), std::less<Extent>());
  }
};

} // namespace

/// Splits a reshape into independent groups, nullopt when that cannot be seen from the extents.
static std::optional<ReshapeGroups> groupDims(ArrayRef<Extent> from, ArrayRef<Extent> to) {
  ReshapeGroups groups;
  size_t i = 0, j = 0;
  auto isOne = [](Extent extent) { return constantExtent(extent) == 1; };
  while (i < from.size() && j < to.size()) {
    Product a, b;
    ReassociationIndices left, right;
    auto take = [](Product &product, ReassociationIndices &indices, ArrayRef<Extent> extents, size_t &at) {
      if (at == extents.size() || !product.multiply(extents[at]))
        return false;
      indices.push_back(at++);
      return true;
    };
    if (!take(a, left, from, i) || !take(b, right, to, j))
      return std::nullopt;
    while (!(a == b)) {
      bool extendFrom = a.lacks(b) || (!b.lacks(a) && a.number < b.number);
      if (!(extendFrom ? take(a, left, from, i) : take(b, right, to, j)))
        return std::nullopt;
    }
    groups.from.push_back(std::move(left));
    groups.to.push_back(std::move(right));
  }
  for (; i < from.size(); ++i) {
    if (groups.from.empty() || !isOne(from[i]))
      return std::nullopt;
    groups.from.back().push_back(i);
  }
  for (; j < to.size(); ++j) {
    if (groups.to.empty() || !isOne(to[j]))
      return std::nullopt;
    groups.to.back().push_back(j);
  }
  return groups;
}

/// One group of everything; none for scalars.
static SmallVector<ReassociationIndices> wholeGroup(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

/// `type` with the dimensions of every group merged.
static RankedTensorType collapsedType(RankedTensorType type, ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    int64_t extent = 1;
    for (int64_t dim : group)
      if (type.isDynamicDim(dim) || extent == ShapedType::kDynamic)
        extent = ShapedType::kDynamic;
      else
        extent *= type.getDimSize(dim);
    shape.push_back(extent);
  }
  return RankedTensorType::get(shape, type.getElementType());
}

bool isExpandable(RankedTensorType type, ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) { return type.isDynamicDim(dim); }) <= 1;
  });
}

FailureOr<Value> reshapeTensor(ConversionPatternRewriter &rewriter, Location loc, Value value, RankedTensorType type,
                               ArrayRef<Extent> from, ArrayRef<Extent> to, LoweringContext &context) {
  auto source = typeOf(value);
  if (from == to)
    return castTensor(rewriter, loc, value, type);
  std::optional<ReshapeGroups> groups = groupDims(from, to);
  if (!groups)
    groups = ReshapeGroups{wholeGroup(source.getRank()), wholeGroup(type.getRank())};
  // A scalar has no group to put unit dimensions into: its reshapes go by a tensor of only those.
  auto ones = [&](int64_t rank) { return RankedTensorType::get(SmallVector<int64_t>(rank, 1), type.getElementType()); };
  if (type.getRank() == 0) {
    value = castTensor(rewriter, loc, value, ones(source.getRank()));
    return tensor::CollapseShapeOp::create(rewriter, loc, type, value, ArrayRef<ReassociationIndices>()).getResult();
  }
  if (source.getRank() == 0) {
    value = tensor::ExpandShapeOp::create(rewriter, loc, ones(type.getRank()), value, ArrayRef<ReassociationIndices>());
    return castTensor(rewriter, loc, value, type);
  }
  if (groups->from.size() != static_cast<size_t>(source.getRank()))
    value = tensor::CollapseShapeOp::create(rewriter, loc, collapsedType(source, groups->from), value, groups->from);
  value = castTensor(rewriter, loc, value, collapsedType(type, groups->to));
  if (groups->to.size() == static_cast<size_t>(type.getRank()))
    return castTensor(rewriter, loc, value, type);
  SmallVector<OpFoldResult> sizes;
  for (auto [i, extent] : llvm::enumerate(to)) {
    if (!type.isDynamicDim(i)) {
      sizes.push_back(rewriter.getIndexAttr(type.getDimSize(i)));
      continue;
    }
    auto size = materializeIndex(rewriter, loc, extent, context);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  if (isExpandable(type, groups->to))
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value, groups->to, sizes).getResult();
  IndexMath math(rewriter, loc);
  SmallVector<Value> shape = llvm::map_to_vector(sizes, [&](OpFoldResult size) { return math.value(size); });
  Value shapeTensor = tensor::FromElementsOp::create(rewriter, loc, shape);
  return tensor::ReshapeOp::create(rewriter, loc, type, value, shapeTensor).getResult();
}

/// Indexing map of an input of graph type `from` in loops over the memory of `to`.
static AffineMap copyMap(RankedTensorType from, RankedTensorType to, ArrayRef<int64_t> perm) {
  SmallVector<AffineExpr> loops = logicalLoops(to), exprs(loops);
  for (auto [i, dim] : llvm::enumerate(perm))
    exprs[dim] = loops[i];
  return memoryMap(from, to.getRank(), exprs, to.getContext());
}

FailureOr<Value> createCopy(OpBuilder &builder, Location loc, Value converted, RankedTensorType from, Value init,
                            RankedTensorType to, ArrayRef<int64_t> perm) {
  AffineMap maps[] = {copyMap(from, to, perm), builder.getMultiDimIdentityMap(to.getRank())};
  SmallVector<utils::IteratorType> iterators(to.getRank(), utils::IteratorType::parallel);
  return createGeneric(builder, loc, converted, init, maps, iterators,
                       [](OpBuilder &, Location, ValueRange args) -> FailureOr<Value> { return args[0]; });
}

FailureOr<Value> createWritableCopy(OpBuilder &builder, Location loc, Value converted, RankedTensorType from,
                                    Value init, RankedTensorType to) {
  if (!copyMap(from, to, {}).isIdentity())
    return createCopy(builder, loc, converted, from, init, to);
  // A linalg.generic would be recognized as doing nothing.
  Value source = castTensor(builder, loc, converted, init.getType());
  return bufferization::MaterializeInDestinationOp::create(builder, loc, source, init)->getResult(0);
}

FailureOr<Value> toLayoutOf(ConversionPatternRewriter &rewriter, Location loc, Value converted, Value value,
                            RankedTensorType to, LoweringContext &context) {
  auto from = typeOf(value);
  if (copyMap(from, to, {}).isIdentity())
    return converted;
  SmallVector<Extent> extents = toMemory<Extent>(to, context.extents.dims(value));
  auto init = createEmptyOf(rewriter, loc, extents, elementOf(converted), context);
  if (failed(init))
    return failure();
  return createCopy(rewriter, loc, converted, from, *init, to);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Whether all of `extents` are at least 1 at run time; null when that is known.
static FailureOr<Value> haveElements(ConversionPatternRewriter &rewriter, Location loc, ArrayRef<Extent> extents,
                                     LoweringContext &context) {
  IndexMath math(rewriter, loc);
  Value some;
  llvm::SmallPtrSet<Extent, 4> seen;
  for (Extent extent : extents) {
    if (context.extents.atLeast(extent, 1) || !seen.insert(extent).second)
      continue;
    auto size = materializeIndex(rewriter, loc, extent, context);
    if (failed(size))
      return failure();
    Value bit = math.less(math.constant(0), *size);
    some = some ? arith::AndIOp::create(rewriter, loc, some, bit).getResult() : bit;
  }
  return some;
}

/// Puts what the body of `generic` computes under `condition`; otherwise it yields 0.
static void guardBody(ConversionPatternRewriter &rewriter, linalg::GenericOp generic, Value condition) {
  auto yield = cast<linalg::YieldOp>(generic.getBody()->getTerminator());
  Location loc = generic.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  auto ifOp = scf::IfOp::create(rewriter, loc, yield->getOperandTypes(), condition, /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(ifOp.thenBlock());
  auto end = scf::YieldOp::create(rewriter, loc, yield->getOperands());
  // linalg.index belongs to the body itself.
  for (Operation &op : llvm::make_early_inc_range(*generic.getBody()))
    if (&op != ifOp && &op != yield && !isa<linalg::IndexOp>(op))
      rewriter.moveOpBefore(&op, end);
  rewriter.setInsertionPointToStart(ifOp.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : yield->getOperandTypes())
    zeros.push_back(arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
  scf::YieldOp::create(rewriter, loc, zeros);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(ifOp.getResults()); });
}

FailureOr<Value> createUnlessEmpty(ConversionPatternRewriter &rewriter, Location loc, ArrayRef<Extent> extents,
                                   LoweringContext &context, llvm::function_ref<FailureOr<Value>()> compute) {
  auto some = haveElements(rewriter, loc, extents, context);
  if (failed(some))
    return failure();
  Block *block = rewriter.getInsertionBlock();
  Block::iterator next = rewriter.getInsertionPoint();
  Operation *before = next == block->begin() ? nullptr : &*std::prev(next);
  auto value = compute();
  if (failed(value) || !*some)
    return value;
  SmallVector<linalg::GenericOp> generics;
  for (Operation *op = before ? before->getNextNode() : &block->front(); op && op != &*next; op = op->getNextNode())
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      generics.push_back(generic);
  for (linalg::GenericOp generic : generics)
    guardBody(rewriter, generic, *some);
  return value;
}

FailureOr<SmallVector<Value>> createLoops(OpBuilder &builder, Location loc, ArrayRef<Value> bounds, ValueRange carried,
                                          LoopBodyFn body) {
  if (bounds.empty())
    return body(builder, loc, {}, carried);
  IndexMath math(builder, loc);
  SmallVector<Value> zeros(bounds.size(), math.constant(0)), ones(bounds.size(), math.constant(1));
  bool broken = false;
  auto nest = scf::buildLoopNest(
      builder, loc, zeros, bounds, ones, carried,
      [&](OpBuilder &nested, Location at, ValueRange positions, ValueRange values) -> scf::ValueVector {
        auto next = body(nested, at, positions, values);
        broken |= failed(next);
        return failed(next) ? scf::ValueVector(values.begin(), values.end())
                            : scf::ValueVector(next->begin(), next->end());
      });
  if (broken)
    return failure();
  return llvm::to_vector(nest.results);
}

} // namespace hone::graph_to_linalg
