//===- KeepAccumulators.cpp - Sums stay in registers ----------------------===//
//
// Loops of reductions read and write an element of a buffer in each iteration. LLVM keeps it in a register where it
// knows what else the loop reads to lie elsewhere, which it does not know of the parts of scratch memory. Here they are
// allocations of their own still.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Lowering/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::cpu {
#define GEN_PASS_DEF_KEEPACCUMULATORSPASS
#include "backends/CPU/Lowering/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;

namespace {

/// An element that a loop reads and then writes in each iteration.
struct Accumulator {
  memref::StoreOp store;
  SmallVector<memref::LoadOp> loads;
};

struct KeepAccumulatorsPass final : cpu::impl::KeepAccumulatorsPassBase<KeepAccumulatorsPass> {
  void runOnOperation() override;
};

} // namespace

/// What `store` makes of an element of an allocation that nothing else in `loop` touches.
static std::optional<Accumulator> accumulatorOf(scf::ForOp loop, memref::StoreOp store) {
  auto alloc = store.getMemRef().getDefiningOp<memref::AllocOp>();
  if (!alloc || loop->isProperAncestor(alloc) ||
      !llvm::all_of(store.getIndices(), [&](Value index) { return loop.isDefinedOutsideOfLoop(index); }))
    return std::nullopt;
  Accumulator accumulator{store, {}};
  for (Operation *user : alloc->getUsers()) {
    // Through anything else it could be reached by another name.
    if (!isa<memref::LoadOp, memref::StoreOp, memref::DeallocOp, memref::DimOp>(user))
      return std::nullopt;
    if (user == store || isa<memref::DimOp>(user) || !loop->isProperAncestor(user))
      continue;
    auto load = dyn_cast<memref::LoadOp>(user);
    if (!load || load->getBlock() != store->getBlock() || !load->isBeforeInBlock(store) ||
        load.getIndices() != store.getIndices())
      return std::nullopt;
    accumulator.loads.push_back(load);
  }
  if (accumulator.loads.empty())
    return std::nullopt;
  return accumulator;
}

/// Reads the element in front of the loop, hands it from iteration to iteration, and writes it behind.
static scf::ForOp keep(scf::ForOp loop, Accumulator accumulator, IRRewriter &rewriter) {
  memref::StoreOp store = accumulator.store;
  Value buffer = store.getMemRef();
  SmallVector<Value> indices(store.getIndices());
  Location loc = store.getLoc();
  rewriter.setInsertionPoint(loop);
  Value first = memref::LoadOp::create(rewriter, loc, buffer, indices);
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
        for (memref::LoadOp load : accumulator.loads)
          rewriter.replaceOp(load, arguments.back());
        return {store.getValueToStore()};
      });
  assert(succeeded(replaced) && "every scf.for takes further results");
  rewriter.eraseOp(store);
  auto result = cast<scf::ForOp>(replaced->getOperation());
  rewriter.setInsertionPointAfter(result);
  memref::StoreOp::create(rewriter, loc, result.getResults().back(), buffer, indices);
  return result;
}

void KeepAccumulatorsPass::runOnOperation() {
  // Inner loops first: what they leave in front and behind is in the next one's body.
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(&getContext());
  for (scf::ForOp loop : loops)
    for (auto store : llvm::to_vector(loop.getBody()->getOps<memref::StoreOp>()))
      if (std::optional<Accumulator> accumulator = accumulatorOf(loop, store))
        loop = keep(loop, *accumulator, rewriter);
}
