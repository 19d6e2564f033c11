//===- ChooseLayouts.cpp - Channels last, packed weights ------------------===//

#include "passes/Layout/Passes.h"

#include "dialects/Graph/IR/Graph.h"
#include "passes/Analysis/PanelKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace hone::layout {
#define GEN_PASS_DEF_CHOOSELAYOUTSPASS
#include "passes/Layout/Passes.h.inc"
} // namespace hone::layout

using namespace mlir;
using namespace hone;
using namespace hone::graph;

static constexpr auto kRemark = remark::RemarkOpts::name("choose-layouts").category("layout");

/// Whether `op` is computed by a kernel that reads packed weights, and these are constant.
static bool isPacked(Operation *op) {
  return panelFamily(op) != PanelFamily::None &&
         matchPattern(cast<ContractionOpInterface>(op).getWeights(), m_Constant());
}

/// Whether `op` works on rank-4 tensors of any layout, if all of them have the same one.
static bool isAgnostic(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return isPacked(conv);
  return isa<ElementwiseOpInterface, PoolOp, ConcatOp, ResizeOp>(op) ||
         (isa<ReduceOp>(op) && cast<ReduceOp>(op).getKeepDims());
}

/// Whether `value` can have its channels last: a tensor of rank 4 that is not a small constant.
static bool canChange(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 4 && !matchPattern(value, m_Constant());
}

/// The operands of an agnostic op that take part in its layout.
static SmallVector<OpOperand *> layoutOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  bool first = isa<ConvOp, PoolOp, ReduceOp, ResizeOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (canChange(operand.get()) && (!first || operand.getOperandNumber() == 0))
      operands.push_back(&operand);
  return operands;
}

namespace {

struct ChooseLayoutsPass final : layout::impl::ChooseLayoutsPassBase<ChooseLayoutsPass> {
  void runOnOperation() override {
    packed.clear();
    auto module = getOperation()->getParentOfType<ModuleOp>();
    TargetInfo info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    // Panels are for register tiles.
    if (info.vectorRegisters == 0)
      return;
    packWeights(info);
    arrangeProducts();
    llvm::SetVector<Operation *> members = spread();
    apply(members);
  }

private:
  void packWeights(const TargetInfo &info) {
    SmallVector<Operation *> contractions;
    getOperation()->walk([&](ContractionOpInterface op) {
      if (isPacked(op)) {
        contractions.push_back(op);
        remark::passed(op->getLoc(), kRemark)
            << remark::reason("weights are laid out for a {0}", familyName(panelFamily(op)).str());
        return;
      }
      if (auto contract = dyn_cast<ContractOp>(op.getOperation()); contract && productDims(contract))
        return;
      bool isConstant = matchPattern(op.getWeights(), m_Constant());
      remark::missed(op->getLoc(), kRemark)
          << remark::reason("{0}", isConstant ? "no packed kernel computes these types and extents"
                                              : "weights that are no constant cannot be packed at compile time");
    });
    for (Operation *op : contractions) {
      Value weights = cast<ContractionOpInterface>(op).getWeights();
      auto type = cast<RankedTensorType>(weights.getType());
      OpBuilder builder(op);
      auto packedType = RankedTensorType::get(type.getShape(), type.getElementType(), weightLayout(op, info));
      packed.insert(op);
      Value relayout = RelayoutOp::create(builder, op->getLoc(), packedType, weights);
      op->setOperand(1, relayout);
    }
  }

  /// Gives products of computed operands a right operand whose columns are neighbours.
  void arrangeProducts() {
    getOperation()->walk([&](ContractOp op) {
      auto dims = productDims(op);
      if (!dims || packed.contains(op))
        return;
      LayoutAttr layout = productLayout(op, *dims);
      if (!layout || op.getRhs().getType().getEncoding())
        return;
      auto type = op.getRhs().getType();
      OpBuilder builder(op);
      auto arranged = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
      Value relayout = RelayoutOp::create(builder, op->getLoc(), arranged, op.getRhs());
      remark::passed(op->getLoc(), kRemark) << remark::reason("the right operand is laid out with its columns last");
      op->setOperand(1, relayout);
    });
  }

  /// All ops that work channels last: convolutions and the agnostic ops they reach.
  llvm::SetVector<Operation *> spread() {
    llvm::SetVector<Operation *> members;
    for (Operation *op : packed)
      if (isa<ConvOp>(op))
        members.insert(op);
    for (size_t next = 0; next < members.size(); ++next) {
      Operation *op = members[next];
      auto consider = [&](Operation *other) {
        if (!other || other->getNumResults() != 1 ||
            (isa<ConvOp>(other) ? !packed.contains(other) : !isAgnostic(other)))
          return;
        if (canChange(other->getResult(0)) &&
            llvm::all_of(other->getOperands(), [](Value operand) { return fits(operand); }))
          members.insert(other);
      };
      for (Operation *user : op->getResult(0).getUsers())
        consider(user);
      for (OpOperand *operand : layoutOperands(op))
        consider(operand->get().getDefiningOp());
    }
    return members;
  }

  /// Operands of lower rank broadcast along the last dimensions, which stop being last.
  static bool fits(Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    return type.getRank() == 4 || type.getRank() <= 1 || matchPattern(operand, m_Constant()) ||
           isa<IntegerType>(type.getElementType());
  }

  void apply(const llvm::SetVector<Operation *> &members) {
    LayoutAttr nhwc = channelsLast(&getContext());
    auto withLayout = [&](Type type, Attribute layout) {
      auto tensor = cast<RankedTensorType>(type);
      return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
    };
    for (Operation *op : members) {
      op->getResult(0).setType(withLayout(op->getResult(0).getType(), nhwc));
      remark::passed(op->getLoc(), kRemark) << remark::reason("computed with channels last");
    }
    DenseMap<std::pair<Value, Block *>, Value> changed;
    for (Operation *op : members) {
      for (OpOperand *operand : layoutOperands(op)) {
        Value value = operand->get();
        if (cast<RankedTensorType>(value.getType()).getEncoding())
          continue;
        Value &relayout = changed[{value, op->getBlock()}];
        if (!relayout) {
          OpBuilder builder(&getContext());
          bool here = value.getParentBlock() == op->getBlock();
          if (here)
            builder.setInsertionPointAfterValue(value);
          else
            builder.setInsertionPointToStart(op->getBlock());
          relayout = RelayoutOp::create(builder, op->getLoc(), withLayout(value.getType(), nhwc), value);
        }
        operand->set(relayout);
      }
      Value result = op->getResult(0), plain;
      for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
        // Extents are logical: they do not depend on the layout.
        if (isa<ShapeOp>(use.getOwner()) ||
            (members.contains(use.getOwner()) && llvm::is_contained(layoutOperands(use.getOwner()), &use)))
          continue;
        if (!plain) {
          OpBuilder builder(op->getContext());
          builder.setInsertionPointAfter(op);
          plain = RelayoutOp::create(builder, op->getLoc(), withLayout(result.getType(), {}), result);
        }
        use.set(plain);
      }
    }
  }

  llvm::SetVector<Operation *> packed;
};

} // namespace
