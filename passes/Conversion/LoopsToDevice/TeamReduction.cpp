//===- TeamReduction.cpp - Workgroups that fold together ------------------===//
//
// Where there are few results of many values each, a thread a result leaves the device idle, and threads that read
// far apart waste what memory delivers. The order of combination is fixed: results do not change from run to run.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/TeamReduction.h"

#include "passes/Conversion/LoopsToDevice/BufferAccess.h"
#include "passes/Conversion/LoopsToDevice/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// With fewer values a result, one thread is as fast.
static constexpr int64_t kLeastValues = 32;
/// What is assumed of counts that only the device knows.
static constexpr int64_t kUsualValues = 256, kUsualResults = 1024;
/// More results of values that lie one after another are no work for teams: starting them would take longer.
static constexpr int64_t kMostResults = 1 << 20;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Whether the order of combination is free.
static bool isReorderable(Operation *op) {
  if (op->getNumOperands() != 2 || !op->hasTrait<OpTrait::IsCommutative>() || !arith::getNeutralElement(op))
    return false;
  auto number = dyn_cast<arith::ArithFastMathInterface>(op);
  return !isa<arith::AddFOp, arith::MulFOp>(op) ||
         arith::bitEnumContainsAll(number.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::reassoc);
}

/// The loops of a perfect nest, whose bounds are known before it; empty when it is none.
static SmallVector<scf::ForOp> nestOf(scf::ForOp outermost) {
  SmallVector<scf::ForOp> nest;
  for (scf::ForOp loop = outermost; loop;) {
    if (loop.getNumRegionIterArgs() != 0)
      return {};
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (outermost->isAncestor(bound.getParentRegion()->getParentOp()))
        return {};
    nest.push_back(loop);
    scf::ForOp inner;
    bool isInnermost = false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto next = dyn_cast<scf::ForOp>(op); next && !inner)
        inner = next;
      else if (!isMemoryEffectFree(&op))
        isInnermost = true;
    }
    if (inner && isInnermost)
      return {};
    loop = inner;
  }
  return nest;
}

static bool sharesRoot(Value buffer, const DenseSet<Value> &roots) {
  return llvm::any_of(rootsOf(buffer), [&](Value root) { return roots.contains(root); });
}

std::optional<TeamReduction> TeamReduction::match(scf::ParallelOp loop) {
  TeamReduction found{loop, {}, nullptr, nullptr, nullptr};
  DenseSet<Value> written = writtenBuffers(loop);
  // In front of the nest: arithmetic, reading what nobody writes, and stores.
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nest = dyn_cast<scf::ForOp>(op)) {
      if (!found.nest.empty())
        return std::nullopt;
      found.nest = nestOf(nest);
      if (found.nest.empty())
        return std::nullopt;
      continue;
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    bool isPlain = isMemoryEffectFree(&op) || isa<memref::StoreOp>(op) ||
                   (load && (!found.nest.empty() || !sharesRoot(load.getMemRef(), written)));
    if (op.getNumRegions() != 0 || !isPlain)
      return std::nullopt;
  }
  if (found.nest.empty())
    return std::nullopt;

  Operation *outermost = found.nest.front();
  Block &body = *found.nest.back().getBody();
  for (auto store : body.getOps<memref::StoreOp>()) {
    if (found.store)
      return std::nullopt;
    found.store = store;
  }
  if (!found.store)
    return std::nullopt;
  bool isPlain = true;
  body.walk([&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (load && load.getMemRef() == found.store.getMemRef() && load.getIndices() == found.store.getIndices() &&
        load->getBlock() == &body && !found.running)
      found.running = load;
    else if (load)
      isPlain &= !sharesRoot(load.getMemRef(), written);
    else
      isPlain &= op == found.store.getOperation() || isMemoryEffectFree(op) || op->getNumRegions() != 0;
  });
  for (Value index : found.store.getIndices())
    isPlain &= !outermost->isAncestor(index.getParentRegion()->getParentOp());
  if (!isPlain || !found.running || outermost->isAncestor(found.store.getMemRef().getParentRegion()->getParentOp()))
    return std::nullopt;
  found.combine = found.store.getValue().getDefiningOp();
  bool folds = found.combine && found.combine->getBlock() == &body && found.combine->hasOneUse() &&
               found.running->hasOneUse() && *found.running->user_begin() == found.combine &&
               isReorderable(found.combine);
  return folds ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static std::optional<int64_t> trips(Value low, Value high, Value step) {
  auto first = getConstantIntValue(low), end = getConstantIntValue(high), by = getConstantIntValue(step);
  if (!first || !end || !by || *by <= 0)
    return std::nullopt;
  return *end <= *first ? 0 : llvm::divideCeil(*end - *first, *by);
}

