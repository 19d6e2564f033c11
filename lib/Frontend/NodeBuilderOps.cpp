//===- NodeBuilderOps.cpp - Constants, arithmetic, products ---------------===//

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/NodeBuilder.h"

using namespace mlir;
using namespace hone::frontend;
using namespace hone::graph;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value NodeBuilder::constant(ElementsAttr value) {
  if (!value) {
    hasFailed = true;
    return {};
  }
  return make<ConstantOp>(value);
}

Value NodeBuilder::constant(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({int64_t(values.size())}, builder().getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value NodeBuilder::floats(ArrayRef<float> values) {
  auto type = RankedTensorType::get({int64_t(values.size())}, builder().getF32Type());
  return constant(DenseElementsAttr::get(type, values));
}

/// The number nearest to `v` that `element` has.
static Attribute numberAttr(double v, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value(v);
    bool lost;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(type, value);
  }
  auto type = llvm::cast<IntegerType>(element);
  if (type.getWidth() == 1)
    return IntegerAttr::get(type, APInt(1, v != 0));
  bool isUnsigned = type.isUnsigned();
  llvm::APSInt value(type.getWidth(), isUnsigned);
  bool exact;
  // Saturates; NaN becomes 0.
  APFloat(v).convertToInteger(value, APFloat::rmTowardZero, &exact);
  return IntegerAttr::get(type, value);
}

Value NodeBuilder::splat(double v, Type element, ArrayRef<int64_t> shape) {
  if (!element) {
    hasFailed = true;
    return {};
  }
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), numberAttr(v, element)));
}

Value NodeBuilder::scalar(double v, Type element) { return splat(v, element, {}); }

Value NodeBuilder::scalarInt(int64_t v, Type element) {
  if (!isa_and_nonnull<IntegerType>(element))
    return scalar(double(v), element);
  auto type = llvm::cast<IntegerType>(element);
  APInt value(type.getWidth(), uint64_t(v), /*isSigned=*/true, /*implicitTrunc=*/true);
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, element), IntegerAttr::get(type, value)));
}

Value NodeBuilder::scalarI64(int64_t v) { return scalarInt(v, builder().getI64Type()); }
Value NodeBuilder::scalarLike(double v, Value like) { return scalar(v, elementOf(like)); }

