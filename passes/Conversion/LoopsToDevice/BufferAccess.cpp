//===- BufferAccess.cpp - Which buffers ops read and write ----------------===//

#include "passes/Conversion/LoopsToDevice/BufferAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace hone;

static void collectRoots(Value buffer, SmallVector<Value> &roots) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    // A loop carries one buffer: bufferization sees to it that what it yields is what it was given.
    if (init)
      return collectRoots(init->get(), roots);
    roots.push_back(buffer);
    return;
  }
  Operation *op = buffer.getDefiningOp();
  // Parts of scratch memory are places of their own.
  if (isa<memref::ViewOp>(op)) {
    roots.push_back(buffer);
    return;
  }
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return collectRoots(view.getViewSource(), roots);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    collectRoots(select.getTrueValue(), roots);
    collectRoots(select.getFalseValue(), roots);
    return;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(buffer)))
      return collectRoots(init->get(), roots);
  roots.push_back(buffer);
}

SmallVector<Value> loops_to_device::rootsOf(Value buffer) {
  SmallVector<Value> roots;
  collectRoots(buffer, roots);
  return roots;
}

DenseSet<Value> loops_to_device::writtenBuffers(Operation *kernel) {
  DenseSet<Value> written;
  kernel->walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        for (Value root : rootsOf(effect.getValue()))
          written.insert(root);
  });
  return written;
}

loops_to_device::SharedAccess loops_to_device::sharedAccess(Operation *op, const DenseSet<Value> &written) {
  SharedAccess result;
  op->walk([&](Operation *inner) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects || inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      bool isRead = isa<MemoryEffects::Read>(effect.getEffect()),
           isWrite = isa<MemoryEffects::Write>(effect.getEffect());
      if (!isRead && !isWrite)
        continue;
      bool isShared = !effect.getValue() || llvm::any_of(rootsOf(effect.getValue()), [&](Value root) {
        return written.contains(root) && !root.getDefiningOp<memref::AllocaOp>();
      });
      result.reads |= isRead && isShared;
      result.writes |= isWrite && isShared;
    }
  });
  return result;
}
