//===- HalfRange.cpp - How large values are, as far as can be told --------===//

#include "passes/Quantization/HalfRange.h"

#include "lib/Reference/Interpreter.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::quantization;
using reference::Tensor;

/// What activations are assumed to stay below.
static constexpr double kActivation = 256;
/// Of the largest half: room for sums of four such values.
static constexpr double kRoom = 4;

static bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

/// The finite elements of an f32 constant.
static Interval rangeOf(ElementsAttr attribute) {
  if (!isF32(attribute.getShapedType()))
    return {};
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  Interval range{0, 0};
  for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    float element;
    std::memcpy(&element, bytes.data() + at, sizeof(float));
    if (std::isfinite(element))
      range = range.with({element, element});
  }
  return range;
}

HalfRange::HalfRange(func::FuncOp function, FloatType half)
    : half(half), largest(APFloat::getLargest(half.getFloatSemantics()).convertToDouble()), limit(largest / kRoom),
      least(16 * APFloat::getSmallestNormalized(half.getFloatSemantics()).convertToDouble()) {
  for (BlockArgument argument : function.getArguments())
    set(argument, {{-kActivation, kActivation}, false});
  for (Block &block : function.getBody())
    visit(block);
}

/// What a run has shown of a value; nothing when there was none, or it did not come there.
static std::optional<Interval> observedRange(Value value) {
  DenseF64ArrayAttr ends;
  unsigned at = 0;
  if (auto result = dyn_cast<OpResult>(value)) {
    ends = result.getOwner()->getAttrOfType<DenseF64ArrayAttr>(kObservedAttribute);
    at = result.getResultNumber();
  } else if (auto function = dyn_cast<func::FuncOp>(value.getParentBlock()->getParentOp())) {
    ends = function.getArgAttrOfType<DenseF64ArrayAttr>(cast<BlockArgument>(value).getArgNumber(), kObservedAttribute);
  }
  if (!ends || ends.size() < 2 * (at + 1) || !(ends[2 * at] <= ends[2 * at + 1]))
    return std::nullopt;
  // Infinite is known to be too large.
  constexpr double most = std::numeric_limits<double>::max();
  return Interval{std::clamp(ends[2 * at], -most, most), std::clamp(ends[2 * at + 1], -most, most)};
}

void HalfRange::set(Value value, const Fact &fact) {
  if (!isF32(value.getType()))
    return;
  ranges[value] = fact.range;
  if (auto range = observedRange(value)) {
    ranges[value] = *range;
    observed.insert(value);
    if (range->magnitude() > 0 && range->magnitude() < least)
      faint.insert(value);
  }
  if (fact.counts)
    counting.insert(value);
  else
    counting.erase(value);
}

void HalfRange::visit(Block &block) {
  // Operands come before their users.
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      visitLoop(loop);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
    if (auto branch = dyn_cast<IfOp>(op))
      visitBranch(branch);
    else if (op.getNumResults() == 1 && !isa<ConstantOp>(op))
      set(op.getResult(0), {predict(&op), predictCounting(&op)});
  }
}

/// What holds of both; a constant counts where the other does.
HalfRange::Fact HalfRange::join(Value a, Value b) const {
  auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
  bool counted = (counts(a) || isConstant(a)) && (counts(b) || isConstant(b)) && (counts(a) || counts(b));
  return {of(a).with(of(b)), counted};
}

void HalfRange::visitBranch(IfOp branch) {
  Operation *yes = branch.getThenRegion().front().getTerminator();
  Operation *no = branch.getElseRegion().front().getTerminator();
  for (auto [result, a, b] : llvm::zip_equal(branch.getResults(), yes->getOperands(), no->getOperands()))
    set(result, join(a, b));
}

