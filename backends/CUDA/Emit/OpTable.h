//===- OpTable.h - Scalar ops and their C++ ---------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_OPTABLE_H
#define BACKENDS_CUDA_EMIT_OPTABLE_H

#include "backends/CUDA/Emit/Expressions.h"

#include "llvm/ADT/StringRef.h"

namespace hone::cuda {

/// What the text of a row computes, before it is made a value of the result's C++ type.
enum class Yields {
  Same,     ///< that type, but for the promotion of small integers and the widening of f16
  Signed,   ///< a signed integer
  Unsigned, ///< an unsigned integer
  Truth,    ///< a bool
  Exact,    ///< exactly that type
  Low,      ///< an integer of which the result takes the low bits
};

/// One op on operands of some kinds. In the text, `$0` is an operand as its C++ type, `$s0` and `$u0`
/// with and without sign, `$w0` an integer wide enough not to become signed, `$f0` a float no smaller
/// than f32; `$T` is the result's type, `$S` and `$U` its signed and unsigned counterpart.
struct OpRow {
  llvm::StringLiteral op;
  unsigned kinds; ///< of operand 0: a set of NumberKind
  int precedence; ///< of the text
  Yields yields;
  llvm::StringLiteral text;
  int binding = precedence; ///< of the operator between the operands; Primary: they are arguments
};

/// The row of an op by name and kind of its first operand; null when there is none.
const OpRow *findRow(llvm::StringRef op, NumberKind kind);

/// The rows of arith.cmpi and arith.cmpf, by predicate.
const OpRow &comparisonRow(mlir::Operation *op);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_OPTABLE_H
