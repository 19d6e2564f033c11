//===- MemoryForm.h - Tensors as kernels see them ---------------*- C++ -*-===//
//
// The interpreter's tensors are row-major; a kernel's lie as the encoding of their type says: dimensions in
// another order, perhaps one of them in panels.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_MEMORYFORM_H
#define LIB_REFERENCE_MEMORYFORM_H

#include "lib/Reference/Tensor.h"

namespace hone::reference {

/// The bytes that a tensor of the type takes, panels filled up; nullopt when their number cannot be.
std::optional<int64_t> memoryBytes(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape);

/// The tensor that lies in `bytes`; nullopt when these are too few.
std::optional<Tensor> fromMemory(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<uint8_t> bytes);

/// Lays `tensor` out in `bytes`, which are enough; what fills panels up is zero.
void toMemory(const Tensor &tensor, mlir::RankedTensorType type, llvm::MutableArrayRef<uint8_t> bytes);

} // namespace hone::reference

#endif // LIB_REFERENCE_MEMORYFORM_H
