//===- NarrowIndices.cpp - Index arithmetic in 32 bits --------------------===//
//
// Few devices have 64-bit arithmetic, and a division of 64 bits takes a hundred instructions on those
// that do. Scalars and grids fit into 31 bits (the driver refuses others), and so do indices of buffers
// whose bytes a storage buffer can hold; this makes it visible for upstream's range analysis.
//
//===----------------------------------------------------------------------===//

#include "backends/Vulkan/Lowering/Pipeline.h"
#include "passes/Conversion/GraphToPlan/Passes.h"
#include "runtime/format/SpirvImage.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace hone::vulkan {
#define GEN_PASS_DEF_NARROWINDICESPASS
#include "backends/Vulkan/Lowering/Passes.h.inc"
} // namespace hone::vulkan

using namespace mlir;
using namespace hone;

namespace {

/// Scalars become numbers of 31 bits.
void narrowScalars(func::FuncOp kernel) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    if (argument.getType().isIndex()) {
      argument.setType(builder.getI32Type());
      if (!argument.use_empty()) {
        Value mask = arith::ConstantIntOp::create(builder, loc, INT32_MAX, 32);
        auto bits = arith::AndIOp::create(builder, loc, argument, mask);
        auto index = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), bits);
        argument.replaceAllUsesExcept(index, bits);
      }
    }
    types.push_back(argument.getType());
  }
  kernel.setFunctionType(builder.getFunctionType(types, kernel.getResultTypes()));
}

void boundIds(func::FuncOp kernel, int64_t workgroupSize) {
  Builder builder(kernel.getContext());
  kernel.walk([&](Operation *op) {
    if (auto thread = dyn_cast<gpu::ThreadIdOp>(op))
      thread.setUpperBoundAttr(builder.getIndexAttr(workgroupSize));
    if (auto block = dyn_cast<gpu::BlockIdOp>(op); block && !block.getUpperBound())
      block.setUpperBoundAttr(builder.getIndexAttr(format::kSpirvMaxThreads / workgroupSize));
  });
}

/// What is divided by is not zero, which says how large the quotient is.
void boundDivisors(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](Operation *op) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
        !op->getOperand(1).getType().isIndex())
      return;
    if (matchPattern(op->getOperand(1), m_Constant()))
      return;
    builder.setInsertionPoint(op);
    Value one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
    op->setOperand(1, arith::MaxUIOp::create(builder, op->getLoc(), op->getOperand(1), one));
  });
}

/// Whether every value of a loop's counter, and the one that ends it, fits into 32 bits.
bool fits(scf::ForOp loop, DataFlowSolver &solver) {
  auto range = [&](Value value) -> std::optional<ConstantIntRanges> {
    auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue();
  };
  auto first = range(loop.getLowerBound()), last = range(loop.getUpperBound()), step = range(loop.getStep());
  if (!first || !last || !step)
    return false;
  auto isBetween = [](const ConstantIntRanges &range, int64_t low, int64_t high) {
    return range.smin().sge(low) && range.smax().sle(high);
  };
  constexpr int64_t limit = int64_t(1) << 31;
  return isBetween(*first, -limit, limit - 1) && isBetween(*step, 1, limit - 1) &&
         isBetween(*last, -limit, limit - 1) && (last->smax() + step->smax()).sle(limit);
}

void narrowLoop(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto narrow = [&](OpOperand &bound) {
    bound.set(builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(), bound.get()));
  };
  narrow(loop.getLowerBoundMutable());
  narrow(loop.getUpperBoundMutable());
  narrow(loop.getStepMutable());
  BlockArgument counter = cast<BlockArgument>(loop.getInductionVar());
  counter.setType(builder.getI32Type());
  builder.setInsertionPointToStart(loop.getBody());
  auto index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), counter);
  counter.replaceAllUsesExcept(index, index);
}

/// The low 32 bits of an index, with those of the operands of sums and products.
class LowBits {
public:
  explicit LowBits(OpBuilder &builder) : builder(builder) {}

  Value of(Value index) {
    auto [it, isNew] = known.try_emplace(index);
    if (isNew) {
      Value bits = compute(index);
      known[index] = bits;
      return bits;
    }
    return it->second;
  }

private:
  Value compute(Value index) {
    Operation *op = index.getDefiningOp();
    Location loc = index.getLoc();
    Type i32 = builder.getI32Type();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(index);
    APInt constant;
    if (matchPattern(index, m_ConstantInt(&constant)))
      return arith::ConstantIntOp::create(builder, loc, constant.trunc(32).getSExtValue(), 32);
    if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op) && op->getOperand(0).getType() == i32)
      return op->getOperand(0);
    auto binary = [&](auto make) {
      Value left = of(op->getOperand(0)), right = of(op->getOperand(1));
      return make(left, right);
    };
    if (isa_and_nonnull<arith::AddIOp>(op))
      return binary([&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, loc, a, b); });
    if (isa_and_nonnull<arith::SubIOp>(op))
      return binary([&](Value a, Value b) -> Value { return arith::SubIOp::create(builder, loc, a, b); });
    if (isa_and_nonnull<arith::MulIOp>(op))
      return binary([&](Value a, Value b) -> Value { return arith::MulIOp::create(builder, loc, a, b); });
    return arith::IndexCastOp::create(builder, loc, i32, index);
  }

  OpBuilder &builder;
  llvm::DenseMap<Value, Value> known;
};

/// Elements of two bytes and more of a buffer of at most 4 GB have indices of 31 bits.
void narrowAddresses(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  LowBits bits(builder);
  auto narrow = [&](Operation *access, MemRefType type, MutableOperandRange indices) {
    if (type.getRank() != 1 || type.getElementTypeBitWidth() < 16)
      return;
    Value low = bits.of(indices[0].get());
    builder.setInsertionPoint(access);
    Value index = arith::IndexCastOp::create(builder, access->getLoc(), builder.getIndexType(), low);
    indices[0].set(index);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      narrow(op, load.getMemRefType(), load.getIndicesMutable());
    if (auto store = dyn_cast<memref::StoreOp>(op))
      narrow(op, store.getMemRefType(), store.getIndicesMutable());
  });
}

struct NarrowIndicesPass final : vulkan::impl::NarrowIndicesPassBase<NarrowIndicesPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto size = kernel->getAttrOfType<IntegerAttr>(graph_to_plan::kWorkgroupSizeAttribute);
    if (!size || size.getInt() <= 0)
      return;
    narrowScalars(kernel);
    boundIds(kernel, size.getInt());
    boundDivisors(kernel);
    DataFlowSolver solver;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(kernel)))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (loop.getInductionVar().getType().isIndex() && fits(loop, solver))
        loops.push_back(loop);
    });
    llvm::for_each(loops, narrowLoop);
    narrowAddresses(kernel);
  }
};

} // namespace
