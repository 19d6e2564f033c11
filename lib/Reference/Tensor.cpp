//===- Tensor.cpp - A tensor in memory ------------------------------------===//

#include "lib/Reference/Tensor.h"
#include "lib/Reference/Storage.h"

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace mlir;

namespace hone::reference {

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

int64_t wrapInteger(int64_t value, unsigned width, bool isUnsigned) {
  if (width >= 64)
    return value;
  auto shifted = static_cast<uint64_t>(value) << (64 - width);
  return isUnsigned ? static_cast<int64_t>(shifted >> (64 - width)) : static_cast<int64_t>(shifted) >> (64 - width);
}

int64_t truncateToInteger(double value, bool isUnsigned) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (value >= -kTwo63 && value < kTwo63)
    return static_cast<int64_t>(value);
  if (isUnsigned && value >= kTwo63 && value < 2 * kTwo63)
    return static_cast<int64_t>(static_cast<uint64_t>(value));
  return std::numeric_limits<int64_t>::min();
}

double roundToFloat(double value, Type type) {
  char memory[8];
  double result = value;
  visitStorage(type, [&](auto codec) {
    codec.setDouble(memory, value, Overflow::Ieee);
    result = codec.toDouble(memory);
  });
  return result;
}

std::optional<Tensor> Tensor::zeros(Type element, ArrayRef<int64_t> shape) {
  unsigned elementBytes = 0;
  if (!visitStorage(element, [&](auto codec) { elementBytes = decltype(codec)::kBytes; }))
    return std::nullopt;
  std::optional<int64_t> count = elementCount(shape);
  constexpr int64_t kMaxBytes = int64_t(1) << 33;
  if (!count || *count > kMaxBytes / elementBytes)
    return std::nullopt;
  size_t size = std::max<size_t>(static_cast<size_t>(*count) * elementBytes, 1);
  auto *memory = static_cast<char *>(std::calloc(size, 1));
  if (!memory)
    return std::nullopt;
  return Tensor(element, shape, *count, elementBytes, std::shared_ptr<char>(memory, std::free));
}

std::optional<Tensor> Tensor::fromDoubles(Type element, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  std::optional<Tensor> tensor = zeros(element, shape);
  if (!tensor || static_cast<size_t>(tensor->size()) != values.size())
    return std::nullopt;
  tensor->setDoubles(values);
  return tensor;
}

std::optional<Tensor> Tensor::fromInts(Type element, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  std::optional<Tensor> tensor = zeros(element, shape);
  if (!tensor || static_cast<size_t>(tensor->size()) != values.size())
    return std::nullopt;
  tensor->setInts(values);
  return tensor;
}

RankedTensorType Tensor::getType() const { return RankedTensorType::get(shape, element); }

bool Tensor::isFloat() const { return isa<FloatType>(element); }

bool Tensor::isUnsigned() const {
  auto type = dyn_cast<IntegerType>(element);
  return type && (type.isUnsigned() || type.getWidth() == 1);
}

unsigned Tensor::getWidth() const { return element.getIntOrFloatBitWidth(); }

MutableArrayRef<char> Tensor::mutableBytes() {
  size_t size = static_cast<size_t>(count) * elementBytes;
  if (data && data.use_count() > 1) {
    auto *memory = static_cast<char *>(std::malloc(std::max<size_t>(size, 1)));
    if (!memory)
      llvm::report_bad_alloc_error("out of memory for a tensor");
    std::memcpy(memory, data.get(), size);
    data = std::shared_ptr<char>(memory, std::free);
  }
  return {data.get(), size};
}

double Tensor::asDouble(int64_t i) const {
  double result = 0;
  visitStorage(element, [&](auto codec) { result = codec.toDouble(data.get() + i * elementBytes); });
  return result;
}

int64_t Tensor::asInt(int64_t i) const {
  int64_t result = 0;
  visitStorage(element, [&](auto codec) { result = codec.toInt(data.get() + i * elementBytes); });
  return result;
}

void Tensor::setDouble(int64_t i, double value, Overflow overflow) {
  char *at = mutableBytes().data() + i * elementBytes;
  visitStorage(element, [&](auto codec) { codec.setDouble(at, value, overflow); });
}

void Tensor::setInt(int64_t i, int64_t value) {
  char *at = mutableBytes().data() + i * elementBytes;
  visitStorage(element, [&](auto codec) { codec.setInt(at, value); });
}

std::vector<double> Tensor::doubles() const {
  std::vector<double> values(count);
  visitStorage(element, [&](auto codec) {
    for (int64_t i = 0; i < count; ++i)
      values[i] = codec.toDouble(data.get() + i * decltype(codec)::kBytes);
  });
  return values;
}

std::vector<int64_t> Tensor::ints() const {
  std::vector<int64_t> values(count);
  visitStorage(element, [&](auto codec) {
    for (int64_t i = 0; i < count; ++i)
      values[i] = codec.toInt(data.get() + i * decltype(codec)::kBytes);
  });
  return values;
}

void Tensor::setDoubles(ArrayRef<double> values, Overflow overflow) {
  char *to = mutableBytes().data();
  int64_t n = std::min<int64_t>(count, values.size());
  visitStorage(element, [&](auto codec) {
    for (int64_t i = 0; i < n; ++i)
      codec.setDouble(to + i * decltype(codec)::kBytes, values[i], overflow);
  });
}

void Tensor::setInts(ArrayRef<int64_t> values) {
  char *to = mutableBytes().data();
  int64_t n = std::min<int64_t>(count, values.size());
  visitStorage(element, [&](auto codec) {
    for (int64_t i = 0; i < n; ++i)
      codec.setInt(to + i * decltype(codec)::kBytes, values[i]);
  });
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

Tensor Tensor::reinterpreted(Type newElement) const {
  Tensor result = *this;
  result.element = newElement;
  return result;
}

} // namespace hone::reference
