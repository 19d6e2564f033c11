//===- FloatFunctions.h - Functions of f32 and f64 as arithmetic -*- C++ -*-===//
//
// SPIR-V has no functions of f64 and promises little for those of f32 (atan: 4096 ulp). These keep to
// a few units of the last place for every argument, with infinities, NaNs and signed zeros as in C.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_VULKAN_LOWERING_FLOATFUNCTIONS_H
#define BACKENDS_VULKAN_LOWERING_FLOATFUNCTIONS_H

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

namespace hone::vulkan {

struct FloatTable;

/// Builds functions of numbers of one type: f32, f64, or vectors of them. Arithmetic is exactly what is
/// written: no fusing, no reordering.
class FloatFunctions {
public:
  using Value = mlir::Value;

  FloatFunctions(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element);
  /// Whether there is a table for the type.
  static bool has(mlir::Type element) { return element.isF32() || element.isF64(); }

  Value exp(Value x) const;
  Value expm1(Value x) const;
  Value log(Value x) const;
  Value log1p(Value x) const;
  Value sin(Value x) const;
  Value cos(Value x) const;
  Value tan(Value x) const;
  Value asin(Value x) const;
  Value acos(Value x) const;
  Value atan(Value x) const;
  Value tanh(Value x) const;
  Value erf(Value x) const;
  Value pow(Value x, Value y) const;
  /// The nearest integer, the even one of two.
  Value roundEven(Value x) const;
  /// x / y rounded to nearest where nothing overflows: devices may be some units off.
  Value quotient(Value x, Value y) const;
  /// The remainder of a truncated division, exactly. Numbers alone, not vectors.
  Value remainder(Value x, Value y) const;

private:
  /// high + low, where low is what high cannot hold.
  struct Pair {
    Value high, low;
  };
  /// x = m 2^e with m between sqrt(1/2) and sqrt(2), for positive x.
  struct Split {
    Value mantissa, exponent;
  };
  /// e^x = (1 + fraction) 2^k.
  struct Exponential {
    Value fraction, k;
  };
  /// x = quadrant * pi/2 + (high + low).
  struct Angle {
    Pair rest;
    Value quadrant;
  };

  Value num(Value like, double value) const { return s.num(like, value); }
  Value horner(Value x, llvm::ArrayRef<double> coefficients) const;
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, double y) const;
  Value withSignOf(Value magnitude, Value x) const;
  Value hasSign(Value x) const;
  /// x 2^k for an integer k, right down to subnormal results.
  Value scale(Value x, Value k) const;
  Pair fastSum(Value larger, Value smaller) const;
  Pair sum(Value x, Value y) const;
  Pair product(Value x, Value y) const;
  Pair halves(Value x) const;

  Exponential reduceExp(Value x, Value low) const;
  Value expOfPair(Pair x) const;
  Split split(Value x) const;
  Pair logOfPositive(Value x) const;
  Angle reduceAngle(Value x) const;
  Value sinOf(const Angle &angle) const;
  Value cosOf(const Angle &angle) const;

  graph_to_linalg::ScalarBuilder s;
  mlir::Type element, integer;
  const FloatTable &table;
};

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_LOWERING_FLOATFUNCTIONS_H
