//===- ReducePrecision.cpp - Contractions and memory in half --------------===//
//
// One walk in program order along a plan (HalfPlan): a value that is stored in half gets a cast behind it, its
// readers one in front of them, which fusion puts into their kernels. Readers that need every digit keep the
// value; an op that has both kinds of readers exists twice.
//
//===----------------------------------------------------------------------===//

#include "passes/Quantization/HalfPlan.h"
#include "passes/Quantization/Passes.h"

#include "lib/Support/UserError.h"
#include "lib/Target/TargetBackend.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace hone::quantization {
#define GEN_PASS_DEF_REDUCEPRECISIONPASS
#include "passes/Quantization/Passes.h.inc"
} // namespace hone::quantization

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::quantization;

static constexpr auto kRemark = remark::RemarkOpts::name("reduce-precision").category("quantization");
/// Constants from this size on that ops pick from become halves whatever their readers are.
static constexpr int64_t kTableElements = 1024;

namespace {

/// One function on its way to halves.
class Rewriter {
public:
  Rewriter(func::FuncOp function, FloatType half, bool activations)
      : function(function), half(half), activations(activations), range(function, half),
        plan(function, range, activations) {}

  void run();
  int64_t numContractions = 0, numValues = 0;

private:
  void visit(Block &block);
  void multiplyHalves(ContractionOpInterface op);
  void workOnHalves(Operation *op);
  Value halfOperand(OpOperand &operand);
  Value halfConstant(Value constant);
  void define(Value value, Value narrow);
  void remark(Operation *op);

  func::FuncOp function;
  FloatType half;
  bool activations;
  HalfRange range;
  HalfPlan plan;
  DenseMap<Value, Value> halves; ///< of f32 values and constants
  SmallVector<Operation *> replaced;
};

} // namespace

/// The nodes of a cast of `value`: of the one that makes it; of those that read it where none does, as of inputs and
/// initializers.
static Location nodesOf(Value value) {
  if (Operation *op = value.getDefiningOp(); op && !isa<ConstantOp>(op))
    return op->getLoc();
  SmallVector<Location> readers;
  for (Operation *user : value.getUsers())
    if (!user->hasTrait<OpTrait::IsTerminator>())
      readers.push_back(user->getLoc());
  // Uses are listed from the last to the first.
  std::reverse(readers.begin(), readers.end());
  return readers.empty() ? value.getLoc() : FusedLoc::get(value.getContext(), readers);
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type element) {
  return CastOp::create(builder, loc, value, element);
}

Value Rewriter::halfConstant(Value constant) {
  Value &narrow = halves[constant];
  if (!narrow) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(constant);
    narrow = castTo(builder, nodesOf(constant), constant, half);
  }
  return narrow;
}

/// `narrow` holds the elements of `value`, rounded: whoever may reads those.
void Rewriter::define(Value value, Value narrow) {
  halves[value] = narrow;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (user == narrow.getDefiningOp() || plan.readsExactly(use))
      continue;
    if (readsExtents(user)) {
      use.set(narrow);
      continue;
    }
    // Those are asked when it is their turn.
    if (worksOnHalves(user) || (activations && plan.multiplies(user)))
      continue;
    OpBuilder builder(user);
    use.set(castTo(builder, user->getLoc(), narrow, builder.getF32Type()));
  }
}

void Rewriter::multiplyHalves(ContractionOpInterface op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isF32Tensor(value) || (value != op.getActivations() && value != op.getWeights()))
      continue;
    if (isConstant(value))
      operand.set(halfConstant(value));
    else if (Value known = halves.lookup(value); known && activations)
      operand.set(known);
    else if (activations)
      operand.set(castTo(builder, op.getLoc(), value, half));
  }
  ++numContractions;
  remark::passed(op.getLoc(), kRemark) << remark::reason(
      "{0}", activations ? "multiplies halves, sums in f32" : "weights in half, products and sums in f32");
}

/// The half that stands for an operand; null when there is none and may be none.
Value Rewriter::halfOperand(OpOperand &operand) {
  Value value = operand.get();
  if (Value known = halves.lookup(value))
    return known;
  if (isConstant(value))
    return range.of(value).magnitude() <= range.largestFinite() ? halfConstant(value) : Value();
  if (!activations || !range.fits(value))
    return nullptr;
  OpBuilder builder(operand.getOwner());
  return castTo(builder, operand.getOwner()->getLoc(), value, half);
}

