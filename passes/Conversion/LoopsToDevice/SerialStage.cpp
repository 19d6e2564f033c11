//===- SerialStage.cpp - Code that one workgroup runs together ------------===//

#include "passes/Conversion/LoopsToDevice/SerialStage.h"

#include "passes/Conversion/LoopsToDevice/BufferAccess.h"
#include "passes/Conversion/LoopsToDevice/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Whether somebody outside of `op` needs what it computes.
static bool hasUses(Operation *op) {
  return llvm::any_of(op->getResults(), [](Value result) { return !result.use_empty(); });
}

SerialStage::SerialStage(func::FuncOp function, int64_t workgroupSize, int64_t lanes)
    : function(function), workgroupSize(workgroupSize), lanes(lanes), written(writtenBuffers(function)) {}

void SerialStage::run() {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, zero);
  Pending pending;
  visit(function.getBody().front(), pending);
}

void SerialStage::barrier(Operation *before, Pending &pending) {
  OpBuilder builder(before);
  gpu::BarrierOp::create(builder, before->getLoc());
  pending = {};
}

void SerialStage::visit(Block &block, Pending &pending) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    visitOp(op, pending);
  runOnFirst(first, pending);
  first.clear();
}

/// Threads combine in pairs: their number must be a power of two.
std::optional<TeamFold> SerialStage::matchFold(Operation *op) const {
  return llvm::isPowerOf2_64(workgroupSize) ? TeamFold::match(op) : std::nullopt;
}

/// Whether there is something in `op` that threads do together.
bool SerialStage::isForTeam(Operation *op) const {
  return op
      ->walk<WalkOrder::PreOrder>([&](Operation *inner) {
        return isa<scf::ParallelOp>(inner) || matchFold(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What is left of a fold for the first thread waits with what it has to do anyway, such as setting the element.
void SerialStage::share(TeamFold fold, Pending &pending) {
  Operation *nest = fold.nest.front();
  DenseSet<Value> waiting;
  for (Operation *op : first)
    waiting.insert_range(writtenBuffers(op));
  bool readsWritten = false, readsWaiting = false;
  nest->walk([&](memref::LoadOp load) {
    if (load == fold.running)
      return;
    readsWritten |= sharedAccess(load, written).reads;
    readsWaiting |= sharedAccess(load, waiting).reads;
  });
  if (readsWaiting) {
    runOnFirst(first, pending);
    first.clear();
  }
  // In a loop the first thread may still read what the threads showed in the last trip.
  bool isRepeated = !isa<func::FuncOp>(nest->getParentOp()) && (pending.reads || pending.writes);
  if (isRepeated || (readsWritten && pending.writes))
    barrier(nest, pending);
  llvm::append_range(first, fold.distribute(thread, workgroupSize, lanes));
  // Its barriers came after all that was done before.
  pending = {};
}

void SerialStage::visitOp(Operation *op, Pending &pending) {
  if (auto fold = matchFold(op))
    return share(*fold, pending);
  SharedAccess access = sharedAccess(op, written);
  bool isParallel = isForTeam(op);
  if (access.writes && !isParallel) {
    first.push_back(op);
    if (!hasUses(op))
      return;
  } else if (!access.reads && !isParallel) {
    // Scalar arithmetic: every thread does it, and it needs nothing of what waits.
    if (!first.empty())
      op->moveBefore(first.front());
    return;
  }
  runOnFirst(first, pending);
  first.clear();
  if (access.writes && !isParallel)
    return;

  bool isLoop = isa<scf::ParallelOp>(op);
  if (pending.writes || (access.writes && pending.reads) || (isParallel && !isLoop && pending.reads))
    barrier(op, pending);
  if (isLoop) {
    spread(cast<scf::ParallelOp>(op));
  } else if (isParallel) {
    // The last trip may be where another thread still is.
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Pending inside{true, true};
        visit(block, inside);
      }
    pending = {true, true};
    return;
  }
  pending.reads |= access.reads;
  pending.writes |= access.writes;
}

void SerialStage::spread(scf::ParallelOp loop) {
  OpBuilder builder(loop);
  IterationSpace space(builder, loop);
  Value step = arith::ConstantIndexOp::create(builder, loop.getLoc(), workgroupSize);
  auto turns = scf::ForOp::create(builder, loop.getLoc(), thread, space.count(), step);
  builder.setInsertionPointToStart(turns.getBody());
  space.cloneBody(builder, turns.getInductionVar());
  loop.erase();
}

Value SerialStage::broadcastSlot(Location loc, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  return memref::AllocaOp::create(builder, loc, MemRefType::get({1}, type, MemRefLayoutAttrInterface(), space));
}

void SerialStage::runOnFirst(ArrayRef<Operation *> ops, Pending &pending) {
  if (ops.empty())
    return;
  Operation *last = ops.back();
  Location loc = last->getLoc();
  if (pending.reads || pending.writes)
    barrier(ops.front(), pending);
  OpBuilder builder(last);
  builder.setInsertionPointAfter(last);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto guard = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  for (Operation *op : ops)
    op->moveBefore(guard.thenBlock()->getTerminator());
  pending.writes = true;
  // Only the last one has results that are used outside.
  SmallVector<std::pair<Value, Value>> broadcast;
  builder.setInsertionPointAfter(last);
  for (Value result : last->getResults()) {
    if (result.use_empty())
      continue;
    Value slot = broadcastSlot(loc, result.getType());
    broadcast.push_back({result, slot});
  }
  for (auto [result, slot] : broadcast)
    memref::StoreOp::create(builder, loc, result, slot, ValueRange{zero});
  if (broadcast.empty())
    return;
  builder.setInsertionPointAfter(guard);
  gpu::BarrierOp::create(builder, loc);
  pending = {};
  for (auto [result, slot] : broadcast) {
    Value received = memref::LoadOp::create(builder, loc, slot, ValueRange{zero});
    result.replaceUsesWithIf(received, [&](OpOperand &use) { return !guard->isProperAncestor(use.getOwner()); });
    pending.reads = true;
  }
}
