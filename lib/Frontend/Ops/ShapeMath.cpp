//===- ShapeMath.cpp - Arithmetic on shapes while importing ---------------===//

#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

Value ShapeMath::settle(Value vector) {
  if (!vector || isa_and_nonnull<graph::ConstantOp>(vector.getDefiningOp()))
    return vector;
  auto known = node.constantInts(vector);
  return known ? node.constant(*known) : vector;
}

Value ShapeMath::repeat(int64_t value, int64_t count) { return node.constant(SmallVector<int64_t>(count, value)); }

Value ShapeMath::iota(int64_t count) { return node.constant(llvm::to_vector(llvm::seq<int64_t>(0, count))); }

Value ShapeMath::range(Value count) {
  auto known = node.constantInts(count);
  if (known && known->size() == 1 && known->front() <= graph::ExtentBuilder::kMaxElements)
    return iota(std::max<int64_t>(known->front(), 0));
  return node.make<graph::RangeOp>(node.scalarI64(0), node.scalarOf(count), node.scalarI64(1));
}

Value ShapeMath::integers(Value tensor) {
  if (!tensor)
    return {};
  if (node.rankOf(tensor) > 1)
    return node.failValue("needs a 1-D tensor of integers where rank " + Twine(node.rankOf(tensor)) + " was given");
  if (!isa<IntegerType>(node.elementOf(tensor)))
    return node.failValue("needs integers where floating-point numbers were given");
  Value vector = node.rankOf(tensor) == 0 ? node.vectorOf(tensor) : tensor;
  return settle(node.cast(vector, node.builder().getI64Type()));
}

Value ShapeMath::ofLength(Value vector, int64_t count, StringRef name) {
  if (!vector)
    return {};
  if (node.rankOf(vector) == 1 && !length(vector))
    return node.reshapeTo(vector, {count});
  if (length(vector) != count)
    return node.failValue("input '" + name + "' must have " + Twine(count) + " element" + (count == 1 ? "" : "s"));
  return vector;
}

Value ShapeMath::withLength(Value vector, std::optional<int64_t> count) {
  bool isTold = vector && count && *count >= 0 && node.rankOf(vector) == 1 && !length(vector);
  return isTold ? node.reshapeTo(vector, {*count}) : vector;
}

std::optional<int64_t> ShapeMath::declaredRank() {
  auto shape = node.declaredShape(0);
  return shape ? std::optional(int64_t(shape->size())) : std::nullopt;
}

Value ShapeMath::binary(graph::BinaryKind kind, Value a, Value b) { return settle(node.binary(kind, a, b)); }

Value ShapeMath::selectIf(graph::Predicate predicate, Value a, Value b, Value yes, Value no) {
  return settle(node.select(node.compare(predicate, a, b), yes, no));
}

Value ShapeMath::concat(ArrayRef<Value> parts) {
  if (parts.empty())
    return node.constant(ArrayRef<int64_t>());
  if (parts.size() == 1)
    return parts.front();
  return settle(node.concat(parts, 0));
}

Value ShapeMath::part(Value vector, int64_t begin, int64_t end) { return settle(node.slice(vector, begin, end, 0)); }

Value ShapeMath::pick(Value vector, ArrayRef<int64_t> positions) {
  return settle(node.gather(vector, node.constant(positions), 0));
}

Value ShapeMath::product(Value vector) {
  return settle(node.reduce(graph::ReduceKind::Prod, vector, {0}, /*keepDims=*/true));
}

Value ShapeMath::put(Value base, Value positions, Value values) {
  auto at = node.constantInts(positions);
  auto size = base ? length(base) : std::nullopt;
  auto count = values ? length(values) : std::nullopt;
  if (!at || !size || count != static_cast<int64_t>(at->size()))
    return node.make<graph::ScatterElementsOp>(graph::ScatterKind::Assign, base, positions, values, 0);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < *size; ++i)
    parts.push_back({});
  for (auto [i, position] : llvm::enumerate(*at)) {
    int64_t p = position < 0 ? position + *size : position;
    if (p < 0 || p >= *size)
      return node.failValue("axis " + Twine(position) + " is out of range for rank " + Twine(*size));
    parts[p] = this->at(values, i);
  }
  for (auto [i, part] : llvm::enumerate(parts))
    if (!part)
      part = this->at(base, i);
  return concat(parts);
}

std::optional<int64_t> ShapeMath::length(Value vector) {
  ArrayRef<int64_t> shape = node.shapeOf(vector);
  if (shape.size() != 1 || ShapedType::isDynamic(shape[0]))
    return std::nullopt;
  return shape[0];
}
