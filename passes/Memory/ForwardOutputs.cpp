//===- ForwardOutputs.cpp - Producers write into output buffers -----------===//

#include "passes/Memory/BufferLiveness.h"
#include "passes/Memory/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone::memory {
#define GEN_PASS_DEF_FORWARDOUTPUTSPASS
#include "passes/Memory/Passes.h.inc"
} // namespace hone::memory

using namespace mlir;
using namespace hone;
using namespace hone::memory;

static bool isSameInteger(Value a, Value b) {
  APInt x, y;
  return a == b || (matchPattern(a, m_ConstantInt(&x)) && matchPattern(b, m_ConstantInt(&y)) && x == y);
}

/// Whether `op` itself may write through one of its operands that is in
/// `aliases`.
static bool mayWrite(Operation *op, const llvm::SetVector<Value> &aliases) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Write>(e.getEffect()) && (!e.getValue() || aliases.contains(e.getValue()));
  });
}

/// Whether the bytes of `alloc` are written by what follows `copy`, or in a
/// region that contains uses before and after it.
static bool isWrittenAfter(plan::AllocOp alloc, plan::CopyOp copy) {
  llvm::SetVector<Value> aliases;
  collectAliases(alloc.getBuffer(), aliases);
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers()) {
      Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
      if (here && copy->isBeforeInBlock(here) && mayWrite(user, aliases))
        return true;
    }
  return false;
}

/// Replaces the allocation that `copy` reads by the output that it writes.
static bool forward(plan::CopyOp copy) {
  auto alloc = copy.getSource().getDefiningOp<plan::AllocOp>();
  auto output = copy.getTarget().getDefiningOp<plan::OutputBufferOp>();
  if (!alloc || !output || alloc->getBlock() != copy->getBlock() || output->getBlock() != copy->getBlock() ||
      alloc.getOffset() || !output.getBuffer().hasOneUse())
    return false;
  if (!isSameInteger(alloc.getBytes(), copy.getBytes()) || !isSameInteger(output.getBytes(), copy.getBytes()) ||
      isWrittenAfter(alloc, copy))
    return false;
  if (alloc->isBeforeInBlock(output)) {
    output->moveBefore(alloc);
    output.getBytesMutable().assign(alloc.getBytes());
  }
  alloc.getBuffer().replaceAllUsesWith(output.getBuffer());
  copy.erase();
  alloc.erase();
  return true;
}

namespace {

struct ForwardOutputs : memory::impl::ForwardOutputsPassBase<ForwardOutputs> {
  void runOnOperation() override {
    bool changed = false;
    // Outputs are made once a run, so only copies outside of loops can count;
    // `forward` asks for one block, which may be a branch.
    SmallVector<plan::CopyOp> copies;
    getOperation().walk([&](plan::CopyOp copy) { copies.push_back(copy); });
    for (plan::CopyOp copy : copies)
      changed |= forward(copy);
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
