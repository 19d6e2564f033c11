//===- Epilogue.cpp - Elementwise ops on a register tile ------------------===//

#include "backends/CPU/Kernels/KernelFrame.h"

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

bool EpilogueEmitter::isFullSize(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType()), domain = cast<RankedTensorType>(frame.root().getType());
  int64_t rank = domain.getRank();
  if (type.getRank() != rank)
    return false;
  SmallVector<int64_t> order = graph::memoryOrder(type);
  for (int64_t memoryDim = 0, expected = 0; memoryDim < rank; ++memoryDim) {
    int64_t dim = order[memoryDim];
    if (type.getDimSize(dim) != domain.getDimSize(dim))
      return false;
    expected += expected == channelDim;
    if (dim != (memoryDim + 1 == rank ? channelDim : expected++))
      return false;
  }
  return true;
}

Value EpilogueEmitter::offset(Emitter &emit, Value tensor, Value buffer, const TilePosition &position,
                              Value &channelStride) {
  if (position.flat && isFullSize(tensor)) {
    channelStride = emit.index(1);
    int64_t lastDim = cast<MemRefType>(buffer.getType()).getRank() - 1;
    return emit.add(emit.mul(position.flat, emit.dim(buffer, lastDim)), position.channel);
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  auto domain = cast<RankedTensorType>(frame.root().getType());
  SmallVector<int64_t> order = graph::memoryOrder(type);
  int64_t shift = domain.getRank() - type.getRank();
  Value offset = emit.index(0), stride = emit.index(1);
  channelStride = emit.index(0);
  for (int64_t memoryDim = type.getRank(); memoryDim-- > 0;) {
    int64_t dim = order[memoryDim];
    bool stretched = type.getDimSize(dim) == 1 && domain.getDimSize(dim + shift) != 1;
    if (!stretched) {
      if (dim + shift == channelDim)
        channelStride = stride;
      Value at =
          dim + shift == channelDim ? position.channel : position.outer[dim + shift - (dim + shift > channelDim)];
      offset = emit.add(offset, emit.mul(at, stride));
    }
    stride = emit.mul(stride, emit.dim(buffer, memoryDim));
  }
  return offset;
}

Value EpilogueEmitter::load(Emitter &emit, Value tensor, const TilePosition &position, Value mask) {
  OpBuilder &builder = emit.builder;
  auto vectorType = VectorType::get({lanes}, cast<RankedTensorType>(tensor.getType()).getElementType());
  DenseElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.isSplat())
    return arith::ConstantOp::create(builder, emit.loc,
                                     DenseElementsAttr::get(vectorType, splat.getSplatValue<APFloat>()));
  Value buffer = frame.buffer(tensor);
  if (!buffer)
    return nullptr;
  Value channelStride, at = offset(emit, tensor, buffer, position, channelStride);
  Value flat = cast<MemRefType>(buffer.getType()).getRank() == 0 ? buffer : emit.flatten(buffer);
  auto stride = getConstantIntValue(channelStride);
  if (stride && *stride == 0) {
    Value scalar = cast<MemRefType>(flat.getType()).getRank() == 0
                       ? memref::LoadOp::create(builder, emit.loc, flat).getResult()
                       : memref::LoadOp::create(builder, emit.loc, flat, at).getResult();
    return vector::BroadcastOp::create(builder, emit.loc, vectorType, scalar);
  }
  Value zero = arith::ConstantOp::create(builder, emit.loc, builder.getZeroAttr(vectorType));
  if (stride && *stride == 1) {
    if (mask)
      return vector::MaskedLoadOp::create(builder, emit.loc, vectorType, flat, at, mask, zero);
    return vector::LoadOp::create(builder, emit.loc, vectorType, flat, at);
  }
  // Channels apart in memory: one element at a time.
  auto indices = VectorType::get({lanes}, builder.getIndexType());
  Value steps = vector::StepOp::create(builder, emit.loc, indices);
  Value positions = arith::MulIOp::create(builder, emit.loc, steps,
                                          vector::BroadcastOp::create(builder, emit.loc, indices, channelStride));
  Value all = mask ? mask
                   : arith::ConstantOp::create(
                         builder, emit.loc, DenseElementsAttr::get(VectorType::get({lanes}, builder.getI1Type()), true))
                         .getResult();
  return vector::GatherOp::create(builder, emit.loc, vectorType, flat, at, positions, all, zero);
}

LogicalResult EpilogueEmitter::store(Emitter &emit, Value accumulator, const TilePosition &position, Value mask) {
  DenseMap<Value, Value> values{{frame.contraction->getResult(0), accumulator}};
  for (Operation *op : frame.epilogue()) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value &known = values[operand];
      if (!known)
        known = load(emit, operand, position, mask);
      if (!known)
        return op->emitOpError() << "cannot be computed behind a contraction";
      operands.push_back(known);
    }
    FailureOr<Value> result = graph_to_linalg::lowerElementwise(emit.builder, op, operands);
    if (failed(result))
      return op->emitOpError() << "cannot be computed on vectors";
    values[op->getResult(0)] = *result;
  }
  Value channelStride, at = offset(emit, frame.root(), frame.resultBuffer(), position, channelStride);
  Value flat = emit.flatten(frame.resultBuffer());
  Value value = values.lookup(frame.root());
  if (mask)
    vector::MaskedStoreOp::create(emit.builder, emit.loc, flat, at, mask, value);
  else
    vector::StoreOp::create(emit.builder, emit.loc, value, flat, at);
  return success();
}
