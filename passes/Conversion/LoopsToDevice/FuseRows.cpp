//===- FuseRows.cpp - One loop over rows for several loops ----------------===//

#include "passes/Conversion/LoopsToDevice/FuseRows.h"

#include "passes/Conversion/LoopsToDevice/BufferAccess.h"
#include "passes/Conversion/LoopsToDevice/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Longer rows are left to the whole device, unless there are enough of them for all of it.
static constexpr int64_t kLongRow = 8192, kManyRows = 128;

namespace {

/// What one loop does to one buffer.
struct RowAccess {
  bool writes = false;
  bool isInRow = true;           ///< only elements of the iteration's row
  SmallVector<int64_t> position; ///< of each dimension of the row among the indices, the same everywhere
};
using RowAccesses = llvm::SmallMapVector<Value, RowAccess, 8>;

class RowFusion {
public:
  explicit RowFusion(Block &block) : block(block) {}
  void run();

private:
  void take(scf::ParallelOp loop);
  void finish();
  unsigned rowsWith(scf::ParallelOp loop) const;
  bool staysInRows(scf::ParallelOp next, unsigned count) const;
  bool pays() const;

  Block &block;
  SmallVector<scf::ParallelOp> loops; ///< what will be one loop
  unsigned rows = 0;                  ///< how many of their dimensions are those of the row
};

} // namespace

static bool isSameBound(Value a, Value b) {
  auto number = getConstantIntValue(a);
  return a == b || (number && number == getConstantIntValue(b));
}

/// How many leading dimensions of two loops run over the same range.
static unsigned commonDims(scf::ParallelOp a, scf::ParallelOp b) {
  unsigned count = 0, most = std::min(a.getNumLoops(), b.getNumLoops());
  while (count < most && isSameBound(a.getLowerBound()[count], b.getLowerBound()[count]) &&
         isSameBound(a.getUpperBound()[count], b.getUpperBound()[count]) &&
         isSameBound(a.getStep()[count], b.getStep()[count]))
    ++count;
  return count;
}

/// Whether an iteration is more than its own elements: then its dimensions are those of rows.
static bool folds(scf::ParallelOp loop) { return !loop.getBody()->getOps<scf::ForOp>().empty(); }

/// Whether only loads and stores touch memory, and none of it is the iteration's own.
static bool isSimple(scf::ParallelOp loop) {
  bool isSimple = loop.getNumReductions() == 0;
  loop.walk([&](Operation *op) {
    isSimple &= isa<memref::LoadOp, memref::StoreOp>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                isMemoryEffectFree(op);
  });
  return isSimple;
}

/// The position of each of the first `count` induction variables of `loop` among `indices`; empty when one is missing.
static SmallVector<int64_t> rowPosition(scf::ParallelOp loop, unsigned count, ValueRange indices) {
  SmallVector<int64_t> position;
  SmallVector<Value> variables = loop.getInductionVars();
  for (Value variable : ArrayRef(variables).take_front(count)) {
    auto found = llvm::find(indices, variable);
    if (found == indices.end())
      return {};
    position.push_back(std::distance(indices.begin(), found));
  }
  return position;
}

/// What `loop` does to each buffer, rows having `count` dimensions.
static RowAccesses rowAccesses(scf::ParallelOp loop, unsigned count) {
  RowAccesses result;
  auto add = [&](Value buffer, ValueRange indices, bool writes) {
    SmallVector<int64_t> position = rowPosition(loop, count, indices);
    for (Value root : rootsOf(buffer)) {
      auto [known, isNew] = result.try_emplace(root, RowAccess{writes, true, position});
      known->second.writes |= writes;
      known->second.isInRow &= root == buffer && !position.empty() && position == known->second.position;
    }
  };
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      add(load.getMemRef(), load.getIndices(), /*writes=*/false);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      add(store.getMemRef(), store.getIndices(), /*writes=*/true);
  });
  return result;
}