void Rewriter::workOnHalves(Operation *op) {
  auto interface = cast<HalfSafetyOpInterface>(op);
  Value result = op->getResult(0);
  auto isTable = [](Value value) {
    return isConstant(value) && cast<RankedTensorType>(value.getType()).getNumElements() >= kTableElements;
  };
  SmallVector<OpOperand *> operands;
  bool any = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!interface.isHalfOperand(operand))
      continue;
    if (!isF32Tensor(operand.get()))
      return;
    operands.push_back(&operand);
    any |= isTable(operand.get()) || (halves.count(operand.get()) && !isConstant(operand.get()));
  }
  if (!any || !plan.isUseful(result))
    return;
  SmallVector<Value> narrow;
  for (OpOperand *operand : operands) {
    narrow.push_back(halfOperand(*operand));
    if (!narrow.back())
      return;
  }
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  for (auto [operand, value] : llvm::zip_equal(operands, narrow))
    clone->setOperand(operand->getOperandNumber(), value);
  Value onHalves = clone->getResult(0);
  onHalves.setType(cast<RankedTensorType>(onHalves.getType()).clone(half));
  replaced.push_back(op);
  ++numValues;
  define(result, onHalves);
}

void Rewriter::visit(Block &block) {
  auto consider = [&](Value value) {
    if (halves.count(value) || !plan.isStored(value))
      return;
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(value);
    ++numValues;
    define(value, castTo(builder, nodesOf(value), value, half));
  };
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  llvm::for_each(block.getArguments(), consider);
  for (Operation *op : ops) {
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        visit(inner);
    remark(op);
    if (auto contraction = dyn_cast<ContractionOpInterface>(op); contraction && plan.multiplies(op))
      multiplyHalves(contraction);
    else if (worksOnHalves(op) && isF32Tensor(op->getResult(0)))
      workOnHalves(op);
    llvm::for_each(op->getResults(), consider);
  }
}

/// Says why an op keeps f32, or its result.
void Rewriter::remark(Operation *op) {
  if (!activations || op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() || isa<ConstantOp>(op))
    return;
  auto interface = dyn_cast<HalfSafetyOpInterface>(op);
  bool readsNumbers =
      llvm::any_of(op->getOperands(), [](Value value) { return isF32Tensor(value) && !isConstant(value); });
  if (!interface) {
    if (readsNumbers)
      remark::missed(op->getLoc(), kRemark) << remark::reason("stays f32: thresholds, ties and places need all digits");
    return;
  }
  if (op->getNumResults() != 1 || !isF32Tensor(op->getResult(0)))
    return;
  switch (interface.getHalfSafety()) {
  case HalfSafety::Single:
    if (readsNumbers)
      remark::missed(op->getLoc(), kRemark)
          << remark::reason("stays f32: a rounded operand changes its result by much more, or it grows too large");
    return;
  case HalfSafety::Counts:
    remark::missed(op->getLoc(), kRemark) << remark::reason("stays f32: it counts");
    return;
  default:
    break;
  }
  Value result = op->getResult(0);
  Interval results = range.of(result);
  if (results.isKnown() && !range.mayFit(result) && !range.counts(result))
    remark::missed(op->getLoc(), kRemark) << remark::reason("its result stays f32: {0} {1}",
                                                            range.isFaint(result)      ? "it reaches only"
                                                            : range.isObserved(result) ? "it reaches"
                                                                                       : "predicted to reach",
                                                            results.magnitude());
}

void Rewriter::run() {
  for (Block &block : function.getBody())
    visit(block);
  for (Operation *op : llvm::reverse(replaced))
    if (op->use_empty())
      op->erase();
}

namespace {

struct ReducePrecisionPass final : quantization::impl::ReducePrecisionPassBase<ReducePrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    MLIRContext *context = &getContext();
    if (type == "tf32") {
      allowTf32(module, info);
      return;
    }
    if (type != "f16" && type != "bf16") {
      emitUserError(module.getLoc()) << "'" << type << "' is not one of: f16, bf16, tf32";
      return signalPassFailure();
    }
    FloatType half = type == "f16" ? FloatType(Float16Type::get(context)) : BFloat16Type::get(context);
    bool activations = info.nativeTypes.empty() || llvm::is_contained(info.nativeTypes, type.getValue()) ||
                       llvm::is_contained(info.matrixTypes, type.getValue());
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Rewriter rewriter(function, half, activations);
      rewriter.run();
      numContractions += rewriter.numContractions;
      numValues += rewriter.numValues;
      forgetRanges(function);
    }
  }

private:
  /// What a run has shown is said of the values that it had.
  static void forgetRanges(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, kObservedAttribute);
    function.walk([](Operation *op) { op->removeAttr(kObservedAttribute); });
  }

  void allowTf32(ModuleOp module, const TargetInfo &info) {
    bool has = llvm::is_contained(info.matrixTypes, "tf32");
    if (has)
      module->setAttr(kPrecisionAttribute, StringAttr::get(&getContext(), "tf32"));
    module.walk([&](ContractionOpInterface op) {
      if (!isF32Tensor(op.getActivations()) || !isF32Tensor(op.getWeights()))
        return;
      numContractions += has;
      if (has)
        remark::passed(op.getLoc(), kRemark) << remark::reason("factors may be rounded to tf32");
      else
        remark::missed(op.getLoc(), kRemark) << remark::reason("stays f32: the target multiplies no tf32");
    });
  }
};

} // namespace
