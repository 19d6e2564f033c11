//===- Storage.h - Element types as C++ types -------------------*- C++ -*-===//
//
// `visitStorage` turns an element type into a codec with load and store as
// inline functions, so that loops over elements branch on the type once.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_STORAGE_H
#define LIB_REFERENCE_STORAGE_H

#include "lib/Reference/FloatFormat.h"
#include "lib/Reference/Tensor.h"

#include <cstring>

namespace hone::reference {

template <typename T> static T loadRaw(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T> static void storeRaw(char *at, T value) { std::memcpy(at, &value, sizeof(T)); }

/// f64 and f32.
template <typename T> struct NativeFloat {
  static constexpr unsigned kBytes = sizeof(T);
  double toDouble(const char *at) const { return loadRaw<T>(at); }
  int64_t toInt(const char *at) const { return truncateToInteger(toDouble(at), false); }
  void setDouble(char *at, double value, Overflow) const { storeRaw<T>(at, static_cast<T>(value)); }
  void setInt(char *at, int64_t value) const { storeRaw<T>(at, static_cast<T>(value)); }
};

/// Floats of at most 16 bits.
template <typename Bits> struct CodedFloat {
  static constexpr unsigned kBytes = sizeof(Bits);
  const FloatFormat &format;
  double toDouble(const char *at) const { return format.decode(loadRaw<Bits>(at)); }
  int64_t toInt(const char *at) const { return truncateToInteger(toDouble(at), false); }
  void setDouble(char *at, double value, Overflow overflow) const {
    storeRaw<Bits>(at, static_cast<Bits>(format.encode(value, overflow)));
  }
  void setInt(char *at, int64_t value) const { setDouble(at, static_cast<double>(value), Overflow::Ieee); }
};

/// Integers; `width` may be less than that of `T`.
template <typename T> struct Integer {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr bool kUnsigned = std::is_unsigned<T>::value;
  unsigned width;
  double toDouble(const char *at) const { return static_cast<double>(loadRaw<T>(at)); }
  int64_t toInt(const char *at) const { return static_cast<int64_t>(loadRaw<T>(at)); }
  void setDouble(char *at, double value, Overflow) const { setInt(at, truncateToInteger(value, kUnsigned)); }
  void setInt(char *at, int64_t value) const { storeRaw<T>(at, static_cast<T>(wrapInteger(value, width, kUnsigned))); }
};

/// i1: anything but zero is true.
struct Boolean {
  static constexpr unsigned kBytes = 1;
  double toDouble(const char *at) const { return *at != 0; }
  int64_t toInt(const char *at) const { return *at != 0; }
  void setDouble(char *at, double value, Overflow) const { *at = value != 0; }
  void setInt(char *at, int64_t value) const { *at = value != 0; }
};

/// Calls `visitor` with the codec of `element`; false when it has none.
template <typename Visitor> bool visitStorage(mlir::Type element, Visitor &&visitor) {
  if (element.isF64())
    return visitor(NativeFloat<double>()), true;
  if (element.isF32())
    return visitor(NativeFloat<float>()), true;
  if (auto type = llvm::dyn_cast<mlir::FloatType>(element)) {
    if (type.getWidth() > 16)
      return false;
    const FloatFormat &format = FloatFormat::get(type.getFloatSemantics());
    if (type.getWidth() > 8)
      return visitor(CodedFloat<uint16_t>{format}), true;
    return visitor(CodedFloat<uint8_t>{format}), true;
  }
  auto type = llvm::dyn_cast<mlir::IntegerType>(element);
  if (!type || type.isSigned())
    return false;
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned();
  switch (width) {
  case 1:
    return visitor(Boolean()), true;
  case 2:
  case 4:
  case 8:
    return isUnsigned ? visitor(Integer<uint8_t>{width}) : visitor(Integer<int8_t>{width}), true;
  case 16:
    return isUnsigned ? visitor(Integer<uint16_t>{width}) : visitor(Integer<int16_t>{width}), true;
  case 32:
    return isUnsigned ? visitor(Integer<uint32_t>{width}) : visitor(Integer<int32_t>{width}), true;
  case 64:
    return isUnsigned ? visitor(Integer<uint64_t>{width}) : visitor(Integer<int64_t>{width}), true;
  default:
    return false;
  }
}

} // namespace hone::reference

#endif // LIB_REFERENCE_STORAGE_H
