//===- Coordinates.cpp - Positions in tensors from flat indices -----------===//

#include "backends/CUDA/Kernels/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

std::optional<int64_t> GroupShape::count() const {
  int64_t product = 1;
  for (graph::Extent extent : extents) {
    std::optional<int64_t> number = graph::constantExtent(extent);
    if (!number || llvm::MulOverflow(product, *number, product))
      return std::nullopt;
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value IndexMath::constant(int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
Value IndexMath::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value IndexMath::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value IndexMath::divU(Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(loc, a, b); }
Value IndexMath::remU(Value a, Value b) { return builder.createOrFold<arith::RemUIOp>(loc, a, b); }
Value IndexMath::ceilDiv(Value a, Value b) { return builder.createOrFold<arith::CeilDivSIOp>(loc, a, b); }
Value IndexMath::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value IndexMath::max(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }
Value IndexMath::both(Value a, Value b) { return !a ? b : !b ? a : builder.createOrFold<arith::AndIOp>(loc, a, b); }
Value IndexMath::widen(Value a) {
  return a.getType().isIndex() ? a : builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), a);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

ScalarScope::ScalarScope(ArrayAttr names, ValueRange values) {
  if (names)
    for (auto [name, value] : llvm::zip(names.getAsRange<StringAttr>(), values))
      byName[name.getValue()] = value;
}

Value ScalarScope::get(IndexMath &math, graph::Extent extent) const {
  graph::ExtentMaterializer materializer([&](OpBuilder &, graph::Extent leaf) -> Value {
    return leaf->op == graph::ExtentOp::Symbol ? byName.lookup(leaf->name) : Value();
  });
  return materializer.get(math.builder, math.loc, extent);
}

Value ScalarScope::count(IndexMath &math, const GroupShape &group) const {
  Value product = math.index(1);
  for (graph::Extent extent : group.extents)
    product = math.mul(product, get(math, extent));
  return product;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position along dimensions `first` to `last` of a group, as one number, in the type of the index.
Value Positions::part(Group group, unsigned first, unsigned last) {
  const GroupShape &shape = shapes[group];
  Value value = flat[group];
  auto product = [&](unsigned from, unsigned to) {
    Value result = math.constant(1, value.getType());
    for (unsigned i = from; i < to; ++i) {
      std::optional<int64_t> number = graph::constantExtent(shape.extents[i]);
      // Groups that count with 32 bits have constant extents.
      Value extent = number ? math.constant(*number, value.getType()) : scope.get(math, shape.extents[i]);
      result = math.mul(result, extent);
    }
    return result;
  };
  if (last + 1 < shape.extents.size())
    value = math.divU(value, product(last + 1, shape.extents.size()));
  if (first > 0)
    value = math.remU(value, product(first, last + 1));
  return value;
}

Value Positions::position(const Coordinate &coordinate) {
  Value sum = math.index(coordinate.offset);
  for (const Term &term : coordinate.terms)
    sum = math.add(math.scale(math.widen(part(term.group, term.dim, term.dim)), term.scale), sum);
  return sum;
}

/// Whether the coordinate is the position along one dimension of a group.
static bool isPlain(const Coordinate &coordinate) {
  return coordinate.terms.size() == 1 && coordinate.terms[0].scale == 1 && coordinate.offset == 0 &&
         !coordinate.isChecked;
}

Positions::Place Positions::of(const Access &access) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  SmallVector<int64_t> order = memoryOrder(type);
  auto extentOf = [&](int64_t dim) { return scope.get(math, extents.dim(access.tensor, dim)); };
  Place place{math.index(0), nullptr};
  for (size_t i = 0; i < order.size(); ++i) {
    const Coordinate &coordinate = access.coordinates[order[i]];
    Value extent = extentOf(order[i]), at;
    if (isPlain(coordinate)) {
      // Neighbours in the group that are neighbours in memory need not be told apart.
      Term first = coordinate.terms[0];
      unsigned last = first.dim;
      while (i + 1 < order.size()) {
        const Coordinate &next = access.coordinates[order[i + 1]];
        if (!isPlain(next) || next.terms[0].group != first.group || next.terms[0].dim != last + 1)
          break;
        ++i, ++last;
        extent = math.mul(extent, extentOf(order[i]));
      }
      at = math.widen(part(first.group, first.dim, last));
    } else {
      at = position(coordinate);
    }
    if (coordinate.isChecked) {
      // As unsigned numbers, positions before the first are large.
      Value inside = arith::CmpIOp::create(math.builder, math.loc, arith::CmpIPredicate::ult, at, extent);
      place.valid = math.both(place.valid, inside);
    }
    place.offset = math.add(math.mul(place.offset, extent), at);
  }
  return place;
}
