//===- ReorderLaunches.cpp - Orders launches for less memory --------------===//
//
// List scheduling of each block on what it does to the memory alive. Only
// allocations of the block with a constant size count; a new order is taken if
// the most that is alive at once gets less.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/BufferLiveness.h"
#include "passes/Memory/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

namespace hone::memory {
#define GEN_PASS_DEF_REORDERLAUNCHESPASS
#include "passes/Memory/Passes.h.inc"
} // namespace hone::memory

using namespace mlir;
using namespace hone;
using namespace hone::memory;

namespace {

/// For each value, the writable buffers it may be a part of.
using RootsOf = DenseMap<Value, SmallVector<unsigned, 1>>;

struct Node {
  Operation *op = nullptr;
  SmallVector<unsigned, 4> successors;
  SmallVector<unsigned, 4> touches; ///< positions in `sizes`
  unsigned predecessors = 0;
};

/// The ops of one block with the order that has to be kept.
class BlockSchedule {
public:
  BlockSchedule(Block &block, const RootsOf &roots);

  SmallVector<unsigned> original() const;
  SmallVector<unsigned> greedy() const;
  /// The most bytes alive at one time.
  int64_t peak(ArrayRef<unsigned> order) const;
  void apply(ArrayRef<unsigned> order) const;
  bool hasSizes() const { return !sizes.empty(); }

private:
  struct Effects {
    llvm::SmallSetVector<unsigned, 4> reads, writes;
    bool keepsOrder = false;
  };

  Effects effectsOf(Operation *op, const RootsOf &roots) const;
  void addEdge(unsigned from, unsigned to);
  void addValueEdges();
  void addMemoryEdges(const RootsOf &roots);
  void addTouches(const RootsOf &roots);

  Block &block;
  SmallVector<Node> nodes;
  DenseMap<Operation *, unsigned> indices;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> useCounts; ///< how many nodes touch it; 0: never freed
};

/// What is alive while nodes run one after the other.
class Memory {
public:
  Memory(ArrayRef<int64_t> sizes, ArrayRef<unsigned> useCounts)
      : sizes(sizes), left(useCounts), touched(sizes.size(), false) {}

  /// Bytes that become alive with `node`, and that die after it.
  std::pair<int64_t, int64_t> effect(const Node &node) const {
    int64_t born = 0, dies = 0;
    for (unsigned buffer : node.touches) {
      born += touched[buffer] ? 0 : sizes[buffer];
      dies += left[buffer] == 1 ? sizes[buffer] : 0;
    }
    return {born, dies};
  }
  void run(const Node &node) {
    auto [born, dies] = effect(node);
    peak = std::max(peak, alive + born);
    alive += born - dies;
    for (unsigned buffer : node.touches) {
      touched[buffer] = true;
      left[buffer] -= left[buffer] != 0;
    }
  }

  int64_t alive = 0, peak = 0;

private:
  ArrayRef<int64_t> sizes;
  SmallVector<unsigned> left;
  SmallVector<bool> touched;
};

} // namespace

BlockSchedule::BlockSchedule(Block &block, const RootsOf &roots) : block(block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    indices[&op] = nodes.size();
    nodes.emplace_back().op = &op;
  }
  addTouches(roots);
  if (!hasSizes())
    return;
  addValueEdges();
  addMemoryEdges(roots);
}

void BlockSchedule::addEdge(unsigned from, unsigned to) {
  if (from == to)
    return;
  nodes[from].successors.push_back(to);
  ++nodes[to].predecessors;
}

void BlockSchedule::addValueEdges() {
  for (auto [index, node] : llvm::enumerate(nodes)) {
    llvm::SmallSetVector<unsigned, 4> from;
    node.op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == &block)
          from.insert(indices.lookup(def));
    });
    for (unsigned other : from)
      addEdge(other, index);
  }
}

BlockSchedule::Effects BlockSchedule::effectsOf(Operation *op, const RootsOf &roots) const {
  Effects result;
  result.keepsOrder = op->getNumRegions() != 0;
  op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(inner))
      return;
    // Moves what the earlier handles of its memory hold.
    if (auto grow = dyn_cast<plan::GrowOp>(inner))
      if (auto it = roots.find(grow.getBuffer()); it != roots.end())
        result.writes.insert(it->second.begin(), it->second.end());
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    result.keepsOrder |= !interface || isa<plan::LoadOp>(inner);
    if (!interface)
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    interface.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
        continue;
      if (!effect.getValue()) {
        result.keepsOrder = true;
        continue;
      }
      auto it = roots.find(effect.getValue());
      if (it == roots.end())
        continue;
      auto &set = isa<MemoryEffects::Write>(effect.getEffect()) ? result.writes : result.reads;
      set.insert(it->second.begin(), it->second.end());
    }
  });
  return result;
}

