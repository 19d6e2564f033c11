//===- HalfPlan.cpp - What is multiplied and stored in half ---------------===//

#include "passes/Quantization/HalfPlan.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::quantization;

static constexpr auto kRemark = remark::RemarkOpts::name("reduce-precision").category("quantization");

bool quantization::isF32Tensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

bool quantization::isConstant(Value value) { return matchPattern(value, m_Constant()); }

bool quantization::worksOnHalves(Operation *op) {
  auto interface = dyn_cast<HalfSafetyOpInterface>(op);
  if (!interface || isa<ElementwiseOpInterface, ContractionOpInterface>(op) || op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  switch (interface.getHalfSafety()) {
  case HalfSafety::Moves:
  case HalfSafety::Averages:
  case HalfSafety::Activation:
  case HalfSafety::Unit:
    return true;
  default:
    return false;
  }
}

bool quantization::readsExtents(Operation *op) {
  auto interface = dyn_cast<HalfSafetyOpInterface>(op);
  return interface && interface.getHalfSafety() == HalfSafety::Moves && op->getNumResults() == 1 &&
         !isa<ElementwiseOpInterface>(op) && !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
}

HalfPlan::HalfPlan(func::FuncOp function, const HalfRange &range, bool activations)
    : range(range), activations(activations) {
  function.walk([&](ContractionOpInterface op) { chooseContraction(op); });
  for (Block &block : function.getBody())
    lookBack(block);
}

/// Says why a contraction keeps f32.
void HalfPlan::chooseContraction(ContractionOpInterface op) {
  if (!isF32Tensor(op->getResult(0)))
    return;
  bool any = false;
  for (Value factor : {op.getActivations(), op.getWeights()}) {
    if (getElementTypeOrSelf(factor.getType()) == range.type())
      continue;
    if (!isF32Tensor(factor))
      return;
    std::string reason;
    if (isConstant(factor))
      reason = range.refuseConstant(factor);
    else if (!activations)
      continue;
    else if (range.counts(factor))
      reason = "a factor counts, and halves do not tell large numbers apart";
    else if (range.isFaint(factor))
      reason = "a factor is so small that halves lose digits";
    else if (!range.mayFit(factor))
      reason = range.isObserved(factor) ? "a factor leaves the range of halves"
                                        : "a factor is predicted to leave the range of halves";
    if (!reason.empty()) {
      remark::missed(op.getLoc(), kRemark) << remark::reason("stays f32: {0}", reason);
      return;
    }
    any = true;
  }
  if (any)
    multiplied.insert(op);
}

void HalfPlan::lookBack(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        lookBack(inner);
    visit(&op);
  }
  for (Value argument : block.getArguments())
    visit(argument);
}

void HalfPlan::visit(Operation *op) {
  guessKernel(op);
  for (Value result : op->getResults())
    visit(result);
}

void HalfPlan::visit(Value value) {
  if (!isF32Tensor(value))
    return;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    bool passesOn = worksOnHalves(user) && wanted.contains(user->getResult(0));
    if ((activations && multiplies(user)) || passesOn)
      wanted.insert(value);
    if (readsExactly(use))
      exact.insert(value);
  }
}

bool HalfPlan::readsExactly(OpOperand &use) const {
  Operation *user = use.getOwner();
  auto interface = dyn_cast<HalfSafetyOpInterface>(user);
  if (!interface || !interface.isHalfOperand(use))
    return true;
  if (isa<ContractionOpInterface>(user))
    return !multiplies(user);
  if (worksOnHalves(user))
    return exact.contains(user->getResult(0));
  HalfSafety safety = interface.getHalfSafety();
  return safety == HalfSafety::Single || safety == HalfSafety::Counts;
}

/// What fusion does, by shapes alone: a value whose readers are all in one kernel, one element at a time, does not
/// reach memory.
void HalfPlan::guessKernel(Operation *op) {
  kernelOf[op] = op;
  bool isContraction = isa<ContractionOpInterface>(op);
  if (isContraction)
    withContraction.insert(op);
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()) ||
      !(isContraction || isa<ElementwiseOpInterface>(op)))
    return;
  Operation *common = nullptr;
  for (Operation *user : op->getUsers()) {
    if (readsExtents(user))
      continue;
    bool sums = isa<ReductionOpInterface>(user) && !worksOnHalves(user) && !isContraction;
    Operation *kernel = user->getBlock() == op->getBlock() ? kernelOf.lookup(user) : nullptr;
    if (!kernel || (common && kernel != common) || !(isa<ElementwiseOpInterface>(user) || sums))
      return;
    common = kernel;
  }
  if (!common || (isContraction && withContraction.contains(common)))
    return;
  Value domain = isa<ReductionOpInterface>(common) ? common->getOperand(0) : common->getResult(0);
  if (cast<RankedTensorType>(domain.getType()).getShape() !=
      cast<RankedTensorType>(op->getResult(0).getType()).getShape())
    return;
  kernelOf[op] = common;
  if (isContraction)
    withContraction.insert(common);
  inRegisters.insert(op->getResult(0));
}

bool HalfPlan::isStored(Value value) const {
  if (!activations || !isF32Tensor(value) || isConstant(value) || value.use_empty() || range.counts(value) ||
      inRegisters.contains(value))
    return false;
  if (wanted.contains(value))
    return range.mayFit(value);
  // Where no kernel ends that can round, rounding would be a kernel of its own.
  Operation *producer = value.getDefiningOp();
  return producer && isa<ElementwiseOpInterface, ContractionOpInterface>(producer) && !exact.contains(value) &&
         range.fits(value);
}
