//===- ScalarLowering.cpp - Elementwise ops on one element ----------------===//

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;
using arith::CmpFPredicate;

namespace {

Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }

/// One elementwise op at one insertion point.
struct OpLowering {
  OpBuilder &builder;
  Location loc;
  ValueRange operands;
  ScalarBuilder s{builder, loc};

  Value load(unsigned i, Value operand) const { return loadElement(builder, loc, operands[i], elementType(operand)); }

  FailureOr<Value> store(FailureOr<Value> number, Type element) const {
    if (failed(number))
      return failure();
    return storeElement(builder, loc, *number, element);
  }

  FailureOr<Value> lower(graph::UnaryOp op) const {
    Type element = elementType(op.getInput());
    return store(unaryFunction(builder, loc, op.getKind(), load(0, op.getInput()), element), element);
  }

  FailureOr<Value> lower(graph::BinaryOp op) const {
    Type left = elementType(op.getLhs()), right = elementType(op.getRhs());
    if (left != right)
      return lowerMixed(op, left, right);
    Value a = load(0, op.getLhs()), b = load(1, op.getRhs());
    return store(binaryFunction(builder, loc, op.getKind(), a, b, left), left);
  }

  /// A power with an exponent of another type. Integers to a float power go through f64, in which
  /// whole powers stay whole.
  FailureOr<Value> lowerMixed(graph::BinaryOp op, Type left, Type right) const {
    if (isa<FloatType>(left) || !isa<FloatType>(right)) {
      Value a = load(0, op.getLhs());
      Value b = extendElement(builder, loc, operands[1], right, computeType(left));
      return store(binaryFunction(builder, loc, op.getKind(), a, b, left), left);
    }
    Type f64 = builder.getF64Type();
    Value a = extendElement(builder, loc, operands[0], left, f64);
    Value b = extendElement(builder, loc, operands[1], right, f64);
    FailureOr<Value> power = binaryFunction(builder, loc, op.getKind(), a, b, f64);
    if (failed(power))
      return failure();
    return castElement(builder, loc, *power, f64, left);
  }

  FailureOr<Value> lower(graph::CompareOp op) const {
    Value a = load(0, op.getLhs()), b = load(1, op.getRhs());
    return compareFunction(builder, loc, op.getPredicate(), a, b, elementType(op.getLhs()));
  }

  FailureOr<Value> lower(graph::ClassifyOp op) const {
    Type element = elementType(op.getInput());
    if (!isa<FloatType>(element))
      return s.make<arith::ConstantOp>(builder.getZeroAttr(shapedLike(builder.getI1Type(), operands[0].getType())));
    Value x = load(0, op.getInput());
    double infinity = std::numeric_limits<double>::infinity();
    switch (op.getKind()) {
    case graph::FloatClass::NaN:
      return s.isNaN(x);
    case graph::FloatClass::Inf:
      return s.cmpf(CmpFPredicate::OEQ, s.absf(x), s.num(x, infinity));
    case graph::FloatClass::PosInf:
      return s.cmpf(CmpFPredicate::OEQ, x, s.num(x, infinity));
    case graph::FloatClass::NegInf:
      return s.cmpf(CmpFPredicate::OEQ, x, s.num(x, -infinity));
    }
    return failure();
  }

  FailureOr<Value> lower(graph::SelectOp op) const { return s.select(operands[0], operands[1], operands[2]); }

  FailureOr<Value> lower(graph::CastOp op) const {
    return castElement(builder, loc, operands[0], elementType(op.getInput()), op.getTo(), op.getSaturate(),
                       op.getRounding());
  }

  FailureOr<Value> lower(graph::BitcastOp op) const {
    Type to = op.getTo();
    Value stored = s.bitcast(operands[0], storageType(to));
    // Where a byte holds fewer bits, only integers with a sign extend it.
    bool isSmall = to.getIntOrFloatBitWidth() < 8 && !to.isInteger(1);
    if (isSmall && isa<FloatType>(to))
      return s.andi(stored, (int64_t(1) << to.getIntOrFloatBitWidth()) - 1);
    return isSmall ? storeElement(builder, loc, stored, to) : stored;
  }

  FailureOr<Value> lower(graph::QuantizeOp op) const {
    Type to = op.getTo(), f32 = builder.getF32Type(), input = elementType(op.getInput());
    // Arithmetic in f64 only when the input has it.
    Type number = input.isF64() ? input : f32;
    Value x = extendElement(builder, loc, operands[0], input, number);
    Value scale = extendElement(builder, loc, operands[1], elementType(op.getScale()), number);
    Value level = s.divf(x, scale);
    if (!isa<FloatType>(to))
      level = s.make<math::RoundEvenOp>(level);
    if (operands.size() > 2)
      level = s.addf(level, extendElement(builder, loc, operands[2], elementType(op.getZeroPoint()), number));
    if (isa<FloatType>(to))
      return castElement(builder, loc, level, number, to, op.getSaturate());
    unsigned width = to.getIntOrFloatBitWidth();
    APInt low = isUnsigned(to) ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
    APInt high = isUnsigned(to) ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    level = s.make<arith::MaximumFOp>(level, s.num(level, low.roundToDouble(!isUnsigned(to))));
    level = s.make<arith::MinimumFOp>(level, s.num(level, high.roundToDouble(!isUnsigned(to))));
    return castElement(builder, loc, level, number, to);
  }

  FailureOr<Value> lower(graph::DequantizeOp op) const {
    Type from = elementType(op.getInput()), to = op.getTo(), f32 = builder.getF32Type();
    Type number = to.isF64() ? to : f32;
    // Integers subtract exactly before they become floats.
    Type difference = isa<FloatType>(from) ? number : Type(builder.getI32Type());
    Value x = extendElement(builder, loc, operands[0], from, difference);
    if (operands.size() > 2) {
      Value zero = extendElement(builder, loc, operands[2], elementType(op.getZeroPoint()), difference);
      x = isa<FloatType>(from) ? s.subf(x, zero) : s.subi(x, zero);
    }
    if (!isa<FloatType>(from))
      x = s.intToFloat(x, number, false);
    Value scale = extendElement(builder, loc, operands[1], elementType(op.getScale()), number);
    return storeElement(builder, loc, s.mulf(x, scale), to);
  }
};

} // namespace

FailureOr<Value> graph_to_linalg::lowerElementwise(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (operands.size() != op->getNumOperands())
    return failure();
  OpLowering lowering{builder, op->getLoc(), operands};
  return TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case<graph::UnaryOp, graph::BinaryOp, graph::CompareOp, graph::ClassifyOp, graph::SelectOp, graph::CastOp,
            graph::BitcastOp, graph::QuantizeOp, graph::DequantizeOp>(
          [&](auto elementwise) { return lowering.lower(elementwise); })
      .Default([](Operation *) { return failure(); });
}
