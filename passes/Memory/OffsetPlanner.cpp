//===- OffsetPlanner.cpp - Offsets for buffers of known lifetimes ---------===//
//
// Greedy placement in several orders, each buffer into the lowest or into the
// tightest gap among the buffers alive with it; then a local search that moves
// the buffer on top of the arena to an earlier place in the order.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/OffsetPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

using namespace hone::memory;
using llvm::ArrayRef;
using llvm::SmallVector;

uint64_t hone::memory::occupiedBytes(const ArenaRequest &request) {
  return llvm::alignTo(request.size, kArenaAlignment);
}

namespace {

using Order = std::vector<uint32_t>;

/// The requests with all that strategies ask about them.
struct Problem {
  explicit Problem(ArrayRef<ArenaRequest> requests);

  size_t size() const { return requests.size(); }
  uint64_t bytes(uint32_t i) const { return occupiedBytes(requests[i]); }
  int64_t duration(uint32_t i) const { return requests[i].last - requests[i].first + 1; }

  ArrayRef<ArenaRequest> requests;
  /// For each request, those alive with it at some time.
  std::vector<SmallVector<uint32_t, 8>> neighbours;
  /// For each request, the most bytes alive at one time of its life.
  std::vector<uint64_t> pressure;
  uint64_t bound = 0;
};

} // namespace

Problem::Problem(ArrayRef<ArenaRequest> requests)
    : requests(requests), neighbours(requests.size()), pressure(requests.size(), 0) {
  Order byStart(requests.size());
  std::iota(byStart.begin(), byStart.end(), 0);
  llvm::sort(byStart,
             [&](uint32_t a, uint32_t b) { return std::pair(requests[a].first, a) < std::pair(requests[b].first, b); });
  // The sum only grows where a request starts, so peaks are at starts.
  SmallVector<uint32_t> alive;
  for (uint32_t i : byStart) {
    llvm::erase_if(alive, [&](uint32_t other) { return requests[other].last < requests[i].first; });
    uint64_t sum = bytes(i);
    for (uint32_t other : alive) {
      neighbours[i].push_back(other);
      neighbours[other].push_back(i);
      sum += bytes(other);
    }
    alive.push_back(i);
    for (uint32_t other : alive)
      pressure[other] = std::max(pressure[other], sum);
    bound = std::max(bound, sum);
  }
}

uint64_t hone::memory::lowerBound(ArrayRef<ArenaRequest> requests) { return Problem(requests).bound; }

//===----------------------------------------------------------------------===//
// Greedy placement
//===----------------------------------------------------------------------===//

namespace {

enum class Fit { Lowest, Tightest };

constexpr uint64_t kUnplaced = std::numeric_limits<uint64_t>::max();

/// Places requests one after the other.
class Placement {
public:
  Placement(const Problem &problem, Fit fit) : problem(problem), fit(fit), offsets(problem.size(), kUnplaced) {}

  void place(uint32_t i);
  uint64_t getPeak() const { return peak; }
  uint64_t getEnd(uint32_t i) const { return offsets[i] + problem.bytes(i); }
  std::vector<uint64_t> takeOffsets() { return std::move(offsets); }

private:
  const Problem &problem;
  Fit fit;
  std::vector<uint64_t> offsets;
  uint64_t peak = 0;
  SmallVector<std::pair<uint64_t, uint64_t>> taken;
};

} // namespace

void Placement::place(uint32_t i) {
  uint64_t size = problem.bytes(i);
  uint64_t alignment = std::max(kArenaAlignment, problem.requests[i].alignment);
  taken.clear();
  for (uint32_t other : problem.neighbours[i])
    if (offsets[other] != kUnplaced && problem.bytes(other) != 0)
      taken.emplace_back(offsets[other], getEnd(other));
  llvm::sort(taken);

  uint64_t best = kUnplaced, bestGap = kUnplaced, free = 0;
  for (auto [begin, end] : taken) {
    uint64_t start = llvm::alignTo(free, alignment);
    if (start + size <= begin && begin - free < bestGap) {
      best = start;
      bestGap = begin - free;
      if (fit == Fit::Lowest)
        break;
    }
    free = std::max(free, end);
  }
  offsets[i] = size == 0 ? 0 : best != kUnplaced ? best : llvm::alignTo(free, alignment);
  peak = std::max(peak, getEnd(i));
}

