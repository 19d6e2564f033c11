//===- KernelFrame.cpp - What emitters of kernel families share -----------===//

#include "backends/CPU/Kernels/KernelFrame.h"

#include "lib/Support/UserError.h"
#include "passes/Conversion/KernelsToLoops/LaunchFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;
using kernels_to_loops::LaunchFunction;

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
Value Emitter::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value Emitter::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value Emitter::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value Emitter::floorDiv(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::FloorDivSIOp>(loc, a, index(b));
}
Value Emitter::ceilDiv(Value a, Value b) { return builder.createOrFold<arith::CeilDivSIOp>(loc, a, b); }
Value Emitter::divU(Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(loc, a, b); }
Value Emitter::remU(Value a, Value b) { return builder.createOrFold<arith::RemUIOp>(loc, a, b); }
Value Emitter::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value Emitter::max(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }
Value Emitter::dim(Value memref, int64_t dim) { return builder.createOrFold<memref::DimOp>(loc, memref, index(dim)); }

Value Emitter::flatten(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  // A reinterpret_cast: collapse_shape of buffers with run-time extents trips expand-strided-metadata.
  Value count = index(1);
  for (int64_t i = 0; i < type.getRank(); ++i)
    count = mul(count, dim(buffer, i));
  OpFoldResult size = getAsOpFoldResult(count);
  auto constant = getConstantIntValue(size);
  auto flat = MemRefType::get({constant ? *constant : ShapedType::kDynamic}, type.getElementType());
  return memref::ReinterpretCastOp::create(builder, loc, flat, buffer, builder.getIndexAttr(0),
                                           ArrayRef<OpFoldResult>{size},
                                           ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

Value Emitter::loadVector(int64_t lanes, Value flat, Value at, Value mask) {
  Type element = cast<MemRefType>(flat.getType()).getElementType();
  auto stored = VectorType::get({lanes}, element);
  Value loaded;
  if (mask) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
    loaded = vector::MaskedLoadOp::create(builder, loc, stored, flat, at, mask, zero);
  } else {
    loaded = vector::LoadOp::create(builder, loc, stored, flat, at);
  }
  return element.isF32() ? loaded
                         : arith::ExtFOp::create(builder, loc, stored.clone(builder.getF32Type()), loaded).getResult();
}

Value Emitter::lanesBelow(Value count, int64_t lanes) {
  return vector::CreateMaskOp::create(builder, loc, VectorType::get({lanes}, builder.getI1Type()),
                                      ValueRange{max(count, index(0))});
}

Value Emitter::opaque(Value value) {
  if (getConstantIntValue(value))
    return value;
  Type word = builder.getI64Type();
  Value number = arith::IndexCastOp::create(builder, loc, word, value);
  auto copy = LLVM::InlineAsmOp::create(builder, loc, word, ValueRange{number}, /*asm_string=*/"",
                                        /*constraints=*/"=r,0", /*has_side_effects=*/false, /*is_align_stack=*/false,
                                        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), copy.getResult(0));
}

