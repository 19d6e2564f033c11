//===- TypeBuffers.cpp - One argument per buffer and element type ---------===//
//
// SPIR-V without physical addresses has no pointers to bytes: what a kernel keeps in one scratch
// buffer, numbers of several types, it reaches through one variable per type, all of one binding.
//
//===----------------------------------------------------------------------===//

#include "backends/Vulkan/Lowering/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace hone::vulkan {
#define GEN_PASS_DEF_TYPEBUFFERSPASS
#include "backends/Vulkan/Lowering/Passes.h.inc"
} // namespace hone::vulkan

using namespace mlir;
using namespace hone;

namespace {

/// The arguments that stand for one buffer, by element type.
class TypedBuffer {
public:
  TypedBuffer(func::FuncOp kernel, unsigned argument, unsigned binding)
      : kernel(kernel), original(argument), binding(binding) {}

  LogicalResult rewrite() {
    Value buffer = kernel.getArgument(original);
    // Not the list of users: its order is not that of the text.
    SmallVector<memref::ViewOp> views;
    kernel.walk([&](memref::ViewOp view) {
      if (view.getSource() == buffer)
        views.push_back(view);
    });
    for (memref::ViewOp view : views) {
      if (failed(rewriteView(view)))
        return failure();
      view.erase();
    }
    bool originalIsUsed = !buffer.use_empty();
    bool isAliased = byType.size() + originalIsUsed > 1;
    annotate(original, isAliased && originalIsUsed);
    for (auto [element, argument] : byType)
      annotate(argument, isAliased);
    return success();
  }

private:
  void annotate(unsigned argument, bool isAliased) {
    Builder builder(kernel.getContext());
    kernel.setArgAttr(argument, vulkan::kBindingAttribute, builder.getI32IntegerAttr(binding));
    if (isAliased)
      kernel.setArgAttr(argument, vulkan::kAliasedAttribute, builder.getUnitAttr());
  }

  Value argumentOf(Type element) {
    Value buffer = kernel.getArgument(original);
    if (cast<MemRefType>(buffer.getType()).getElementType() == element)
      return buffer;
    auto [it, isNew] = byType.try_emplace(element, kernel.getNumArguments());
    if (isNew) {
      auto type = MemRefType::get({ShapedType::kDynamic}, element);
      (void)kernel.insertArgument(it->second, type, DictionaryAttr(), kernel.getLoc());
    }
    return kernel.getArgument(it->second);
  }

  LogicalResult rewriteView(memref::ViewOp view) {
    Value argument = argumentOf(view.getType().getElementType());
    OpBuilder builder(view);
    Location loc = view.getLoc();
    int64_t bytes = llvm::divideCeil(view.getType().getElementTypeBitWidth(), 8);
    Value size = arith::ConstantIndexOp::create(builder, loc, bytes);
    Value first = builder.createOrFold<arith::DivUIOp>(loc, view.getByteShift(), size);
    for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
      Operation *access = use.getOwner();
      builder.setInsertionPoint(access);
      auto shift = [&](Value index) { return builder.createOrFold<arith::AddIOp>(access->getLoc(), first, index); };
      if (auto load = dyn_cast<memref::LoadOp>(access); load && load.getIndices().size() == 1) {
        Value index = shift(load.getIndices()[0]);
        load.getMemrefMutable().assign(argument);
        load.getIndicesMutable().assign(index);
        continue;
      }
      auto store = dyn_cast<memref::StoreOp>(access);
      if (!store || store.getIndices().size() != 1)
        return access->emitOpError("uses a part of a buffer in an unknown way");
      Value index = shift(store.getIndices()[0]);
      store.getMemrefMutable().assign(argument);
      store.getIndicesMutable().assign(index);
    }
    return success();
  }

  func::FuncOp kernel;
  unsigned original, binding;
  llvm::MapVector<Type, unsigned> byType;
};

struct TypeBuffersPass final : vulkan::impl::TypeBuffersPassBase<TypeBuffersPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    unsigned binding = 0;
    for (unsigned i = 0, count = kernel.getNumArguments(); i < count; ++i)
      if (isa<MemRefType>(kernel.getArgument(i).getType()) && failed(TypedBuffer(kernel, i, binding++).rewrite()))
        return signalPassFailure();
  }
};

} // namespace
