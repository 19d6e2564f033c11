//===- Structure.cpp - Constants, layouts and functions -------------------===//

#include "passes/Conversion/GraphToLinalg/Lowering.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph_to_linalg;

namespace {

/// The element as it lies in memory.
APInt storageBits(APInt bits, Type element) {
  unsigned width = storageType(element).getIntOrFloatBitWidth();
  bool extendsSign = isa<IntegerType>(element) && !isUnsigned(element);
  return extendsSign ? bits.sext(width) : bits.zext(width);
}

/// Row-major elements in the order of memory.
template <typename T> SmallVector<T> permute(ArrayRef<T> values, RankedTensorType type) {
  SmallVector<int64_t> order = memoryOrder(type), strides(type.getRank(), 1), position(type.getRank(), 0);
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * type.getDimSize(dim + 1);
  SmallVector<T> result;
  result.reserve(values.size());
  for (size_t count = 0; count < values.size(); ++count) {
    int64_t offset = 0;
    for (auto [dim, at] : llvm::enumerate(position))
      offset += at * strides[order[dim]];
    result.push_back(values[offset]);
    for (int64_t dim = type.getRank() - 1; dim >= 0 && ++position[dim] == type.getDimSize(order[dim]); --dim)
      position[dim] = 0;
  }
  return result;
}

/// `value` as elements of `type`, a converted type; null when its elements cannot be read.
ElementsAttr convertElements(ElementsAttr value, RankedTensorType from, RankedTensorType type) {
  Type element = from.getElementType();
  bool sameOrder = !from.getEncoding() || from.getRank() < 2;
  bool sameBits = element.getIntOrFloatBitWidth() == type.getElementTypeBitWidth();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (sameBits && sameOrder)
      return DenseResourceElementsAttr::get(type, resource.getRawHandle());
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return nullptr;
    value = DenseElementsAttr::getFromRawBuffer(value.getShapedType(), blob->getData());
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return nullptr;
  if (sameBits && (sameOrder || dense.isSplat()))
    return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
  SmallVector<APInt> bits;
  size_t count = dense.isSplat() ? 1 : dense.getNumElements();
  if (isa<FloatType>(element)) {
    auto values = dense.getValues<APFloat>();
    for (size_t i = 0; i < count; ++i)
      bits.push_back(storageBits(values[i].bitcastToAPInt(), element));
  } else {
    auto values = dense.getValues<APInt>();
    for (size_t i = 0; i < count; ++i)
      bits.push_back(storageBits(values[i], element));
  }
  if (!sameOrder && !dense.isSplat())
    bits = permute<APInt>(bits, from);
  Type stored = type.getElementType();
  if (!isa<FloatType>(stored))
    return DenseElementsAttr::get(type, bits);
  SmallVector<APFloat> floats;
  for (const APInt &number : bits)
    floats.emplace_back(cast<FloatType>(stored).getFloatSemantics(), number);
  return DenseElementsAttr::get(type, floats);
}

struct ConstantPattern : GraphPattern<graph::ConstantOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = context.convert(op.getResult());
    ElementsAttr value = type ? convertElements(op.getValue(), typeOf(op.getResult()), type) : nullptr;
    if (!value)
      return rewriter.notifyMatchFailure(op, "elements of an unknown kind");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type, cast<TypedAttr>(value));
    return success();
  }
};

struct RelayoutPattern : GraphPattern<graph::RelayoutOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(graph::RelayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getInput()), to = typeOf(op.getResult());
    SmallVector<int64_t> perm;
    for (int64_t dim : memoryOrder(to))
      perm.push_back(memoryDim(from, dim));
    if (llvm::is_sorted(perm)) {
      Value same = adaptor.getInput();
      if (same.getType() != context.convert(op.getResult()))
        same = tensor::CastOp::create(rewriter, op.getLoc(), context.convert(op.getResult()), same);
      rewriter.replaceOp(op, same);
      return success();
    }
    FailureOr<Value> init = createEmpty(rewriter, op.getLoc(), op.getResult(), context);
    if (failed(init))
      return failure();
    rewriter.replaceOp(
        op, linalg::TransposeOp::create(rewriter, op.getLoc(), adaptor.getInput(), *init, perm)->getResult(0));
    return success();
  }
};

} // namespace

void graph_to_linalg::populateStructure(RewritePatternSet &patterns, LoweringContext &context) {
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, context.types);
  populateReturnOpTypeConversionPattern(patterns, context.types);
  addPatterns<ConstantPattern, RelayoutPattern>(patterns, context);
}
