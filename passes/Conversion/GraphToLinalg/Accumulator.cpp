//===- Accumulator.cpp - Many elements meet in one ------------------------===//

#include "passes/Conversion/GraphToLinalg/Accumulator.h"

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

/// Facts of a reduction, in order of ReduceKind.
struct KindRow {
  graph::BinaryKind combine;
  enum { Zero, One, Highest, Lowest } start;
};
constexpr KindRow kKinds[] = {
    {graph::BinaryKind::Add, KindRow::Zero},    {graph::BinaryKind::Mul, KindRow::One},
    {graph::BinaryKind::Min, KindRow::Highest}, {graph::BinaryKind::Max, KindRow::Lowest},
    {graph::BinaryKind::And, KindRow::One},     {graph::BinaryKind::Or, KindRow::Zero},
};

const KindRow &rowOf(graph::ReduceKind kind) { return kKinds[static_cast<unsigned>(kind)]; }

} // namespace

Value Accumulator::identity(OpBuilder &builder, Location loc) const {
  Type number = computeType(element);
  Value start;
  switch (rowOf(kind).start) {
  case KindRow::Zero:
    start = numberConstant(builder, loc, number, 0);
    break;
  case KindRow::One:
    start = numberConstant(builder, loc, number, 1);
    break;
  case KindRow::Highest:
    start = highestConstant(builder, loc, element);
    break;
  case KindRow::Lowest:
    start = lowestConstant(builder, loc, element);
    break;
  }
  if (!isExact())
    return start;
  // All ones means true for integers too.
  if (kind == graph::ReduceKind::All && !element.isInteger(1))
    start = intConstant(builder, loc, number, -1);
  return storeElement(builder, loc, start, element, /*saturate=*/false);
}

FailureOr<Value> Accumulator::combine(OpBuilder &builder, Location loc, Value running, Value number) const {
  graph::BinaryKind function = rowOf(kind).combine;
  if (!isExact())
    return binaryFunction(builder, loc, function, running, number, element);
  Value loaded = loadElement(builder, loc, running, element);
  FailureOr<Value> next = binaryFunction(builder, loc, function, loaded, number, element);
  if (failed(next))
    return failure();
  return storeElement(builder, loc, *next, element);
}

/// Whether numbers and elements of `element` are the same thing.
static bool storesAsIs(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return computeType(element) == storageType(element) && (width >= 8 || width == 1);
}

FailureOr<Value> graph_to_linalg::storeResult(ConversionPatternRewriter &rewriter, Location loc, Value values,
                                              Value result, LoweringContext &context, FinishFn finish) {
  Type element = elementOf(result);
  values = tensor::CastOp::areCastCompatible(values.getType(), context.convert(result)) &&
                   values.getType() != context.convert(result)
               ? castToResult(rewriter, loc, values, result, context)
               : values;
  if (!finish && storesAsIs(element))
    return values;
  bool inPlace = values.getType() == context.convert(result);
  FailureOr<Value> init = inPlace ? FailureOr<Value>(values) : createEmpty(rewriter, loc, result, context);
  if (failed(init))
    return failure();
  int64_t rank = rankOf(result);
  // Reads an input, not what it overwrites: fused into a larger loop, it may run more than once per element.
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return createGeneric(rewriter, loc, {values}, *init, maps, iterators,
                       [&](OpBuilder &builder, Location nested, ValueRange arguments) -> FailureOr<Value> {
                         FailureOr<Value> number = arguments.front();
                         if (finish) {
                           SmallVector<Value> indices(rank);
                           for (auto [loop, dim] : llvm::enumerate(memoryOrder(typeOf(result))))
                             indices[dim] = linalg::IndexOp::create(builder, nested, loop);
                           number = finish(builder, nested, *number, indices);
                           if (failed(number))
                             return failure();
                         }
                         return storeElement(builder, nested, *number, element);
                       });
}

FailureOr<Value> graph_to_linalg::storeAccumulated(ConversionPatternRewriter &rewriter, Location loc, Value values,
                                                   const Accumulator &accumulator, Value result,
                                                   LoweringContext &context) {
  if (accumulator.isExact())
    return castToResult(rewriter, loc, values, result, context);
  return storeResult(rewriter, loc, values, result, context);
}

FailureOr<Value> graph_to_linalg::createArgExtremum(ConversionPatternRewriter &rewriter, Location loc,
                                                    ValueRange inputs, Value best, Value positions,
                                                    ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
                                                    Type element, graph::Predicate better, CandidateFn candidate) {
  Value zero = numberConstant(rewriter, loc, storageType(element), 0);
  Value none = intConstant(rewriter, loc, rewriter.getI64Type(), -1);
  best = createFill(rewriter, loc, zero, best);
  positions = createFill(rewriter, loc, none, positions);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(maps.back());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange{best.getType(), positions.getType()}, inputs, ValueRange{best, positions}, allMaps,
      iterators, [&](OpBuilder &builder, Location nested, ValueRange arguments) {
        ScalarBuilder s{builder, nested};
        Candidate next = candidate(builder, nested, arguments);
        Value stored = arguments[inputs.size()], position = arguments[inputs.size() + 1];
        Value running = loadElement(builder, nested, stored, element);
        Value wins = compareFunction(builder, nested, better, next.number, running, element);
        if (isa<FloatType>(element))
          wins = s.ori(wins, s.cmpf(arith::CmpFPredicate::UNO, next.number, next.number));
        if (isa<FloatType>(element))
          wins = s.andi(wins, s.cmpf(arith::CmpFPredicate::ORD, running, running));
        wins = s.ori(wins, s.cmpi(arith::CmpIPredicate::slt, position, s.bits(position, 0)));
        if (next.valid)
          wins = s.andi(wins, next.valid);
        Value kept = s.select(wins, next.number, running);
        linalg::YieldOp::create(
            builder, nested,
            ValueRange{storeElement(builder, nested, kept, element), s.select(wins, next.position, position)});
      });
  return generic.getResult(1);
}
