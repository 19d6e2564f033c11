//===- WidenContractions.cpp - Factors that registers hold as f32 ---------===//

#include "passes/Quantization/Passes.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Target/TargetBackend.h"

#include "mlir/IR/Matchers.h"

namespace hone::quantization {
#define GEN_PASS_DEF_WIDENCONTRACTIONSPASS
#include "passes/Quantization/Passes.h.inc"
} // namespace hone::quantization

using namespace mlir;
using namespace hone;
using namespace hone::graph;

namespace {

/// Whether the target converts numbers of this type before it multiplies them.
bool isForeign(Value value, const TargetInfo &info) {
  Type type = getElementTypeOrSelf(value.getType());
  auto lacks = [&](StringRef name) {
    return !info.nativeTypes.empty() && !llvm::is_contained(info.nativeTypes, name) &&
           !llvm::is_contained(info.matrixTypes, name);
  };
  return (type.isF16() && lacks("f16")) || (type.isBF16() && lacks("bf16"));
}

/// Sums are f32 and rounded once: the rounding becomes an op of its own.
void splitRounding(ContractionOpInterface op) {
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  Value sums = op->getResult(0);
  auto type = cast<RankedTensorType>(sums.getType());
  op->setAttr("to", TypeAttr::get(builder.getF32Type()));
  sums.setType(type.clone(builder.getF32Type()));
  auto rounded = CastOp::create(builder, op.getLoc(), sums, type.getElementType());
  sums.replaceAllUsesExcept(rounded, rounded);
}

struct WidenContractionsPass final : quantization::impl::WidenContractionsPassBase<WidenContractionsPass> {
  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    TargetInfo info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    // Loops convert numbers where they read them; tiles in registers want vectors of f32.
    if (info.vectorRegisters == 0)
      return;
    SmallVector<ContractionOpInterface> contractions;
    getOperation()->walk([&](ContractionOpInterface op) { contractions.push_back(op); });
    for (ContractionOpInterface op : contractions) {
      if (isForeign(op->getResult(0), info))
        splitRounding(op);
      if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
        continue;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands()) {
        Value factor = operand.get();
        bool converted = factor == op.getActivations() || !matchPattern(factor, m_Constant());
        if (converted && isForeign(factor, info))
          operand.set(CastOp::create(builder, op.getLoc(), factor, builder.getF32Type()));
      }
    }
  }
};

} // namespace
