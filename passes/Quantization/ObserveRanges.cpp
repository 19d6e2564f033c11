//===- ObserveRanges.cpp - How large values are in a run ------------------===//

#include "passes/Quantization/HalfRange.h"
#include "passes/Quantization/Passes.h"

#include "lib/Reference/Interpreter.h"

namespace hone::quantization {
#define GEN_PASS_DEF_OBSERVERANGESPASS
#include "passes/Quantization/Passes.h.inc"
} // namespace hone::quantization

using namespace mlir;
using namespace hone;
using namespace hone::quantization;
using reference::Tensor;

namespace {

struct ObserveRangesPass final : quantization::impl::ObserveRangesPassBase<ObserveRangesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(observe(function)))
        return signalPassFailure();
  }

private:
  LogicalResult observe(func::FuncOp function);
};

} // namespace

/// The range of all elements that are numbers; infinite ones count.
static Interval rangeOf(const Tensor &tensor) {
  Interval range{INFINITY, -INFINITY};
  for (double element : tensor.doubles())
    if (!std::isnan(element))
      range = range.with({element, element});
  return range;
}

LogicalResult ObserveRangesPass::observe(func::FuncOp function) {
  SmallVector<Tensor> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto example = function.getArgAttrOfType<ElementsAttr>(i, kExampleAttribute);
    auto tensor = example ? Tensor::fromAttr(example) : std::nullopt;
    if (!tensor)
      return success();
    inputs.push_back(*tensor);
    function.removeArgAttr(i, kExampleAttribute);
  }
  DenseMap<Value, Interval> ranges;
  auto watch = [&](Value value, const Tensor &tensor) {
    if (!tensor.isFloat())
      return;
    auto [entry, fresh] = ranges.try_emplace(value, Interval{INFINITY, -INFINITY});
    entry->second = entry->second.with(rangeOf(tensor));
  };
  if (failed(reference::interpret(function, inputs, watch)))
    return failure();
  // What the run did not come to has a low end above the high one.
  auto known = [&](ValueRange values) {
    SmallVector<double> ends;
    for (Value value : values) {
      auto found = ranges.find(value);
      Interval range = found == ranges.end() ? Interval{INFINITY, -INFINITY} : found->second;
      ends.append({range.low, range.high});
    }
    return DenseF64ArrayAttr::get(&getContext(), ends);
  };
  auto hasFloats = [](ValueRange values) {
    return llvm::any_of(values, [](Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); });
  };
  for (BlockArgument argument : function.getArguments())
    if (hasFloats(ValueRange(argument)))
      function.setArgAttr(argument.getArgNumber(), kObservedAttribute, known(ValueRange(argument)));
  function.walk([&](Operation *op) {
    if (op != function && hasFloats(op->getResults()) && !isa<graph::ConstantOp>(op)) {
      op->setAttr(kObservedAttribute, known(op->getResults()));
      ++numOps;
    }
  });
  return success();
}
