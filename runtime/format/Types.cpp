//===- Types.cpp - Element types of the format ----------------------------===//
//
// One row a type: host size, name, whether plans may load and store it.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Format.h"

#include <cstdarg>
#include <cstdio>

using namespace hone::format;

namespace {
struct TypeRow {
  DType type;
  uint8_t size;
  bool integer;
  const char *name;
};
} // namespace

static constexpr TypeRow kTypes[] = {
    {DType::F64, 8, false, "f64"},
    {DType::F32, 4, false, "f32"},
    {DType::F16, 2, false, "f16"},
    {DType::BF16, 2, false, "bf16"},
    {DType::F8E4M3FN, 1, false, "f8e4m3fn"},
    {DType::F8E4M3FNUZ, 1, false, "f8e4m3fnuz"},
    {DType::F8E5M2, 1, false, "f8e5m2"},
    {DType::F8E5M2FNUZ, 1, false, "f8e5m2fnuz"},
    {DType::F8E8M0, 1, false, "f8e8m0"},
    {DType::F4E2M1, 1, false, "f4e2m1"},
    {DType::I64, 8, true, "i64"},
    {DType::I32, 4, true, "i32"},
    {DType::I16, 2, true, "i16"},
    {DType::I8, 1, true, "i8"},
    {DType::I4, 1, true, "i4"},
    {DType::I2, 1, true, "i2"},
    {DType::U64, 8, true, "u64"},
    {DType::U32, 4, true, "u32"},
    {DType::U16, 2, true, "u16"},
    {DType::U8, 1, true, "u8"},
    {DType::U4, 1, true, "u4"},
    {DType::U2, 1, true, "u2"},
    {DType::Bool, 1, true, "bool"},
};

static const TypeRow *findType(DType type) {
  for (const TypeRow &row : kTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

size_t hone::format::elementSize(DType type) {
  const TypeRow *row = findType(type);
  return row ? row->size : 0;
}

const char *hone::format::dtypeName(DType type) {
  const TypeRow *row = findType(type);
  return row ? row->name : "invalid";
}

bool hone::format::isIntegerType(DType type) {
  const TypeRow *row = findType(type);
  return row && row->integer;
}

bool Error::set(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return false;
}
