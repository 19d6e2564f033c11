//===- ElementBytes.cpp - The bytes of an elements attribute --------------===//

#include "lib/Serialization/ElementBytes.h"

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::serialization;

/// Pieces of splats and comparisons go through buffers of this size.
static constexpr uint64_t kPiece = 1 << 16;

/// One element as the byte it is in a buffer: types below a byte are extended
/// by their sign, if they have one.
static char toByte(const APInt &value, Type type) {
  bool isSigned = isa<IntegerType>(type) && value.getBitWidth() > 1 && !type.isUnsignedInteger();
  return isSigned ? value.getSExtValue() : value.getZExtValue();
}

static std::vector<char> expandNarrow(DenseElementsAttr elements, bool splat) {
  Type type = elements.getElementType();
  std::vector<char> bytes;
  bytes.reserve(splat ? 1 : elements.getNumElements());
  auto append = [&](const APInt &value) { bytes.push_back(toByte(value, type)); };
  if (isa<IntegerType>(type)) {
    if (splat)
      append(elements.getSplatValue<APInt>());
    else
      llvm::for_each(elements.getValues<APInt>(), append);
  } else if (splat) {
    append(elements.getSplatValue<APFloat>().bitcastToAPInt());
  } else {
    for (const APFloat &value : elements.getValues<APFloat>())
      append(value.bitcastToAPInt());
  }
  return bytes;
}

FailureOr<ElementBytes> ElementBytes::get(ElementsAttr elements, function_ref<InFlightDiagnostic()> emitError) {
  ShapedType type = elements.getShapedType();
  std::optional<int64_t> bytes = plan::staticBytes(type);
  if (!bytes)
    return emitError() << "has a size that cannot be represented: " << type;
  ElementBytes result;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return emitError() << "refers to the resource '" << resource.getRawHandle().getKey() << "', which has no bytes";
    result.pattern = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    bool splat = dense.isSplat();
    result.repetitions = splat ? dense.getNumElements() : 1;
    if (!type.getElementType().isIntOrFloat())
      return emitError() << "has elements of type " << type.getElementType();
    if (type.getElementTypeBitWidth() < 8) {
      result.owned = std::make_shared<std::vector<char>>(expandNarrow(dense, splat));
      result.pattern = *result.owned;
    } else {
      result.pattern = dense.getRawData();
    }
  } else {
    return emitError() << "has elements that are neither dense nor a resource";
  }
  if (result.size() != static_cast<uint64_t>(*bytes))
    return emitError() << "has " << result.size() << " bytes of elements, but " << type << " needs " << *bytes;
  return result;
}

void ElementBytes::read(uint64_t offset, MutableArrayRef<char> target) const {
  for (uint64_t done = 0; done < target.size();) {
    uint64_t at = (offset + done) % pattern.size();
    uint64_t count = std::min(target.size() - done, pattern.size() - at);
    std::memcpy(target.data() + done, pattern.data() + at, count);
    done += count;
  }
}

void ElementBytes::forEachPiece(function_ref<void(ArrayRef<char>)> fn) const {
  if (size() == 0)
    return;
  if (repetitions == 1)
    return fn(pattern);
  // Whole elements, so that every piece is the same.
  std::vector<char> piece(std::min(size(), std::max<uint64_t>(kPiece / pattern.size(), 1) * pattern.size()));
  read(0, piece);
  for (uint64_t left = size(); left != 0;) {
    uint64_t count = std::min<uint64_t>(left, piece.size());
    fn(ArrayRef<char>(piece).take_front(count));
    left -= count;
  }
}

bool ElementBytes::operator==(const ElementBytes &other) const {
  if (size() != other.size())
    return false;
  if (repetitions == 1 && other.repetitions == 1)
    return pattern == other.pattern;
  std::vector<char> ours(kPiece), theirs(kPiece);
  for (uint64_t offset = 0; offset < size(); offset += kPiece) {
    uint64_t count = std::min(kPiece, size() - offset);
    read(offset, MutableArrayRef<char>(ours).take_front(count));
    other.read(offset, MutableArrayRef<char>(theirs).take_front(count));
    if (std::memcmp(ours.data(), theirs.data(), count) != 0)
      return false;
  }
  return true;
}
