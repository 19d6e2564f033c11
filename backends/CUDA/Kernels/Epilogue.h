//===- Epilogue.h - Elementwise ops behind a contraction --------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_EPILOGUE_H
#define BACKENDS_CUDA_KERNELS_EPILOGUE_H

#include "backends/CUDA/Kernels/Contraction.h"
#include "backends/CUDA/Kernels/KernelFunctions.h"

namespace hone::cuda {

/// Whether `kernel` is `op`, which reads the kernel's inputs, elementwise ops behind it, and constants that are one
/// number; and returns one tensor.
bool hasElementwiseEpilogue(mlir::func::FuncOp kernel, mlir::Operation *op);

/// The stored element of the kernel's result at the place of `number`, an element of the contraction in the
/// type of its sums. Fails where an op has no form for single elements.
mlir::FailureOr<mlir::Value> applyEpilogue(KernelFunctions::Scope &scope, Positions &positions,
                                           const Contraction &contraction, mlir::Value number);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_EPILOGUE_H
