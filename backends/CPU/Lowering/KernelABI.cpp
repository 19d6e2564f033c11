//===- KernelABI.cpp - The signature the runtime calls --------------------===//
//
// void kernel(uint8_t *const *buffers, const int64_t *scalars, int64_t begin, int64_t end)
//
// The work is in an inner function whose pointers do not alias: LLVM keeps that knowledge when it
// inlines the function. Extents of one name are one value, so equal extents are visibly equal.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Lowering/Pipeline.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hone::cpu {
#define GEN_PASS_DEF_KERNELABIPASS
#include "backends/CPU/Lowering/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;

namespace {

class KernelSignature {
public:
  KernelSignature(func::FuncOp kernel, const LLVMTypeConverter &types)
      : kernel(kernel), types(types), loc(kernel.getLoc()), pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
        i64(IntegerType::get(kernel.getContext(), 64)) {}

  void rewrite() {
    collect();
    makeInner();
    makeOuter();
  }

private:
  void collect() {
    numBuffers = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
    if (auto scalars = kernel->getAttrOfType<ArrayAttr>(graph_to_plan::kScalarsAttribute))
      for (auto name : scalars.getAsRange<StringAttr>())
        scalarNames.push_back(name.getValue());
  }

  /// Pointers, scalars and the range instead of memrefs and indices.
  void makeInner() {
    Block &body = kernel.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    unsigned oldCount = body.getNumArguments();
    SmallVector<Value> pointers, scalars, range;
    for (unsigned i = 0; i < numBuffers; ++i)
      pointers.push_back(body.addArgument(pointer, loc));
    for (size_t i = 0; i < scalarNames.size(); ++i)
      scalars.push_back(body.addArgument(i64, loc));
    for (unsigned i = 0; i < 2; ++i)
      range.push_back(body.addArgument(i64, loc));
    unsigned buffer = 0, bound = 0;
    for (unsigned i = 0; i < oldCount; ++i) {
      BlockArgument argument = body.getArgument(i);
      Value replacement;
      if (auto type = dyn_cast<MemRefType>(argument.getType()))
        replacement = descriptor(builder, type, i, pointers[buffer++], scalars);
      else
        replacement = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), range[bound++]);
      argument.replaceAllUsesWith(replacement);
    }
    body.eraseArguments(0, oldCount);
    SmallVector<DictionaryAttr> attributes(body.getNumArguments(), builder.getDictionaryAttr({}));
    for (unsigned i = 0; i < numBuffers; ++i)
      attributes[i] = builder.getDictionaryAttr(
          builder.getNamedAttr(LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
    kernel.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
    kernel.setAllArgAttrs(attributes);
    kernel->removeAttr(graph_to_plan::kScalarsAttribute);
  }

  Value descriptor(OpBuilder &builder, MemRefType type, unsigned argument, Value base, ArrayRef<Value> scalars) {
    auto names = kernel.getArgAttrOfType<ArrayAttr>(argument, "graph.dims");
    auto structure = MemRefDescriptor::poison(builder, loc, types.convertType(type));
    structure.setAllocatedPtr(builder, loc, base);
    structure.setAlignedPtr(builder, loc, base);
    structure.setConstantOffset(builder, loc, 0);
    Value stride;
    for (int64_t i = type.getRank(); i-- > 0;) {
      if (!stride)
        stride = LLVM::ConstantOp::create(builder, loc, i64, 1);
      structure.setStride(builder, loc, i, stride);
      Value size;
      if (!type.isDynamicDim(i)) {
        size = LLVM::ConstantOp::create(builder, loc, i64, type.getDimSize(i));
      } else {
        auto name = names ? dyn_cast<StringAttr>(names[i]) : StringAttr();
        auto *found = name ? llvm::find(scalarNames, name.getValue()) : scalarNames.end();
        // Scratch memory has no named extent: kernels never ask for it.
        size = found == scalarNames.end() ? LLVM::ConstantOp::create(builder, loc, i64, INT64_MAX).getResult()
                                          : scalars[found - scalarNames.begin()];
      }
      structure.setSize(builder, loc, i, size);
      stride = LLVM::MulOp::create(builder, loc, stride, size);
    }
    return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange{Value(structure)}).getResult(0);
  }

  void makeOuter() {
    OpBuilder builder(kernel);
    std::string name = kernel.getName().str();
    kernel.setSymName(name + ".body");
    kernel.setPrivate();
    // Visibility does not outlive the way to LLVM.
    kernel->setAttr("llvm.linkage", LLVM::LinkageAttr::get(kernel.getContext(), LLVM::Linkage::Internal));
    auto type = builder.getFunctionType({pointer, pointer, i64, i64}, {});
    auto outer = func::FuncOp::create(builder, loc, name, type);
    builder.setInsertionPointToStart(outer.addEntryBlock());
    SmallVector<Value> operands;
    auto load = [&](Value base, size_t index, Type element) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, element, base,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      operands.push_back(LLVM::LoadOp::create(builder, loc, element, address));
    };
    for (unsigned i = 0; i < numBuffers; ++i)
      load(outer.getArgument(0), i, pointer);
    for (size_t i = 0; i < scalarNames.size(); ++i)
      load(outer.getArgument(1), i, i64);
    operands.push_back(outer.getArgument(2));
    operands.push_back(outer.getArgument(3));
    func::CallOp::create(builder, loc, kernel, operands);
    func::ReturnOp::create(builder, loc);
  }

  func::FuncOp kernel;
  const LLVMTypeConverter &types;
  Location loc;
  Type pointer, i64;
  unsigned numBuffers = 0;
  SmallVector<StringRef> scalarNames;
};

struct KernelABIPass final : cpu::impl::KernelABIPassBase<KernelABIPass> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration() && !function.getName().ends_with(graph_to_plan::kLaunchSuffix))
        KernelSignature(function, types).rewrite();
  }
};

} // namespace
