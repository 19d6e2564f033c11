//===- ReserveFrames.cpp - Frames for buffers of run-time size ------------===//
//
// Frames are a stack at run time. A block opens its frames as soon as sizes are
// known and closes them in reverse order. A frame with a buffer that leaves the
// block stays open, with all frames below it; the number of such frames becomes
// one more result of the if or loop around the block.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/ReserveFrames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

using namespace mlir;
using namespace hone;
using namespace hone::memory;

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// One or, with a count, several open frames.
struct Frame {
  int64_t opened = 0;    ///< a frame whose last use is before is dead by then
  int64_t last = kNever; ///< last use of any of its buffers
  Value count;           ///< null: one
  SmallVector<Operation *, 2> leaves;

  bool outlives(Block &block) const { return llvm::is_contained(leaves, block.getParentOp()); }
};

/// The order of a block before anything moved, and for each op the last op
/// that must run before its results can be computed.
class BlockOrder {
public:
  explicit BlockOrder(Block &block);

  int64_t indexOf(Operation *op) const { return indices.lookup(op); }
  Operation *at(int64_t index) const { return ops[index]; }
  /// The index of that op; -1 where a value is known at the head.
  int64_t anchorOf(Value value) const;
  /// Adds what computes `value`, stands behind `anchor` and has not moved.
  void addSlice(Value value, int64_t anchor, llvm::SmallPtrSetImpl<Operation *> &slice) const;
  /// Moves `op` to `at`, once and for all.
  void hoist(Operation *op, Block::iterator &at);
  bool hasMoved(Operation *op) const { return moved.contains(op); }

private:
  Block &block;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, int64_t> indices;
  SmallVector<int64_t> anchors;
  llvm::SmallPtrSet<Operation *, 16> moved;
};

class FrameBuilder {
public:
  FrameBuilder(const BufferLiveness &liveness, ArrayRef<plan::AllocOp> allocs, ArrayRef<InplacePair> pairs,
               MLIRContext *context)
      : liveness(liveness), pairs(pairs), builder(context) {
    for (plan::AllocOp alloc : allocs)
      byBlock[alloc->getBlock()].push_back(alloc);
  }

  /// Frames that stay open behind the block; no count: none do.
  Frame build(Block &block);

private:
  void open(Block &block);
  void hoistSizes(BlockOrder &order, int64_t anchor, ArrayRef<plan::AllocOp> allocs, Block::iterator &at);
  void reserve(ArrayRef<plan::AllocOp> allocs, int64_t opened);
  Operation *addCount(plan::IfOp op, Frame &thenOpen, Frame &elseOpen);
  Operation *addCount(plan::LoopOp op, Frame &open);
  std::optional<Frame> buildRegions(Operation &op);
  void closeDead(SmallVectorImpl<Frame> &stack, Block &block, int64_t now);
  Value countAsValue(const Frame &frame, Block &block);

  const BufferLiveness &liveness;
  ArrayRef<InplacePair> pairs;
  OpBuilder builder;
  DenseMap<Block *, SmallVector<plan::AllocOp>> byBlock;
  DenseMap<Operation *, Frame> frames;
};

} // namespace

//===----------------------------------------------------------------------===//
// BlockOrder
//===----------------------------------------------------------------------===//

BlockOrder::BlockOrder(Block &block) : block(block) {
  for (Operation &op : block) {
    int64_t index = ops.size(), anchor = -1;
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op.getOperands())
        anchor = std::max(anchor, anchorOf(operand));
    else
      anchor = index;
    indices[&op] = index;
    ops.push_back(&op);
    anchors.push_back(anchor);
  }
}

int64_t BlockOrder::anchorOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block ? anchors[indexOf(op)] : -1;
}

void BlockOrder::addSlice(Value value, int64_t anchor, llvm::SmallPtrSetImpl<Operation *> &slice) const {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == &block && indexOf(op) > anchor && !moved.contains(op) && slice.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
}

