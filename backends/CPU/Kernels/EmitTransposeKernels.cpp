//===- EmitTransposeKernels.cpp - Permutations through registers ----------===//
//
// A permutation reads along one dimension and writes along another; element by element one of them
// touches a new cache line every time. Here squares of L x L elements (L lanes of a vector) are read
// as rows, turned in registers by log2(L) rounds of two-vector shuffles (Eklundh 1972) and written
// as rows.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Kernels/KernelFrame.h"
#include "backends/CPU/Kernels/Passes.h"

#include "lib/Target/KernelFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hone::cpu {
#define GEN_PASS_DEF_EMITTRANSPOSEKERNELSPASS
#include "backends/CPU/Kernels/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

/// Elements of the dimension read along that one work item takes.
static constexpr int64_t kItemColumns = 1024;
/// Rows of squares that are written together: with 8 lanes of 4 bytes they fill a cache line.
static constexpr int64_t kRowSquares = 2;

/// The op of a kernel that does nothing but permute: its input, and which memory dimension of it every memory dimension
/// of the result is.
static Operation *onlyPermutation(func::FuncOp kernel, SmallVector<int64_t> &permutation) {
  Block &body = kernel.getBody().front();
  if (body.getOperations().size() != 2)
    return nullptr;
  Operation *op = &body.front();
  if (!isa<graph::RelayoutOp, graph::TransposeOp>(op) || !isa<BlockArgument>(op->getOperand(0)) ||
      body.getTerminator()->getOperands() != op->getResults())
    return nullptr;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  for (RankedTensorType type : {from, to})
    if (auto layout = dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding()); layout && layout.getTile() > 1)
      return nullptr;
  if (!from.getElementType().isSignlessIntOrFloat() || from.getElementTypeBitWidth() % 8 != 0)
    return nullptr;
  SmallVector<int64_t> fromOrder = graph::memoryOrder(from);
  auto transpose = dyn_cast<graph::TransposeOp>(op);
  for (int64_t dim : graph::memoryOrder(to)) {
    int64_t source = transpose ? transpose.getPerm()[dim] : dim;
    permutation.push_back(llvm::find(fromOrder, source) - fromOrder.begin());
  }
  return op;
}

namespace {

/// One dimension of the permutation, with its strides in the input and in the result.
struct Dim {
  Value extent, from, to;
};

class TransposeKernel {
public:
  TransposeKernel(KernelFrame &frame, Value input, ArrayRef<int64_t> permutation)
      : frame(frame), emit(frame.builder, frame.kernel.getLoc()), lanes(frame.info.vectorBytes / 4),
        element(cast<MemRefType>(input.getType()).getElementType()), vectorType(VectorType::get({lanes}, element)) {
    collectDims(input, permutation);
    from = emit.flatten(input);
    to = emit.flatten(frame.resultBuffer());
  }

  /// Whether the innermost dimension moves: otherwise the general loops copy runs as well.
  static bool applies(ArrayRef<int64_t> permutation, const TargetInfo &info) {
    int64_t lanes = info.vectorBytes / 4;
    return permutation.size() > 1 && lanes >= 4 && llvm::isPowerOf2_64(lanes) &&
           permutation.back() + 1 != static_cast<int64_t>(permutation.size());
  }

  Value run();

private:
  void collectDims(Value input, ArrayRef<int64_t> permutation);
  void emitItem(Value item, Value rowBlocks, Value columnBlocks);
  void emitScalars(Value fromBase, Value toBase, Value rows, Value firstColumn, Value lastColumn);
  void emitSquare(Value fromBase, Value toBase);

  KernelFrame &frame;
  Emitter emit;
  int64_t lanes;
  Type element;
  VectorType vectorType;
  SmallVector<Dim> outer; ///< in the order of the result
  Dim row, column;        ///< innermost of the result; innermost of the input
  Value from, to;
};

} // namespace

void TransposeKernel::collectDims(Value input, ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  SmallVector<Value> fromStrides(rank), toStrides(rank), extents(rank);
  Value stride = emit.index(1);
  for (int64_t i = rank; i-- > 0;) {
    fromStrides[i] = stride;
    extents[i] = emit.dim(input, i);
    stride = emit.mul(stride, extents[i]);
  }
  stride = emit.index(1);
  for (int64_t i = rank; i-- > 0;) {
    toStrides[i] = stride;
    stride = emit.mul(stride, extents[permutation[i]]);
  }
  for (int64_t i = 0; i < rank; ++i) {
    Dim dim{extents[permutation[i]], fromStrides[permutation[i]], toStrides[i]};
    if (i + 1 == rank) {
      row = dim;
    } else if (permutation[i] + 1 == rank) {
      column = dim;
    } else {
      outer.push_back(dim);
      continue;
    }
    // Neighbours in both orders are one dimension: N, H, W of a change between NCHW and NHWC.
    auto mergeable = [&](int64_t k) { return k > 0 && permutation[k] > 0 && permutation[k - 1] + 1 == permutation[k]; };
    for (int64_t k = i; mergeable(k); --k) {
      Dim &merged = i + 1 == rank ? row : column;
      merged.extent = emit.mul(merged.extent, outer.pop_back_val().extent);
    }
  }
}