unsigned TeamReduction::teamSize(const TargetInfo &info) {
  int64_t values = 1, results = 1;
  for (scf::ForOp loop : nest)
    values = llvm::SaturatingMultiply<uint64_t>(
        values, trips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()).value_or(kUsualValues));
  for (auto [low, high, step] : llvm::zip(outer.getLowerBound(), outer.getUpperBound(), outer.getStep()))
    results = llvm::SaturatingMultiply<uint64_t>(results, trips(low, high, step).value_or(kUsualResults));
  unsigned full = info.workgroupSize ? info.workgroupSize : 256, unit = info.subgroupSize ? info.subgroupSize : 32;
  if (values < kLeastValues)
    return 0;
  // Neighbouring threads should read neighbouring values: those of one result, or those of one step.
  bool runsAlong = false;
  nest.back().getBody()->walk([&](memref::LoadOp load) {
    runsAlong |= !load.getIndices().empty() && load.getIndices().back() == nest.back().getInductionVar();
  });
  int64_t most = runsAlong ? kMostResults : int64_t(std::max(1u, info.computeUnits)) * unit;
  if (results > most)
    return 0;
  return std::clamp<uint64_t>(llvm::bit_floor(uint64_t(values)), unit, llvm::bit_floor(full));
}

//===----------------------------------------------------------------------===//
// Distributing
//===----------------------------------------------------------------------===//

namespace {

class TeamWriter {
public:
  TeamWriter(TeamReduction given, int64_t threads)
      : reduction(std::move(given)), threads(threads), builder(reduction.outer), loc(reduction.outer.getLoc()) {}
  void run();

private:
  void writeIteration(IterationSpace &space, Value number);
  Value fold(IRMapping &mapping);
  Value combineShares(Value share);
  Value combine(OpBuilder &at, Value a, Value b);
  void onFirst(function_ref<void(OpBuilder &)> body);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  TeamReduction reduction;
  int64_t threads;
  OpBuilder builder;
  Location loc;
  Value thread;
};

} // namespace

Value TeamWriter::combine(OpBuilder &at, Value a, Value b) {
  IRMapping mapping;
  mapping.map(reduction.combine->getOperand(0), a);
  mapping.map(reduction.combine->getOperand(1), b);
  return at.clone(*reduction.combine, mapping)->getResult(0);
}

void TeamWriter::onFirst(function_ref<void(OpBuilder &)> body) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, index(0));
  auto guard = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder inside = guard.getThenBodyBuilder();
  body(inside);
}

/// A thread's share: every `threads`-th value.
Value TeamWriter::fold(IRMapping &mapping) {
  SmallVector<Value> extents;
  Value count = index(1);
  for (scf::ForOp loop : reduction.nest) {
    Value low = mapping.lookupOrDefault(loop.getLowerBound()), high = mapping.lookupOrDefault(loop.getUpperBound());
    Value distance = builder.createOrFold<arith::SubIOp>(loc, high, low);
    Value extent = builder.createOrFold<arith::CeilDivSIOp>(loc, distance, mapping.lookupOrDefault(loop.getStep()));
    extents.push_back(builder.createOrFold<arith::MaxSIOp>(loc, extent, index(0)));
    count = builder.createOrFold<arith::MulIOp>(loc, count, extents.back());
  }
  Value neutral = arith::ConstantOp::create(builder, loc, *arith::getNeutralElement(reduction.combine));
  auto turns = scf::ForOp::create(builder, loc, thread, count, index(threads), neutral);
  OpBuilder inside = OpBuilder::atBlockBegin(turns.getBody());
  Value rest = turns.getInductionVar();
  for (size_t i = reduction.nest.size(); i-- > 0;) {
    scf::ForOp loop = reduction.nest[i];
    Value at = i ? inside.createOrFold<arith::RemUIOp>(loc, rest, extents[i]) : rest;
    if (i)
      rest = inside.createOrFold<arith::DivUIOp>(loc, rest, extents[i]);
    Value scaled = inside.createOrFold<arith::MulIOp>(loc, at, mapping.lookupOrDefault(loop.getStep()));
    Value low = mapping.lookupOrDefault(loop.getLowerBound());
    mapping.map(loop.getInductionVar(), inside.createOrFold<arith::AddIOp>(loc, scaled, low));
  }
  mapping.map(reduction.running.getResult(), turns.getRegionIterArg(0));
  for (scf::ForOp loop : reduction.nest)
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<scf::ForOp>(op) && &op != reduction.running.getOperation() && &op != reduction.store.getOperation())
        inside.clone(op, mapping);
  scf::YieldOp::create(inside, loc, mapping.lookup(reduction.store.getValue()));
  return turns.getResult(0);
}

