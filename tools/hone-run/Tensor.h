//===- Tensor.h - Host tensors and their types -*- C++ -*-===//
//
// What the tools read from files, fill with random values, run and write. One row a type says how NumPy, ONNX and the
// runtime call it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONERUN_TENSOR_H
#define HONE_TOOLS_HONERUN_TENSOR_H

#include "hone/runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone::tools {

/// How elements are to be understood as numbers.
enum class Encoding : uint8_t { Float, Signed, Unsigned, Bool };

struct TypeInfo {
  hone_dtype_t dtype;
  int32_t onnx;       ///< TensorProto.DataType
  const char *name;   ///< NumPy's or ml_dtypes': "float32", "bfloat16"
  const char *npy;    ///< the descr of .npy files without its byte order; null: NumPy has no such type
  uint8_t size, bits; ///< bytes an element in memory; bits in packed files
  Encoding encoding;
};

/// Null for a value that is no type.
const TypeInfo *findType(hone_dtype_t dtype);
const TypeInfo *findTypeByOnnx(int64_t onnx);
/// By a descr without byte order ("f4").
const TypeInfo *findTypeByNpy(const std::string &descr);

struct HostTensor {
  std::string name;
  hone_dtype_t dtype = HONE_DTYPE_F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;

  /// A view for the C API.
  hone_tensor_t view();
};

/// Elements of a shape; false when negative or beyond what memory can hold.
bool countElements(const std::vector<int64_t> &shape, uint64_t &count);
/// "1x3x224x224xfloat32", "float32" for a scalar.
std::string describeShape(const std::vector<int64_t> &shape, const char *type);
/// Element `index` as a number, for people.
double elementValue(const uint8_t *data, hone_dtype_t dtype, uint64_t index);

} // namespace hone::tools

#endif // HONE_TOOLS_HONERUN_TENSOR_H