static Placement placeAll(const Problem &problem, const Order &order, Fit fit) {
  Placement placement(problem, fit);
  for (uint32_t i : order)
    placement.place(i);
  return placement;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {

/// An order is by descending keys, compared one after the other.
using Key = std::array<double, 3>;

struct NamedOrder {
  llvm::StringLiteral name;
  Key (*key)(const Problem &, uint32_t);
};

} // namespace

static const NamedOrder kOrders[] = {
    {"by-size",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.bytes(i)), double(p.duration(i)), -double(p.requests[i].first)};
     }},
    {"by-start",
     [](const Problem &p, uint32_t i) -> Key {
       return {-double(p.requests[i].first), double(p.bytes(i)), double(p.duration(i))};
     }},
    {"by-end",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.requests[i].last), double(p.bytes(i)), double(p.duration(i))};
     }},
    {"by-area",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.bytes(i)) * double(p.duration(i)), double(p.bytes(i)), -double(p.requests[i].first)};
     }},
    {"by-duration",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.duration(i)), double(p.bytes(i)), -double(p.requests[i].first)};
     }},
    {"by-pressure",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.pressure[i]), double(p.bytes(i)), double(p.duration(i))};
     }},
    {"by-pressure-and-start",
     [](const Problem &p, uint32_t i) -> Key {
       return {double(p.pressure[i]), -double(p.requests[i].first), double(p.bytes(i))};
     }},
};

static Order orderBy(const Problem &problem, const NamedOrder &named) {
  std::vector<Key> keys(problem.size());
  for (uint32_t i = 0; i < problem.size(); ++i)
    keys[i] = named.key(problem, i);
  Order order(problem.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](uint32_t a, uint32_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
  return order;
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

namespace {

/// The best plan so far and the order that led to it.
struct Incumbent {
  ArenaPlan plan;
  Order order;
  Fit fit = Fit::Lowest;

  bool offer(Placement &&placement, const Order &newOrder, Fit newFit, llvm::StringRef strategy) {
    if (!plan.strategy.empty() && placement.getPeak() >= plan.peak)
      return false;
    plan.peak = placement.getPeak();
    plan.offsets = placement.takeOffsets();
    plan.strategy = strategy;
    order = newOrder;
    fit = newFit;
    return true;
  }
};

struct Strategy {
  llvm::StringLiteral name;
  void (*run)(const Problem &, Incumbent &, llvm::StringRef name);
};

} // namespace

static void runGreedy(const Problem &problem, Incumbent &best, llvm::StringRef) {
  for (const NamedOrder &named : kOrders) {
    Order order = orderBy(problem, named);
    for (Fit fit : {Fit::Lowest, Fit::Tightest}) {
      best.offer(placeAll(problem, order, fit), order, fit, named.name);
      if (best.plan.peak == problem.bound)
        return;
    }
  }
}

/// Moves the request that ends at the peak to an earlier, arbitrary place of
/// the order; keeps what is no worse. Work is bounded by counting, so that the
/// result does not depend on the machine.
static void runLocalSearch(const Problem &problem, Incumbent &best, llvm::StringRef name) {
  uint64_t pass = problem.size();
  for (const auto &list : problem.neighbours)
    pass += list.size();
  constexpr uint64_t kWork = 40'000'000, kMostRounds = 20'000;
  uint64_t rounds = std::min(kMostRounds, kWork / std::max<uint64_t>(pass, 1));

  Order current = best.order;
  uint64_t currentPeak = best.plan.peak;
  std::vector<uint64_t> offsets = best.plan.offsets;
  uint64_t random = 0x9e3779b97f4a7c15;
  for (; rounds && best.plan.peak != problem.bound; --rounds) {
    // The one on top that comes first in the order, so that it can rise.
    size_t top = llvm::find_if(current, [&](uint32_t i) { return offsets[i] + problem.bytes(i) == currentPeak; }) -
                 current.begin();
    random = random * 6364136223846793005 + 1442695040888963407;
    size_t from = top, to;
    if (top == 0 || (random >> 33) % 8 == 0) {
      // Nothing to gain above it: shake the order elsewhere.
      from = (random >> 33) % current.size();
      random = random * 6364136223846793005 + 1442695040888963407;
      to = (random >> 33) % current.size();
    } else {
      to = (random >> 33) % top;
    }
    Order candidate = current;
    if (to < from)
      std::rotate(candidate.begin() + to, candidate.begin() + from, candidate.begin() + from + 1);
    else
      std::rotate(candidate.begin() + from, candidate.begin() + from + 1, candidate.begin() + to + 1);
    Placement placement = placeAll(problem, candidate, best.fit);
    uint64_t peak = placement.getPeak();
    if (peak > currentPeak)
      continue;
    current = std::move(candidate);
    currentPeak = peak;
    offsets = placement.takeOffsets();
    if (peak < best.plan.peak) {
      best.plan = {offsets, peak, name};
      best.order = current;
    }
  }
}

static constexpr Strategy kStrategies[] = {
    {"greedy", runGreedy},
    {"local-search", runLocalSearch},
};

ArenaPlan hone::memory::planOffsets(ArrayRef<ArenaRequest> requests) {
  Problem problem(requests);
  Incumbent best;
  for (const Strategy &strategy : kStrategies) {
    strategy.run(problem, best, strategy.name);
    if (best.plan.peak == problem.bound)
      break;
  }
  return std::move(best.plan);
}
