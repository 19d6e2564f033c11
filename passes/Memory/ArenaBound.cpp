//===- ArenaBound.cpp - The most memory a program can need ----------------===//
//
// Intervals of the integers that decide sizes, from the declared ranges of extents, and the frames that are open at one
// time. A frame is packed when run, by sizes that are known then: the bound holds for whatever order they have.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/ArenaBound.h"

#include "passes/Memory/OffsetPlanner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

namespace {

/// A closed interval; its ends are infinite where nothing is known.
struct Interval {
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t low = kLeast, high = kMost;
};

bool isInfinite(int64_t end) { return end == Interval::kLeast || end == Interval::kMost; }

int64_t saturate(__int128 value) {
  return static_cast<int64_t>(std::clamp<__int128>(value, Interval::kLeast, Interval::kMost));
}

/// The sum of two lower or of two upper ends.
int64_t addEnds(int64_t a, int64_t b) {
  if (isInfinite(a) || isInfinite(b))
    return isInfinite(a) ? a : b;
  return saturate(__int128(a) + b);
}

int64_t negate(int64_t end) {
  return end == Interval::kLeast ? Interval::kMost : end == Interval::kMost ? Interval::kLeast : -end;
}

int64_t multiplyEnds(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (isInfinite(a) || isInfinite(b))
    return (a < 0) == (b < 0) ? Interval::kMost : Interval::kLeast;
  return saturate(__int128(a) * b);
}

/// Intervals of the integers of one program.
class Ranges {
public:
  explicit Ranges(plan::ProgramOp program) : program(program) {}

  Interval of(Value value) {
    auto known = intervals.find(value);
    if (known != intervals.end())
      return known->second;
    Interval interval = compute(value);
    return intervals[value] = interval;
  }

private:
  Interval compute(Value value);
  Interval quotient(Interval a, Interval b);

  plan::ProgramOp program;
  llvm::DenseMap<Value, Interval> intervals;
};

/// The most that frames open at one time need.
class Frames {
public:
  Frames(plan::ProgramOp program) : ranges(program) {}

  /// Walks a block; false when no bound is found.
  bool walk(Block &block);
  uint64_t most() const { return peak; }

private:
  bool open(plan::ReserveOp reserve);

  Ranges ranges;
  llvm::SmallVector<uint64_t> frames;
  uint64_t now = 0, peak = 0;
};

} // namespace

/// Of divisions in all directions of rounding, by a positive divisor.
Interval Ranges::quotient(Interval a, Interval b) {
  if (b.low < 1)
    return {};
  auto divide = [](int64_t end, int64_t by) { return isInfinite(end) ? end : llvm::divideFloorSigned(end, by); };
  auto divideUp = [](int64_t end, int64_t by) { return isInfinite(end) ? end : llvm::divideCeilSigned(end, by); };
  return {a.low < 0            ? divide(a.low, b.low)
          : isInfinite(b.high) ? 0
                               : divide(a.low, b.high),
          a.high > 0           ? divideUp(a.high, b.low)
          : isInfinite(b.high) ? 0
                               : divideUp(a.high, b.high)};
}

Interval Ranges::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<plan::LoopOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return {0, std::max<int64_t>(addEnds(of(loop.getTrips()).high, -1), 0)};
    return {};
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([](arith::ConstantOp constant) -> Interval {
        auto number = dyn_cast<IntegerAttr>(constant.getValue());
        if (!number || number.getValue().getSignificantBits() > 64)
          return {};
        int64_t known =
            number.getType().isInteger(1) ? number.getValue().getBoolValue() : number.getValue().getSExtValue();
        return {known, known};
      })
      .Case([&](plan::InputDimOp dim) -> Interval {
        plan::DimAttr declared = program.getInput(dim.getInput()).getDims()[dim.getDim()];
        return declared.isStatic() ? Interval{declared.getSize(), declared.getSize()}
                                   : Interval{declared.getMin(), declared.getMax()};
      })
      .Case([&](arith::AddIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        return {addEnds(a.low, b.low), addEnds(a.high, b.high)};
      })
      .Case([&](arith::SubIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        return {addEnds(a.low, negate(b.high)), addEnds(a.high, negate(b.low))};
      })
      .Case([&](arith::MulIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        auto ends = {multiplyEnds(a.low, b.low), multiplyEnds(a.low, b.high), multiplyEnds(a.high, b.low),
                     multiplyEnds(a.high, b.high)};
        return {std::min(ends), std::max(ends)};
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return quotient(operand(0), operand(1)); })
      .Case([&](arith::RemSIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        if (b.low < 1)
          return {};
        int64_t most = addEnds(b.high, -1);
        return {a.low < 0 ? negate(most) : 0, a.high > 0 ? std::min(most, a.high) : 0};
      })
      .Case([&](arith::MinSIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](arith::MaxSIOp) -> Interval {
        Interval a = operand(0), b = operand(1);
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](arith::SelectOp) -> Interval {
        Interval a = operand(1), b = operand(2);
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([](arith::CmpIOp) -> Interval { return {0, 1}; })
      .Default(Interval());
}

bool Frames::open(plan::ReserveOp reserve) {
  SmallVector<uint64_t> sizes;
  uint64_t sum = 0;
  for (Value size : reserve.getSizes()) {
    int64_t high = ranges.of(size).high;
    if (high > (int64_t(1) << 56))
      return false;
    sizes.push_back(llvm::alignTo(static_cast<uint64_t>(std::max<int64_t>(high, 0)), memory::kArenaAlignment));
    sum += sizes.back();
  }
  // Every buffer lies at the lowest place where none alive with it does. Those are larger, so that each leaves a gap
  // below itself that is smaller than both.
  uint64_t frame = 0;
  ArrayRef<int64_t> first = reserve.getFirst(), last = reserve.getLast();
  for (size_t i = 0; i < sizes.size(); ++i) {
    uint64_t end = sizes[i];
    for (size_t j = 0; j < sizes.size(); ++j)
      if (j != i && first[i] <= last[j] && first[j] <= last[i])
        end += sizes[j] + std::min(sizes[i], sizes[j]);
    frame = std::max(frame, end);
  }
  frames.push_back(std::min(frame, sum));
  now += frames.back();
  peak = std::max(peak, now);
  return now < (uint64_t(1) << 60);
}

bool Frames::walk(Block &block) {
  for (Operation &op : block) {
    if (auto reserve = dyn_cast<plan::ReserveOp>(op); reserve && !open(reserve))
      return false;
    if (auto release = dyn_cast<plan::ReleaseOp>(op)) {
      if (release.getCount() || frames.empty())
        return false;
      now -= frames.pop_back_val();
    }
    if (isa<plan::GrowOp, plan::AllocOp>(op) && !op.hasAttr("offset"))
      return false;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        size_t before = frames.size();
        // A frame that stays open is one more in every trip.
        if (!walk(inner) || frames.size() != before)
          return false;
      }
  }
  return true;
}

std::optional<uint64_t> memory::arenaBound(plan::ProgramOp program) {
  Frames frames(program);
  if (!program.getStaticBytes() || !frames.walk(*program.getBodyBlock()))
    return std::nullopt;
  return *program.getStaticBytes() + frames.most();
}
