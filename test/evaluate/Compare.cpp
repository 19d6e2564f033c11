//===- Compare.cpp - How far results are off ------------------------------===//

#include "test/evaluate/Compare.h"

#include "dialects/Graph/IR/Graph.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::evaluate;
using reference::Tensor;

static double ulpsOf(graph::UnaryKind kind) {
  switch (kind) {
#define UNARY(Name, mnemonic, domain, ulp, zeroPreserving, half)                                                       \
  case graph::UnaryKind::Name:                                                                                         \
    return ulp;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return 0;
}

static double ulpsOf(graph::BinaryKind kind) {
  switch (kind) {
#define BINARY(Name, mnemonic, domain, ulp, commutative, idempotent, half)                                             \
  case graph::BinaryKind::Name:                                                                                        \
    return ulp;
#include "dialects/Graph/IR/Elementwise.def"
  }
  return 0;
}

Bound evaluate::boundOf(const Case &one, func::FuncOp function) {
  Bound bound = one.bound;
  if (bound.ulps || bound.relative)
    return bound;
  double most = 0;
  function.walk([&](Operation *op) {
    if (auto unary = dyn_cast<graph::UnaryOp>(op))
      most = std::max(most, ulpsOf(unary.getKind()));
    else if (auto binary = dyn_cast<graph::BinaryOp>(op))
      most = std::max(most, ulpsOf(binary.getKind()));
  });
  bound.ulps = most;
  return bound;
}

/// The distance of neighbours around `value`.
static double ulpAt(double value, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int exponent =
      value == 0 || !std::isfinite(value) ? llvm::APFloat::semanticsMinExponent(semantics) : std::ilogb(value);
  exponent = std::max<int>(exponent, llvm::APFloat::semanticsMinExponent(semantics));
  return std::ldexp(1.0, exponent - static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) + 1);
}

std::string evaluate::compare(const Tensor &actual, const Tensor &expected, const Bound &bound) {
  if (actual.getElementType() != expected.getElementType() || actual.getShape() != expected.getShape())
    return "is " + describe(actual) + ", not " + describe(expected);
  double largest = 0;
  for (int64_t i = 0; expected.isFloat() && i < expected.size(); ++i)
    if (std::isfinite(expected.asDouble(i)))
      largest = std::max(largest, std::fabs(expected.asDouble(i)));
  int64_t wrong = 0, first = -1;
  double worst = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (!expected.isFloat()) {
      if (actual.asInt(i) == expected.asInt(i))
        continue;
    } else {
      double a = actual.asDouble(i), e = expected.asDouble(i);
      if (a == e || (std::isnan(a) && std::isnan(e)))
        continue;
      double ulps = std::fabs(a - e) / ulpAt(e, cast<FloatType>(expected.getElementType()));
      bool finite = std::isfinite(a) && std::isfinite(e);
      if (finite && (bound.ulps ? ulps <= *bound.ulps : std::fabs(a - e) <= bound.relative * largest))
        continue;
      worst = std::max(worst, finite ? ulps : INFINITY);
    }
    first = wrong++ ? first : i;
  }
  if (!wrong)
    return "";
  std::string text = llvm::formatv("has {0} wrong of {1} elements, first #{2}: {3}, not {4}", wrong, expected.size(),
                                   first, show(actual, first), show(expected, first));
  if (expected.isFloat())
    text += llvm::formatv("; up to {0} ulp off, {1} allowed", worst,
                          bound.ulps ? llvm::formatv("{0} ulp", *bound.ulps).str()
                                     : llvm::formatv("{0} of the largest magnitude", bound.relative).str());
  return text;
}
