//===- Epilogue.cpp - Elementwise ops behind a contraction ----------------===//

#include "backends/CUDA/Kernels/Epilogue.h"

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool cuda::hasElementwiseEpilogue(func::FuncOp kernel, Operation *contraction) {
  Block &body = kernel.getBody().front();
  if (body.getTerminator()->getNumOperands() != 1)
    return false;
  for (Operation &op : body.without_terminator()) {
    if (&op == contraction)
      continue;
    bool isUsedConstant = isa<graph::ConstantOp>(op) && splatOf(op.getResult(0));
    // Scales of quantization may have one element a channel, which broadcasting does not say.
    bool isScalarOp = isa<graph::ElementwiseOpInterface>(op) && !isa<graph::QuantizeOp, graph::DequantizeOp>(op);
    if (!isUsedConstant && !isScalarOp)
      return false;
  }
  return llvm::all_of(contraction->getOperands(),
                      [](Value operand) { return isa<BlockArgument>(operand) || splatOf(operand); });
}

/// Where elementwise ops read `tensor`, whose shape broadcasts to that of the contraction.
static Access broadcastAccess(Value tensor, const Contraction &contraction, graph::ExtentBuilder &extents) {
  Access access{tensor, {}};
  int64_t rank = typeOf(tensor).getRank(), shift = contraction.result.coordinates.size() - rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isOne = graph::constantExtent(extents.dim(tensor, dim)) == std::optional<int64_t>(1);
    access.coordinates.push_back(isOne ? Coordinate() : contraction.result.coordinates[dim + shift]);
  }
  return access;
}

FailureOr<Value> cuda::applyEpilogue(KernelFunctions::Scope &scope, Positions &positions,
                                     const Contraction &contraction, Value number) {
  OpBuilder &builder = scope.math.builder;
  Value root = contraction.op->getResult(0);
  DenseMap<Value, Value> values;
  values[root] = graph_to_linalg::storeElement(builder, scope.math.loc, number, typeOf(root).getElementType());
  Block &body = scope.functions.kernel.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (&op == contraction.op || isa<graph::ConstantOp>(op))
      continue;
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      Value &known = values[operand];
      if (!known)
        known = scope.load(operand, positions.of(broadcastAccess(operand, contraction, scope.functions.extents)));
      if (!known)
        return op.emitOpError() << "cannot be computed behind a contraction";
      operands.push_back(known);
    }
    FailureOr<Value> result = graph_to_linalg::lowerElementwise(builder, &op, operands);
    if (failed(result))
      return op.emitOpError() << "cannot be computed one element at a time";
    values[op.getResult(0)] = *result;
  }
  return values.lookup(body.getTerminator()->getOperand(0));
}
