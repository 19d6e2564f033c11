//===- Operations.h - How much arithmetic an op is --------------*- C++ -*-===//
//
// For reports: counted as is usual in the field, a multiplication and an addition being two operations,
// a function of one element (an exponential, a comparison) being one.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_ANALYSIS_OPERATIONS_H
#define PASSES_ANALYSIS_OPERATIONS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace hone {

/// Arithmetic operations of a graph op; 0 for what only moves elements. None where extents are known at run time only,
/// or the number is past what 63 bits hold.
std::optional<int64_t> countOperations(mlir::Operation *op);

} // namespace hone

#endif // PASSES_ANALYSIS_OPERATIONS_H
