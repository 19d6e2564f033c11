//===- QuantizedDetail.h - Parts of products of integers --------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_QUANTIZEDDETAIL_H
#define LIB_FRONTEND_OPS_QUANTIZEDDETAIL_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// `x` itself when the zero point is absent or known to be 0, else x - zeroPoint as i32.
mlir::Value withoutZeroPoint(NodeBuilder &node, mlir::Value x, mlir::Value zeroPoint);

/// Real numbers as the integers of `zeroPoint`'s type. Parameters of one element are scalars.
mlir::Value requantize(NodeBuilder &node, mlir::Value real, mlir::Value scale, mlir::Value zeroPoint);

void registerEinsum(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_QUANTIZEDDETAIL_H