/// Carried values are taken to be as they start until a trip gives something else, then to be either, then unknown.
void HalfRange::visitLoop(LoopOp loop) {
  Block &body = loop.getBody().front();
  auto states = body.getArguments().drop_front();
  auto yields = body.getTerminator()->getOperands().drop_front();
  for (auto [state, init] : llvm::zip(states, loop.getInits()))
    set(state, {of(init), counts(init) || matchPattern(init, m_Constant())});
  constexpr int kTrips = 3;
  for (int trip = 0;; ++trip) {
    visit(body);
    bool settled = true;
    for (auto [state, yield] : llvm::zip(states, yields)) {
      if (!isF32(state.getType()))
        continue;
      Interval both = of(state).with(of(yield));
      bool grows = both.low < of(state).low || both.high > of(state).high, stops = counts(state) && !counts(yield);
      if (!grows && !stops)
        continue;
      settled = false;
      set(state, {!grows ? of(state) : trip + 1 < kTrips ? both : Interval(), counts(state) && !stops});
    }
    if (settled)
      break;
  }
  for (auto [result, state] : llvm::zip(loop.getResults(), states))
    set(result, {of(state), counts(state)});
  for (auto [result, yield] : llvm::zip(loop.getResults().drop_front(states.size()), yields.drop_front(states.size())))
    set(result, {of(yield), counts(yield)});
}

Interval HalfRange::of(Value value) const {
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  ElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return {};
  auto [entry, fresh] = constants.try_emplace(value);
  if (fresh)
    entry->second = rangeOf(attribute);
  return entry->second;
}

/// All combinations of the operands' ends, and 0 for functions that turn there.
Interval HalfRange::atEnds(Operation *op) const {
  SmallVector<Interval> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return of(value); });
  SmallVector<std::vector<double>> points;
  for (const Interval &range : operands) {
    points.push_back({range.low, range.high});
    if (operands.size() == 1 && range.low < 0 && range.high > 0)
      points.back().push_back(0);
  }
  size_t combinations = 1;
  for (const auto &choices : points)
    combinations *= choices.size();
  Interval result{INFINITY, -INFINITY};
  Type f32 = Float32Type::get(op->getContext());
  for (size_t number = 0; number < combinations; ++number) {
    SmallVector<Tensor> scalars;
    size_t rest = number;
    for (const auto &choices : points) {
      double point = choices[rest % choices.size()];
      rest /= choices.size();
      auto scalar = Tensor::fromDoubles(f32, {}, ArrayRef<double>{point});
      if (!scalar)
        return {};
      scalars.push_back(*scalar);
    }
    FailureOr<Tensor> value = reference::evaluateElement(op, scalars);
    // Infinity minus infinity, the root of a negative number.
    if (failed(value) || !value->isFloat() || std::isnan(value->asDouble(0)))
      return {};
    result = result.with({value->asDouble(0), value->asDouble(0)});
  }
  return result;
}

Interval HalfRange::predict(Operation *op) const {
  auto interface = dyn_cast<HalfSafetyOpInterface>(op);
  HalfSafety safety = interface ? interface.getHalfSafety() : HalfSafety::Single;
  SmallVector<Interval> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (interface && interface.isHalfOperand(operand))
      operands.push_back(of(operand.get()));
  switch (safety) {
  case HalfSafety::Single:
  case HalfSafety::Counts:
  case HalfSafety::Sums:
    return {};
  case HalfSafety::Ratio:
    if (operands.back().low <= 0 && operands.back().high >= 0)
      return {};
    return atEnds(op);
  case HalfSafety::Ends:
    return atEnds(op);
  case HalfSafety::Moves:
  case HalfSafety::Averages: {
    if (operands.empty())
      return {};
    Interval range = operands.front();
    for (const Interval &other : operands)
      range = range.with(other);
    return range;
  }
  case HalfSafety::Activation:
    return {-kActivation, kActivation};
  case HalfSafety::Unit:
    return {0, 1};
  }
  return {};
}

/// Constants neither count nor hinder.
bool HalfRange::predictCounting(Operation *op) const {
  auto interface = dyn_cast<HalfSafetyOpInterface>(op);
  if (!interface || interface.getHalfSafety() == HalfSafety::Single)
    return false;
  if (interface.getHalfSafety() == HalfSafety::Counts)
    return true;
  bool any = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!interface.isHalfOperand(operand) || matchPattern(operand.get(), m_Constant()))
      continue;
    if (!counts(operand.get()))
      return false;
    any = true;
  }
  return any;
}

std::string HalfRange::refuseConstant(Value constant) const {
  double most = of(constant).magnitude();
  if (most > largest)
    return llvm::formatv("a constant reaches {0:e2}, and the largest half is {1:e2}", most, largest);
  // Below this halves have fewer digits.
  if (most > 0 && most < least)
    return llvm::formatv("a constant reaches only {0:e2}, where halves lose digits", most);
  return "";
}
