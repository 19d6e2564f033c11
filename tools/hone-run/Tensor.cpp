//===- Tensor.cpp - Host tensors and their types --------------------------===//
//
// The table, and decoding of every type to a number.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace hone::tools;

static constexpr TypeInfo kTypes[] = {
    {HONE_DTYPE_F32, 1, "float32", "f4", 4, 32, Encoding::Float},
    {HONE_DTYPE_U8, 2, "uint8", "u1", 1, 8, Encoding::Unsigned},
    {HONE_DTYPE_I8, 3, "int8", "i1", 1, 8, Encoding::Signed},
    {HONE_DTYPE_U16, 4, "uint16", "u2", 2, 16, Encoding::Unsigned},
    {HONE_DTYPE_I16, 5, "int16", "i2", 2, 16, Encoding::Signed},
    {HONE_DTYPE_I32, 6, "int32", "i4", 4, 32, Encoding::Signed},
    {HONE_DTYPE_I64, 7, "int64", "i8", 8, 64, Encoding::Signed},
    {HONE_DTYPE_BOOL, 9, "bool", "b1", 1, 8, Encoding::Bool},
    {HONE_DTYPE_F16, 10, "float16", "f2", 2, 16, Encoding::Float},
    {HONE_DTYPE_F64, 11, "float64", "f8", 8, 64, Encoding::Float},
    {HONE_DTYPE_U32, 12, "uint32", "u4", 4, 32, Encoding::Unsigned},
    {HONE_DTYPE_U64, 13, "uint64", "u8", 8, 64, Encoding::Unsigned},
    {HONE_DTYPE_BF16, 16, "bfloat16", nullptr, 2, 16, Encoding::Float},
    {HONE_DTYPE_F8E4M3FN, 17, "float8_e4m3fn", nullptr, 1, 8, Encoding::Float},
    {HONE_DTYPE_F8E4M3FNUZ, 18, "float8_e4m3fnuz", nullptr, 1, 8, Encoding::Float},
    {HONE_DTYPE_F8E5M2, 19, "float8_e5m2", nullptr, 1, 8, Encoding::Float},
    {HONE_DTYPE_F8E5M2FNUZ, 20, "float8_e5m2fnuz", nullptr, 1, 8, Encoding::Float},
    {HONE_DTYPE_U4, 21, "uint4", nullptr, 1, 4, Encoding::Unsigned},
    {HONE_DTYPE_I4, 22, "int4", nullptr, 1, 4, Encoding::Signed},
    {HONE_DTYPE_F4E2M1, 23, "float4_e2m1fn", nullptr, 1, 4, Encoding::Float},
    {HONE_DTYPE_F8E8M0, 24, "float8_e8m0fnu", nullptr, 1, 8, Encoding::Float},
    {HONE_DTYPE_U2, 25, "uint2", nullptr, 1, 2, Encoding::Unsigned},
    {HONE_DTYPE_I2, 26, "int2", nullptr, 1, 2, Encoding::Signed},
};

const TypeInfo *hone::tools::findType(hone_dtype_t dtype) {
  for (const TypeInfo &type : kTypes)
    if (type.dtype == dtype)
      return &type;
  return nullptr;
}

const TypeInfo *hone::tools::findTypeByOnnx(int64_t onnx) {
  for (const TypeInfo &type : kTypes)
    if (type.onnx == onnx)
      return &type;
  return nullptr;
}

const TypeInfo *hone::tools::findTypeByNpy(const std::string &descr) {
  for (const TypeInfo &type : kTypes)
    if (type.npy && descr == type.npy)
      return &type;
  return nullptr;
}

hone_tensor_t HostTensor::view() {
  hone_tensor_t tensor = {};
  tensor.data = data.data();
  tensor.size = data.size();
  tensor.dtype = dtype;
  tensor.rank = static_cast<uint32_t>(shape.size());
  for (size_t i = 0; i < shape.size() && i < HONE_MAX_RANK; ++i)
    tensor.shape[i] = shape[i];
  return tensor;
}

bool hone::tools::countElements(const std::vector<int64_t> &shape, uint64_t &count) {
  count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count) || count > (INT64_MAX >> 4))
      return false;
  return true;
}

std::string hone::tools::describeShape(const std::vector<int64_t> &shape, const char *type) {
  std::string text;
  for (int64_t extent : shape)
    text += (extent < 0 ? std::string("?") : std::to_string(extent)) + "x";
  return text + type;
}

/// A small float with `mantissa` bits below its exponent of `exponentBits`; `bias` of the exponent.
static double smallFloat(unsigned bits, int exponentBits, int mantissa, int bias) {
  unsigned sign = bits >> (exponentBits + mantissa) & 1;
  int exponent = static_cast<int>(bits >> mantissa & ((1u << exponentBits) - 1));
  double fraction = static_cast<double>(bits & ((1u << mantissa) - 1)) / (1 << mantissa);
  double value = exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
  return sign ? -value : value;
}

static double floatElement(const uint8_t *at, hone_dtype_t dtype) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  uint8_t byte = *at;
  uint16_t half;
  uint32_t word;
  float single;
  double value;
  switch (dtype) {
  case HONE_DTYPE_F64:
    memcpy(&value, at, 8);
    return value;
  case HONE_DTYPE_F32:
    memcpy(&single, at, 4);
    return static_cast<double>(single);
  case HONE_DTYPE_BF16:
    memcpy(&half, at, 2);
    word = static_cast<uint32_t>(half) << 16;
    memcpy(&single, &word, 4);
    return static_cast<double>(single);
  case HONE_DTYPE_F16:
    memcpy(&half, at, 2);
    if ((half & 0x7c00) == 0x7c00)
      return half & 0x3ff ? nan : half & 0x8000 ? -infinity : infinity;
    return smallFloat(half, 5, 10, 15);
  case HONE_DTYPE_F8E4M3FN:
    return (byte & 0x7f) == 0x7f ? nan : smallFloat(byte, 4, 3, 7);
  case HONE_DTYPE_F8E4M3FNUZ:
    return byte == 0x80 ? nan : smallFloat(byte, 4, 3, 8);
  case HONE_DTYPE_F8E5M2:
    if ((byte & 0x7c) == 0x7c)
      return byte & 3 ? nan : byte & 0x80 ? -infinity : infinity;
    return smallFloat(byte, 5, 2, 15);
  case HONE_DTYPE_F8E5M2FNUZ:
    return byte == 0x80 ? nan : smallFloat(byte, 5, 2, 16);
  case HONE_DTYPE_F8E8M0:
    return byte == 0xff ? nan : std::ldexp(1.0, byte - 127);
  case HONE_DTYPE_F4E2M1:
    return smallFloat(byte & 15, 2, 1, 1);
  default:
    return 0;
  }
}

double hone::tools::elementValue(const uint8_t *data, hone_dtype_t dtype, uint64_t index) {
  const TypeInfo *type = findType(dtype);
  if (!type)
    return 0;
  const uint8_t *at = data + index * type->size;
  if (type->encoding == Encoding::Float)
    return floatElement(at, dtype);
  uint64_t bits = 0;
  memcpy(&bits, at, type->size);
  if (type->encoding == Encoding::Bool)
    return bits != 0;
  if (type->encoding == Encoding::Unsigned)
    return static_cast<double>(bits);
  int shift = 64 - 8 * type->size;
  return static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
}
