//===- ElementwiseOps.cpp - Shapes and folds of elementwise ops -----------===//

#include "dialects/Graph/IR/Shapes.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static unsigned domainOf(UnaryKind kind) {
  switch (kind) {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  case UnaryKind::Name:                                                                                                \
    return domain;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return 0;
}

static unsigned domainOf(BinaryKind kind) {
  switch (kind) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case BinaryKind::Name:                                                                                               \
    return domain;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return 0;
}

bool UnaryOp::preservesZero() {
  switch (getKind()) {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  case UnaryKind::Name:                                                                                                \
    return zeroPreserving;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return false;
}

HalfSafety UnaryOp::getHalfSafety() {
  switch (getKind()) {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  case UnaryKind::Name:                                                                                                \
    return HalfSafety::half;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return HalfSafety::Single;
}

HalfSafety BinaryOp::getHalfSafety() {
  switch (getKind()) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case BinaryKind::Name:                                                                                               \
    return HalfSafety::half;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return HalfSafety::Single;
}

/// Bytes are exact in halves (as far as 256 in bf16); wider integers count something.
HalfSafety CastOp::getHalfSafety() {
  Type from = elementOf(getInput());
  if (!isa<FloatType>(getTo()))
    return HalfSafety::Single;
  if (isa<FloatType>(from))
    return HalfSafety::Moves;
  return from.getIntOrFloatBitWidth() <= 8 ? HalfSafety::Activation : HalfSafety::Counts;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The result of broadcasting `values`, with elements of type `element`.
static LogicalResult broadcastResult(OptLoc loc, ExtentBuilder &extents, ArrayRef<Value> values, Type element,
                                     Results &results) {
  auto dims = broadcastShapes(extents, values);
  if (!dims) {
    std::string message = "operands do not broadcast:";
    for (Value value : values)
      message += " " + str(value.getType());
    return refuse(loc, message);
  }
  results.push_back({element, std::move(*dims)});
  return success();
}

static LogicalResult checkDomain(OptLoc loc, Type element, unsigned domain, StringRef kind) {
  if (domain & hone::graph::domainOf(element))
    return success();
  return refuse(loc, "'" + Twine(kind) + "' is not defined on elements of type " + str(element));
}

static LogicalResult checkSame(OptLoc loc, Value a, Value b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return refuse(loc,
                "operands have different element types: " + Twine(str(elementOf(a))) + " and " + str(elementOf(b)));
}

LogicalResult UnaryOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type element = elementOf(adaptor.getInput());
  if (failed(checkDomain(loc, element, ::domainOf(adaptor.getKind()), stringifyUnaryKind(adaptor.getKind()))))
    return failure();
  results.push_back({element, extents.dims(adaptor.getInput())});
  return success();
}

LogicalResult BinaryOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type element = elementOf(adaptor.getLhs());
  if (failed(checkDomain(loc, element, ::domainOf(adaptor.getKind()), stringifyBinaryKind(adaptor.getKind()))))
    return failure();
  if (adaptor.getKind() != BinaryKind::Pow && failed(checkSame(loc, adaptor.getLhs(), adaptor.getRhs())))
    return failure();
  return broadcastResult(loc, extents, {adaptor.getLhs(), adaptor.getRhs()}, element, results);
}

LogicalResult CompareOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkSame(loc, adaptor.getLhs(), adaptor.getRhs())))
    return failure();
  Type i1 = IntegerType::get(adaptor.getLhs().getContext(), 1);
  return broadcastResult(loc, extents, {adaptor.getLhs(), adaptor.getRhs()}, i1, results);
}

LogicalResult ClassifyOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkDomain(loc, elementOf(adaptor.getInput()), Domain::F, stringifyFloatClass(adaptor.getKind()))))
    return failure();
  results.push_back({IntegerType::get(adaptor.getInput().getContext(), 1), extents.dims(adaptor.getInput())});
  return success();
}

LogicalResult SelectOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkSame(loc, adaptor.getIfTrue(), adaptor.getIfFalse())))
    return failure();
  if (!elementOf(adaptor.getCondition()).isInteger(1))
    return refuse(loc, "selects by " + Twine(str(elementOf(adaptor.getCondition()))) + "; bool is needed");
  return broadcastResult(loc, extents, {adaptor.getCondition(), adaptor.getIfTrue(), adaptor.getIfFalse()},
                         elementOf(adaptor.getIfTrue()), results);
}

LogicalResult CastOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  results.push_back({adaptor.getTo(), extents.dims(adaptor.getInput())});
  return success();
}

LogicalResult BitcastOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  Type from = elementOf(adaptor.getInput());
  if (from.getIntOrFloatBitWidth() != adaptor.getTo().getIntOrFloatBitWidth())
    return refuse(loc, "bitcast from " + Twine(str(from)) + " to " + str(adaptor.getTo()) + " changes the width");
  results.push_back({adaptor.getTo(), extents.dims(adaptor.getInput())});
  return success();
}

/// Checks the parameters that quantize and dequantize share.
static LogicalResult checkQuantization(OptLoc loc, Value input, Value scale, Value zeroPoint, int64_t axis,
                                       int64_t block) {
  int64_t rank = rankOf(input), parameters = rankOf(scale);
  if (!isa<FloatType>(elementOf(scale)))
    return refuse(loc, "scale has elements of type " + Twine(str(elementOf(scale))));
  if (zeroPoint && rankOf(zeroPoint) != parameters)
    return refuse(loc, "scale and zero point have ranks " + Twine(parameters) + " and " + Twine(rankOf(zeroPoint)));
  if (block < 0)
    return refuse(loc, "block size " + Twine(block) + " is negative");
  if (parameters == 0)
    return success();
  if (block > 0 ? parameters != rank : parameters != 1)
    return refuse(loc, "scale of rank " + Twine(parameters) + " does not fit an input of rank " + Twine(rank) +
                           " with block size " + Twine(block));
  return checkDim(loc, "axis", axis, rank);
}

LogicalResult QuantizeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkQuantization(loc, adaptor.getInput(), adaptor.getScale(), adaptor.getZeroPoint(), adaptor.getAxis(),
                               adaptor.getBlock())))
    return failure();
  results.push_back({adaptor.getTo(), extents.dims(adaptor.getInput())});
  return success();
}

LogicalResult DequantizeOp::inferShapes(Adaptor adaptor, ExtentBuilder &extents, OptLoc loc, Results &results) {
  if (failed(checkQuantization(loc, adaptor.getInput(), adaptor.getScale(), adaptor.getZeroPoint(), adaptor.getAxis(),
                               adaptor.getBlock())))
    return failure();
  if (!isa<FloatType>(adaptor.getTo()))
    return refuse(loc, "dequantizes to " + Twine(str(adaptor.getTo())));
  results.push_back({adaptor.getTo(), extents.dims(adaptor.getInput())});
  return success();
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput() : OpFoldResult();
}

OpFoldResult BinaryOp::fold(FoldAdaptor) {
  bool idempotent = false;
  switch (getKind()) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotentFact, half)                                         \
  case BinaryKind::Name:                                                                                               \
    idempotent = idempotentFact;                                                                                       \
    break;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return idempotent && getLhs() == getRhs() && getLhs().getType() == getResult().getType() ? getLhs() : OpFoldResult();
}
