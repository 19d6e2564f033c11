//===- TeamFold.cpp - Workgroups that fold together -----------------------===//
//
// Where there are few results of many values each, a thread a result leaves the device idle, and threads that read
// far apart waste what memory delivers. The order of combination is fixed: results do not change from run to run.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/TeamFold.h"

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

/// Whether the result is one of the operands: rounding it at each step or at the end is the same.
static bool chooses(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
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

/// How many values a nest goes through, as far as it is known.
static int64_t valuesOf(ArrayRef<scf::ForOp> nest) {
  int64_t values = 1;
  for (scf::ForOp loop : nest)
    values = llvm::SaturatingMultiply<uint64_t>(
        values, trips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()).value_or(kUsualValues));
  return values;
}

/// Finds the store, and the load of the same element; nothing else may touch the buffer or write.
static bool matchMemory(TeamFold &fold) {
  Operation *outermost = fold.nest.front();
  Block &body = *fold.nest.back().getBody();
  for (auto store : body.getOps<memref::StoreOp>()) {
    if (fold.store)
      return false;
    fold.store = store;
  }
  if (!fold.store)
    return false;
  SmallVector<Value> stored = rootsOf(fold.store.getMemRef());
  bool isPlain = true;
  body.walk([&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (load && load.getMemRef() == fold.store.getMemRef() && load.getIndices() == fold.store.getIndices() &&
        load->getBlock() == &body && !fold.running)
      fold.running = load;
    else if (load)
      isPlain &= llvm::none_of(rootsOf(load.getMemRef()), [&](Value root) { return llvm::is_contained(stored, root); });
    else
      isPlain &= op == fold.store.getOperation() || isMemoryEffectFree(op) || op->getNumRegions() != 0;
  });
  for (Value operand : fold.store->getOperands().drop_front())
    isPlain &= !outermost->isAncestor(operand.getParentRegion()->getParentOp());
  return isPlain && fold.running;
}

/// `running`, perhaps wider, is combined with one value and stored, perhaps as narrow as it was.
static bool matchArithmetic(TeamFold &fold) {
  auto onlyUser = [](Operation *op) { return op->hasOneUse() ? *op->user_begin() : nullptr; };
  Operation *user = onlyUser(fold.running);
  if (user && isa<arith::ExtFOp>(user)) {
    fold.widen = user;
    user = onlyUser(user);
  }
  fold.combine = fold.store.getValue().getDefiningOp();
  if (fold.widen && isa_and_present<arith::TruncFOp>(fold.combine) && fold.combine->hasOneUse()) {
    fold.narrow = fold.combine;
    fold.combine = fold.narrow->getOperand(0).getDefiningOp();
  }
  return fold.combine && fold.combine == user && fold.combine->getBlock() == fold.nest.back().getBody() &&
         fold.combine->hasOneUse() && isReorderable(fold.combine) &&
         (!fold.widen ||
          (fold.narrow && chooses(fold.combine) && fold.narrow->getResult(0).getType() == fold.running.getType()));
}

