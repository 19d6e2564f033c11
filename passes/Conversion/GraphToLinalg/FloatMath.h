//===- FloatMath.h - Float arithmetic that folds ----------------*- C++ -*-===//
//
// For positions and weights: what is known at compile time ends up as a constant.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_FLOATMATH_H
#define PASSES_CONVERSION_GRAPHTOLINALG_FLOATMATH_H

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace hone::graph_to_linalg {

struct FloatMath {
  using Value = mlir::Value;

  mlir::OpBuilder &b;
  mlir::Location loc;

  Value num(Value like, double value) const { return floatConstant(b, loc, like.getType(), value); }
  Value add(Value x, Value y) const { return b.createOrFold<mlir::arith::AddFOp>(loc, x, y); }
  Value sub(Value x, Value y) const { return b.createOrFold<mlir::arith::SubFOp>(loc, x, y); }
  Value mul(Value x, Value y) const { return b.createOrFold<mlir::arith::MulFOp>(loc, x, y); }
  Value div(Value x, Value y) const { return b.createOrFold<mlir::arith::DivFOp>(loc, x, y); }
  /// Of a number and NaN, the number.
  Value min(Value x, Value y) const { return b.createOrFold<mlir::arith::MinNumFOp>(loc, x, y); }
  Value max(Value x, Value y) const { return b.createOrFold<mlir::arith::MaxNumFOp>(loc, x, y); }
  Value floor(Value x) const { return b.createOrFold<mlir::math::FloorOp>(loc, x); }
  Value ceil(Value x) const { return b.createOrFold<mlir::math::CeilOp>(loc, x); }
  Value roundEven(Value x) const { return b.createOrFold<mlir::math::RoundEvenOp>(loc, x); }
  Value abs(Value x) const { return b.createOrFold<mlir::math::AbsFOp>(loc, x); }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) const {
    return b.createOrFold<mlir::arith::CmpFOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return b.createOrFold<mlir::arith::SelectOp>(loc, condition, x, y);
  }
  /// NaN becomes `low`.
  Value clamp(Value x, Value low, Value high) const { return min(max(x, low), high); }
  /// Positions stay below 2^31: further apart no float tells them.
  Value fromIndex(Value index, mlir::Type type) const {
    Value integer = b.createOrFold<mlir::arith::IndexCastOp>(loc, b.getI32Type(), index);
    return b.createOrFold<mlir::arith::SIToFPOp>(loc, type, integer);
  }
  Value toIndex(Value x) const {
    Value integer = b.createOrFold<mlir::arith::FPToSIOp>(loc, b.getI32Type(), x);
    return b.createOrFold<mlir::arith::IndexCastOp>(loc, b.getIndexType(), integer);
  }
  /// A float as `type`, wider or narrower.
  Value resize(Value x, mlir::Type type) const {
    if (x.getType() == type)
      return x;
    return type.isF64() ? b.createOrFold<mlir::arith::ExtFOp>(loc, type, x)
                        : b.createOrFold<mlir::arith::TruncFOp>(loc, type, x);
  }

  /// Cubic convolution with coefficient `a` at `distance` >= 0.
  Value cubicKernel(Value distance, double a) const {
    Value one = num(distance, 1);
    Value near =
        add(mul(add(mul(num(distance, a + 2), distance), num(distance, -(a + 3))), mul(distance, distance)), one);
    Value far = add(mul(num(distance, a), distance), num(distance, -5 * a));
    far = add(mul(far, distance), num(distance, 8 * a));
    far = add(mul(far, distance), num(distance, -4 * a));
    Value isNear = compare(mlir::arith::CmpFPredicate::OLE, distance, one);
    Value isFar = compare(mlir::arith::CmpFPredicate::OLT, distance, num(distance, 2));
    return select(isNear, near, select(isFar, far, num(distance, 0)));
  }
};

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_FLOATMATH_H
