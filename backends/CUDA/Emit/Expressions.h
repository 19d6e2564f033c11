//===- Expressions.h - Scalar ops as CUDA C++ -------------------*- C++ -*-===//
//
// Integers of the IR have no sign, so their C++ types are unsigned (which wrap, as the IR does); ops
// that see a sign cast. `index` is the signed type idx, or i32 where that is known to be enough.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CUDA_EMIT_EXPRESSIONS_H
#define BACKENDS_CUDA_EMIT_EXPRESSIONS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace hone::cuda {

/// Kinds of numbers, as a set.
enum NumberKind : unsigned { Bool = 1, Int = 2, Index = 4, F16 = 8, BF16 = 16, F32 = 32, F64 = 64 };

/// The kind of a scalar type the backend computes with; nullopt for others.
std::optional<NumberKind> numberKind(mlir::Type type);

/// The C++ name of a scalar type: "u32", "float", "idx"; empty for types that have none. An index has
/// 64 bits, or 32.
std::string typeName(mlir::Type type, unsigned indexBits);

/// How strongly a C++ expression binds.
enum Precedence : int {
  Lowest,
  Select,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equal,
  Relational,
  Shift,
  Add,
  Mul,
  Unary,
  Primary
};

struct Expression {
  std::string text;
  int precedence = Primary;

  /// The text where at least `least` is needed: in parentheses if it must.
  std::string at(int least) const { return precedence >= least ? text : "(" + text + ")"; }
};

/// `value` of the scalar type `type`. `asSigned` prints integers with their sign, `typed` with a suffix
/// that gives them their type wherever they stand.
Expression literal(mlir::Attribute value, mlir::Type type, bool asSigned, bool typed, unsigned indexBits);

/// Whether `op` becomes an expression; ops that do have no side effects and one result.
bool isExpression(mlir::Operation *op);

/// Whether `op` is a product that the sum reading it is printed with, as one fused operation.
bool isFusedProduct(mlir::Operation *op);

/// Renders operand `index` of `op` for a reader.
class OperandPrinter {
public:
  virtual ~OperandPrinter() = default;
  /// The operand as its C++ type. `asSigned` and `typed` concern literals.
  virtual Expression operand(mlir::Operation *op, unsigned index, bool asSigned, bool typed) = 0;
  virtual unsigned indexBits() const = 0;
};

/// The expression of `op`, of its result's C++ type; nullopt when it has none for its types.
std::optional<Expression> expression(mlir::Operation *op, OperandPrinter &operands);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_EXPRESSIONS_H
