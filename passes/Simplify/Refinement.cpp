//===- Refinement.cpp - Making types more static --------------------------===//

#include "passes/Simplify/Refinement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace hone::simplify {

RankedTensorType refined(RankedTensorType type, RankedTensorType other) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, known] : llvm::zip_equal(shape, other.getShape())) {
    if (ShapedType::isDynamic(extent))
      extent = known;
    else if (!ShapedType::isDynamic(known) && known != extent)
      return nullptr;
  }
  return RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

RankedTensorType joined(RankedTensorType a, RankedTensorType b) {
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, b.getShape()))
    if (extent != other)
      extent = ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType(), a.getEncoding());
}

void updateResultTypes(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  auto ending = dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!ending || ending.getOperandTypes() == function.getResultTypes())
    return;
  if (function.isPublic()) {
    function.setFunctionType(
        FunctionType::get(function.getContext(), function.getArgumentTypes(), ending.getOperandTypes()));
    return;
  }
  OpBuilder builder(ending);
  for (auto [operand, type] : llvm::zip_equal(ending->getOpOperands(), function.getResultTypes()))
    if (operand.get().getType() != type)
      operand.set(tensor::CastOp::create(builder, ending.getLoc(), type, operand.get()));
}

} // namespace hone::simplify