/// Memory whose first element is what all threads have.
Value TeamWriter::combineShares(Value share) {
  auto function = reduction.outer->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  Value shares = memref::AllocaOp::create(
      entry, loc, MemRefType::get({threads}, share.getType(), MemRefLayoutAttrInterface(), space));
  memref::StoreOp::create(builder, loc, share, shares, thread);
  gpu::BarrierOp::create(builder, loc);
  for (int64_t half = threads / 2; half > 0; half /= 2) {
    Value isLower = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, thread, index(half));
    auto guard = scf::IfOp::create(builder, loc, isLower, /*withElseRegion=*/false);
    OpBuilder inside = guard.getThenBodyBuilder();
    Value other = arith::AddIOp::create(inside, loc, thread, arith::ConstantIndexOp::create(inside, loc, half));
    Value mine = memref::LoadOp::create(inside, loc, shares, thread);
    Value theirs = memref::LoadOp::create(inside, loc, shares, other);
    memref::StoreOp::create(inside, loc, combine(inside, mine, theirs), shares, thread);
    gpu::BarrierOp::create(builder, loc);
  }
  return shares;
}

void TeamWriter::writeIteration(IterationSpace &space, Value number) {
  IRMapping mapping;
  mapping.map(reduction.outer.getInductionVars(), space.positions(builder, number));
  Operation *nest = reduction.nest.front();
  auto first = reduction.outer.getBody()->begin();
  for (; &*first != nest; ++first) {
    if (isa<memref::StoreOp>(*first))
      onFirst([&](OpBuilder &inside) { inside.clone(*first, mapping); });
    else
      builder.clone(*first, mapping);
  }
  Value shares = combineShares(fold(mapping));
  onFirst([&](OpBuilder &inside) {
    IRMapping here = mapping;
    Value total =
        memref::LoadOp::create(inside, loc, shares, arith::ConstantIndexOp::create(inside, loc, 0).getResult());
    Value running = inside.clone(*reduction.running, here)->getResult(0);
    here.map(reduction.store.getValue(), combine(inside, running, total));
    inside.clone(*reduction.store, here);
    for (Operation &op : llvm::make_range(std::next(first), reduction.outer.getBody()->getTerminator()->getIterator()))
      inside.clone(op, here);
  });
}

void TeamWriter::run() {
  IterationSpace space(builder, reduction.outer);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  auto count = getConstantIntValue(space.count());
  if (count && *count <= TeamReduction::kMostTeams) {
    writeIteration(space, block);
  } else {
    auto turns = scf::ForOp::create(builder, loc, block, space.count(), index(TeamReduction::kMostTeams));
    builder.setInsertionPointToStart(turns.getBody());
    writeIteration(space, turns.getInductionVar());
  }
  reduction.outer.erase();
}

void TeamReduction::distribute(int64_t threads) { TeamWriter(*this, threads).run(); }

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

/// The store that is all an iteration does, at the place of its number; null when that is not so.
static memref::StoreOp fillOf(scf::ParallelOp loop) {
  Block &body = *loop.getBody();
  auto store = dyn_cast<memref::StoreOp>(body.front());
  bool isFill = store && loop.getNumReductions() == 0 && &*std::next(body.begin()) == body.getTerminator() &&
                llvm::equal(store.getIndices(), loop.getInductionVars()) &&
                store.getValue().getParentBlock() != &body && store.getMemRef().getParentBlock() != &body;
  return isFill ? store : memref::StoreOp();
}

/// Whether equal values, or equal constants.
static bool areEqual(ValueRange a, ValueRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           auto number = getConstantIntValue(x);
           return x == y || (number && number == getConstantIntValue(y));
         });
}

void loops_to_device::mergeFills(Block &block) {
  scf::ParallelOp before;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (!loop) {
      if (!isMemoryEffectFree(&op))
        before = nullptr;
      continue;
    }
    memref::StoreOp fill = before ? fillOf(before) : memref::StoreOp();
    std::optional<TeamReduction> folds = fill ? TeamReduction::match(loop) : std::nullopt;
    if (folds && folds->store.getMemRef() == fill.getMemRef() &&
        llvm::equal(folds->store.getIndices(), loop.getInductionVars()) &&
        areEqual(before.getLowerBound(), loop.getLowerBound()) &&
        areEqual(before.getUpperBound(), loop.getUpperBound()) && areEqual(before.getStep(), loop.getStep())) {
      IRMapping mapping;
      mapping.map(before.getInductionVars(), loop.getInductionVars());
      OpBuilder::atBlockBegin(loop.getBody()).clone(*fill, mapping);
      before.erase();
    }
    before = loop;
  }
}
