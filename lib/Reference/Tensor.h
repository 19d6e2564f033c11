//===- Tensor.h - A tensor in memory ----------------------------*- C++ -*-===//
//
// Values of the reference interpreter: an element type of the graph dialect,
// a shape, and elements in memory form, row-major. Integers of less than a
// byte and f8/f4 take a byte each (signed ones sign-extended, f8 and f4 the bit
// pattern), i1 is a byte of 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_TENSOR_H
#define LIB_REFERENCE_TENSOR_H

#include "lib/Reference/FloatFormat.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace hone::reference {

/// Product of `shape`, or nullopt when an extent is negative or the product
/// does not fit.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// `value` cut to `width` bits and extended again. 64-bit unsigned numbers are
/// held as their bit pattern.
int64_t wrapInteger(int64_t value, unsigned width, bool isUnsigned);

/// Truncates towards zero. What int64 (or uint64) cannot hold becomes the
/// smallest int64, as processors do.
int64_t truncateToInteger(double value, bool isUnsigned);

/// `value` as the nearest value of the float type `type`.
double roundToFloat(double value, mlir::Type type);

/// Owned elements. Copies share memory until one of them is written to.
class Tensor {
public:
  Tensor() = default;

  /// Zeros; nullopt when there are more than 8 GiB, memory is short, or `element`
  /// is not an element type of the graph dialect.
  static std::optional<Tensor> zeros(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  static std::optional<Tensor> fromDoubles(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                                           llvm::ArrayRef<double> values);
  static std::optional<Tensor> fromInts(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> values);
  /// nullopt for attributes without accessible elements or of other types.
  static std::optional<Tensor> fromAttr(mlir::ElementsAttr attribute);

  /// A dense attribute of `getType()`: a splat where all elements are the same
  /// bits, a resource where it is large.
  mlir::ElementsAttr toAttr() const;

  mlir::Type getElementType() const { return element; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const { return count; }
  int64_t dim(int64_t i) const { return shape[i]; }
  mlir::RankedTensorType getType() const;
  bool isFloat() const;
  /// uiN and i1.
  bool isUnsigned() const;
  /// Width of the integer type.
  unsigned getWidth() const;
  unsigned getElementBytes() const { return elementBytes; }

  llvm::ArrayRef<char> bytes() const { return {data.get(), static_cast<size_t>(count) * elementBytes}; }
  /// Detaches from other tensors first.
  llvm::MutableArrayRef<char> mutableBytes();

  /// Element `i` in row-major order, whatever the type.
  double asDouble(int64_t i) const;
  /// Floats are truncated.
  int64_t asInt(int64_t i) const;
  /// Rounds to the nearest value of the type; integer types truncate.
  void setDouble(int64_t i, double value, Overflow overflow = Overflow::Ieee);
  /// Wraps around; float types round.
  void setInt(int64_t i, int64_t value);

  /// All elements at once.
  std::vector<double> doubles() const;
  std::vector<int64_t> ints() const;
  void setDoubles(llvm::ArrayRef<double> values, Overflow overflow = Overflow::Ieee);
  void setInts(llvm::ArrayRef<int64_t> values);

  /// The same elements under another shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> newShape) const;
  /// The same bytes under another element type of the same storage.
  Tensor reinterpreted(mlir::Type newElement) const;

private:
  Tensor(mlir::Type element, llvm::ArrayRef<int64_t> shape, int64_t count, unsigned elementBytes,
         std::shared_ptr<char> data)
      : element(element), shape(shape.begin(), shape.end()), count(count), elementBytes(elementBytes),
        data(std::move(data)) {}

  mlir::Type element;
  llvm::SmallVector<int64_t> shape;
  int64_t count = 0;
  unsigned elementBytes = 0;
  std::shared_ptr<char> data;
};

} // namespace hone::reference

#endif // LIB_REFERENCE_TENSOR_H
