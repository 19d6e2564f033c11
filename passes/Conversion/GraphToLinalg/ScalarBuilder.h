//===- ScalarBuilder.h - Short names for scalar arithmetic ------*- C++ -*-===//
//
// Formulas read like formulas. Constants take the shape (scalar or vector) of a value.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_SCALARBUILDER_H
#define PASSES_CONVERSION_GRAPHTOLINALG_SCALARBUILDER_H

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace hone::graph_to_linalg {

struct ScalarBuilder {
  using Value = mlir::Value;
  using Type = mlir::Type;

  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename OpTy, typename... Args> Value make(Args... args) const {
    return OpTy::create(builder, loc, args...);
  }

  /// A constant of the type of `like`.
  Value num(Value like, double value) const {
    Type type = like.getType();
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type))
               ? floatConstant(builder, loc, type, value)
               : intConstant(builder, loc, type, static_cast<int64_t>(value));
  }
  Value bits(Value like, int64_t value) const { return intConstant(builder, loc, like.getType(), value); }

  Value addf(Value a, Value b) const { return make<mlir::arith::AddFOp>(a, b); }
  Value subf(Value a, Value b) const { return make<mlir::arith::SubFOp>(a, b); }
  Value mulf(Value a, Value b) const { return make<mlir::arith::MulFOp>(a, b); }
  Value divf(Value a, Value b) const { return make<mlir::arith::DivFOp>(a, b); }
  Value negf(Value a) const { return make<mlir::arith::NegFOp>(a); }
  Value absf(Value a) const { return make<mlir::math::AbsFOp>(a); }
  Value sqrt(Value a) const { return make<mlir::math::SqrtOp>(a); }
  Value addi(Value a, Value b) const { return make<mlir::arith::AddIOp>(a, b); }
  Value subi(Value a, Value b) const { return make<mlir::arith::SubIOp>(a, b); }
  Value muli(Value a, Value b) const { return make<mlir::arith::MulIOp>(a, b); }
  Value andi(Value a, Value b) const { return make<mlir::arith::AndIOp>(a, b); }
  Value ori(Value a, Value b) const { return make<mlir::arith::OrIOp>(a, b); }
  Value xori(Value a, Value b) const { return make<mlir::arith::XOrIOp>(a, b); }
  Value shl(Value a, Value b) const { return make<mlir::arith::ShLIOp>(a, b); }
  Value shru(Value a, Value b) const { return make<mlir::arith::ShRUIOp>(a, b); }
  Value shrs(Value a, Value b) const { return make<mlir::arith::ShRSIOp>(a, b); }
  Value shl(Value a, int64_t n) const { return n ? shl(a, bits(a, n)) : a; }
  Value shru(Value a, int64_t n) const { return n ? shru(a, bits(a, n)) : a; }
  Value shrs(Value a, int64_t n) const { return n ? shrs(a, bits(a, n)) : a; }
  Value andi(Value a, int64_t mask) const { return andi(a, bits(a, mask)); }
  Value select(Value condition, Value a, Value b) const { return make<mlir::arith::SelectOp>(condition, a, b); }

  Value cmpf(mlir::arith::CmpFPredicate predicate, Value a, Value b) const {
    return make<mlir::arith::CmpFOp>(predicate, a, b);
  }
  Value cmpi(mlir::arith::CmpIPredicate predicate, Value a, Value b) const {
    return make<mlir::arith::CmpIOp>(predicate, a, b);
  }
  Value isNaN(Value a) const { return cmpf(mlir::arith::CmpFPredicate::UNO, a, a); }

  /// Conversions to `element`, in the shape of the value; nothing when it has that type already.
  template <typename OpTy> Value to(Value a, Type element) const {
    Type type = shapedLike(element, a.getType());
    return a.getType() == type ? a : make<OpTy>(type, a);
  }
  Value bitcast(Value a, Type element) const { return to<mlir::arith::BitcastOp>(a, element); }
  /// Integer of another width.
  Value resize(Value a, Type element, bool isUnsigned) const {
    unsigned from = mlir::getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
    unsigned width = element.getIntOrFloatBitWidth();
    if (from == width)
      return a;
    if (width < from)
      return to<mlir::arith::TruncIOp>(a, element);
    return isUnsigned ? to<mlir::arith::ExtUIOp>(a, element) : to<mlir::arith::ExtSIOp>(a, element);
  }
  Value intToFloat(Value a, Type element, bool isUnsigned) const {
    return isUnsigned ? to<mlir::arith::UIToFPOp>(a, element) : to<mlir::arith::SIToFPOp>(a, element);
  }
  /// Float of another width among f32 and f64.
  Value resizeFloat(Value a, Type element) const {
    unsigned from = mlir::getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
    unsigned width = element.getIntOrFloatBitWidth();
    if (from == width)
      return a;
    return width < from ? to<mlir::arith::TruncFOp>(a, element) : to<mlir::arith::ExtFOp>(a, element);
  }
};

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_SCALARBUILDER_H
