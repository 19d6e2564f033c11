//===- ProductKernel.cpp - Matrix products of two computed operands -------===//
//
// Attention's products. Nothing is packed: rows of the right operand are read where they are, which its
// columns being neighbours makes whole vectors. A register tile is a few rows times a few vectors of
// columns, as for packed weights; the columns left over are one masked tile.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Kernels/KernelFrame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

/// Steps of the sum in one iteration of its loop.
static constexpr int64_t kUnroll = 4;

namespace {

class ProductKernel {
public:
  ProductKernel(KernelFrame &frame, graph::ContractOp contract, const ProductDims &dims);

  FailureOr<Value> run();

private:
  /// A matrix of an operand: its place for one item, and strides.
  struct Operand {
    Value buffer, base;
    SmallVector<Value> outer; ///< strides of the result's outer dimensions
    Value row, column;        ///< strides
  };
  struct Item {
    SmallVector<Value> outer;
    Value number; ///< of the outer positions, row-major
    Value column;
    Value left; ///< columns from there on, where they may be fewer than the tile has
  };

  Operand operand(Value tensor, ArrayRef<int64_t> outer, int64_t rowDim, int64_t columnDim);
  void emitItem(Value item, Value panels);
  void emitRows(const Item &item);
  void emitTile(const Item &item, Value row, int64_t rows);
  /// The lanes of vector `v` of the tile that are columns; null for all.
  Value mask(const Item &item, int64_t v) {
    return item.left ? emit.lanesBelow(emit.sub(item.left, emit.index(v * tile.lanes)), tile.lanes) : Value();
  }
  SmallVector<Value> step(ArrayRef<Value> bases, Value k, const Item &item, SmallVector<Value> sums);

  KernelFrame &frame;
  Emitter emit;
  RegisterTile tile;
  EpilogueEmitter epilogue;
  VectorType vectorType;
  Operand lhs, rhs;
  SmallVector<Value> outerExtents;
  Value rows, columns, depth;
  LogicalResult status = success();
};

} // namespace

ProductKernel::ProductKernel(KernelFrame &frame, graph::ContractOp contract, const ProductDims &dims)
    : frame(frame), emit(frame.builder, frame.kernel.getLoc()),
      tile(chooseTile(frame.info, contract.getResult().getType().isDynamicDim(contract.getResultDims().size() - 1)
                                      ? INT32_MAX
                                      : contract.getResult().getType().getShape().back())),
      epilogue(frame, contract.getResult().getType().getRank() - 1, tile.lanes),
      vectorType(VectorType::get({tile.lanes}, frame.builder.getF32Type())),
      lhs(operand(contract.getLhs(), dims.lhsOuter, dims.lhsM, dims.lhsK)),
      rhs(operand(contract.getRhs(), dims.rhsOuter, dims.rhsK, dims.rhsN)) {
  Value result = frame.resultBuffer();
  int64_t rank = contract.getResultDims().size();
  for (int64_t i = 0; i + 2 < rank; ++i)
    outerExtents.push_back(emit.dim(result, i));
  rows = emit.dim(result, rank - 2);
  columns = emit.dim(result, rank - 1);
  Value left = frame.buffer(contract.getLhs());
  SmallVector<int64_t> order = graph::memoryOrder(contract.getLhs().getType());
  depth = emit.dim(left, llvm::find(order, dims.lhsK) - order.begin());
}

ProductKernel::Operand ProductKernel::operand(Value tensor, ArrayRef<int64_t> outer, int64_t rowDim,
                                              int64_t columnDim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> order = graph::memoryOrder(type);
  Value buffer = frame.buffer(tensor), stride = emit.index(1);
  SmallVector<Value> strides(type.getRank());
  for (int64_t memoryDim = type.getRank(); memoryDim-- > 0;) {
    strides[order[memoryDim]] = stride;
    stride = emit.mul(stride, emit.dim(buffer, memoryDim));
  }
  Operand result{emit.flatten(buffer), nullptr, {}, strides[rowDim], strides[columnDim]};
  for (int64_t dim : outer)
    result.outer.push_back(dim < 0 ? emit.index(0) : strides[dim]);
  return result;
}

