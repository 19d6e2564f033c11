//===- Inlining.cpp - Which values get no name ----------------------------===//

#include "backends/CUDA/Emit/Inlining.h"

#include "backends/CUDA/Emit/Expressions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hone;

/// Ops of one expression; a longer one is hard to read.
static constexpr unsigned kLargestExpression = 8;

namespace {

/// The choice for one block.
class BlockInlining {
public:
  BlockInlining(Block &block, llvm::DenseSet<Operation *> &inlined) : inlined(inlined) {
    for (Operation &op : block) {
      position[&op] = ops.size();
      effectsBefore.push_back(effects);
      ops.push_back(&op);
      effects += !cuda::isExpression(&op) && !isa<memref::LoadOp, memref::ViewOp, memref::AllocaOp, vector::LoadOp,
                                                  vector::ExtractOp, vector::FromElementsOp, vector::BroadcastOp>(op);
    }
  }

  void choose() {
    SmallVector<size_t> root(ops.size());
    for (size_t i = ops.size(); i-- > 0;) {
      root[i] = i;
      Operation *op = ops[i], *user = onlyUser(op);
      if (!user)
        continue;
      size_t last = root[position[user]];
      if (isa<memref::LoadOp>(op) && !mayMove(i, last))
        continue;
      root[i] = last;
      inlined.insert(op);
    }
    limitSize();
  }

private:
  /// The op of this block that alone reads the result of `op`, if `op` can be printed there.
  Operation *onlyUser(Operation *op) {
    if (!cuda::isExpression(op) && !isa<memref::LoadOp>(op))
      return nullptr;
    if (op->getNumOperands() == 0 && (op->hasTrait<OpTrait::ConstantLike>() || op->hasOneUse())) {
      inlined.insert(op);
      return nullptr;
    }
    if (!op->getResult(0).hasOneUse())
      return nullptr;
    Operation *user = *op->getResult(0).user_begin();
    return user->getBlock() == op->getBlock() ? user : nullptr;
  }

  /// Loop bounds are evaluated again and again, in the midst of the loop's effects.
  bool mayMove(size_t load, size_t target) {
    return ops[target]->getNumRegions() == 0 && effectsBefore[target] == effectsBefore[load];
  }

  void limitSize() {
    DenseMap<Operation *, unsigned> size;
    for (Operation *op : ops) {
      unsigned sum = op->getNumOperands() ? 1 : 0;
      for (Value operand : op->getOperands())
        sum += size.lookup(operand.getDefiningOp());
      if (!inlined.contains(op))
        continue;
      size[op] = sum;
      if (sum > kLargestExpression && !cuda::isFusedProduct(op)) {
        inlined.erase(op);
        size[op] = 0;
      }
    }
  }

  llvm::DenseSet<Operation *> &inlined;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, size_t> position;
  SmallVector<unsigned> effectsBefore;
  unsigned effects = 0;
};

} // namespace

llvm::DenseSet<Operation *> cuda::chooseInlined(Operation *root) {
  llvm::DenseSet<Operation *> inlined;
  root->walk([&](Block *block) { BlockInlining(*block, inlined).choose(); });
  return inlined;
}
