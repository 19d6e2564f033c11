//===- Lowering.cpp - Types, extents and layouts of the conversion --------===//

#include "passes/Conversion/GraphToLinalg/Lowering.h"

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

int64_t graph_to_linalg::memoryDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> order = memoryOrder(type);
  return std::distance(order.begin(), llvm::find(order, dim));
}

AffineMap graph_to_linalg::memoryMap(RankedTensorType type, unsigned numLoops, ArrayRef<AffineExpr> logical,
                                     MLIRContext *context) {
  return AffineMap::get(numLoops, 0, toMemory(type, logical), context);
}

Value graph_to_linalg::extractElement(OpBuilder &builder, Location loc, Value converted, RankedTensorType type,
                                      ArrayRef<Value> indices) {
  return tensor::ExtractOp::create(builder, loc, converted, toMemory(type, indices));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

StorageTypeConverter::StorageTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (type.getEncoding() && !isa<graph::LayoutAttr>(type.getEncoding()))
      return std::nullopt;
    Type element = type.getElementType();
    if (element.isIntOrFloat())
      element = storageType(element);
    return RankedTensorType::get(toMemory(type, type.getShape()), element);
  });
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

/// Looks at every dimension and small integer tensor once: later the builder remembers.
static void readExtents(graph::ExtentBuilder &extents, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return;
  extents.dims(value);
  if (type.getRank() <= 1 && isa<IntegerType>(type.getElementType()) && type.hasStaticShape() &&
      type.getNumElements() <= graph::ExtentBuilder::kMaxElements)
    extents.elements(value);
}

LoweringContext::LoweringContext(FunctionOpInterface function, const TypeConverter &types) : types(types) {
  for (BlockArgument argument : function.getArguments()) {
    readExtents(extents, argument);
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
    if (!names)
      continue;
    for (auto [dim, name] : llvm::enumerate(names))
      if (auto symbol = dyn_cast<StringAttr>(name))
        symbols.try_emplace(symbol.getValue(), argument, static_cast<int64_t>(dim));
  }
  function->walk([&](Operation *op) {
    for (Value result : op->getResults())
      readExtents(extents, result);
  });
}

RankedTensorType LoweringContext::convert(Value value) const {
  return types.convertType<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// tensor.dim of the converted tensor.
static Value readDim(ConversionPatternRewriter &rewriter, Location loc, Value value, int64_t dim) {
  Value converted = rewriter.getRemappedValue(value);
  if (!converted || !isa<RankedTensorType>(converted.getType()))
    return nullptr;
  return tensor::DimOp::create(rewriter, loc, converted, memoryDim(typeOf(value), dim));
}

/// Element number `position` of a small integer tensor, as index.
static Value readElement(ConversionPatternRewriter &rewriter, Location loc, Value value, int64_t position) {
  Value converted = rewriter.getRemappedValue(value);
  auto type = typeOf(value);
  if (!converted || !isa<RankedTensorType>(converted.getType()) || !type.hasStaticShape())
    return nullptr;
  SmallVector<Value> indices(type.getRank());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    indices[dim] = arith::ConstantIndexOp::create(rewriter, loc, position % type.getDimSize(dim));
    position /= type.getDimSize(dim);
  }
  Value element = extractElement(rewriter, loc, converted, type, indices);
  if (isUnsigned(type.getElementType()))
    return arith::IndexCastUIOp::create(rewriter, loc, rewriter.getIndexType(), element);
  return arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), element);
}

FailureOr<OpFoldResult> graph_to_linalg::materialize(ConversionPatternRewriter &rewriter, Location loc,
                                                     graph::Extent extent, LoweringContext &context) {
  if (auto number = graph::constantExtent(extent))
    return OpFoldResult(rewriter.getIndexAttr(*number));
  graph::ExtentMaterializer materializer([&](OpBuilder &, graph::Extent leaf) -> Value {
    if (leaf->op == graph::ExtentOp::Dim)
      return readDim(rewriter, loc, leaf->value, leaf->number);
    if (leaf->op == graph::ExtentOp::Element)
      return readElement(rewriter, loc, leaf->value, leaf->number);
    auto found = context.symbols.find(leaf->name);
    if (found == context.symbols.end())
      return nullptr;
    return readDim(rewriter, loc, found->second.first, found->second.second);
  });
  if (Value value = materializer.get(rewriter, loc, extent))
    return OpFoldResult(value);
  return failure();
}