void BlockSchedule::addMemoryEdges(const RootsOf &roots) {
  struct Access {
    std::optional<unsigned> writer;
    SmallVector<unsigned, 4> readers;
  };
  DenseMap<unsigned, Access> accesses;
  std::optional<unsigned> lastInOrder;
  for (auto [position, node] : llvm::enumerate(nodes)) {
    unsigned index = position;
    Effects effects = effectsOf(node.op, roots);
    for (unsigned root : effects.reads) {
      if (effects.writes.contains(root))
        continue;
      Access &access = accesses[root];
      if (access.writer)
        addEdge(*access.writer, index);
      access.readers.push_back(index);
    }
    for (unsigned root : effects.writes) {
      Access &access = accesses[root];
      if (access.writer)
        addEdge(*access.writer, index);
      for (unsigned reader : access.readers)
        addEdge(reader, index);
      access.writer = index;
      access.readers.clear();
    }
    if (effects.keepsOrder) {
      if (lastInOrder)
        addEdge(*lastInOrder, index);
      lastInOrder = index;
    }
  }
}

void BlockSchedule::addTouches(const RootsOf &roots) {
  for (Node &node : nodes) {
    auto alloc = dyn_cast<plan::AllocOp>(node.op);
    APInt bytes;
    if (!alloc || !matchPattern(alloc.getBytes(), m_ConstantInt(&bytes)) || !bytes.isStrictlyPositive() ||
        bytes.getActiveBits() > 48)
      continue;
    llvm::SetVector<Value> aliases;
    collectAliases(alloc.getBuffer(), aliases);
    llvm::SmallSetVector<unsigned, 8> users;
    bool leaves = false;
    for (Value alias : aliases)
      for (Operation *user : alias.getUsers()) {
        Operation *here = block.findAncestorOpInBlock(*user);
        leaves |= !here || here->hasTrait<OpTrait::IsTerminator>();
        if (here && !leaves && !isa<plan::ViewOp>(here))
          users.insert(indices.lookup(here));
      }
    unsigned buffer = sizes.size();
    sizes.push_back(llvm::alignTo(bytes.getZExtValue(), 64));
    useCounts.push_back(leaves ? 0 : users.size());
    for (unsigned user : users)
      nodes[user].touches.push_back(buffer);
  }
}

SmallVector<unsigned> BlockSchedule::original() const { return llvm::to_vector(llvm::seq<unsigned>(0, nodes.size())); }

SmallVector<unsigned> BlockSchedule::greedy() const {
  Memory memory(sizes, useCounts);
  SmallVector<unsigned> waiting, order;
  std::set<unsigned> ready;
  for (auto [index, node] : llvm::enumerate(nodes)) {
    waiting.push_back(node.predecessors);
    if (node.predecessors == 0)
      ready.insert(index);
  }
  while (!ready.empty()) {
    // What touches no memory costs nothing; else what leaves least alive.
    unsigned best = *ready.begin();
    std::optional<std::pair<int64_t, int64_t>> bestCost;
    for (unsigned index : ready) {
      if (nodes[index].touches.empty()) {
        best = index;
        break;
      }
      auto [born, dies] = memory.effect(nodes[index]);
      std::pair<int64_t, int64_t> cost{born - dies, born};
      if (!bestCost || cost < *bestCost) {
        bestCost = cost;
        best = index;
      }
    }
    ready.erase(best);
    order.push_back(best);
    memory.run(nodes[best]);
    for (unsigned next : nodes[best].successors)
      if (--waiting[next] == 0)
        ready.insert(next);
  }
  return order;
}

int64_t BlockSchedule::peak(ArrayRef<unsigned> order) const {
  Memory memory(sizes, useCounts);
  for (unsigned index : order)
    memory.run(nodes[index]);
  return memory.peak;
}

void BlockSchedule::apply(ArrayRef<unsigned> order) const {
  Block::iterator end = block.end();
  if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
    end = std::prev(end);
  for (unsigned index : order)
    nodes[index].op->moveBefore(&block, end);
}

namespace {

struct ReorderLaunches : memory::impl::ReorderLaunchesPassBase<ReorderLaunches> {
  void runOnOperation() override;
  void reorder(Block &block, const RootsOf &roots);
};

} // namespace

void ReorderLaunches::reorder(Block &block, const RootsOf &roots) {
  BlockSchedule schedule(block, roots);
  if (!schedule.hasSizes())
    return;
  int64_t before = schedule.peak(schedule.original());
  SmallVector<unsigned> order = schedule.greedy();
  int64_t after = schedule.peak(order);
  if (after >= before)
    return;
  schedule.apply(order);
  remark::passed(block.getParentOp()->getLoc(),
                 remark::RemarkOpts::name("reorder-launches").category("memory").function(getOperation().getSymName()))
      << remark::reason("at most {0} bytes alive instead of {1}", after, before);
}

void ReorderLaunches::runOnOperation() {
  RootsOf roots;
  unsigned count = 0;
  std::map<int64_t, unsigned> growing;
  auto add = [&](Value buffer, unsigned root) {
    llvm::SetVector<Value> aliases;
    collectAliases(buffer, aliases);
    for (Value alias : aliases)
      roots[alias].push_back(root);
  };
  getOperation().walk([&](Operation *op) {
    if (auto grow = dyn_cast<plan::GrowOp>(op)) {
      auto [it, isNew] = growing.insert({static_cast<int64_t>(grow.getMemory()), count});
      add(grow, it->second);
      count += isNew;
    }
    if (!isa<plan::AllocOp, plan::ReserveOp, plan::OutputBufferOp>(op))
      return;
    for (Value buffer : op->getResults())
      add(buffer, count++);
  });
  getOperation().walk([&](Block *block) { reorder(*block, roots); });
}
