//===- DevicePatterns.cpp - Device form to SPIR-V -------------------------===//

#include "backends/Vulkan/Lowering/DevicePatterns.h"

#include "backends/Vulkan/Lowering/Pipeline.h"
#include "runtime/format/SpirvImage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hone;

std::string vulkan::bufferName(unsigned argument) { return "buffer" + std::to_string(argument); }

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static unsigned byteWidth(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// struct { element[] }: what the interface of a shader holds.
static spirv::PointerType storageBuffer(Type element, unsigned stride) {
  auto array = spirv::RuntimeArrayType::get(element, stride);
  spirv::StructType::StructDecorationInfo block(spirv::Decoration::Block, UnitAttr::get(element.getContext()));
  auto structure = spirv::StructType::get({array}, {0}, {}, {block});
  return spirv::PointerType::get(structure, spirv::StorageClass::StorageBuffer);
}

static constexpr unsigned kScalarBytes = 8;

/// struct { element, ... }: the scalars of a launch, or the low halves of them.
static spirv::PointerType pushConstants(Type element, unsigned count) {
  SmallVector<Type> members(count, element);
  SmallVector<spirv::StructType::OffsetInfo> offsets;
  for (unsigned i = 0; i < count; ++i)
    offsets.push_back(i * kScalarBytes);
  spirv::StructType::StructDecorationInfo block(spirv::Decoration::Block, UnitAttr::get(element.getContext()));
  auto structure = spirv::StructType::get(members, offsets, {}, {block});
  return spirv::PointerType::get(structure, spirv::StorageClass::PushConstant);
}

void vulkan::addBufferConversion(SPIRVTypeConverter &types) {
  types.addConversion([&types](MemRefType type) -> Type {
    auto space = dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
    Type element = types.convertType(type.getElementType());
    if (!space || !element || type.getRank() != 1)
      return nullptr;
    if (space.getValue() == spirv::StorageClass::StorageBuffer)
      return storageBuffer(element, byteWidth(element));
    if (!type.hasStaticShape() || type.getNumElements() > UINT32_MAX)
      return nullptr;
    return spirv::PointerType::get(spirv::ArrayType::get(element, type.getNumElements()), space.getValue());
  });
}

namespace {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Arguments become variables of the module, the function its entry point.
struct KernelPattern : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::FuncOp kernel, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = kernel.getLoc();
    auto function = spirv::FuncOp::create(rewriter, loc, format::kSpirvEntry, rewriter.getFunctionType({}, {}));
    rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(), function.end());
    TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    OpBuilder::InsertionGuard guard(rewriter);
    Scalars scalars{kernel, rewriter};
    rewriter.setInsertionPointToStart(&function.front());
    for (auto [i, argument] : llvm::enumerate(function.front().getArguments())) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      unsigned scalar = type ? 0 : scalars.next++;
      if (argument.use_empty())
        continue;
      Value replacement = type ? bufferVariable(kernel, i, type, rewriter)
                               : scalars.load(scalar, typeConverter->convertType(argument.getType()));
      if (!replacement)
        return failure();
      signature.remapInput(i, replacement);
    }
    rewriter.applySignatureConversion(&function.front(), signature, getTypeConverter());
    rewriter.eraseOp(kernel);
    return success();
  }

private:
  static spirv::GlobalVariableOp variable(func::FuncOp kernel, Type type, StringRef name,
                                          ConversionPatternRewriter &rewriter) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(kernel->getBlock());
    return spirv::GlobalVariableOp::create(rewriter, kernel.getLoc(), TypeAttr::get(type), rewriter.getStringAttr(name),
                                           nullptr);
  }

  static void bind(spirv::GlobalVariableOp variable, unsigned binding) {
    Builder builder(variable.getContext());
    variable.setBindingAttr(builder.getI32IntegerAttr(binding));
    variable.setDescriptorSetAttr(builder.getI32IntegerAttr(0));
  }

  Value bufferVariable(func::FuncOp kernel, unsigned argument, MemRefType type,
                       ConversionPatternRewriter &rewriter) const {
    Type pointer = typeConverter->convertType(type);
    auto binding = kernel.getArgAttrOfType<IntegerAttr>(argument, vulkan::kBindingAttribute);
    if (!pointer || !binding)
      return {};
    auto global = variable(kernel, pointer, vulkan::bufferName(argument), rewriter);
    bind(global, binding.getInt());
    if (kernel.getArgAttr(argument, vulkan::kAliasedAttribute))
      global->setAttr("aliased", rewriter.getUnitAttr());
    if (kernel.getArgAttr(argument, vulkan::kSharedAttribute))
      global->setAttr("coherent", rewriter.getUnitAttr());
    return spirv::AddressOfOp::create(rewriter, kernel.getLoc(), global);
  }

  /// Scalars: push constants, or elements of the last buffer when there are many. All are of one type;
  /// narrow ones are the low halves of what a launch passes.
  struct Scalars {
    func::FuncOp kernel;
    ConversionPatternRewriter &rewriter;
    unsigned next = 0;
    spirv::GlobalVariableOp global = nullptr;

    Value load(unsigned number, Type type) {
      Location loc = kernel.getLoc();
      unsigned count = llvm::count_if(kernel.getArgumentTypes(), [](Type type) { return !isa<MemRefType>(type); });
      bool isBuffer = count > format::kSpirvPushScalars;
      if (!global) {
        auto pointer = isBuffer ? storageBuffer(type, kScalarBytes) : pushConstants(type, count);
        global = variable(kernel, pointer, "scalars", rewriter);
        if (isBuffer)
          bind(global, vulkan::bufferCount(kernel));
      }
      Value base = spirv::AddressOfOp::create(rewriter, loc, global);
      auto constant = [&](unsigned value) -> Value {
        return spirv::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), rewriter.getI32IntegerAttr(value));
      };
      SmallVector<Value> indices = {constant(number)};
      if (isBuffer)
        indices.insert(indices.begin(), constant(0));
      Value pointer = spirv::AccessChainOp::create(rewriter, loc, base, indices);
      return spirv::LoadOp::create(rewriter, loc, pointer);
    }
  };
};

