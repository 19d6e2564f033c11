//===- Normalization.cpp - Softmax, layer and RMS normalization -----------===//

#include "passes/Conversion/GraphToLinalg/ReducedSpace.h"
#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

struct SoftmaxPattern : GraphPattern<graph::SoftmaxOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::SoftmaxOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = elementOf(op.getInput());
    Value input = adaptor.getInput();
    int64_t dim = op.getDim();
    ReducedSpace space(op.getInput(), {dim}, op.getInput(), context, rewriter);
    FailureOr<Value> largest =
        space.reduce({input}, {space.fullMap()}, {graph::ReduceKind::Max, element},
                     [&](OpBuilder &builder, Location loc, ValueRange arguments) -> FailureOr<Value> {
                       return loadElement(builder, loc, arguments[0], element);
                     });
    if (failed(largest))
      return failure();
    FailureOr<Value> result =
        op.getLog() ? logarithm(op, input, *largest, space, rewriter) : quotient(op, input, *largest, space, rewriter);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// x - max, in the compute type.
  static Value distance(OpBuilder &builder, Location loc, Value x, Value largest, Type element) {
    ScalarBuilder s{builder, loc};
    return s.subf(loadElement(builder, loc, x, element), loadElement(builder, loc, largest, element));
  }

  FailureOr<Value> quotient(graph::SoftmaxOp op, Value input, Value largest, const ReducedSpace &space,
                            ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type element = elementOf(op.getInput()), number = computeType(element);
    RankedTensorType resultType = typeOf(op.getResult());
    FailureOr<Value> empty = createEmptyLike(rewriter, loc, op.getResult(), number, context);
    if (failed(empty))
      return failure();
    FailureOr<Value> powers =
        space.map({input, largest}, {space.fullMap(), space.keptMap()}, *empty, resultType,
                  [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                    Value x = distance(builder, nested, arguments[0], arguments[1], element);
                    return unaryFunction(builder, nested, graph::UnaryKind::Exp, x, element);
                  });
    if (failed(powers))
      return failure();
    FailureOr<Value> sums =
        space.reduce({*powers}, {space.fullMap(resultType)}, {graph::ReduceKind::Sum, element},
                     [](OpBuilder &, Location, ValueRange arguments) -> FailureOr<Value> { return arguments[0]; });
    if (failed(sums))
      return failure();
    auto divide = [&](OpBuilder &builder, Location nested, Value power, Value sum) {
      return storeElement(builder, nested, ScalarBuilder{builder, nested}.divf(power, sum), element);
    };
    if (number == storageType(element))
      return space.map({*sums}, {space.keptMap()}, *powers, resultType,
                       [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                         return divide(builder, nested, arguments[1], arguments[0]);
                       });
    FailureOr<Value> init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    return space.map({*powers, *sums}, {space.fullMap(resultType), space.keptMap()}, *init, resultType,
                     [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                       return divide(builder, nested, arguments[0], arguments[1]);
                     });
  }

  FailureOr<Value> logarithm(graph::SoftmaxOp op, Value input, Value largest, const ReducedSpace &space,
                             ConversionPatternRewriter &rewriter) const {
    Type element = elementOf(op.getInput());
    SmallVector<AffineMap> maps{space.fullMap(), space.keptMap()};
    FailureOr<Value> sums =
        space.reduce({input, largest}, maps, {graph::ReduceKind::Sum, element},
                     [&](OpBuilder &builder, Location loc, ValueRange arguments) -> FailureOr<Value> {
                       Value x = distance(builder, loc, arguments[0], arguments[1], element);
                       return unaryFunction(builder, loc, graph::UnaryKind::Exp, x, element);
                     });
    FailureOr<Value> init = createEmpty(rewriter, op.getLoc(), op.getResult(), context);
    if (failed(sums) || failed(init))
      return failure();
    FailureOr<Value> logs =
        space.mapKept(*sums, [&](OpBuilder &builder, Location loc, ValueRange arguments) -> FailureOr<Value> {
          return unaryFunction(builder, loc, graph::UnaryKind::Log, arguments[0], element);
        });
    if (failed(logs))
      return failure();
    maps.push_back(space.keptMap());
    return space.map({input, largest, *logs}, maps, *init, typeOf(op.getResult()),
                     [&](OpBuilder &builder, Location loc, ValueRange arguments) -> FailureOr<Value> {
                       Value x = distance(builder, loc, arguments[0], arguments[1], element);
                       return storeElement(builder, loc, ScalarBuilder{builder, loc}.subf(x, arguments[2]), element);
                     });
  }
};

