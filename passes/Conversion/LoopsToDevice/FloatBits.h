//===- FloatBits.h - 16-bit floats as integers ------------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_FLOATBITS_H
#define PASSES_CONVERSION_LOOPSTODEVICE_FLOATBITS_H

#include "mlir/IR/Builders.h"

namespace hone::loops_to_device {

/// The f32 whose bf16 or f16 bits are `bits`, an i16.
mlir::Value extendBF16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits);
mlir::Value extendF16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits);

/// The bits of the nearest bf16 or f16 of an f32, ties to even.
mlir::Value truncateToBF16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number);
mlir::Value truncateToF16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number);

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_FLOATBITS_H
