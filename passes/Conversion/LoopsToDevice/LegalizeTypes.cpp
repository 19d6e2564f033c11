//===- LegalizeTypes.cpp - Element types that devices know ----------------===//
//
// Memory holds booleans as bytes and bf16 as its bits; conversions of what a device has no arithmetic for are
// integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/FloatBits.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"

#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_LEGALIZETYPESPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

namespace {

/// Types of values as they are computed with, and of elements as they lie in memory.
class DeviceTypes : public TypeConverter {
public:
  explicit DeviceTypes(bool hasF16) : hasF16(hasF16) {
    addConversion([this](Type type) { return inRegister(type); });
    // Several elements are as they lie in memory.
    addConversion([this](VectorType type) { return type.clone(inMemory(type.getElementType())); });
    addConversion([this](MemRefType type) {
      return MemRefType::get(type.getShape(), inMemory(type.getElementType()), type.getLayout(), type.getMemorySpace());
    });
  }

  /// bf16 and, where there is none, f16 are their bits.
  Type inRegister(Type type) const {
    bool isBits = type.isBF16() || (type.isF16() && !hasF16);
    return isBits ? Type(IntegerType::get(type.getContext(), 16)) : type;
  }
  Type inMemory(Type type) const {
    if (type.isInteger(1))
      return IntegerType::get(type.getContext(), 8);
    return type.isIndex() ? Type(IntegerType::get(type.getContext(), 64)) : inRegister(type);
  }

private:
  bool hasF16;
};

/// `stored`, of the type an element has in memory, as a value of `type`, or the other way around.
Value convertElement(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (type.isIndex() || value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (type.isInteger(1)) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(value.getType(), 0));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
  }
  return arith::ExtUIOp::create(builder, loc, type, value);
}

struct ConvertLoad final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Value loaded = memref::LoadOp::create(rewriter, op.getLoc(), operands.getMemref(), operands.getIndices());
    rewriter.replaceOp(op,
                       convertElement(rewriter, op.getLoc(), loaded, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

struct ConvertStore final : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = cast<MemRefType>(operands.getMemref().getType()).getElementType();
    Value stored = convertElement(rewriter, op.getLoc(), operands.getValue(), element);
    rewriter.replaceOpWithNewOp<memref::StoreOp>(op, stored, operands.getMemref(), operands.getIndices());
    return success();
  }
};

struct ConvertExtract final : OpConversionPattern<vector::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::ExtractOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Value element = vector::ExtractOp::create(rewriter, op.getLoc(), operands.getSource(), op.getStaticPosition());
    rewriter.replaceOp(op,
                       convertElement(rewriter, op.getLoc(), element, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// Elements, or one for all, as several.
template <typename Op> struct ConvertElements final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(this->getTypeConverter()->convertType(op.getType()));
    SmallVector<Value> elements = llvm::map_to_vector(operands.getOperands(), [&](Value element) {
      return convertElement(rewriter, op.getLoc(), element, type.getElementType());
    });
    rewriter.replaceOpWithNewOp<Op>(op, TypeRange(type), elements);
    return success();
  }
};

/// An op that is the same on converted types: an allocation, a view, a choice.
template <typename Op> struct RetypeOp final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op.getLoc(), op->getName(), operands.getOperands(), types, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct ConvertConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto number = dyn_cast<FloatAttr>(op.getValue());
    Type type = getTypeConverter()->convertType(op.getType());
    if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
      auto vector = cast<VectorType>(type);
      unsigned width = vector.getElementTypeBitWidth();
      auto toMemory = [&](const auto &element) {
        if constexpr (std::is_same_v<std::decay_t<decltype(element)>, APFloat>)
          return element.bitcastToAPInt();
        else
          return element.zextOrTrunc(width);
      };
      SmallVector<APInt> converted;
      if (isa<FloatType>(elements.getElementType()))
        converted = llvm::map_to_vector(elements.getValues<APFloat>(), toMemory);
      else
        converted = llvm::map_to_vector(elements.getValues<APInt>(), toMemory);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(vector, converted));
      return success();
    }
    if (!number)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                   rewriter.getIntegerAttr(type, number.getValue().bitcastToAPInt()));
    return success();
  }
};

struct ConvertBitcast final : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (operands.getIn().getType() == type)
      rewriter.replaceOp(op, operands.getIn());
    else
      rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, operands.getIn());
    return success();
  }
};

struct ConvertExtend final : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = getTypeConverter()->convertType(op.getType());
    if (from == operands.getIn().getType())
      return failure();
    Value wide = from.isBF16() ? extendBF16(rewriter, op.getLoc(), operands.getIn())
                               : extendF16(rewriter, op.getLoc(), operands.getIn());
    if (!to.isF32())
      wide = arith::ExtFOp::create(rewriter, op.getLoc(), to, wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ConvertTruncate final : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    // From f64 it would round twice.
    if (!op.getIn().getType().isF32() || getTypeConverter()->convertType(op.getType()) == op.getType())
      return failure();
    rewriter.replaceOp(op, op.getType().isBF16() ? truncateToBF16(rewriter, op.getLoc(), operands.getIn())
                                                 : truncateToF16(rewriter, op.getLoc(), operands.getIn()));
    return success();
  }
};

class TypeLegalizer {
public:
  TypeLegalizer(func::FuncOp function, const TargetInfo &info)
      : function(function), info(info), types(has("f16")), patterns(function.getContext()),
        target(*function.getContext()) {}

  LogicalResult run() {
    if (failed(checkNumbers()))
      return failure();
    MLIRContext *context = function.getContext();
    patterns.add<ConvertLoad, ConvertStore, RetypeOp<memref::AllocaOp>, RetypeOp<memref::AllocOp>,
                 RetypeOp<memref::ViewOp>, RetypeOp<arith::SelectOp>, RetypeOp<vector::LoadOp>,
                 RetypeOp<vector::StoreOp>, ConvertExtract, ConvertElements<vector::FromElementsOp>,
                 ConvertElements<vector::BroadcastOp>, ConvertConstant, ConvertBitcast, ConvertExtend, ConvertTruncate>(
        types, context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()); });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return types.isLegal(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    return applyPartialConversion(function, target, std::move(patterns));
  }

private:
  bool has(StringRef type) const { return info.nativeTypes.empty() || llvm::is_contained(info.nativeTypes, type); }

  /// Wide numbers have no substitute.
  LogicalResult checkNumbers() {
    auto isMissing = [&](Type type) { return (type.isF64() && !has("f64")) || (type.isInteger(64) && !has("i64")); };
    Operation *found = nullptr;
    function.walk([&](Operation *op) {
      if (!found && llvm::any_of(op->getResultTypes(), isMissing))
        found = op;
    });
    if (!found)
      return success();
    return emitUserError(found->getLoc())
           << "computes with 64-bit numbers, which target '" << info.name << "' does not have";
  }

  func::FuncOp function;
  const TargetInfo &info;
  DeviceTypes types;
  RewritePatternSet patterns;
  ConversionTarget target;
};

struct LegalizeTypesPass final : loops_to_device::impl::LegalizeTypesPassBase<LegalizeTypesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr(graph_to_plan::kWorkgroupSizeAttribute))
      return;
    // An empty body stands for a text of the backend, which calls functions with the types of the graph.
    if (llvm::hasSingleElement(function.getBody().front()))
      return;
    TargetInfo info =
        TargetInfo::fromAttribute(function->getParentOp()->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    if (failed(TypeLegalizer(function, info).run()))
      signalPassFailure();
  }
};

} // namespace
