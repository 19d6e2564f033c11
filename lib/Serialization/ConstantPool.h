//===- ConstantPool.h - The constants segment -------------------*- C++ -*-===//
//
// Each content once, at multiples of 64 bytes, in the order of first use.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SERIALIZATION_CONSTANTPOOL_H
#define LIB_SERIALIZATION_CONSTANTPOOL_H

#include "lib/Serialization/ElementBytes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

namespace hone::serialization {

class ConstantPool {
public:
  struct Entry {
    ElementBytes bytes;
    uint64_t offset; ///< within the segment
  };

  /// The position of the constant with these contents.
  mlir::FailureOr<uint32_t> add(mlir::ElementsAttr elements, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  llvm::ArrayRef<Entry> entries() const { return all; }
  uint64_t segmentSize() const { return end; }
  uint64_t segmentChecksum() const;
  void write(llvm::raw_ostream &os) const;

private:
  /// Calls `fn` with the bytes of the segment, padding included.
  void forEachPiece(llvm::function_ref<void(llvm::ArrayRef<char>)> fn) const;

  std::vector<Entry> all;
  uint64_t end = 0;
  llvm::DenseMap<mlir::Attribute, uint32_t> byAttribute;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> byHash;
};

/// The checksum of a segment made of those bytes.
uint64_t checksumOf(const ElementBytes &bytes);

} // namespace hone::serialization

#endif // LIB_SERIALIZATION_CONSTANTPOOL_H
