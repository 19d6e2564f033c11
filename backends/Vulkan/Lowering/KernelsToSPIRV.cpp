//===- KernelsToSPIRV.cpp - A SPIR-V module of every kernel ---------------===//
//
// One module a kernel: devices compile whole modules, so one module of all kernels would be read as
// often as there are kernels. Upstream converts arithmetic and control flow, DevicePatterns the rest.
//
//===----------------------------------------------------------------------===//

#include "backends/Vulkan/Lowering/DevicePatterns.h"
#include "backends/Vulkan/Lowering/Pipeline.h"
#include "passes/Conversion/GraphToPlan/Passes.h"
#include "runtime/format/SpirvImage.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"

namespace hone::vulkan {
#define GEN_PASS_DEF_KERNELSTOSPIRVPASS
#include "backends/Vulkan/Lowering/Passes.h.inc"
} // namespace hone::vulkan

using namespace mlir;
using namespace hone;

/// What modules may use; what one does use is worked out from it and becomes a need of the image.
static spirv::TargetEnvAttr targetEnvironment(MLIRContext *context) {
  using spirv::Capability;
  using spirv::Extension;
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_3,
      {Capability::Shader, Capability::Int64, Capability::Int16, Capability::Int8, Capability::Float64,
       Capability::Float16, Capability::StorageBuffer16BitAccess, Capability::StorageBuffer8BitAccess,
       Capability::SignedZeroInfNanPreserve, Capability::RoundingModeRTE, Capability::GroupNonUniform,
       Capability::GroupNonUniformArithmetic, Capability::GroupNonUniformShuffle},
      {Extension::SPV_KHR_storage_buffer_storage_class, Extension::SPV_KHR_16bit_storage,
       Extension::SPV_KHR_8bit_storage, Extension::SPV_KHR_float_controls},
      context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan);
}

unsigned vulkan::bufferCount(func::FuncOp kernel) {
  unsigned count = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto binding = kernel.getArgAttrOfType<IntegerAttr>(i, kBindingAttribute))
      count = std::max<unsigned>(count, binding.getInt() + 1);
  return count;
}

namespace {

class KernelConversion {
public:
  KernelConversion(func::FuncOp kernel, spirv::TargetEnvAttr environment)
      : kernel(kernel), environment(environment), builder(kernel) {}

  LogicalResult run() {
    auto size = kernel->getAttrOfType<IntegerAttr>(graph_to_plan::kWorkgroupSizeAttribute);
    if (!size)
      return kernel.emitOpError("has no workgroup size");
    buffers = vulkan::bufferCount(kernel);
    scalars = llvm::count_if(kernel.getArgumentTypes(), [](Type type) { return !isa<MemRefType>(type); });
    unsigned bindings = buffers + (scalars > format::kSpirvPushScalars);
    if (bindings > vulkan::kMaxBuffers)
      return kernel.emitError() << "needs " << bindings << " buffers in one kernel; Vulkan devices have "
                                << vulkan::kMaxBuffers;
    workgroupSize = size.getInt();
    markShared();
    assignStorage();
    makeModule();
    if (failed(convert()))
      return failure();
    addEntryPoint();
    return success();
  }

private:
  /// Buffers through which the threads of a workgroup talk: read and written around barriers.
  void markShared() {
    if (!kernel.walk([](gpu::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    llvm::SmallDenseSet<int64_t> read, written;
    auto binding = [&](unsigned argument) {
      return kernel.getArgAttrOfType<IntegerAttr>(argument, vulkan::kBindingAttribute);
    };
    auto forEachBuffer = [&](auto visit) {
      for (BlockArgument argument : kernel.getArguments())
        if (auto number = binding(argument.getArgNumber()))
          visit(argument, number.getInt());
    };
    forEachBuffer([&](BlockArgument argument, int64_t number) {
      for (Operation *user : argument.getUsers())
        (isa<memref::StoreOp>(user) ? written : read).insert(number);
    });
    forEachBuffer([&](BlockArgument argument, int64_t number) {
      if (read.contains(number) && written.contains(number))
        kernel.setArgAttr(argument.getArgNumber(), vulkan::kSharedAttribute, builder.getUnitAttr());
    });
  }

  /// Says in the types of buffers where they live.
  void assignStorage() {
    auto assign = [](Value buffer, spirv::StorageClass storage) {
      auto type = cast<MemRefType>(buffer.getType());
      auto space = spirv::StorageClassAttr::get(type.getContext(), storage);
      buffer.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space));
    };
    for (BlockArgument argument : kernel.getArguments())
      if (isa<MemRefType>(argument.getType()))
        assign(argument, spirv::StorageClass::StorageBuffer);
    kernel.walk([&](Operation *op) {
      if (!isa<memref::AllocOp, memref::AllocaOp>(op))
        return;
      bool isShared = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(op->getResult(0).getType()));
      if (isShared)
        workgroupBytes += sizeOf(cast<MemRefType>(op->getResult(0).getType()));
      assign(op->getResult(0), isShared ? spirv::StorageClass::Workgroup : spirv::StorageClass::Function);
    });
  }