void BlockOrder::hoist(Operation *op, Block::iterator &at) {
  moved.insert(op);
  if (&*at == op)
    ++at;
  else
    op->moveBefore(&block, at);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Moves the arithmetic of the sizes to `at`, behind the anchor, together with
/// the checks before it: a wrong shape is reported as the check words it, not
/// as a size that cannot be.
void FrameBuilder::hoistSizes(BlockOrder &order, int64_t anchor, ArrayRef<plan::AllocOp> allocs, Block::iterator &at) {
  llvm::SmallPtrSet<Operation *, 16> slice;
  for (plan::AllocOp alloc : allocs)
    order.addSlice(alloc.getBytes(), anchor, slice);
  int64_t last = anchor;
  for (Operation *op : slice)
    last = std::max(last, order.indexOf(op));
  for (int64_t i = anchor + 1; i < last; ++i) {
    auto check = dyn_cast<plan::CheckOp>(order.at(i));
    if (!check || order.anchorOf(check.getCondition()) > anchor || order.hasMoved(check))
      continue;
    order.addSlice(check.getCondition(), anchor, slice);
    slice.insert(check);
  }
  for (int64_t i = anchor + 1; i <= last; ++i) {
    Operation *op = order.at(i);
    if (slice.contains(op))
      order.hoist(op, at);
  }
}

/// Creates the reserve at the insertion point and lets it take the place of the
/// allocations.
void FrameBuilder::reserve(ArrayRef<plan::AllocOp> allocs, int64_t opened) {
  // In place: one buffer for several allocations.
  llvm::EquivalenceClasses<Operation *> same;
  for (plan::AllocOp alloc : allocs)
    same.insert(alloc);
  for (auto [in, out] : pairs)
    if (llvm::is_contained(allocs, in) && llvm::is_contained(allocs, out) && in.getBytes() == out.getBytes())
      same.unionSets(in, out);

  llvm::MapVector<Operation *, std::pair<int64_t, int64_t>> buffers;
  Frame frame;
  frame.last = -1;
  SmallVector<Location> locations;
  for (plan::AllocOp alloc : allocs) {
    const BufferLifetime &lifetime = liveness.lifetime(alloc);
    auto &[first, last] = buffers.insert({same.getLeaderValue(alloc), {lifetime.first, lifetime.last}}).first->second;
    first = std::min(first, lifetime.first);
    last = std::max(last, lifetime.last);
    frame.last = std::max(frame.last, last);
    for (Operation *leaf : lifetime.leaves)
      if (!llvm::is_contained(frame.leaves, leaf))
        frame.leaves.push_back(leaf);
    locations.push_back(alloc.getLoc());
  }

  // Only the order of the positions matters: make them small.
  std::map<int64_t, int64_t> ranks;
  for (auto &[op, lifetime] : buffers)
    ranks[lifetime.first] = ranks[lifetime.second] = 0;
  int64_t rank = 0;
  for (auto &[position, value] : ranks)
    value = rank++;
  SmallVector<Value> sizes;
  SmallVector<int64_t> first, last;
  DenseMap<Operation *, unsigned> results;
  for (auto &[op, lifetime] : buffers) {
    results[op] = sizes.size();
    sizes.push_back(cast<plan::AllocOp>(op).getBytes());
    first.push_back(ranks[lifetime.first]);
    last.push_back(ranks[lifetime.second]);
  }
  auto op = plan::ReserveOp::create(builder, FusedLoc::get(builder.getContext(), locations), sizes, first, last);
  for (plan::AllocOp alloc : allocs)
    alloc.getBuffer().replaceAllUsesWith(op.getBuffers()[results[same.getLeaderValue(alloc)]]);
  frame.opened = opened;
  frames[op] = std::move(frame);
}

void FrameBuilder::open(Block &block) {
  auto it = byBlock.find(&block);
  if (it == byBlock.end())
    return;
  BlockOrder order(block);
  std::map<int64_t, SmallVector<plan::AllocOp>> groups;
  for (plan::AllocOp alloc : it->second)
    groups[order.anchorOf(alloc.getBytes())].push_back(alloc);
  for (auto &[anchor, allocs] : groups) {
    Operation *anchorOp = anchor < 0 ? nullptr : order.at(anchor);
    Block::iterator at = anchorOp ? std::next(anchorOp->getIterator()) : block.begin();
    hoistSizes(order, anchor, allocs, at);
    builder.setInsertionPoint(&block, at);
    reserve(allocs, anchorOp ? liveness.end(anchorOp) + 1 : 0);
  }
  // Not before: the order still refers to them.
  for (plan::AllocOp alloc : it->second)
    alloc.erase();
}

//===----------------------------------------------------------------------===//
// Closing
//===----------------------------------------------------------------------===//

/// Releases, at the insertion point, the newest frames as far as they are dead
/// before position `now`.
void FrameBuilder::closeDead(SmallVectorImpl<Frame> &stack, Block &block, int64_t now) {
  while (!stack.empty() && !stack.back().outlives(block) && (now == kNever || stack.back().last < now)) {
    plan::ReleaseOp::create(builder, block.getParentOp()->getLoc(), stack.back().count);
    stack.pop_back();
  }
}

Value FrameBuilder::countAsValue(const Frame &frame, Block &block) {
  if (frame.count)
    return frame.count;
  return arith::ConstantIndexOp::create(builder, block.getParentOp()->getLoc(), frame.leaves.empty() ? 0 : 1);
}

static void setInsertionPointToEnd(OpBuilder &builder, Block &block) {
  if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block.back());
  else
    builder.setInsertionPointToEnd(&block);
}

