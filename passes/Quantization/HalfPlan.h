//===- HalfPlan.h - What is multiplied and stored in half -------*- C++ -*-===//
//
// Arithmetic between kernels' ends stays f32: what is rounded is what lies in memory. So it is decided by value,
// looking back from its readers: contractions want halves, others take them, some need every digit.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_QUANTIZATION_HALFPLAN_H
#define PASSES_QUANTIZATION_HALFPLAN_H

#include "passes/Quantization/HalfRange.h"

namespace hone::quantization {

/// Whether `op` moves or averages elements of halves as it does those of f32, without arithmetic outside of it.
bool worksOnHalves(mlir::Operation *op);
/// Whether `op` looks at nothing of its operand but the extents.
bool readsExtents(mlir::Operation *op);
bool isF32Tensor(mlir::Value value);
bool isConstant(mlir::Value value);

class HalfPlan {
public:
  /// `activations`: not only weights become halves.
  HalfPlan(mlir::func::FuncOp function, const HalfRange &range, bool activations);

  /// Whether the factors of this contraction are to be halves (those that are constant, without `activations`).
  bool multiplies(mlir::Operation *contraction) const { return multiplied.contains(contraction); }
  /// Whether `value` is rounded where it is made.
  bool isStored(mlir::Value value) const;
  /// Whether somebody reads `value` as half.
  bool isUseful(mlir::Value value) const { return wanted.contains(value) || !exact.contains(value); }
  /// Whether the reader needs the value unrounded.
  bool readsExactly(mlir::OpOperand &use) const;

private:
  void chooseContraction(graph::ContractionOpInterface op);
  void lookBack(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visit(mlir::Value value);
  void guessKernel(mlir::Operation *op);

  const HalfRange &range;
  bool activations;
  llvm::DenseSet<mlir::Operation *> multiplied;
  llvm::DenseSet<mlir::Value> wanted, exact;
  /// Where fusion will put an op, as far as can be told here: the last op of its kernel.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> kernelOf;
  llvm::DenseSet<mlir::Operation *> withContraction; ///< kernels, by their last op
  llvm::DenseSet<mlir::Value> inRegisters;
};

} // namespace hone::quantization

#endif // PASSES_QUANTIZATION_HALFPLAN_H