  static uint64_t sizeOf(MemRefType type) {
    uint64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return llvm::alignTo(type.getNumElements() * bytes, 16);
  }

  void makeModule() {
    Location loc = kernel.getLoc();
    module = spirv::ModuleOp::create(builder, loc, spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450,
                                     std::nullopt, kernel.getName());
    module->setAttr(vulkan::kBuffersAttribute, builder.getI32IntegerAttr(buffers));
    module->setAttr(vulkan::kScalarsAttribute, builder.getI32IntegerAttr(scalars));
    if (workgroupBytes)
      module->setAttr(vulkan::kWorkgroupBytesAttribute, builder.getI32IntegerAttr(workgroupBytes));
    kernel->moveBefore(module.getBody(), module.getBody()->end());
    kernel.setName(format::kSpirvEntry);
  }

  LogicalResult convert() {
    MLIRContext *context = module.getContext();
    SPIRVConversionOptions options;
    options.use64bitIndex = true;
    options.emulateLT32BitScalarTypes = false;
    options.emulateUnsupportedFloatTypes = false;
    SPIRVTypeConverter types(environment, options);
    vulkan::addBufferConversion(types);
    RewritePatternSet patterns(context);
    ScfToSPIRVContext controlFlow;
    vulkan::LoopResults loops;
    vulkan::populateDevicePatterns(types, patterns);
    vulkan::populateLoopPatterns(types, loops, patterns);
    arith::populateArithToSPIRVPatterns(types, patterns);
    populateMathToSPIRVPatterns(types, patterns);
    populateGPUToSPIRVPatterns(types, patterns);
    populateSCFToSPIRVPatterns(types, controlFlow, patterns);
    ub::populateUBToSPIRVConversionPatterns(types, patterns);
    std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(environment);
    return applyFullConversion(module, *target, std::move(patterns));
  }

  void addEntryPoint() {
    auto function = *module.getOps<spirv::FuncOp>().begin();
    SmallVector<Attribute> interface;
    for (auto global : module.getOps<spirv::GlobalVariableOp>())
      if (cast<spirv::PointerType>(global.getType()).getStorageClass() == spirv::StorageClass::Input)
        interface.push_back(SymbolRefAttr::get(global));
    Location loc = module.getLoc();
    builder.setInsertionPointToEnd(module.getBody());
    spirv::EntryPointOp::create(builder, loc, spirv::ExecutionModel::GLCompute, function, interface);
    auto mode = [&](spirv::ExecutionMode mode, ArrayRef<int32_t> values) {
      spirv::ExecutionModeOp::create(builder, loc, function, mode, values);
    };
    mode(spirv::ExecutionMode::LocalSize, {workgroupSize, 1, 1});
    // Without these a device may take it that there are no infinities and NaNs, and round as it likes.
    std::set<int32_t> widths, rounded;
    module.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
          widths.insert(element.getWidth());
      if (auto narrow = dyn_cast<spirv::FConvertOp>(op))
        rounded.insert(cast<FloatType>(getElementTypeOrSelf(narrow.getType())).getWidth());
    });
    for (int32_t width : widths)
      mode(spirv::ExecutionMode::SignedZeroInfNanPreserve, {width});
    for (int32_t width : rounded)
      mode(spirv::ExecutionMode::RoundingModeRTE, {width});
  }

  func::FuncOp kernel;
  spirv::TargetEnvAttr environment;
  OpBuilder builder;
  spirv::ModuleOp module;
  unsigned buffers = 0, scalars = 0;
  uint64_t workgroupBytes = 0;
  int32_t workgroupSize = 0;
};

struct KernelsToSPIRVPass final : vulkan::impl::KernelsToSPIRVPassBase<KernelsToSPIRVPass> {
  void runOnOperation() override {
    spirv::TargetEnvAttr environment = targetEnvironment(&getContext());
    getOperation()->setAttr(spirv::getTargetEnvAttrName(), environment);
    bool ok = true;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration() && !function.getName().ends_with(graph_to_plan::kLaunchSuffix))
        ok &= succeeded(KernelConversion(function, environment).run());
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
