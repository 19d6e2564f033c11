//===- BufferLiveness.cpp - When the bytes of a buffer are needed ---------===//

#include "passes/Memory/BufferLiveness.h"

using namespace mlir;
using namespace hone;
using namespace hone::memory;

static bool isBuffer(Value value) { return isa<plan::BufferType>(value.getType()); }

/// Calls `fn` with every value that is the same bytes as `use`'s value because
/// of that use.
static void forEachAlias(OpOperand &use, function_ref<void(Value)> fn) {
  Operation *owner = use.getOwner();
  unsigned position = use.getOperandNumber();
  if (auto loop = dyn_cast<plan::LoopOp>(owner)) {
    unsigned carried = position - loop.getInits().getBeginOperandIndex();
    fn(loop.getCarriedArgs()[carried]);
    fn(loop.getResult(carried));
    return;
  }
  if (auto yield = dyn_cast<plan::YieldOp>(owner)) {
    if (auto loop = dyn_cast<plan::LoopOp>(yield->getParentOp())) {
      fn(loop.getCarriedArgs()[position - 1]);
      fn(loop.getResult(position - 1));
      return;
    }
    fn(yield->getParentOp()->getResult(position));
    return;
  }
  // Views; and whatever op comes, its buffers may be those it was given.
  for (Value result : owner->getResults())
    if (isBuffer(result))
      fn(result);
}

void hone::memory::collectAliases(Value buffer, llvm::SetVector<Value> &aliases) {
  aliases.insert(buffer);
  for (size_t i = 0; i < aliases.size(); ++i)
    for (OpOperand &use : aliases[i].getUses())
      forEachAlias(use, [&](Value alias) { aliases.insert(alias); });
}

Value hone::memory::viewedBuffer(Value value) {
  while (auto view = value.getDefiningOp<plan::ViewOp>())
    value = view.getSource();
  return value;
}

BufferLiveness::BufferLiveness(plan::ProgramOp program) {
  number(*program.getBodyBlock());
  for (plan::AllocOp alloc : allocs)
    lifetimes[alloc] = compute(alloc);
}

void BufferLiveness::number(Block &block) {
  for (Operation &op : block) {
    int64_t first = next++;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    positions[&op] = {first, op.getNumRegions() ? next++ : first};
    if (auto alloc = dyn_cast<plan::AllocOp>(op))
      allocs.push_back(alloc);
  }
}

BufferLifetime BufferLiveness::compute(plan::AllocOp alloc) const {
  llvm::SetVector<Value> aliases;
  collectAliases(alloc.getBuffer(), aliases);
  BufferLifetime lifetime;
  lifetime.first = std::numeric_limits<int64_t>::max();
  lifetime.last = -1;
  auto touch = [&](int64_t first, int64_t last) {
    lifetime.first = std::min(lifetime.first, first);
    lifetime.last = std::max(lifetime.last, last);
  };
  for (Value alias : aliases) {
    for (Operation *user : alias.getUsers()) {
      touch(begin(user), begin(user));
      for (Operation *scope = user; scope; scope = scope->getParentOp())
        if (isa<plan::LoopOp>(scope) && !scope->isAncestor(alloc))
          touch(begin(scope), end(scope));
      if (!isa<plan::YieldOp>(user) || !user->getParentOp()->isAncestor(alloc))
        continue;
      // Yielded out of a region the allocation is in.
      if (!llvm::is_contained(lifetime.leaves, user->getParentOp()))
        lifetime.leaves.push_back(user->getParentOp());
      lifetime.leavesLoop |= isa<plan::LoopOp>(user->getParentOp());
    }
  }
  if (lifetime.last < 0)
    lifetime.first = lifetime.last = begin(alloc);
  return lifetime;
}
