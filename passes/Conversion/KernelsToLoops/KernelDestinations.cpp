//===- KernelDestinations.cpp - Buffers for kernels -----------------------===//

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_KERNELDESTINATIONSPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

/// `value` without the reshapes at its end, and `target`, its buffer, seen in that shape: what computes
/// the value then writes into the buffer.
static std::pair<Value, Value> lookThroughReshapes(OpBuilder &builder, Location loc, Value value, Value target) {
  auto view = [&](Value source) {
    return MemRefType::get(cast<RankedTensorType>(source.getType()).getShape(),
                           cast<RankedTensorType>(source.getType()).getElementType());
  };
  while (Operation *reshape = value.getDefiningOp()) {
    Value source;
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
      source = collapse.getSrc();
      if (!collapse.getSrcType().hasStaticShape())
        break;
      target = memref::ExpandShapeOp::create(builder, loc, view(source), target, collapse.getReassociationIndices());
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
      source = expand.getSrc();
      auto type = memref::CollapseShapeOp::computeCollapsedType(cast<MemRefType>(target.getType()),
                                                                expand.getReassociationIndices());
      if (type != view(source))
        break;
      target = memref::CollapseShapeOp::create(builder, loc, type, target, expand.getReassociationIndices());
    } else {
      break;
    }
    value = source;
  }
  return {value, target};
}

/// The value that became extent `dim` of `tensor` where the tensor was made; null when it has none.
static Value originalExtent(Value tensor, int64_t dim) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty.getType().isDynamicDim(dim) ? empty.getDynamicSize(dim) : Value();
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return dyn_cast<Value>(expand.getMixedOutputShape()[dim]);
    if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
      tensor = destination.getTiedOpOperand(cast<OpResult>(tensor))->get();
    else if (auto retyped = dyn_cast<tensor::CastOp>(op))
      tensor = retyped.getSource();
    else if (auto loop = dyn_cast<LoopLikeOpInterface>(op); loop && loop.getTiedLoopInit(cast<OpResult>(tensor)))
      tensor = loop.getTiedLoopInit(cast<OpResult>(tensor))->get();
    else
      return nullptr;
  }
  return nullptr;
}

/// Extents of results are known before the kernel starts, whatever they were computed from: reads them from
/// `target`, the buffer of `result`.
static void readExtents(OpBuilder &atBegin, Location loc, Value result, Value target) {
  for (int64_t dim = 0; dim < cast<MemRefType>(target.getType()).getRank(); ++dim) {
    if (!cast<MemRefType>(target.getType()).isDynamicDim(dim))
      continue;
    Value extent = originalExtent(result, dim);
    // Constants and extents of arguments are as good.
    if (extent && !matchPattern(extent, m_Constant()) &&
        !isa_and_present<tensor::DimOp, memref::DimOp>(extent.getDefiningOp()))
      extent.replaceAllUsesWith(memref::DimOp::create(atBegin, loc, target, dim));
  }
}

/// One empty tensor per use: each may get a place of its own.
static void splitEmptyTensors(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> shared;
  function.walk([&](tensor::EmptyOp empty) {
    if (!empty->use_empty() && !empty->hasOneUse())
      shared.push_back(empty);
  });
  for (tensor::EmptyOp empty : shared)
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(empty->getUses())))
      use.set(OpBuilder(empty).clone(*empty)->getResult(0));
}

namespace {

struct KernelDestinationsPass final : kernels_to_loops::impl::KernelDestinationsPassBase<KernelDestinationsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto hasTensors = [](ArrayRef<Type> types) { return llvm::any_of(types, llvm::IsaPred<RankedTensorType>); };
    if (function.isDeclaration() ||
        (!hasTensors(function.getArgumentTypes()) && !hasTensors(function.getResultTypes())))
      return;
    splitEmptyTensors(function);
    Block &body = function.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    auto bufferType = [](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return MemRefType::get(tensor.getShape(), tensor.getElementType());
    };
    for (BlockArgument argument : body.getArguments()) {
      Type type = argument.getType();
      argument.setType(bufferType(type));
      auto tensor = bufferization::ToTensorOp::create(builder, function.getLoc(), type, argument, /*restrict=*/true);
      argument.replaceAllUsesExcept(tensor, tensor);
    }
    SmallVector<Type> inputs(body.getArgumentTypes());
    SmallVector<DictionaryAttr> attributes;
    function.getAllArgAttrs(attributes);
    attributes.resize(inputs.size(), builder.getDictionaryAttr({}));
    auto end = cast<func::ReturnOp>(body.getTerminator());
    builder.setInsertionPoint(end);
    for (auto [i, value] : llvm::enumerate(end.getOperands())) {
      inputs.push_back(bufferType(value.getType()));
      attributes.push_back(function.getResultAttrDict(i) ? function.getResultAttrDict(i)
                                                         : builder.getDictionaryAttr({}));
      Value target = body.addArgument(inputs.back(), function.getLoc());
      OpBuilder atBegin = OpBuilder::atBlockBegin(&body);
      readExtents(atBegin, end.getLoc(), value, target);
      auto [computed, place] = lookThroughReshapes(atBegin, end.getLoc(), value, target);
      auto store = bufferization::MaterializeInDestinationOp::create(builder, end.getLoc(), computed, place);
      store.setRestrict(true);
      store.setWritable(true);
    }
    end->setOperands({});
    function->removeAttr(function.getResAttrsAttrName());
    function.setFunctionType(builder.getFunctionType(inputs, {}));
    function.setAllArgAttrs(attributes);
  }
};

} // namespace
