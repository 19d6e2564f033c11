//===- Types.cpp - ONNX element types as MLIR types -----------------------===//

#include "lib/Frontend/Types.h"

#include "dialects/Graph/IR/Graph.h"
#include "onnx/onnx_pb.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using onnx::TensorProto;

namespace {

struct Row {
  int32_t onnx;
  Type (*make)(MLIRContext *);
};

template <typename T> Type floatType(MLIRContext *context) { return T::get(context); }
template <unsigned bits> Type signedType(MLIRContext *context) { return IntegerType::get(context, bits); }
template <unsigned bits> Type unsignedType(MLIRContext *context) {
  return IntegerType::get(context, bits, IntegerType::Unsigned);
}

constexpr Row rows[] = {
    {TensorProto::FLOAT, floatType<Float32Type>},
    {TensorProto::DOUBLE, floatType<Float64Type>},
    {TensorProto::FLOAT16, floatType<Float16Type>},
    {TensorProto::BFLOAT16, floatType<BFloat16Type>},
    {TensorProto::FLOAT8E4M3FN, floatType<Float8E4M3FNType>},
    {TensorProto::FLOAT8E4M3FNUZ, floatType<Float8E4M3FNUZType>},
    {TensorProto::FLOAT8E5M2, floatType<Float8E5M2Type>},
    {TensorProto::FLOAT8E5M2FNUZ, floatType<Float8E5M2FNUZType>},
    {TensorProto::FLOAT8E8M0, floatType<Float8E8M0FNUType>},
    {TensorProto::FLOAT4E2M1, floatType<Float4E2M1FNType>},
    {TensorProto::BOOL, signedType<1>},
    {TensorProto::INT2, signedType<2>},
    {TensorProto::INT4, signedType<4>},
    {TensorProto::INT8, signedType<8>},
    {TensorProto::INT16, signedType<16>},
    {TensorProto::INT32, signedType<32>},
    {TensorProto::INT64, signedType<64>},
    {TensorProto::UINT2, unsignedType<2>},
    {TensorProto::UINT4, unsignedType<4>},
    {TensorProto::UINT8, unsignedType<8>},
    {TensorProto::UINT16, unsignedType<16>},
    {TensorProto::UINT32, unsignedType<32>},
    {TensorProto::UINT64, unsignedType<64>},
};

} // namespace

Type hone::frontend::elementTypeOf(int64_t onnxDataType, MLIRContext *context) {
  for (const Row &row : rows)
    if (row.onnx == onnxDataType)
      return row.make(context);
  return {};
}

int32_t hone::frontend::onnxDataTypeOf(Type element) {
  for (const Row &row : rows)
    if (row.make(element.getContext()) == element)
      return row.onnx;
  return TensorProto::UNDEFINED;
}

std::string hone::frontend::onnxTypeName(int64_t onnxDataType) {
  if (TensorProto::DataType_IsValid(int(onnxDataType)))
    return TensorProto::DataType_Name(TensorProto::DataType(onnxDataType));
  return "type " + std::to_string(onnxDataType);
}

std::string hone::frontend::describeType(const onnx::TypeProto &type) {
  switch (type.value_case()) {
  case onnx::TypeProto::kTensorType:
    return "tensor of " + onnxTypeName(type.tensor_type().elem_type());
  case onnx::TypeProto::kSequenceType:
    return "sequence";
  case onnx::TypeProto::kMapType:
    return "map";
  case onnx::TypeProto::kOptionalType:
    return "optional";
  case onnx::TypeProto::kSparseTensorType:
    return "sparse tensor";
  case onnx::TypeProto::kOpaqueType:
    return "opaque type";
  default:
    return "value without a type";
  }
}

bool hone::frontend::isAddressable(RankedTensorType type) {
  if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0))
    return true;
  int64_t bytes = graph::storageBytes(type.getElementType());
  return llvm::none_of(type.getShape(), [&](int64_t extent) { return llvm::MulOverflow(bytes, extent, bytes); });
}

std::string hone::frontend::describeShape(RankedTensorType type) {
  std::string text;
  for (int64_t extent : type.getShape())
    text += (text.empty() ? "" : ", ") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return "[" + text + "]";
}

void hone::frontend::describeToOnnx(RankedTensorType type, onnx::TypeProto &result) {
  auto &tensor = *result.mutable_tensor_type();
  tensor.set_elem_type(onnxDataTypeOf(type.getElementType()));
  auto &shape = *tensor.mutable_shape();
  for (int64_t extent : type.getShape()) {
    auto &dim = *shape.add_dim();
    if (!ShapedType::isDynamic(extent))
      dim.set_dim_value(extent);
  }
}