FailureOr<Value> graph_to_linalg::materializeIndex(ConversionPatternRewriter &rewriter, Location loc,
                                                   graph::Extent extent, LoweringContext &context) {
  FailureOr<OpFoldResult> size = materialize(rewriter, loc, extent, context);
  if (failed(size))
    return failure();
  return getValueOrCreateConstantIndexOp(rewriter, loc, *size);
}

FailureOr<OpFoldResult> graph_to_linalg::dimSize(ConversionPatternRewriter &rewriter, Location loc, Value value,
                                                 int64_t dim, LoweringContext &context) {
  return materialize(rewriter, loc, context.extents.dim(value, dim), context);
}

FailureOr<Value> graph_to_linalg::dimIndex(ConversionPatternRewriter &rewriter, Location loc, Value value, int64_t dim,
                                           LoweringContext &context) {
  return materializeIndex(rewriter, loc, context.extents.dim(value, dim), context);
}

FailureOr<Value> graph_to_linalg::createEmptyLike(ConversionPatternRewriter &rewriter, Location loc, Value result,
                                                  Type element, LoweringContext &context) {
  auto type = context.convert(result);
  if (!type)
    return failure();
  // The type decides what is static: inference may have known less than the extents do now.
  SmallVector<int64_t> order = memoryOrder(typeOf(result));
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    FailureOr<Value> size = dimIndex(rewriter, loc, result, order[dim], context);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return tensor::EmptyOp::create(rewriter, loc, type.clone(element), sizes).getResult();
}

FailureOr<Value> graph_to_linalg::createEmpty(ConversionPatternRewriter &rewriter, Location loc, Value result,
                                              LoweringContext &context) {
  return createEmptyLike(rewriter, loc, result, storageType(elementOf(result)), context);
}

FailureOr<Value> graph_to_linalg::createEmptyOf(ConversionPatternRewriter &rewriter, Location loc,
                                                ArrayRef<graph::Extent> extents, Type element,
                                                LoweringContext &context) {
  SmallVector<OpFoldResult> sizes;
  for (graph::Extent extent : extents) {
    FailureOr<OpFoldResult> size = materialize(rewriter, loc, extent, context);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return tensor::EmptyOp::create(rewriter, loc, sizes, element).getResult();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value graph_to_linalg::createFill(OpBuilder &builder, Location loc, Value scalar, Value init) {
  return linalg::FillOp::create(builder, loc, ValueRange{scalar}, ValueRange{init}).getResult(0);
}

FailureOr<Value> graph_to_linalg::createGeneric(OpBuilder &builder, Location loc, ValueRange inputs, Value init,
                                                ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
                                                BodyFn body) {
  bool complete = true;
  auto generic = linalg::GenericOp::create(builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
                                           iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
                                             FailureOr<Value> value = body(nested, nestedLoc, arguments);
                                             complete = succeeded(value);
                                             linalg::YieldOp::create(nested, nestedLoc,
                                                                     ValueRange{complete ? *value : arguments.back()});
                                           });
  if (!complete)
    return failure();
  return generic.getResult(0);
}

FailureOr<Value> graph_to_linalg::createGather(OpBuilder &builder, Location loc, RankedTensorType type, Value init,
                                               BodyFn body) {
  int64_t rank = type.getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return createGeneric(builder, loc, {}, init, {builder.getMultiDimIdentityMap(rank)}, iterators,
                       [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
                         SmallVector<Value> indices(rank);
                         for (auto [loop, dim] : llvm::enumerate(memoryOrder(type)))
                           indices[dim] = linalg::IndexOp::create(nested, nestedLoc, loop);
                         return body(nested, nestedLoc, indices);
                       });
}

Value graph_to_linalg::castToResult(OpBuilder &builder, Location loc, Value value, Value result,
                                    LoweringContext &context) {
  RankedTensorType type = context.convert(result);
  return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value).getResult();
}

Value graph_to_linalg::createPad(OpBuilder &builder, Location loc, Value input, ArrayRef<OpFoldResult> low,
                                 ArrayRef<OpFoldResult> high, Value scalar) {
  auto isZero = [](OpFoldResult size) { return isConstantIntValue(size, 0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    auto before = getConstantIntValue(low[dim]), after = getConstantIntValue(high[dim]);
    bool known = before && after && !ShapedType::isDynamic(size);
    shape.push_back(known ? size + *before + *after : ShapedType::kDynamic);
  }
  return tensor::PadOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()), input, low, high,
                               scalar);
}
