//===- TensorAttr.cpp - Tensors from and to attributes --------------------===//

#include "lib/Reference/Storage.h"
#include "lib/Reference/Tensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace hone::reference {

/// Attributes above this size are resources: never printed, never hashed.
static constexpr size_t kInlineBytes = 16384;

static bool isSubByte(Type element) {
  auto type = dyn_cast<IntegerType>(element);
  return type && type.getWidth() > 1 && type.getWidth() < 8;
}

/// Dense attributes hold sub-byte integers in bytes whose high bits are
/// unspecified; here they are extended.
static void normalize(Tensor &tensor) {
  if (isSubByte(tensor.getElementType()) || tensor.getElementType().isInteger(1))
    tensor.setInts(tensor.ints());
}

static std::optional<Tensor> repeat(Type element, ArrayRef<int64_t> shape, const Tensor &one) {
  std::optional<Tensor> tensor = Tensor::zeros(element, shape);
  if (!tensor)
    return std::nullopt;
  unsigned size = one.getElementBytes();
  const char *from = one.bytes().data();
  MutableArrayRef<char> to = tensor->mutableBytes();
  if (size == 1) {
    std::memset(to.data(), *from, to.size());
    return tensor;
  }
  for (size_t i = 0; i < to.size(); i += size)
    std::memcpy(to.data() + i, from, size);
  return tensor;
}

static std::optional<Tensor> fromDense(DenseElementsAttr attribute) {
  auto type = attribute.getType();
  Type element = type.getElementType();
  bool splat = attribute.isSplat() && type.getNumElements() != 1;
  std::optional<Tensor> tensor = Tensor::zeros(element, splat ? ArrayRef<int64_t>() : type.getShape());
  if (!tensor)
    return std::nullopt;
  if (element.isInteger(1)) {
    // Bits in memory; only the iterators know the order.
    MutableArrayRef<char> to = tensor->mutableBytes();
    if (splat)
      to[0] = attribute.getSplatValue<bool>();
    else
      for (auto [i, bit] : llvm::enumerate(attribute.getValues<bool>()))
        to[i] = bit;
  } else {
    ArrayRef<char> raw = attribute.getRawData();
    MutableArrayRef<char> to = tensor->mutableBytes();
    if (raw.size() != to.size())
      return std::nullopt;
    if (!raw.empty())
      std::memcpy(to.data(), raw.data(), raw.size());
    normalize(*tensor);
  }
  return splat ? repeat(element, type.getShape(), *tensor) : tensor;
}

static std::optional<Tensor> fromResource(DenseResourceElementsAttr attribute) {
  ShapedType type = attribute.getType();
  AsmResourceBlob *blob = attribute.getRawHandle().getBlob();
  std::optional<Tensor> tensor = Tensor::zeros(type.getElementType(), type.getShape());
  if (!blob || !tensor || blob->getData().size() != tensor->bytes().size())
    return std::nullopt;
  if (tensor->size() != 0)
    std::memcpy(tensor->mutableBytes().data(), blob->getData().data(), blob->getData().size());
  normalize(*tensor);
  return tensor;
}

std::optional<Tensor> Tensor::fromAttr(ElementsAttr attribute) {
  if (!attribute || !isa<RankedTensorType>(attribute.getType()))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute))
    return fromDense(dense);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return fromResource(resource);
  return std::nullopt;
}

/// Whether all elements are the same bits.
static bool isSplat(ArrayRef<char> bytes, unsigned elementBytes) {
  return bytes.size() > elementBytes &&
         std::memcmp(bytes.data(), bytes.data() + elementBytes, bytes.size() - elementBytes) == 0;
}

static ElementsAttr boolAttr(RankedTensorType type, ArrayRef<char> bytes) {
  SmallVector<bool> values;
  values.reserve(bytes.size());
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, values);
}

ElementsAttr Tensor::toAttr() const {
  RankedTensorType type = getType();
  ArrayRef<char> all = bytes();
  if (isSplat(all, elementBytes))
    all = all.take_front(elementBytes);
  bool large = all.size() > kInlineBytes;
  if (element.isInteger(1) && !large)
    return boolAttr(type, all);
  if (large)
    return DenseResourceElementsAttr::get(type, "folded", HeapAsmResourceBlob::allocateAndCopyWithAlign(all, 64));
  if (!isSubByte(element))
    return DenseElementsAttr::getFromRawBuffer(type, all);
  SmallVector<char> masked(all.begin(), all.end());
  for (char &byte : masked)
    byte &= static_cast<char>((1u << getWidth()) - 1);
  return DenseElementsAttr::getFromRawBuffer(type, masked);
}

} // namespace hone::reference