/// How many leading dimensions would be rows with `loop` as well; 0 when it cannot join.
unsigned RowFusion::rowsWith(scf::ParallelOp loop) const {
  unsigned common = std::min(rows, commonDims(loops.back(), loop));
  // Elementwise loops may be cut into longer rows; a loop that folds has said what a row is.
  bool isFixed =
      common < rows &&
      llvm::any_of(loops, [&](scf::ParallelOp other) { return other.getNumLoops() == rows && folds(other); });
  return isFixed || !staysInRows(loop, common) ? 0 : common;
}

/// Whether what one of the loops and `next` writes and another accesses lies in the row of both.
bool RowFusion::staysInRows(scf::ParallelOp next, unsigned count) const {
  if (count == 0)
    return false;
  struct Total {
    unsigned loops = 0;
    RowAccess access;
  };
  llvm::SmallMapVector<Value, Total, 8> totals;
  auto add = [&](scf::ParallelOp loop) {
    for (auto &[root, access] : rowAccesses(loop, count)) {
      Total &total = totals[root];
      bool isSame = total.loops++ == 0 || total.access.position == access.position;
      bool isInRow = isSame && access.isInRow && (total.loops == 1 || total.access.isInRow);
      total.access = {total.access.writes || access.writes, isInRow, access.position};
    }
  };
  llvm::for_each(loops, add);
  add(next);
  return llvm::all_of(totals, [](auto &entry) {
    auto &[root, total] = entry;
    return total.loops == 1 || !total.access.writes || total.access.isInRow;
  });
}

/// The product of known numbers of iterations of `loop`, from dimension `from` up to `to`.
static int64_t knownTrips(scf::ParallelOp loop, unsigned from, unsigned to) {
  int64_t product = 1;
  for (unsigned dim = from; dim < to; ++dim)
    product = llvm::SaturatingMultiply<uint64_t>(
        product, trips(loop.getLowerBound()[dim], loop.getUpperBound()[dim], loop.getStep()[dim]).value_or(1));
  return product;
}

bool RowFusion::pays() const {
  int64_t longest = 1;
  for (scf::ParallelOp loop : loops)
    longest = std::max(longest, knownTrips(loop, rows, loop.getNumLoops()));
  return longest <= kLongRow || knownTrips(loops.front(), 0, rows) >= kManyRows;
}

/// Makes the loops one, at the place of the last.
void RowFusion::finish() {
  if (loops.size() > 1 && pays()) {
    scf::ParallelOp last = loops.back();
    OpBuilder builder(last);
    auto fused = scf::ParallelOp::create(builder, last.getLoc(), last.getLowerBound().take_front(rows),
                                         last.getUpperBound().take_front(rows), last.getStep().take_front(rows));
    builder.setInsertionPointToStart(fused.getBody());
    for (scf::ParallelOp loop : loops) {
      IRMapping mapping;
      SmallVector<Value> variables = loop.getInductionVars();
      mapping.map(ArrayRef(variables).take_front(rows), fused.getInductionVars());
      OpBuilder::InsertionGuard guard(builder);
      if (loop.getNumLoops() > rows) {
        auto inner = scf::ParallelOp::create(builder, loop.getLoc(), loop.getLowerBound().drop_front(rows),
                                             loop.getUpperBound().drop_front(rows), loop.getStep().drop_front(rows));
        mapping.map(ArrayRef(variables).drop_front(rows), inner.getInductionVars());
        builder.setInsertionPointToStart(inner.getBody());
      }
      for (Operation &op : loop.getBody()->without_terminator())
        builder.clone(op, mapping);
      loop.erase();
    }
    fuseRows(*fused.getBody());
  }
  loops.clear();
}

void RowFusion::take(scf::ParallelOp loop) {
  unsigned common = loops.empty() ? 0 : rowsWith(loop);
  if (common == 0) {
    finish();
    rows = loop.getNumLoops();
  } else {
    rows = common;
  }
  loops.push_back(loop);
}

void RowFusion::run() {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (loop && isSimple(loop))
      take(loop);
    // What is between the loops and touches no memory stays in front of them.
    else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp, memref::AllocaOp>(op))
      finish();
  }
  finish();
}

void loops_to_device::fuseRows(Block &block) { RowFusion(block).run(); }
