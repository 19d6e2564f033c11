//===- PlanMemory.cpp - Gives every allocation its bytes ------------------===//

#include "lib/Support/UserError.h"
#include "passes/Memory/ArenaBound.h"
#include "passes/Memory/OffsetPlanner.h"
#include "passes/Memory/Passes.h"
#include "passes/Memory/ReserveFrames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace hone::memory {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Memory/Passes.h.inc"
} // namespace hone::memory

using namespace mlir;
using namespace hone;
using namespace hone::memory;

/// The size of an allocation that can have an offset now. A negative one is
/// left to the run, where it is an error if it is reached.
static std::optional<int64_t> staticSize(plan::AllocOp alloc, const BufferLiveness &liveness) {
  APInt bytes;
  if (liveness.lifetime(alloc).leavesLoop || !matchPattern(alloc.getBytes(), m_ConstantInt(&bytes)) ||
      bytes.isNegative())
    return std::nullopt;
  return bytes.getSExtValue();
}

/// Whether input `in` and output `out` of a launch, which say they may be the
/// same bytes, can be: the input's die here, the output's start here, and no
/// other operand is either of them.
static bool canShare(plan::LaunchOp launch, plan::AllocOp in, plan::AllocOp out, unsigned inPosition,
                     unsigned outPosition, const BufferLiveness &liveness) {
  int64_t now = liveness.begin(launch);
  if (liveness.lifetime(in).last != now || liveness.lifetime(out).first != now)
    return false;
  llvm::SetVector<Value> inAliases, outAliases;
  collectAliases(in.getBuffer(), inAliases);
  collectAliases(out.getBuffer(), outAliases);
  auto pairs = launch.getInplacePairs();
  for (auto [position, buffer] : llvm::enumerate(launch.getBuffers())) {
    if (position != outPosition && outAliases.contains(buffer))
      return false;
    bool declared = llvm::is_contained(pairs, std::pair<int64_t, int64_t>(position, outPosition));
    if (position != inPosition && inAliases.contains(buffer) && (!declared || buffer != in.getBuffer()))
      return false;
  }
  return true;
}

/// Every allocation is at most once an input and once an output of a pair.
static SmallVector<InplacePair> findInplacePairs(plan::ProgramOp program, const BufferLiveness &liveness) {
  SmallVector<InplacePair> result;
  DenseSet<Operation *> ins, outs;
  program.walk([&](plan::LaunchOp launch) {
    for (auto [inPosition, outPosition] : launch.getInplacePairs()) {
      auto in = launch.getBuffers()[inPosition].getDefiningOp<plan::AllocOp>();
      auto out = launch.getBuffers()[outPosition].getDefiningOp<plan::AllocOp>();
      if (in && out && !ins.contains(in) && !outs.contains(out) &&
          canShare(launch, in, out, inPosition, outPosition, liveness)) {
        ins.insert(in);
        outs.insert(out);
        result.emplace_back(in, out);
      }
    }
  });
  return result;
}

namespace {

/// Allocations of constant size, some of them joined because one is computed in
/// place of the other.
struct StaticBuffers {
  SmallVector<ArenaRequest> requests;
  DenseMap<Operation *, unsigned> requestOf;

  StaticBuffers(ArrayRef<std::pair<plan::AllocOp, int64_t>> allocs, ArrayRef<InplacePair> pairs,
                const BufferLiveness &liveness);
};

struct PlanMemory : memory::impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override;

  LogicalResult planArena(ArrayRef<std::pair<plan::AllocOp, int64_t>> allocs, ArrayRef<InplacePair> pairs,
                          const BufferLiveness &liveness);
  void report(const ArenaPlan &plan, uint64_t bound, uint64_t total, size_t buffers, size_t joined);
};

} // namespace

