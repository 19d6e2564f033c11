//===- SimplifyAlgebra.cpp - Laws that hold for every input ---------------===//

#include "lib/Reference/Tensor.h"
#include "passes/Simplify/AlgebraPatterns.h"
#include "passes/Simplify/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace hone::graph;
using hone::reference::Tensor;

namespace hone::simplify {

#define GEN_PASS_DEF_SIMPLIFYALGEBRAPASS
#include "passes/Simplify/Passes.h.inc"

std::optional<Splat> splatOf(Value value) {
  DenseElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) || !attribute.isSplat())
    return std::nullopt;
  auto scalar = RankedTensorType::get({}, attribute.getElementType());
  std::optional<Tensor> tensor = Tensor::fromAttr(attribute.resizeSplat(scalar));
  if (!tensor)
    return std::nullopt;
  return Splat{tensor->asDouble(0), tensor->asInt(0), attribute};
}

DenseElementsAttr splatLike(RankedTensorType type, double number) {
  std::optional<Tensor> one = Tensor::fromDoubles(type.getElementType(), {}, {number});
  return cast<DenseElementsAttr>(one->toAttr()).resizeSplat(type);
}

Value shapeConstant(OpBuilder &builder, Location loc, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, builder.getI64Type());
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, numbers));
}

namespace {

struct SimplifyAlgebraPass final : impl::SimplifyAlgebraPassBase<SimplifyAlgebraPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet laws(context);
    populateArithmeticPatterns(laws);
    populateConversionPatterns(laws);
    populateMovementPatterns(laws);
    patterns = std::move(laws);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      getOperation().emitWarning("algebra did not come to rest");
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace hone::simplify