/// Element by element: what is left beside whole squares.
void TransposeKernel::emitScalars(Value fromBase, Value toBase, Value rows, Value firstColumn, Value lastColumn) {
  emit.loop(firstColumn, lastColumn, 1, [&](Value j) {
    Value source = emit.add(fromBase, j), target = emit.add(toBase, emit.mul(j, column.to));
    emit.loop(emit.index(0), rows, 1, [&](Value i) {
      Value value = memref::LoadOp::create(emit.builder, emit.loc, from, emit.add(source, emit.mul(i, row.from)));
      memref::StoreOp::create(emit.builder, emit.loc, value, to, emit.add(target, i));
    });
  });
}

/// Rows of the square are `row.from` apart in the input, `column.to` in the result.
void TransposeKernel::emitSquare(Value fromBase, Value toBase) {
  OpBuilder &b = emit.builder;
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i)
    vectors.push_back(vector::LoadOp::create(b, emit.loc, vectorType, from, emit.add(fromBase, emit.mul(row.from, i))));
  // Round by round, vectors `size` apart exchange blocks of `size` elements.
  for (int64_t size = 1; size < lanes; size *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool second = lane & size;
      low.push_back(second ? lanes + lane - size : lane);
      high.push_back(second ? lanes + lane : lane + size);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & size)
        continue;
      Value first = vectors[i], second = vectors[i + size];
      vectors[i] = vector::ShuffleOp::create(b, emit.loc, first, second, low);
      vectors[i + size] = vector::ShuffleOp::create(b, emit.loc, first, second, high);
    }
  }
  for (int64_t j = 0; j < lanes; ++j)
    vector::StoreOp::create(b, emit.loc, vectors[j], to, emit.add(toBase, emit.mul(column.to, j)));
}

void TransposeKernel::emitItem(Value item, Value rowBlocks, Value columnBlocks) {
  OpBuilder &b = emit.builder;
  Value columnBlock = emit.remU(item, columnBlocks), rest = emit.divU(item, columnBlocks);
  Value rowBlock = emit.remU(rest, rowBlocks);
  rest = emit.divU(rest, rowBlocks);
  int64_t blockRows = lanes * kRowSquares;
  Value firstRow = emit.mul(rowBlock, blockRows), firstColumn = emit.mul(columnBlock, kItemColumns);
  Value lastColumn = emit.min(emit.add(firstColumn, kItemColumns), column.extent);
  Value fromBase = emit.mul(firstRow, row.from), toBase = firstRow;
  for (const Dim &dim : llvm::reverse(outer)) {
    Value at = emit.remU(rest, dim.extent);
    rest = emit.divU(rest, dim.extent);
    fromBase = emit.add(fromBase, emit.mul(at, dim.from));
    toBase = emit.add(toBase, emit.mul(at, dim.to));
  }
  fromBase = emit.opaque(fromBase);
  toBase = emit.opaque(toBase);
  Value rows = emit.min(emit.sub(row.extent, firstRow), emit.index(blockRows));
  Value whole = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq, rows, emit.index(blockRows));
  auto branch = scf::IfOp::create(b, emit.loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value squares = emit.mul(emit.divU(emit.sub(lastColumn, firstColumn), emit.index(lanes)), lanes);
  Value lastSquare = emit.add(firstColumn, squares);
  emit.loop(firstColumn, lastSquare, lanes, [&](Value j) {
    Value source = emit.add(fromBase, j), target = emit.add(toBase, emit.mul(j, column.to));
    for (int64_t s = 0; s < kRowSquares; ++s)
      emitSquare(emit.add(source, emit.mul(row.from, s * lanes)), emit.add(target, s * lanes));
  });
  emitScalars(fromBase, toBase, emit.index(blockRows), lastSquare, lastColumn);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  emitScalars(fromBase, toBase, rows, firstColumn, lastColumn);
}

Value TransposeKernel::run() {
  Value rowBlocks = emit.ceilDiv(row.extent, lanes * kRowSquares),
        columnBlocks = emit.ceilDiv(column.extent, kItemColumns);
  Value items = emit.mul(rowBlocks, columnBlocks);
  for (const Dim &dim : outer)
    items = emit.mul(items, dim.extent);
  emit.loop(frame.begin, frame.end, 1, [&](Value item) { emitItem(item, rowBlocks, columnBlocks); });
  return items;
}

namespace {

struct EmitTransposeKernelsPass final : cpu::impl::EmitTransposeKernelsPassBase<EmitTransposeKernelsPass> {
  void runOnOperation() override {
    TargetInfo info = TargetInfo::fromAttribute(getOperation()->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels) {
      SmallVector<int64_t> permutation;
      Operation *op = kernel.isDeclaration() ? nullptr : onlyPermutation(kernel, permutation);
      if (!op || !TransposeKernel::applies(permutation, info))
        continue;
      KernelFrame frame(kernel, op, info);
      Value items = TransposeKernel(frame, frame.buffer(op->getOperand(0)), permutation).run();
      if (failed(frame.finish(items)))
        return signalPassFailure();
      kernel->setAttr(kFamilyAttribute, StringAttr::get(&getContext(), "tiled transposition"));
    }
  }
};

} // namespace
