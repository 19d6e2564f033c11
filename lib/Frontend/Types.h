//===- Types.h - ONNX element types as MLIR types ---------------*- C++ -*-===//

#ifndef LIB_FRONTEND_TYPES_H
#define LIB_FRONTEND_TYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace onnx {
class TypeProto;
}

namespace hone::frontend {

/// The graph element type of an ONNX data type; null when there is none (strings, complex numbers, unknown numbers).
mlir::Type elementTypeOf(int64_t onnxDataType, mlir::MLIRContext *context);
/// The other way; 0 when there is none.
int32_t onnxDataTypeOf(mlir::Type element);
/// "FLOAT", "STRING", ... or "type 99".
std::string onnxTypeName(int64_t onnxDataType);
/// What a type is, for messages: "tensor of FLOAT", "sequence", ...
std::string describeType(const onnx::TypeProto &type);

/// Whether the bytes of a tensor of static shape can be counted; true when an extent is dynamic.
bool isAddressable(mlir::RankedTensorType type);
/// The shape, for messages: "[2, ?, 4]".
std::string describeShape(mlir::RankedTensorType type);

/// Describes `type` to ONNX; dynamic extents stay unnamed.
void describeToOnnx(mlir::RankedTensorType type, onnx::TypeProto &result);

} // namespace hone::frontend

#endif // LIB_FRONTEND_TYPES_H
