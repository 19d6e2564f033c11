//===- ElementBytes.h - The bytes of an elements attribute ------*- C++ -*-===//
//
// Elements in row-major order, each of whole bytes, without copying what is in
// memory that way already: resources and dense attributes of byte-sized types.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SERIALIZATION_ELEMENTBYTES_H
#define LIB_SERIALIZATION_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Diagnostics.h"

#include <memory>
#include <vector>

namespace hone::serialization {

class ElementBytes {
public:
  /// Refers to the attribute's own memory where it can.
  static mlir::FailureOr<ElementBytes> get(mlir::ElementsAttr elements,
                                           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  uint64_t size() const { return pattern.size() * repetitions; }
  /// Calls `fn` with consecutive pieces that make up all bytes.
  void forEachPiece(llvm::function_ref<void(llvm::ArrayRef<char>)> fn) const;
  bool operator==(const ElementBytes &other) const;

private:
  /// Copies bytes from `offset` on into `target`.
  void read(uint64_t offset, llvm::MutableArrayRef<char> target) const;

  std::shared_ptr<std::vector<char>> owned; ///< null: the attribute's memory
  llvm::ArrayRef<char> pattern;             ///< all bytes, or one element
  uint64_t repetitions = 1;
};

} // namespace hone::serialization

#endif // LIB_SERIALIZATION_ELEMENTBYTES_H