Value NodeBuilder::splatLike(double v, Value like) {
  if (!like) {
    hasFailed = true;
    return {};
  }
  if (typeOf(like).hasStaticShape())
    return splat(v, elementOf(like), shapeOf(like));
  return broadcastTo(scalarLike(v, like), shape(like));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value NodeBuilder::unary(UnaryKind kind, Value x) { return make<UnaryOp>(kind, x); }
Value NodeBuilder::binary(BinaryKind kind, Value a, Value b) { return make<BinaryOp>(kind, a, b); }
Value NodeBuilder::compare(Predicate predicate, Value a, Value b) { return make<CompareOp>(predicate, a, b); }
Value NodeBuilder::select(Value condition, Value a, Value b) { return make<SelectOp>(condition, a, b); }

Value NodeBuilder::cast(Value v, Type element) {
  if (!v || !element) {
    hasFailed = true;
    return {};
  }
  return elementOf(v) == element ? v : make<CastOp>(v, element);
}

Value NodeBuilder::widen(Value x) {
  if (isFloat(x) && elementOf(x).getIntOrFloatBitWidth() < 32)
    return cast(x, builder().getF32Type());
  return x;
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

Value NodeBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims, bool keepDims) {
  if (!x) {
    hasFailed = true;
    return {};
  }
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  return make<ReduceOp>(kind, x, sorted, keepDims);
}

Value NodeBuilder::mean(Value x, ArrayRef<int64_t> dims, bool keepDims) {
  Type element = elementOf(x);
  Value wide = widen(x);
  Value sum = reduce(ReduceKind::Sum, wide, dims, keepDims);
  Value count = scalarI64(1);
  int64_t known = 1;
  for (int64_t dim : dims) {
    Piece extent = x ? piece(x, dim) : Piece(1);
    if (extent.isNumber)
      known *= extent.number;
    else
      count = mul(count, scalarOf(extent.value));
  }
  Value divisor = constantInts(count) ? scalar(double(known), elementOf(wide))
                                      : cast(mul(count, scalarI64(known)), elementOf(wide));
  return cast(div(sum, divisor), element);
}

namespace {

/// Numbers the dimensions of a product: batch dimensions first, then m, n and k.
struct ProductDims {
  SmallVector<int64_t> lhs, rhs, result;
};

} // namespace

Value NodeBuilder::matmul(Value a, Value b, Type to) {
  if (!a || !b) {
    hasFailed = true;
    return {};
  }
  int64_t rankA = rankOf(a), rankB = rankOf(b);
  if (!rankA || !rankB)
    return failValue("operands of a matrix product need at least one dimension");
  int64_t batchA = std::max<int64_t>(rankA - 2, 0), batchB = std::max<int64_t>(rankB - 2, 0);
  int64_t batch = std::max(batchA, batchB);
  ExtentBuilder extents;
  ProductDims dims;
  SmallVector<int64_t> droppedA, droppedB;
  int64_t m = batch, n = batch + 1, k = batch + 2;
  for (int64_t i = 0; i < batch; ++i) {
    int64_t dimA = i - (batch - batchA), dimB = i - (batch - batchB);
    bool oneA = dimA < 0 || shapeOf(a)[dimA] == 1, oneB = dimB < 0 || shapeOf(b)[dimB] == 1;
    // An operand with extent 1 lacks the dimension; the result then has the other's.
    if (dimA >= 0 && oneA && !(oneB && dimB < 0))
      droppedA.push_back(dimA);
    else if (dimA >= 0)
      dims.lhs.push_back(i);
    if (dimB >= 0 && oneB && !(oneA && (dimA < 0 || llvm::is_contained(droppedA, dimA))))
      droppedB.push_back(dimB);
    else if (dimB >= 0)
      dims.rhs.push_back(i);
    dims.result.push_back(i);
    if (oneA || oneB || extents.dim(a, dimA) == extents.dim(b, dimB))
      continue;
    if (!ShapedType::isDynamic(shapeOf(a)[dimA]) && !ShapedType::isDynamic(shapeOf(b)[dimB]))
      continue; // Unequal: the product reports it.
    return broadcastedMatmul(a, b, to);
  }
  if (rankA > 1)
    dims.lhs.push_back(m), dims.result.push_back(m);
  dims.lhs.push_back(k);
  dims.rhs.push_back(k);
  if (rankB > 1)
    dims.rhs.push_back(n), dims.result.push_back(n);
  return make<ContractOp>(squeeze(a, droppedA), squeeze(b, droppedB), dims.lhs, dims.rhs, dims.result,
                          to ? to : elementOf(a));
}

/// Batch extents that are equal or 1 at run time only: both operands are stretched to the common shape.
Value NodeBuilder::broadcastedMatmul(Value a, Value b, Type to) {
  int64_t rank = std::max(rankOf(a), rankOf(b));
  Value wideA = extendRank(a, rank), wideB = extendRank(b, rank);
  SmallVector<Piece> shapeA, shapeB;
  for (int64_t i = 0; i < rank - 2; ++i) {
    Piece extentA = piece(wideA, i), extentB = piece(wideB, i);
    Piece common = extentA;
    if (extentA.isNumber && extentA.number == 1)
      common = extentB;
    else if (!extentA.isNumber && extentB.isNumber && extentB.number != 1)
      common = extentB;
    else if (!extentA.isNumber && !extentB.isNumber)
      common = Piece(select(compare(Predicate::Eq, extentA.value, constant({1})), extentB.value, extentA.value));
    shapeA.push_back(common);
    shapeB.push_back(common);
  }
  for (int64_t i = rank - 2; i < rank; ++i) {
    shapeA.push_back(piece(wideA, i));
    shapeB.push_back(piece(wideB, i));
  }
  SmallVector<int64_t> lhs, rhs, result;
  for (int64_t i = 0; i < rank; ++i)
    lhs.push_back(i), result.push_back(i);
  for (int64_t i = 0; i < rank - 2; ++i)
    rhs.push_back(i);
  lhs[rank - 1] = rank;
  rhs.append({rank, rank - 1});
  Value product = make<ContractOp>(broadcastTo(wideA, joinShape(shapeA)), broadcastTo(wideB, joinShape(shapeB)), lhs,
                                   rhs, result, to ? to : elementOf(a));
  return product;
}
