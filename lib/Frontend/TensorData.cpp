//===- TensorData.cpp - ONNX tensors as attributes ------------------------===//

#include "lib/Frontend/TensorData.h"

#include "lib/Frontend/Types.h"
#include "lib/Support/NodeLocation.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/bit.h"

#include <cstring>
#include <memory>

using namespace mlir;
using namespace hone::frontend;

namespace {

/// Tensors up to this size are attributes that are compared and printed by value.
constexpr size_t kSmallBytes = 1024;
/// Elements a tensor may have; sizes in bytes then cannot overflow.
constexpr int64_t kMaxElements = int64_t(1) << 40;

unsigned bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }
size_t bytesPerElement(Type element) { return std::max(1u, bitsOf(element) / 8); }

/// Bytes and what keeps them alive: a string of ours or a mapped file.
struct Bytes {
  std::unique_ptr<std::string> owned;
  std::shared_ptr<MappedFile> mapped;
  ArrayRef<char> data;

  void own(std::string text) {
    owned = std::make_unique<std::string>(std::move(text));
    data = ArrayRef<char>(owned->data(), owned->size());
    mapped.reset();
  }
};

/// Elements of a typed field, each cut to `size` bytes.
template <typename Field> std::string pack(const Field &field, size_t size) {
  std::string result(field.size() * size, '\0');
  char *to = result.data();
  for (auto value : field) {
    std::memcpy(to, &value, size);
    to += size;
  }
  return result;
}

std::string packTyped(const onnx::TensorProto &tensor, Type element) {
  size_t size = bytesPerElement(element);
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return pack(tensor.float_data(), size);
  case onnx::TensorProto::DOUBLE:
    return pack(tensor.double_data(), size);
  case onnx::TensorProto::INT64:
    return pack(tensor.int64_data(), size);
  case onnx::TensorProto::UINT32:
  case onnx::TensorProto::UINT64:
    return pack(tensor.uint64_data(), size);
  default:
    return pack(tensor.int32_data(), size);
  }
}

/// Elements of 2 or 4 bits, lowest bits first, as one byte each.
std::string unpack(ArrayRef<char> packed, int64_t count, unsigned bits, bool isSigned) {
  std::string result(size_t(count), '\0');
  unsigned perByte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    unsigned value = (uint8_t(packed[size_t(i / perByte)]) >> (i % perByte * bits)) & ((1u << bits) - 1);
    if (isSigned && (value >> (bits - 1)))
      value |= 0xffu << bits;
    result[size_t(i)] = char(value);
  }
  return result;
}

bool allEqual(ArrayRef<char> data, size_t size) {
  return data.size() >= size && std::memcmp(data.data(), data.data() + size, data.size() - size) == 0;
}

/// Sub-byte elements of DenseElementsAttr are canonical when their upper bits are clear.
DenseElementsAttr denseOf(RankedTensorType type, ArrayRef<char> data) {
  unsigned bits = bitsOf(type.getElementType());
  if (bits == 1) {
    SmallVector<bool> values;
    for (char byte : data)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  if (bits >= 8)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<char> masked;
  for (char byte : data)
    masked.push_back(char(uint8_t(byte) & ((1u << bits) - 1)));
  return DenseElementsAttr::getFromRawBuffer(type, masked);
}

ElementsAttr resourceOf(RankedTensorType type, Bytes bytes, StringRef name) {
  size_t align = bytesPerElement(type.getElementType());
  // A mapped file may hold tensors at any offset.
  if (reinterpret_cast<uintptr_t>(bytes.data.data()) % align)
    bytes.own(std::string(bytes.data.begin(), bytes.data.end()));
  ArrayRef<char> data = bytes.data;
  auto keep = [owned = std::move(bytes.owned), mapped = std::move(bytes.mapped)](void *, size_t, size_t) mutable {
    owned.reset();
    mapped.reset();
  };
  return DenseResourceElementsAttr::get(type, name.empty() ? StringRef("tensor") : name,
                                        AsmResourceBlob(data, align, std::move(keep), /*dataIsMutable=*/false));
}

std::string checkedElements(const onnx::TensorProto &tensor, int64_t &count) {
  count = 1;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return "has a negative dimension";
    if (llvm::MulOverflow(count, dim, count) || count > kMaxElements)
      return "is too large";
  }
  return {};
}

} // namespace

ElementsAttr TensorReader::read(const onnx::TensorProto &tensor, std::string &error) {
  auto refuse = [&](const Twine &what) {
    error = (Twine("tensor '") + escapeName(tensor.name()) + "' " + what).str();
    return ElementsAttr();
  };
  Type element = elementTypeOf(tensor.data_type(), context);
  if (!element)
    return refuse("has elements of unsupported type " + onnxTypeName(tensor.data_type()));
  int64_t count;
  if (std::string bad = checkedElements(tensor, count); !bad.empty())
    return refuse(bad);
  if (tensor.has_segment())
    return refuse("is a segment, which is not supported");
  std::optional<size_t> payload = ModelFile::payloadOf(tensor);
  if (payload && taken.count(*payload))
    return taken[*payload];

  Bytes bytes;
  if (payload)
    bytes.own(file.takePayload(*payload));
  else if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    bytes.mapped = file.externalData(tensor, bytes.data, error);
    if (!bytes.mapped)
      return refuse("has bad data: " + error);
  } else if (tensor.has_raw_data())
    bytes.own(tensor.raw_data());
  else
    bytes.own(packTyped(tensor, element));

  unsigned bits = bitsOf(element);
  bool packed = bits < 8 && bits > 1;
  int64_t expected = packed ? (count * bits + 7) / 8 : count * int64_t(bytesPerElement(element));
  if (int64_t(bytes.data.size()) != expected)
    return refuse("has " + Twine(bytes.data.size()) + " bytes of data, its shape needs " + Twine(expected));
  if (packed)
    bytes.own(unpack(bytes.data, count, bits, element.isSignlessInteger()));

  auto type = RankedTensorType::get(ArrayRef<int64_t>(tensor.dims().data(), size_t(tensor.dims_size())), element);
  size_t size = bytesPerElement(element);
  ElementsAttr result;
  if (count > 0 && allEqual(bytes.data, size))
    result = denseOf(type, bytes.data.take_front(size));
  else if (bytes.data.size() <= kSmallBytes)
    result = denseOf(type, bytes.data);
  else
    result = resourceOf(type, std::move(bytes), escapeName(tensor.name()));
  if (payload)
    taken[*payload] = result;
  return result;
}
