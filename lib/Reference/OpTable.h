//===- OpTable.h - Which function computes which op -------------*- C++ -*-===//
//
// Every file of op semantics adds its functions to one table, keyed by op.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_OPTABLE_H
#define LIB_REFERENCE_OPTABLE_H

#include "dialects/Graph/IR/Graph.h"
#include "lib/Reference/Tensor.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/TypeID.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace hone::reference {

using Results = mlir::FailureOr<llvm::SmallVector<Tensor>>;
using Result = mlir::FailureOr<Tensor>;
using Operands = llvm::ArrayRef<Tensor>;
using Shape = llvm::SmallVector<int64_t>;

class OpTable {
public:
  using Function = std::function<Results(mlir::Operation *, Operands)>;

  /// The table of all ops without regions.
  static const OpTable &get();

  template <typename OpTy> void add(Results (*function)(OpTy, Operands)) {
    functions[mlir::TypeID::get<OpTy>()] = [=](mlir::Operation *op, Operands operands) {
      return function(llvm::cast<OpTy>(op), operands);
    };
  }
  template <typename OpTy> void add(Result (*function)(OpTy, Operands)) {
    functions[mlir::TypeID::get<OpTy>()] = [=](mlir::Operation *op, Operands operands) -> Results {
      Result result = function(llvm::cast<OpTy>(op), operands);
      if (mlir::failed(result))
        return mlir::failure();
      return llvm::SmallVector<Tensor>{std::move(*result)};
    };
  }
  /// Null for ops that are not in the table.
  const Function *find(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::TypeID, Function> functions;
};

void addElementwise(OpTable &table);
void addConversions(OpTable &table);
void addContractions(OpTable &table);
void addConvolutions(OpTable &table);
void addWindows(OpTable &table);
void addReductions(OpTable &table);
void addSelections(OpTable &table);
void addMovement(OpTable &table);
void addGathers(OpTable &table);
void addResize(OpTable &table);
void addSampling(OpTable &table);
void addSampling(OpTable &table);

/// Zeros for a result of `op`, or a diagnostic.
Result allocate(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<int64_t> shape);

/// A result of `op` from its elements.
Result fromDoubles(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<double> values);
Result fromInts(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> values);

/// `dim` counted from the end when negative; a diagnostic when there is no such
/// dimension.
mlir::FailureOr<int64_t> checkedDim(mlir::Operation *op, int64_t dim, int64_t rank);

/// The element type of the first (or given) result.
mlir::Type resultElement(mlir::Operation *op, unsigned result = 0);

} // namespace hone::reference

#endif // LIB_REFERENCE_OPTABLE_H
