//===- KernelFacts.h - What is told about a kernel --------------*- C++ -*-===//
//
// Attributes of a `plan.kernel` that no run needs: for reports and for whoever reads a dump.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_TARGET_KERNELFACTS_H
#define LIB_TARGET_KERNELFACTS_H

#include "llvm/ADT/StringRef.h"

namespace hone {

/// What kind of code the kernel is ("packed convolution"): a string. A backend's kernel families leave it on the
/// function they emit, from where it comes to the kernel; kernels without are loops, as every op can become.
inline constexpr llvm::StringLiteral kFamilyAttribute = "hone.family";
/// The types of the tensors that the kernel reads, then writes: an array of types.
inline constexpr llvm::StringLiteral kTensorsAttribute = "hone.tensors";
/// How many arithmetic operations a launch takes, a multiplication and an addition being two: an integer. Absent
/// where the extents are known at run time only.
inline constexpr llvm::StringLiteral kOperationsAttribute = "hone.operations";

} // namespace hone

#endif // LIB_TARGET_KERNELFACTS_H
