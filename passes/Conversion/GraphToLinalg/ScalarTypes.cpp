//===- ScalarTypes.cpp - Storage, arithmetic types, constants -------------===//

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

Type graph_to_linalg::storageType(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return width < 16 ? IntegerType::get(element.getContext(), 8) : element;
  return IntegerType::get(element.getContext(), width == 1 ? 1 : std::max(8u, width));
}

Type graph_to_linalg::computeType(Type element) {
  if (isa<FloatType>(element))
    return element.isF64() ? element : Float32Type::get(element.getContext());
  return storageType(element);
}

bool graph_to_linalg::isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

Type graph_to_linalg::shapedLike(Type element, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

static Value constant(OpBuilder &builder, Location loc, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = SplatElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value graph_to_linalg::floatConstant(OpBuilder &builder, Location loc, Type type, double value) {
  return constant(builder, loc, type, builder.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value graph_to_linalg::intConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return constant(builder, loc, type, builder.getIndexAttr(value));
  APInt bits = APInt(64, static_cast<uint64_t>(value), true).trunc(element.getIntOrFloatBitWidth());
  return constant(builder, loc, type, builder.getIntegerAttr(element, bits));
}

Value graph_to_linalg::numberConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return floatConstant(builder, loc, type, static_cast<double>(value));
  return intConstant(builder, loc, type, value);
}

/// The end of the range of `element` as it is stored.
static Value endOfRange(OpBuilder &builder, Location loc, Type element, bool highest) {
  Type type = computeType(element);
  if (auto floating = dyn_cast<FloatType>(type))
    return constant(builder, loc, type,
                    builder.getFloatAttr(type, APFloat::getInf(floating.getFloatSemantics(), !highest)));
  unsigned width = element.getIntOrFloatBitWidth(), stored = type.getIntOrFloatBitWidth();
  APInt bits = isUnsigned(element)
                   ? (highest ? APInt::getMaxValue(width) : APInt::getMinValue(width)).zext(stored)
                   : (highest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width)).sext(stored);
  return constant(builder, loc, type, builder.getIntegerAttr(type, bits));
}

Value graph_to_linalg::lowestConstant(OpBuilder &builder, Location loc, Type element) {
  return endOfRange(builder, loc, element, false);
}

Value graph_to_linalg::highestConstant(OpBuilder &builder, Location loc, Type element) {
  return endOfRange(builder, loc, element, true);
}