std::optional<TeamFold> TeamFold::match(Operation *outermost) {
  TeamFold found;
  if (auto loop = dyn_cast<scf::ForOp>(outermost))
    found.nest = nestOf(loop);
  bool isFold =
      !found.nest.empty() && valuesOf(found.nest) >= kLeastValues && matchMemory(found) && matchArithmetic(found);
  return isFold ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

namespace {

/// What a team would do together in each iteration of a loop.
struct TeamWork {
  int64_t values = 0;     ///< of the longest piece
  bool runsAlong = false; ///< whether neighbouring threads read or write neighbours in memory somewhere
};

} // namespace

/// Whether `op` accesses what lies along `variable`.
static bool runsAlong(Operation *op, Value variable) {
  return op
      ->walk([&](Operation *inner) {
        ValueRange indices;
        if (auto load = dyn_cast<memref::LoadOp>(inner))
          indices = load.getIndices();
        else if (auto store = dyn_cast<memref::StoreOp>(inner))
          indices = store.getIndices();
        return !indices.empty() && indices.back() == variable ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Nothing when an iteration has work for one thread that may be long, or memory of its own.
static std::optional<TeamWork> teamWork(scf::ParallelOp loop) {
  TeamWork work;
  DenseSet<Value> written = writtenBuffers(loop);
  if (llvm::any_of(written, [](Value root) { return root.getDefiningOp<memref::AllocaOp>(); }))
    return std::nullopt;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0 || isMemoryEffectFree(&op))
      continue;
    if (auto inner = dyn_cast<scf::ParallelOp>(op)) {
      int64_t values = 1;
      for (auto [low, high, step] : llvm::zip(inner.getLowerBound(), inner.getUpperBound(), inner.getStep()))
        values = llvm::SaturatingMultiply<uint64_t>(values, trips(low, high, step).value_or(kUsualValues));
      work.values = std::max(work.values, values);
      work.runsAlong |= runsAlong(inner, inner.getInductionVars().back());
    } else if (auto fold = TeamFold::match(&op)) {
      work.values = std::max(work.values, valuesOf(fold->nest));
      work.runsAlong |= runsAlong(fold->nest.back(), fold->nest.back().getInductionVar());
    } else {
      return std::nullopt;
    }
  }
  return work;
}

unsigned loops_to_device::teamSize(scf::ParallelOp loop, const TargetInfo &info) {
  std::optional<TeamWork> work = teamWork(loop);
  if (!work || work->values < kLeastValues)
    return 0;
  int64_t results = 1;
  for (auto [low, high, step] : llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()))
    results = llvm::SaturatingMultiply<uint64_t>(results, trips(low, high, step).value_or(kUsualResults));
  unsigned full = info.workgroupSize ? info.workgroupSize : 256, unit = info.subgroupSize ? info.subgroupSize : 32;
  // Neighbouring threads should read neighbouring values: those of one result, or those of one step.
  int64_t most = work->runsAlong ? kMostResults : int64_t(std::max(1u, info.computeUnits)) * unit;
  if (results > most)
    return 0;
  return std::clamp<uint64_t>(llvm::bit_floor(uint64_t(work->values)), unit, llvm::bit_floor(full));
}

//===----------------------------------------------------------------------===//
// Distributing
//===----------------------------------------------------------------------===//

namespace {

class TeamWriter {
public:
  TeamWriter(const TeamFold &given, Value thread, int64_t threads, int64_t lanes)
      : fold(given), thread(thread), threads(threads), lanes(lanes), builder(fold.nest.front()),
        loc(given.combine->getLoc()) {}
  SmallVector<Operation *> run();

private:
  Value foldShare();
  Value combineSubgroup(Value share);
  Value show(Value share, int64_t values, Value isWriter, Value number);
  Value combinePairs(Value share);
  Value total(SmallVectorImpl<Operation *> &rest);
  Value combine(OpBuilder &at, Value a, Value b);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  TeamFold fold;
  Value thread;
  int64_t threads, lanes;
  OpBuilder builder;
  Location loc;
};

} // namespace

Value TeamWriter::combine(OpBuilder &at, Value a, Value b) {
  IRMapping mapping;
  mapping.map(fold.combine->getOperand(0), a);
  mapping.map(fold.combine->getOperand(1), b);
  return at.clone(*fold.combine, mapping)->getResult(0);
}

/// A thread's share: every `threads`-th value.
Value TeamWriter::foldShare() {
  SmallVector<Value> extents;
  Value count = index(1);
  for (scf::ForOp loop : fold.nest) {
    Value distance = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), loop.getLowerBound());
    Value extent = builder.createOrFold<arith::CeilDivSIOp>(loc, distance, loop.getStep());
    extents.push_back(builder.createOrFold<arith::MaxSIOp>(loc, extent, index(0)));
    count = builder.createOrFold<arith::MulIOp>(loc, count, extents.back());
  }
  Value neutral = arith::ConstantOp::create(builder, loc, *arith::getNeutralElement(fold.combine));
  auto turns = scf::ForOp::create(builder, loc, thread, count, index(threads), neutral);
  OpBuilder inside = OpBuilder::atBlockBegin(turns.getBody());
  Value rest = turns.getInductionVar();
  IRMapping mapping;
  for (size_t i = fold.nest.size(); i-- > 0;) {
    scf::ForOp loop = fold.nest[i];
    Value at = i ? inside.createOrFold<arith::RemUIOp>(loc, rest, extents[i]) : rest;
    if (i)
      rest = inside.createOrFold<arith::DivUIOp>(loc, rest, extents[i]);
    Value scaled = inside.createOrFold<arith::MulIOp>(loc, at, loop.getStep());
    mapping.map(loop.getInductionVar(), inside.createOrFold<arith::AddIOp>(loc, scaled, loop.getLowerBound()));
  }
  Operation *sum = fold.widen ? fold.widen : fold.running.getOperation();
  mapping.map(sum->getResult(0), turns.getRegionIterArg(0));
  for (scf::ForOp loop : fold.nest)
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<scf::ForOp>(op) &&
          !llvm::is_contained({fold.running.getOperation(), fold.widen, fold.narrow, fold.store.getOperation()}, &op))
        inside.clone(op, mapping);
  scf::YieldOp::create(inside, loc, mapping.lookup(fold.combine->getResult(0)));
  return turns.getResult(0);
}

