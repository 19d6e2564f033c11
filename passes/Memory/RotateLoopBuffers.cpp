//===- RotateLoopBuffers.cpp - Two places in turn for a carried buffer ----===//

#include "passes/Memory/BufferLiveness.h"
#include "passes/Memory/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone::memory {
#define GEN_PASS_DEF_ROTATELOOPBUFFERSPASS
#include "passes/Memory/Passes.h.inc"
} // namespace hone::memory

using namespace mlir;
using namespace hone;
using namespace hone::memory;

namespace {

/// One carried buffer that can have two places, and what computes their size.
struct Rotation {
  plan::AllocOp alloc;
  llvm::SetVector<Operation *> hoisted; ///< in the order of the block
};

} // namespace

/// Collects the ops of the loop's body that compute `size`; false where they
/// depend on the iteration or may fail.
static bool collectInvariant(Value size, plan::LoopOp loop, llvm::SetVector<Operation *> &slice) {
  SmallVector<Value> work{size};
  SmallVector<Operation *> found;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value.getParentBlock() != loop.getBodyBlock())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isPure(op))
      return false;
    if (!llvm::is_contained(found, op)) {
      found.push_back(op);
      llvm::append_range(work, op->getOperands());
    }
  }
  llvm::sort(found, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  slice.insert(found.begin(), found.end());
  return true;
}

/// Collects the values that may be the bytes of `buffer` within one iteration.
static void collectWithin(Value buffer, plan::LoopOp loop, llvm::SetVector<Value> &aliases) {
  aliases.insert(buffer);
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers()) {
      if (user == loop.getBodyBlock()->getTerminator())
        continue;
      Operation *source = isa<plan::YieldOp>(user) ? user->getParentOp() : user;
      aliases.insert(source->result_begin(), source->result_end());
      if (auto inner = dyn_cast<plan::LoopOp>(source))
        aliases.insert(inner.getCarriedArgs().begin(), inner.getCarriedArgs().end());
    }
}

/// Why the carried value at `position` cannot rotate, or nothing.
static std::optional<StringRef> findRotation(plan::LoopOp loop, unsigned position, Rotation &rotation) {
  auto yield = cast<plan::YieldOp>(loop.getBodyBlock()->back());
  Value value = yield.getValues()[1 + position];
  auto alloc = value.getDefiningOp<plan::AllocOp>();
  if (!alloc || alloc->getBlock() != loop.getBodyBlock())
    return "it is no allocation of the body itself";
  auto isYield = [&](OpOperand &use) { return use.getOwner() == yield; };
  if (llvm::count_if(value.getUses(), isYield) != 1)
    return "it is yielded twice";

  // The value of the iteration before must be dead when the next one ends, and
  // the new one must not reach the yield by another way.
  llvm::SetVector<Value> previous, current;
  collectWithin(loop.getCarriedArgs()[position], loop, previous);
  collectWithin(value, loop, current);
  for (Value yielded : yield.getValues()) {
    if (previous.contains(yielded))
      return "its value is handed on to the iteration after the next";
    if (yielded != value && current.contains(yielded))
      return "it is yielded twice";
  }

  rotation.alloc = alloc;
  if (!collectInvariant(alloc.getBytes(), loop, rotation.hoisted))
    return "its size depends on the iteration";
  return std::nullopt;
}

/// Allocates two places before the loop. A loop that never runs must not fail,
/// so a size that would be negative is none.
static std::pair<Value, Value> allocateBefore(plan::LoopOp loop, Rotation &rotation) {
  for (Operation *op : rotation.hoisted)
    if (op->getBlock() == loop.getBodyBlock())
      op->moveBefore(loop);
  OpBuilder builder(loop);
  Location loc = rotation.alloc.getLoc();
  Value bytes = rotation.alloc.getBytes();
  if (!matchPattern(bytes, m_Constant())) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    bytes = arith::MaxSIOp::create(builder, loc, bytes, zero);
  }
  auto create = [&] {
    auto alloc = plan::AllocOp::create(builder, loc, bytes);
    alloc.setAlignmentAttr(rotation.alloc.getAlignmentAttr());
    return alloc.getBuffer();
  };
  Value first = create();
  return {first, create()};
}

static void rotate(plan::LoopOp loop, MutableArrayRef<Rotation> rotations) {
  Block &body = *loop.getBodyBlock();
  auto yield = cast<plan::YieldOp>(body.back());
  SmallVector<Value> inits(loop.getInits());
  for (Rotation &rotation : rotations) {
    plan::AllocOp alloc = rotation.alloc;
    auto [first, second] = allocateBefore(loop, rotation);
    inits.append({first, second});
    Value now = body.addArgument(alloc.getType(), alloc.getLoc());
    Value next = body.addArgument(alloc.getType(), alloc.getLoc());
    alloc.getBuffer().replaceAllUsesWith(now);
    yield.getValuesMutable().append({next, now});
    alloc.erase();
  }
  OpBuilder builder(loop);
  auto changed = plan::LoopOp::create(builder, loop.getLoc(), loop.getTrips(), loop.getCondition(), inits);
  changed.getBody().takeBody(loop.getBody());
  loop.replaceAllUsesWith(changed.getResults().take_front(loop.getNumResults()));
  loop.erase();
}

namespace {

struct RotateLoopBuffers : memory::impl::RotateLoopBuffersPassBase<RotateLoopBuffers> {
  void runOnOperation() override {
    SmallVector<plan::LoopOp> loops;
    getOperation().walk([&](plan::LoopOp loop) { loops.push_back(loop); });
    for (plan::LoopOp loop : loops) {
      SmallVector<Rotation> rotations;
      for (unsigned i = 0; i < loop.getNumResults(); ++i) {
        if (!isa<plan::BufferType>(loop.getResult(i).getType()))
          continue;
        Rotation rotation;
        std::optional<StringRef> why = findRotation(loop, i, rotation);
        if (!why)
          rotations.push_back(std::move(rotation));
        else
          remark::missed(
              loop.getLoc(),
              remark::RemarkOpts::name("rotate-loop-buffers").category("memory").function(getOperation().getSymName()))
              << remark::reason("carried value #{0} keeps memory of its own in "
                                "every iteration: {1}",
                                i, why->str());
      }
      if (!rotations.empty())
        rotate(loop, rotations);
    }
  }
};

} // namespace
