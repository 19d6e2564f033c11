//===- NodeBuilderShapes.cpp - Shapes and movement ------------------------===//

#include "lib/Frontend/NodeBuilder.h"

using namespace mlir;
using namespace hone::frontend;
using namespace hone::graph;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value NodeBuilder::shape(Value x) {
  if (!x) {
    hasFailed = true;
    return {};
  }
  return typeOf(x).hasStaticShape() ? constant(shapeOf(x)) : make<ShapeOp>(x);
}

Piece NodeBuilder::piece(Value x, int64_t d) {
  if (!x) {
    hasFailed = true;
    return Piece(0);
  }
  if (d < 0 || d >= rankOf(x)) {
    (void)fail("a tensor of rank " + Twine(rankOf(x)) + " has no dimension " + Twine(d));
    return Piece(0);
  }
  int64_t extent = shapeOf(x)[d];
  return ShapedType::isDynamic(extent) ? Piece(slice(shape(x), d, d + 1, 0)) : Piece(extent);
}

Value NodeBuilder::dim(Value x, int64_t d) {
  Piece extent = piece(x, d);
  return extent.isNumber ? constant(ArrayRef<int64_t>{extent.number}) : extent.value;
}

Value NodeBuilder::numElements(Value x) {
  Value count = constant(ArrayRef<int64_t>{1});
  int64_t known = 1;
  for (int64_t d = 0; d < rankOf(x); ++d) {
    Piece extent = piece(x, d);
    if (extent.isNumber)
      known *= extent.number;
    else
      count = mul(count, extent.value);
  }
  if (x && typeOf(x).hasStaticShape())
    return constant(ArrayRef<int64_t>{known});
  return known == 1 ? count : mul(count, constant(ArrayRef<int64_t>{known}));
}

Value NodeBuilder::joinShape(ArrayRef<Piece> pieces) {
  SmallVector<Value> parts;
  SmallVector<int64_t> numbers;
  auto flush = [&] {
    if (!numbers.empty())
      parts.push_back(constant(numbers));
    numbers.clear();
  };
  for (const Piece &piece : pieces) {
    if (piece.isNumber) {
      numbers.push_back(piece.number);
      continue;
    }
    flush();
    parts.push_back(piece.value);
  }
  if (parts.empty())
    return constant(numbers);
  flush();
  return parts.size() == 1 ? parts.front() : concat(parts, 0);
}

//===----------------------------------------------------------------------===//
// Reshaping
//===----------------------------------------------------------------------===//

Value NodeBuilder::reshape(Value x, Value shape) {
  if (x && typeOf(x).hasStaticShape())
    if (auto known = constantInts(shape); known && ArrayRef<int64_t>(*known) == shapeOf(x))
      return x;
  return make<ReshapeOp>(x, shape);
}

Value NodeBuilder::reshapeTo(Value x, ArrayRef<int64_t> shape) { return reshape(x, constant(shape)); }
Value NodeBuilder::scalarOf(Value x) { return x && rankOf(x) == 0 ? x : reshapeTo(x, {}); }
Value NodeBuilder::vectorOf(Value x) { return x && rankOf(x) == 1 ? x : reshapeTo(x, {-1}); }

Value NodeBuilder::squeeze(Value x, ArrayRef<int64_t> dims) {
  if (dims.empty() || !x)
    return x;
  SmallVector<Piece> kept;
  for (int64_t d = 0; d < rankOf(x); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(piece(x, d));
    else if (int64_t extent = shapeOf(x)[d]; extent != 1 && !ShapedType::isDynamic(extent))
      return failValue("dimension " + Twine(d) + " of extent " + Twine(extent) + " cannot be removed");
  return reshape(x, joinShape(kept));
}

Value NodeBuilder::unsqueeze(Value x, ArrayRef<int64_t> dims) {
  if (dims.empty() || !x)
    return x;
  SmallVector<Piece> extents;
  int64_t next = 0, rank = rankOf(x) + int64_t(dims.size());
  for (int64_t d = 0; d < rank; ++d)
    extents.push_back(llvm::is_contained(dims, d) ? Piece(1) : piece(x, next++));
  return reshape(x, joinShape(extents));
}

Value NodeBuilder::extendRank(Value x, int64_t rank) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank - rankOf(x); ++d)
    dims.push_back(d);
  return unsqueeze(x, dims);
}

Value NodeBuilder::perChannel(Value vector, int64_t rank, int64_t channelDim) {
  if (vector && rankOf(vector) != 1)
    return failValue("a parameter with one number per channel has rank " + Twine(rankOf(vector)) + ", not 1");
  SmallVector<int64_t> dims;
  for (int64_t d = 1; d < rank - channelDim; ++d)
    dims.push_back(d);
  return unsqueeze(vector, dims);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value NodeBuilder::transpose(Value x, ArrayRef<int64_t> perm) {
  bool identity = true;
  for (auto [i, p] : llvm::enumerate(perm))
    identity &= int64_t(i) == p;
  return identity && x && rankOf(x) == int64_t(perm.size()) ? x : make<TransposeOp>(x, perm);
}

Value NodeBuilder::concat(ArrayRef<Value> values, int64_t dim) {
  return values.size() == 1 ? values.front() : make<ConcatOp>(values, dim);
}

Value NodeBuilder::slice(Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> ends, ArrayRef<int64_t> steps,
                         ArrayRef<int64_t> dims) {
  return make<SliceOp>(x, constant(starts), constant(ends), constant(steps), dims);
}

Value NodeBuilder::broadcastTo(Value x, Value shape) {
  if (x && typeOf(x).hasStaticShape())
    if (auto known = constantInts(shape); known && ArrayRef<int64_t>(*known) == shapeOf(x))
      return x;
  return make<BroadcastOp>(x, shape);
}

Value NodeBuilder::broadcastTo(Value x, ArrayRef<int64_t> shape) { return broadcastTo(x, constant(shape)); }
Value NodeBuilder::gather(Value x, Value indices, int64_t dim) { return make<GatherOp>(x, indices, dim); }

Value NodeBuilder::pad(Value x, ArrayRef<int64_t> pads, Value value) {
  if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
    return x;
  return make<PadOp>(PadMode::Constant, x, constant(pads), value);
}