struct ReturnPattern : OpConversionPattern<func::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::ReturnOp>(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value elementPointer(Location loc, Value base, Value index, OpBuilder &builder) {
  auto type = dyn_cast<spirv::PointerType>(base.getType());
  if (!type)
    return {};
  // An index that was widened for the sake of its type alone.
  if (Operation *op = index.getDefiningOp(); isa_and_nonnull<spirv::UConvertOp, spirv::SConvertOp>(op))
    if (op->getOperand(0).getType().isInteger(32))
      index = op->getOperand(0);
  SmallVector<Value> indices = {index};
  if (isa<spirv::StructType>(type.getPointeeType())) {
    Type i32 = builder.getI32Type();
    indices.insert(indices.begin(), spirv::ConstantOp::getZero(i32, loc, builder));
  }
  return spirv::AccessChainOp::create(builder, loc, base, indices);
}

struct LoadPattern : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "is not one-dimensional");
    Value pointer = elementPointer(op.getLoc(), adaptor.getMemref(), adaptor.getIndices()[0], rewriter);
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "reads no buffer");
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(op, pointer);
    return success();
  }
};

struct StorePattern : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "is not one-dimensional");
    Value pointer = elementPointer(op.getLoc(), adaptor.getMemref(), adaptor.getIndices()[0], rewriter);
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "writes no buffer");
    rewriter.replaceOpWithNewOp<spirv::StoreOp>(op, pointer, adaptor.getValue());
    return success();
  }
};

/// Private arrays are variables of the function, shared ones of the module.
template <typename AllocationOp> struct AllocationPattern : OpConversionPattern<AllocationOp> {
  using OpConversionPattern<AllocationOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(AllocationOp op, typename AllocationOp::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<spirv::PointerType>(this->typeConverter->convertType(op.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "has no static size");
    Location loc = op.getLoc();
    auto storage = spirv::StorageClassAttr::get(op.getContext(), type.getStorageClass());
    if (type.getStorageClass() == spirv::StorageClass::Function) {
      rewriter.replaceOpWithNewOp<spirv::VariableOp>(op, type, storage, nullptr);
      return success();
    }
    auto module = op->template getParentOfType<spirv::ModuleOp>();
    spirv::GlobalVariableOp global;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      std::string name = "shared" + std::to_string(llvm::range_size(module.getOps()));
      global =
          spirv::GlobalVariableOp::create(rewriter, loc, TypeAttr::get(type), rewriter.getStringAttr(name), nullptr);
    }
    rewriter.replaceOpWithNewOp<spirv::AddressOfOp>(op, global);
    return success();
  }
};