StaticBuffers::StaticBuffers(ArrayRef<std::pair<plan::AllocOp, int64_t>> allocs, ArrayRef<InplacePair> pairs,
                             const BufferLiveness &liveness) {
  llvm::EquivalenceClasses<Operation *> same;
  DenseMap<Operation *, int64_t> sizes;
  for (auto [alloc, size] : allocs) {
    same.insert(alloc);
    sizes[alloc] = size;
  }
  for (auto [in, out] : pairs) {
    auto inSize = sizes.find(in), outSize = sizes.find(out);
    if (inSize != sizes.end() && outSize != sizes.end() && inSize->second == outSize->second)
      same.unionSets(in, out);
  }
  DenseMap<Operation *, unsigned> requestOfLeader;
  for (auto [alloc, size] : allocs) {
    const BufferLifetime &lifetime = liveness.lifetime(alloc);
    Operation *leader = same.getLeaderValue(alloc);
    auto [it, isNew] = requestOfLeader.insert({leader, requests.size()});
    if (isNew)
      requests.push_back({static_cast<uint64_t>(size), lifetime.first, lifetime.last, kArenaAlignment});
    ArenaRequest &request = requests[it->second];
    request.first = std::min(request.first, lifetime.first);
    request.last = std::max(request.last, lifetime.last);
    request.alignment = std::max<uint64_t>(request.alignment, alloc.getAlignment().value_or(kArenaAlignment));
    requestOf[alloc] = it->second;
  }
}

LogicalResult PlanMemory::planArena(ArrayRef<std::pair<plan::AllocOp, int64_t>> allocs, ArrayRef<InplacePair> pairs,
                                    const BufferLiveness &liveness) {
  plan::ProgramOp program = getOperation();
  constexpr uint64_t kMost = uint64_t(1) << 62;
  uint64_t total = 0;
  bool fits = true;
  for (auto [alloc, size] : allocs) {
    uint64_t bytes = llvm::alignTo(static_cast<uint64_t>(size), kArenaAlignment);
    if (bytes < kMost && total + bytes < kMost) {
      total += bytes;
      continue;
    }
    emitUserError(alloc.getLoc()) << "brings the program's memory to more than can be addressed";
    fits = false;
  }
  if (!fits)
    return failure();

  StaticBuffers joined(allocs, pairs, liveness);
  uint64_t bound = lowerBound(joined.requests);
  ArenaPlan plan = planOffsets(joined.requests);
  const StaticBuffers *used = &joined;
  // In place pins two buffers to one offset; rarely, not doing so packs better.
  std::optional<StaticBuffers> apart;
  if (plan.peak != bound && joined.requests.size() != allocs.size()) {
    apart.emplace(allocs, ArrayRef<InplacePair>(), liveness);
    ArenaPlan other = planOffsets(apart->requests);
    if (other.peak < plan.peak) {
      plan = std::move(other);
      used = &*apart;
    }
  }

  Builder builder(&getContext());
  for (auto [alloc, size] : allocs)
    alloc.setOffset(plan.offsets[used->requestOf.lookup(alloc)]);
  program.setStaticBytes(plan.peak);
  program.setLowerBound(bound);
  program.setTotalBytes(total);
  report(plan, bound, total, allocs.size(), allocs.size() - used->requests.size());
  return success();
}

void PlanMemory::report(const ArenaPlan &plan, uint64_t bound, uint64_t total, size_t buffers, size_t joined) {
  plan::ProgramOp program = getOperation();
  double gap = bound ? 100.0 * (plan.peak - bound) / bound : 0.0;
  remark::analysis(program.getLoc(),
                   remark::RemarkOpts::name("plan-memory").category("memory").function(program.getSymName()))
      << remark::reason("{0} buffers of {1} bytes in {2}, lower bound {3}, gap "
                        "{4:F1} %, {5} in place, strategy {6}",
                        buffers, total, plan.peak, bound, gap, joined, plan.strategy.str());
}

void PlanMemory::runOnOperation() {
  plan::ProgramOp program = getOperation();
  if (program.getStaticBytes())
    return;
  BufferLiveness liveness(program);
  SmallVector<InplacePair> pairs = findInplacePairs(program, liveness);
  SmallVector<std::pair<plan::AllocOp, int64_t>> fixed;
  SmallVector<plan::AllocOp> others;
  for (plan::AllocOp alloc : liveness.allocations()) {
    if (std::optional<int64_t> size = staticSize(alloc, liveness)) {
      fixed.emplace_back(alloc, *size);
      continue;
    }
    if (alloc.getAlignment().value_or(kArenaAlignment) > kArenaAlignment) {
      alloc.emitOpError("is of a size known at run time only and cannot be "
                        "aligned to ")
          << *alloc.getAlignment() << " bytes";
      return signalPassFailure();
    }
    others.push_back(alloc);
  }
  if (failed(planArena(fixed, pairs, liveness)))
    return signalPassFailure();
  reserveFrames(program, liveness, others, pairs);
  if (std::optional<uint64_t> bound = arenaBound(program))
    program.setArenaBound(*bound);
}