/// Adds one step of the sum to the tile.
SmallVector<Value> ProductKernel::step(ArrayRef<Value> bases, Value k, const Item &item, SmallVector<Value> sums) {
  OpBuilder &b = emit.builder;
  Value at = emit.add(emit.add(rhs.base, emit.mul(k, rhs.row)), item.column);
  SmallVector<Value> vectors;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    vectors.push_back(emit.loadVector(tile.lanes, rhs.buffer, emit.add(at, v * tile.lanes), mask(item, v)));
  }
  for (auto [i, base] : llvm::enumerate(bases)) {
    Value element = memref::LoadOp::create(b, emit.loc, lhs.buffer, emit.add(base, emit.mul(k, lhs.column)));
    Value spread = vector::BroadcastOp::create(b, emit.loc, vectorType, element);
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value &sum = sums[i * tile.vectors + v];
      sum = vector::FMAOp::create(b, emit.loc, spread, vectors[v], sum);
    }
  }
  return sums;
}

void ProductKernel::emitTile(const Item &item, Value row, int64_t count) {
  row = emit.opaque(row);
  OpBuilder &b = emit.builder;
  SmallVector<Value> bases;
  for (int64_t i = 0; i < count; ++i)
    bases.push_back(emit.add(lhs.base, emit.mul(emit.add(row, i), lhs.row)));
  Value zero = arith::ConstantOp::create(b, emit.loc, b.getZeroAttr(vectorType));
  SmallVector<Value> sums(count * tile.vectors, zero);
  Value whole = emit.mul(emit.divU(depth, emit.index(kUnroll)), kUnroll);
  sums = emit.loop(emit.index(0), whole, kUnroll, sums, [&](Value k, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < kUnroll; ++u)
      next = step(bases, emit.add(k, u), item, std::move(next));
    return next;
  });
  if (getConstantIntValue(whole) != getConstantIntValue(depth) || !getConstantIntValue(depth))
    sums = emit.loop(whole, depth, 1, sums,
                     [&](Value k, ValueRange carried) { return step(bases, k, item, SmallVector<Value>(carried)); });
  for (int64_t v = 0; v < tile.vectors; ++v) {
    Value column = emit.add(item.column, v * tile.lanes), lanes = mask(item, v);
    for (int64_t i = 0; i < count; ++i) {
      Value at = emit.add(row, i);
      TilePosition position{item.outer, column, emit.add(emit.mul(item.number, rows), at)};
      position.outer.push_back(at);
      if (failed(epilogue.store(emit, sums[i * tile.vectors + v], position, lanes)))
        status = failure();
    }
  }
}

void ProductKernel::emitRows(const Item &item) {
  emit.tiles(emit.index(0), rows, tile.rows, [&](Value row, int64_t count) { emitTile(item, row, count); });
}

/// One work item: all rows of one panel of columns of one matrix.
void ProductKernel::emitItem(Value number, Value panels) {
  OpBuilder &b = emit.builder;
  Item item;
  item.column = emit.mul(emit.remU(number, panels), tile.width());
  item.number = emit.divU(number, panels);
  Value rest = item.number;
  lhs.base = rhs.base = emit.index(0);
  item.outer.resize(outerExtents.size());
  for (size_t i = outerExtents.size(); i-- > 0;) {
    item.outer[i] = i == 0 ? rest : emit.remU(rest, outerExtents[i]);
    rest = i == 0 ? rest : emit.divU(rest, outerExtents[i]);
    lhs.base = emit.add(lhs.base, emit.mul(item.outer[i], lhs.outer[i]));
    rhs.base = emit.add(rhs.base, emit.mul(item.outer[i], rhs.outer[i]));
  }
  lhs.base = emit.opaque(lhs.base);
  rhs.base = emit.opaque(rhs.base);
  Value left = emit.sub(columns, item.column);
  if (auto count = getConstantIntValue(columns); count && *count % tile.width() == 0) {
    emitRows(item);
    return;
  }
  Value whole = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::sge, left, emit.index(tile.width()));
  auto branch = scf::IfOp::create(b, emit.loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  emitRows(item);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  item.left = left;
  emitRows(item);
}

FailureOr<Value> ProductKernel::run() {
  Value panels = emit.ceilDiv(columns, tile.width()), items = panels;
  for (Value extent : outerExtents)
    items = emit.mul(items, extent);
  emit.loop(frame.begin, frame.end, 1, [&](Value item) { emitItem(item, panels); });
  if (failed(status))
    return failure();
  return items;
}

FailureOr<Value> cpu::emitProductKernel(KernelFrame &frame, graph::ContractOp contract, const ProductDims &dims) {
  return ProductKernel(frame, contract, dims).run();
}
