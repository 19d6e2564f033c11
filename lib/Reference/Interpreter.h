//===- Interpreter.h - Slow, obvious execution of the graph dialect -*- C++ -*-===//
//
// The oracle of tests and the constant folder. Floating-point functions are
// computed in double precision and rounded once per op; integers wrap around.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_INTERPRETER_H
#define LIB_REFERENCE_INTERPRETER_H

#include "lib/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

#include <functional>

namespace hone::reference {

/// Runs `main` on `inputs`, one per argument; the tensors of its return.
/// Errors of the run (an index out of range, shapes that do not fit, results
/// that contradict their static types) are reported at the op.
mlir::FailureOr<llvm::SmallVector<Tensor>> interpret(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> inputs);

/// Sees every tensor that a run makes; for finding where two runs part.
using Observer = std::function<void(mlir::Value, const Tensor &)>;
mlir::FailureOr<llvm::SmallVector<Tensor>> interpret(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> inputs,
                                                     const Observer &observer);

/// Runs one op. Regions may use values from outside when those are constants.
mlir::FailureOr<llvm::SmallVector<Tensor>> evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);

/// Runs a function of elements on one element per operand, as scalars: what an
/// elementwise op makes of splats.
mlir::FailureOr<Tensor> evaluateElement(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);

/// Whether `evaluate` knows `op` and everything inside of it, and the result
/// depends on nothing but operands and outer values.
bool isEvaluable(mlir::Operation *op);

} // namespace hone::reference

#endif // LIB_REFERENCE_INTERPRETER_H