/// What each subgroup has of `share`, known to all of its threads.
Value TeamWriter::combineSubgroup(Value share) {
  Type word = builder.getI32Type();
  Value width = arith::ConstantIntOp::create(builder, loc, word, lanes);
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    Value offset = arith::ConstantIntOp::create(builder, loc, word, distance);
    auto other = gpu::ShuffleOp::create(builder, loc, share, offset, width, gpu::ShuffleMode::XOR);
    share = combine(builder, share, other.getShuffleResult());
  }
  return share;
}

/// Memory of the workgroup with `values` elements that threads see when this is passed; thread `number` writes it.
Value TeamWriter::show(Value share, int64_t values, Value isWriter, Value number) {
  auto function = fold.combine->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  Value shares = memref::AllocaOp::create(
      entry, loc, MemRefType::get({values}, share.getType(), MemRefLayoutAttrInterface(), space));
  OpBuilder inside = builder;
  if (isWriter)
    inside = scf::IfOp::create(builder, loc, isWriter, /*withElseRegion=*/false).getThenBodyBuilder();
  memref::StoreOp::create(inside, loc, share, shares, number);
  gpu::BarrierOp::create(builder, loc);
  return shares;
}

/// Pairs of shares, until the first element of the result is what all threads have.
Value TeamWriter::combinePairs(Value share) {
  Value shares = show(share, threads, Value(), thread);
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

/// Shuffled between the threads of a subgroup where there are any and the type is as wide as a register; then the first
/// thread combines what is left.
Value TeamWriter::total(SmallVectorImpl<Operation *> &rest) {
  Value share = foldShare();
  unsigned bits = share.getType().getIntOrFloatBitWidth();
  int64_t left = 1;
  Value shares;
  if (lanes > 1 && threads % lanes == 0 && (bits == 32 || bits == 64)) {
    share = combineSubgroup(share);
    left = threads / lanes;
    Value lane = arith::RemUIOp::create(builder, loc, thread, index(lanes));
    Value isWriter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, index(0));
    shares = show(share, left, isWriter, arith::DivUIOp::create(builder, loc, thread, index(lanes)));
  } else {
    shares = combinePairs(share);
  }
  Value total;
  for (int64_t i = 0; i < left; ++i) {
    auto next = memref::LoadOp::create(builder, loc, shares, index(i));
    rest.push_back(next);
    total = total ? combine(builder, total, next) : next.getResult();
    if (i > 0)
      rest.push_back(total.getDefiningOp());
  }
  return total;
}

SmallVector<Operation *> TeamWriter::run() {
  SmallVector<Operation *> rest;
  Value ofTeam = total(rest);
  IRMapping mapping;
  auto repeat = [&](Operation *op) {
    if (!op)
      return;
    rest.push_back(builder.clone(*op, mapping));
  };
  repeat(fold.running);
  repeat(fold.widen);
  Operation *sum = fold.widen ? fold.widen : fold.running.getOperation();
  Value both = combine(builder, mapping.lookup(sum->getResult(0)), ofTeam);
  rest.push_back(both.getDefiningOp());
  mapping.map(fold.combine->getResult(0), both);
  repeat(fold.narrow);
  repeat(fold.store);
  fold.nest.front()->erase();
  return rest;
}

SmallVector<Operation *> TeamFold::distribute(Value thread, int64_t threads, int64_t lanes) {
  return TeamWriter(*this, thread, threads, lanes).run();
}