void Emitter::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(builder, loc, low, high, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

SmallVector<Value> Emitter::loop(Value low, Value high, int64_t step, ValueRange init,
                                 llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(builder, loc, low, high, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(op.getResults());
}

void Emitter::tiles(Value first, Value last, int64_t rows, llvm::function_ref<void(Value, int64_t)> body) {
  OpBuilder::InsertionGuard guard(builder);
  Value length = sub(last, first);
  SmallVector<int64_t> sizes{rows};
  if (rows > 4)
    sizes.push_back(rows / 2);
  for (int64_t size : sizes) {
    if (size == 1)
      break;
    Value enough = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, length, index(size));
    auto branch = scf::IfOp::create(builder, loc, enough, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    Value lastStart = sub(last, index(size));
    loop(first, last, size, [&](Value row) { body(min(row, lastStart), size); });
    builder.setInsertionPointToStart(&branch.getElseRegion().front());
  }
  loop(first, last, 1, [&](Value row) { body(row, 1); });
}

//===----------------------------------------------------------------------===//
// WindowDim
//===----------------------------------------------------------------------===//

WindowDim WindowDim::of(graph::ConvOp conv, unsigned spatialDim) {
  return {conv.getWeights().getType().getDimSize(2 + spatialDim), conv.getStrides()[spatialDim],
          conv.getDilations()[spatialDim], conv.getPads()[spatialDim]};
}

Value WindowDim::origin(Emitter &emit, Value position) const {
  return emit.sub(emit.mul(position, stride), emit.index(pad));
}

std::pair<Value, Value> WindowDim::tapsInside(Emitter &emit, Value origin, Value extent) const {
  Value first = emit.max(emit.ceilDiv(emit.sub(emit.index(0), origin), dilation), emit.index(0));
  Value last = emit.min(emit.ceilDiv(emit.sub(extent, origin), dilation), emit.index(taps));
  return {first, emit.max(last, first)};
}

/// position * stride - pad >= 0 and position * stride - pad + (taps - 1) * dilation < extent.
std::pair<Value, Value> WindowDim::wholePositions(Emitter &emit, Value extent, Value first, Value last) const {
  Value from = emit.min(emit.max(emit.index(llvm::divideCeil(pad, stride)), first), last);
  Value room = emit.sub(emit.add(extent, pad), emit.index((taps - 1) * dilation + 1));
  return {from, emit.min(emit.max(emit.add(emit.floorDiv(room, stride), 1), from), last)};
}

//===----------------------------------------------------------------------===//
// KernelFrame
//===----------------------------------------------------------------------===//

/// The buffer type of a tensor: extents in memory order, a panel dimension behind them.
static MemRefType bufferType(RankedTensorType type) {
  auto layout = dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding());
  if (!layout)
    return MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<int64_t> shape;
  for (int64_t dim : layout.getOrder()) {
    int64_t extent = type.getDimSize(dim);
    shape.push_back(layout.getTile() > 1 && dim == layout.getTiledDim() ? llvm::divideCeil(extent, layout.getTile())
                                                                        : extent);
  }
  if (layout.getTile() > 1)
    shape.push_back(layout.getTile());
  return MemRefType::get(shape, type.getElementType());
}

/// `graph.dims` in memory order.
static DictionaryAttr memoryDims(DictionaryAttr attributes, RankedTensorType type) {
  auto names = attributes ? attributes.getAs<ArrayAttr>("graph.dims") : ArrayAttr();
  auto layout = dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding());
  if (!names || !layout)
    return attributes ? attributes : DictionaryAttr::get(type.getContext());
  SmallVector<Attribute> permuted;
  for (int64_t dim : layout.getOrder())
    permuted.push_back(names[dim]);
  if (layout.getTile() > 1)
    permuted.push_back(UnitAttr::get(type.getContext()));
  Builder builder(type.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr("graph.dims", builder.getArrayAttr(permuted)));
}

KernelFrame::KernelFrame(func::FuncOp kernel, Operation *contraction, const TargetInfo &info)
    : kernel(kernel), contraction(contraction), info(info), builder(kernel.getContext()),
      oldBody(&kernel.getBody().front()) {
  for (Operation &op : oldBody->without_terminator())
    if (&op != contraction && isa<graph::ElementwiseOpInterface>(op))
      epilogueOps.push_back(&op);
  rootTensor = oldBody->getTerminator()->getOperand(0);

  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (auto [i, argument] : llvm::enumerate(oldBody->getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    types.push_back(bufferType(type));
    attributes.push_back(memoryDims(kernel.getArgAttrDict(i), type));
  }
  auto resultType = cast<RankedTensorType>(rootTensor.getType());
  types.push_back(bufferType(resultType));
  attributes.push_back(memoryDims(kernel.getResultAttrDict(0), resultType));
  types.append(2, builder.getIndexType());
  attributes.append(2, builder.getDictionaryAttr({}));

  Block *body = builder.createBlock(&kernel.getBody(), kernel.getBody().end(), types,
                                    SmallVector<Location>(types.size(), kernel.getLoc()));
  for (auto [argument, buffer] : llvm::zip(oldBody->getArguments(), body->getArguments()))
    buffers[argument] = buffer;
  result = body->getArgument(oldBody->getNumArguments());
  begin = body->getArgument(types.size() - 2);
  end = body->getArgument(types.size() - 1);
  kernel->removeAttr(kernel.getResAttrsAttrName());
  kernel.setFunctionType(builder.getFunctionType(types, {}));
  kernel.setAllArgAttrs(attributes);
  builder.setInsertionPointToStart(body);
}

LogicalResult KernelFrame::finish(Value items) {
  func::ReturnOp::create(builder, kernel.getLoc());
  oldBody->dropAllReferences();
  oldBody->erase();
  LaunchFunction launch(kernel);
  Value grid = launch.copy(items);
  if (!grid)
    return emitUserError(kernel.getLoc())
           << "the number of work items depends on data; what decides about it must be a constant, or "
              "follow from the extents of inputs";
  launch.finish(launch.constant(0), {{kernel.getName().str(), grid}});
  return success();
}