Operation *FrameBuilder::addCount(plan::IfOp op, Frame &thenOpen, Frame &elseOpen) {
  for (auto [block, open] : {std::pair(op.thenBlock(), &thenOpen), std::pair(op.elseBlock(), &elseOpen)}) {
    setInsertionPointToEnd(builder, *block);
    Value count = countAsValue(*open, *block);
    cast<plan::YieldOp>(block->back()).getValuesMutable().append(count);
  }
  builder.setInsertionPoint(op);
  SmallVector<Type> types(op.getResultTypes());
  types.push_back(builder.getIndexType());
  auto changed = plan::IfOp::create(builder, op.getLoc(), types, op.getCondition());
  changed.getThenRegion().takeBody(op.getThenRegion());
  changed.getElseRegion().takeBody(op.getElseRegion());
  return changed;
}

Operation *FrameBuilder::addCount(plan::LoopOp op, Frame &open) {
  Block &body = *op.getBodyBlock();
  Value before = body.addArgument(builder.getIndexType(), op.getLoc());
  setInsertionPointToEnd(builder, body);
  Value count = arith::AddIOp::create(builder, op.getLoc(), before, countAsValue(open, body));
  cast<plan::YieldOp>(body.back()).getValuesMutable().append(count);
  builder.setInsertionPoint(op);
  SmallVector<Value> inits(op.getInits());
  inits.push_back(arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
  auto changed = plan::LoopOp::create(builder, op.getLoc(), op.getTrips(), op.getCondition(), inits);
  changed.getBody().takeBody(op.getBody());
  return changed;
}

/// Builds the frames of the regions of `op`. Where some stay open behind it,
/// replaces the op and returns them.
std::optional<Frame> FrameBuilder::buildRegions(Operation &op) {
  Operation *changed;
  Frame open;
  if (auto branch = dyn_cast<plan::IfOp>(op)) {
    Frame thenOpen = build(*branch.thenBlock());
    Frame elseOpen = build(*branch.elseBlock());
    if (thenOpen.leaves.empty() && elseOpen.leaves.empty())
      return std::nullopt;
    open.leaves = thenOpen.leaves;
    llvm::append_range(open.leaves, elseOpen.leaves);
    changed = addCount(branch, thenOpen, elseOpen);
  } else if (auto loop = dyn_cast<plan::LoopOp>(op)) {
    open = build(*loop.getBodyBlock());
    if (open.leaves.empty())
      return std::nullopt;
    changed = addCount(loop, open);
  } else {
    return std::nullopt;
  }
  op.replaceAllUsesWith(changed->getResults().drop_back());
  op.erase();
  open.count = changed->getResults().back();
  open.last = kNever;
  return open;
}

Frame FrameBuilder::build(Block &block) {
  open(block);
  SmallVector<Frame> stack;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto it = frames.find(&op); it != frames.end()) {
      builder.setInsertionPoint(&op);
      closeDead(stack, block, it->second.opened);
      stack.push_back(it->second);
    } else if (op.getNumRegions() != 0) {
      builder.setInsertionPoint(&op);
      closeDead(stack, block, liveness.begin(&op));
      if (std::optional<Frame> open = buildRegions(op))
        stack.push_back(*open);
    }
  }
  setInsertionPointToEnd(builder, block);
  closeDead(stack, block, kNever);

  // What could not be closed is handed out, counted.
  Frame open;
  int64_t ones = 0;
  for (Frame &frame : stack) {
    llvm::append_range(open.leaves, frame.leaves);
    if (!frame.count)
      ++ones;
    else
      open.count =
          open.count ? arith::AddIOp::create(builder, frame.count.getLoc(), open.count, frame.count) : frame.count;
  }
  if (stack.empty() || (!open.count && ones == 1))
    return open;
  if (ones != 0) {
    Location loc = block.getParentOp()->getLoc();
    Value fixed = arith::ConstantIndexOp::create(builder, loc, ones);
    open.count = open.count ? arith::AddIOp::create(builder, loc, open.count, fixed) : fixed;
  }
  return open;
}

void hone::memory::reserveFrames(plan::ProgramOp program, const BufferLiveness &liveness,
                                 ArrayRef<plan::AllocOp> allocs, ArrayRef<InplacePair> pairs) {
  // Also without allocations of its own, a block hands out what its regions
  // leave open; without any at all there is nothing to do.
  if (!allocs.empty())
    FrameBuilder(liveness, allocs, pairs, program.getContext()).build(*program.getBodyBlock());
}
