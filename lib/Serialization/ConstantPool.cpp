//===- ConstantPool.cpp - The constants segment ---------------------------===//

#include "lib/Serialization/ConstantPool.h"

#include "runtime/format/Format.h"

#include "llvm/Support/MathExtras.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;
using namespace hone::serialization;

namespace {

/// XXH3 over pieces; the sum is that of format::checksum over the whole.
class StreamingChecksum {
public:
  StreamingChecksum() { XXH3_64bits_reset(&state); }
  void update(ArrayRef<char> bytes) { XXH3_64bits_update(&state, bytes.data(), bytes.size()); }
  uint64_t get() const { return XXH3_64bits_digest(&state); }

private:
  XXH3_state_t state;
};

} // namespace

uint64_t hone::serialization::checksumOf(const ElementBytes &bytes) {
  StreamingChecksum sum;
  bytes.forEachPiece([&](ArrayRef<char> piece) { sum.update(piece); });
  return sum.get();
}

FailureOr<uint32_t> ConstantPool::add(ElementsAttr elements, function_ref<InFlightDiagnostic()> emitError) {
  auto known = byAttribute.find(elements);
  if (known != byAttribute.end())
    return known->second;
  FailureOr<ElementBytes> bytes = ElementBytes::get(elements, emitError);
  if (failed(bytes))
    return failure();
  auto &sameHash = byHash[checksumOf(*bytes)];
  for (uint32_t index : sameHash)
    if (all[index].bytes == *bytes)
      return byAttribute[elements] = index;
  uint64_t offset = llvm::alignTo(end, format::kAlignment);
  if (offset + bytes->size() > uint64_t(1) << 62)
    return emitError() << "brings the constants to more than a file can hold";
  end = offset + bytes->size();
  uint32_t index = all.size();
  all.push_back({std::move(*bytes), offset});
  sameHash.push_back(index);
  return byAttribute[elements] = index;
}

void ConstantPool::forEachPiece(function_ref<void(ArrayRef<char>)> fn) const {
  static constexpr char kZeros[format::kAlignment] = {};
  uint64_t at = 0;
  for (const Entry &entry : all) {
    if (entry.offset != at)
      fn(ArrayRef<char>(kZeros, entry.offset - at));
    entry.bytes.forEachPiece(fn);
    at = entry.offset + entry.bytes.size();
  }
}

uint64_t ConstantPool::segmentChecksum() const {
  StreamingChecksum sum;
  forEachPiece([&](ArrayRef<char> piece) { sum.update(piece); });
  return sum.get();
}

void ConstantPool::write(llvm::raw_ostream &os) const {
  forEachPiece([&](ArrayRef<char> piece) { os.write(piece.data(), piece.size()); });
}
