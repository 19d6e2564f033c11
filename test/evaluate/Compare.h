//===- Compare.h - How far results are off ----------------------*- C++ -*-===//

#ifndef TEST_EVALUATE_COMPARE_H
#define TEST_EVALUATE_COMPARE_H

#include "test/evaluate/Cases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::evaluate {

/// The bound of a case: its own, or the largest of the function's elementwise ops.
Bound boundOf(const Case &one, mlir::func::FuncOp function);

/// Says how `actual` differs from `expected`; empty when it does not, within the bound. Integers are compared exactly,
/// NaN is NaN, and zeros are equal whatever their sign.
std::string compare(const reference::Tensor &actual, const reference::Tensor &expected, const Bound &bound);

} // namespace hone::evaluate

#endif // TEST_EVALUATE_COMPARE_H