struct DeallocPattern : OpConversionPattern<memref::DeallocOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(memref::DeallocOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Work items
//===----------------------------------------------------------------------===//

/// Component `dimension` of an id, which devices give in 32 bits.
Value idComponent(Operation *op, spirv::BuiltIn builtin, int32_t dimension, OpBuilder &builder) {
  Value vector = spirv::getBuiltinVariableValue(op, builtin, builder.getI32Type(), builder);
  return vector ? spirv::CompositeExtractOp::create(builder, op->getLoc(), vector, {dimension}) : Value();
}

Value asIndex(Value id, Type index, OpBuilder &builder) {
  return id.getType() == index ? id : spirv::UConvertOp::create(builder, id.getLoc(), index, id);
}

struct BlockIdPattern : OpConversionPattern<gpu::BlockIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::BlockIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (op.getDimension() != gpu::Dimension::x)
      return rewriter.notifyMatchFailure(op, "grids have one dimension");
    Location loc = op.getLoc();
    Value x = idComponent(op, spirv::BuiltIn::WorkgroupId, 0, rewriter);
    Value y = idComponent(op, spirv::BuiltIn::WorkgroupId, 1, rewriter);
    Value row = spirv::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                          rewriter.getI32IntegerAttr(format::kSpirvGridRow));
    Value number = spirv::IAddOp::create(rewriter, loc, spirv::IMulOp::create(rewriter, loc, y, row), x);
    rewriter.replaceOp(op, asIndex(number, typeConverter->convertType(op.getType()), rewriter));
    return success();
  }
};

struct ThreadIdPattern : OpConversionPattern<gpu::ThreadIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::ThreadIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Value id = idComponent(op, spirv::BuiltIn::LocalInvocationId, static_cast<int32_t>(op.getDimension()), rewriter);
    rewriter.replaceOp(op, asIndex(id, typeConverter->convertType(op.getType()), rewriter));
    return success();
  }
};

/// Threads of a workgroup talk through storage buffers as well as through workgroup memory.
struct BarrierPattern : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto scope = spirv::ScopeAttr::get(op.getContext(), spirv::Scope::Workgroup);
    auto semantics = spirv::MemorySemanticsAttr::get(op.getContext(), spirv::MemorySemantics::AcquireRelease |
                                                                          spirv::MemorySemantics::UniformMemory |
                                                                          spirv::MemorySemantics::WorkgroupMemory);
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(op, scope, scope, semantics);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A number of 32 bits that was an index for a while.
template <typename CastOp> struct NarrowCastPattern : OpConversionPattern<CastOp> {
  using OpConversionPattern<CastOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Operation *source = adaptor.getIn().getDefiningOp();
    if (!isa_and_nonnull<spirv::UConvertOp, spirv::SConvertOp>(source) ||
        source->getOperand(0).getType() != this->typeConverter->convertType(op.getType()))
      return rewriter.notifyMatchFailure(op, "narrows no widened number");
    rewriter.replaceOp(op, source->getOperand(0));
    return success();
  }
};

/// Booleans have no width: what they are as an index is a choice, what an index is as one a comparison.
template <typename CastOp> struct BooleanCastPattern : OpConversionPattern<CastOp> {
  using OpConversionPattern<CastOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value in = adaptor.getIn();
    auto number = [&](Type type, int64_t value) -> Value {
      return spirv::ConstantOp::create(rewriter, loc, type, rewriter.getIntegerAttr(type, value));
    };
    if (in.getType().isInteger(1)) {
      Type type = this->typeConverter->convertType(op.getType());
      Value yes = number(type, std::is_same_v<CastOp, arith::IndexCastOp> ? -1 : 1);
      rewriter.replaceOpWithNewOp<spirv::SelectOp>(op, in, yes, number(type, 0));
      return success();
    }
    if (!op.getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "is about no booleans");
    Value low = spirv::BitwiseAndOp::create(rewriter, loc, in, number(in.getType(), 1));
    rewriter.replaceOpWithNewOp<spirv::INotEqualOp>(op, low, number(in.getType(), 0));
    return success();
  }
};

/// Devices may fuse a multiplication with an addition unless told not to; that is an error where
/// the difference of nearly equal numbers is taken.
template <typename ArithOp, typename SPIRVOp> struct FloatPattern : OpConversionPattern<ArithOp> {
  using OpConversionPattern<ArithOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(ArithOp op, typename ArithOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->typeConverter->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "has no such type");
    auto result = rewriter.replaceOpWithNewOp<SPIRVOp>(op, type, adaptor.getOperands());
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract))
      result->setAttr("no_contraction", rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void vulkan::populateDevicePatterns(const SPIRVTypeConverter &types, RewritePatternSet &patterns) {
  PatternBenefit first = 10; // before upstream's
  patterns.add<KernelPattern, ReturnPattern, LoadPattern, StorePattern, AllocationPattern<memref::AllocaOp>,
               AllocationPattern<memref::AllocOp>, DeallocPattern, BlockIdPattern, ThreadIdPattern, BarrierPattern,
               NarrowCastPattern<arith::IndexCastOp>, NarrowCastPattern<arith::IndexCastUIOp>,
               BooleanCastPattern<arith::IndexCastOp>, BooleanCastPattern<arith::IndexCastUIOp>,
               FloatPattern<arith::AddFOp, spirv::FAddOp>, FloatPattern<arith::SubFOp, spirv::FSubOp>,
               FloatPattern<arith::MulFOp, spirv::FMulOp>>(types, patterns.getContext(), first);
}
