//===- Operations.cpp - How much arithmetic an op is ----------------------===//

#include "passes/Analysis/Operations.h"

#include "dialects/Graph/IR/Graph.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;

/// The product of `factors`; none when one is dynamic, or past 63 bits.
static std::optional<int64_t> product(ArrayRef<int64_t> factors) {
  std::optional<int64_t> result = 1;
  for (int64_t factor : factors) {
    if (ShapedType::isDynamic(factor))
      return std::nullopt;
    if (result)
      result = llvm::checkedMul(*result, factor);
  }
  return result;
}

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Extents of the space of multiplications of a contraction.
static SmallVector<int64_t> multiplications(Operation *op) {
  if (auto contract = dyn_cast<ContractOp>(op)) {
    SmallVector<int64_t> factors(shapeOf(contract.getResult()));
    for (auto [dim, extent] : llvm::zip(contract.getLhsDims(), shapeOf(contract.getLhs())))
      if (!llvm::is_contained(contract.getResultDims(), dim))
        factors.push_back(extent);
    // A dimension of the right operand alone is summed before it is multiplied.
    return factors;
  }
  // Convolutions: every element of the result (of the input, where that is spread) meets the weights of one channel.
  auto contraction = cast<ContractionOpInterface>(op);
  bool spreads = isa<ConvTransposeOp>(op);
  SmallVector<int64_t> factors(shapeOf(spreads ? contraction.getActivations() : op->getResult(0)));
  llvm::append_range(factors, shapeOf(contraction.getWeights()).drop_front());
  return factors;
}

std::optional<int64_t> hone::countOperations(Operation *op) {
  if (isa<ContractionOpInterface>(op)) {
    SmallVector<int64_t> factors = multiplications(op);
    factors.push_back(2);
    return product(factors);
  }
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return 0;
  SmallVector<int64_t> factors;
  if (auto window = dyn_cast<WindowOpInterface>(op)) {
    llvm::append_range(factors, shapeOf(op->getResult(0)));
    llvm::append_range(factors, window.getWindowExtents());
  } else if (isa<ReductionOpInterface>(op)) {
    llvm::append_range(factors, shapeOf(op->getOperand(0)));
  } else if (isa<ElementwiseOpInterface>(op)) {
    llvm::append_range(factors, shapeOf(op->getResult(0)));
  } else {
    return 0;
  }
  return product(factors);
}