struct NormalizePattern : GraphPattern<graph::NormalizeOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::NormalizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementOf(op.getInput());
    bool centers = op.getKind() == graph::NormKind::Layer;
    ReducedSpace space(op.getInput(), op.getDims(), op.getInput(), context, rewriter);
    Accumulator sum{graph::ReduceKind::Sum, element};
    FailureOr<Value> count = elementCount(op, rewriter);
    FailureOr<Value> init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(count) || failed(init))
      return failure();

    SmallVector<Value> inputs{adaptor.getInput()};
    SmallVector<AffineMap> maps{space.fullMap()};
    // The element without the mean, if that is wanted: the mean is the second input.
    auto centered = [&](OpBuilder &builder, Location nested, ValueRange arguments) {
      Value x = loadElement(builder, nested, arguments[0], element);
      return centers ? ScalarBuilder{builder, nested}.subf(x, arguments[1]) : x;
    };
    if (centers) {
      FailureOr<Value> sums = space.reduce(
          inputs, maps, sum, [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
            return loadElement(builder, nested, arguments[0], element);
          });
      if (failed(sums))
        return failure();
      FailureOr<Value> means =
          space.mapKept(*sums, [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
            return ScalarBuilder{builder, nested}.divf(arguments[0], *count);
          });
      if (failed(means))
        return failure();
      inputs.push_back(*means);
      maps.push_back(space.keptMap());
    }
    FailureOr<Value> squares = space.reduce(
        inputs, maps, sum, [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
          Value x = centered(builder, nested, arguments);
          return ScalarBuilder{builder, nested}.mulf(x, x);
        });
    if (failed(squares))
      return failure();
    FailureOr<Value> factors =
        space.mapKept(*squares, [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
          ScalarBuilder s{builder, nested};
          Value variance = s.divf(arguments[0], *count);
          variance = s.addf(variance, s.num(variance, op.getEpsilon().convertToDouble()));
          return s.divf(s.num(variance, 1), s.sqrt(variance));
        });
    if (failed(factors))
      return failure();
    inputs.push_back(*factors);
    maps.push_back(space.keptMap());
    FailureOr<Value> result =
        space.map(inputs, maps, *init, typeOf(op.getResult()),
                  [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                    Value x = centered(builder, nested, arguments);
                    Value scaled = ScalarBuilder{builder, nested}.mulf(x, arguments[inputs.size() - 1]);
                    return storeElement(builder, nested, scaled, element);
                  });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// Number of elements that are normalized together, as a float.
  FailureOr<Value> elementCount(graph::NormalizeOp op, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type number = computeType(elementOf(op.getInput()));
    SmallVector<graph::Extent> factors;
    for (int64_t dim : op.getDims())
      factors.push_back(context.extents.dim(op.getInput(), dim));
    graph::Extent product = context.extents.product(factors);
    if (auto known = graph::constantExtent(product))
      return floatConstant(rewriter, loc, number, static_cast<double>(*known));
    FailureOr<Value> count = materializeIndex(rewriter, loc, product, context);
    if (failed(count))
      return failure();
    Value integer = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), *count);
    return arith::SIToFPOp::create(rewriter, loc, number, integer).getResult();
  }
};

} // namespace

void graph_to_linalg::populateNormalization(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<SoftmaxPattern, NormalizePattern>(patterns, context);
}
