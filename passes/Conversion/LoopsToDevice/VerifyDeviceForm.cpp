//===- VerifyDeviceForm.cpp - What backends of devices may rely on --------===//

#include "passes/Conversion/LoopsToDevice/Passes.h"

#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_VERIFYDEVICEFORMPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;

static bool isScalar(Type type) {
  return type.isIndex() || type.isF16() || type.isF32() || type.isF64() || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static bool isFlatBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getRank() == 1 && buffer.getLayout().isIdentity() && isScalar(buffer.getElementType()) &&
         !buffer.getElementType().isIndex() && !buffer.getElementType().isInteger(1);
}

/// Whether `op` moves several elements at once, or is their value.
static bool isOfElements(Operation *op) {
  return isa<vector::LoadOp, vector::StoreOp, vector::ExtractOp, vector::FromElementsOp, vector::BroadcastOp,
             arith::ConstantOp>(op);
}

static bool isElements(Type type) {
  auto elements = dyn_cast<VectorType>(type);
  Type element = elements ? elements.getElementType() : Type();
  return elements && elements.getRank() == 1 && isScalar(element) && !element.isIndex() && !element.isInteger(1);
}

/// Whether what `op` does is part of device form; its types are looked at apart from that.
static bool isKnown(Operation *op) {
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isOfElements(op))
    return true;
  if (isa<memref::AllocaOp, memref::AllocOp>(op)) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    bool isShared = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
    return type.hasStaticShape() && (isShared || isa<memref::AllocaOp>(op));
  }
  if (auto view = dyn_cast<memref::ViewOp>(op))
    return isa<BlockArgument>(view.getSource());
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp, memref::LoadOp, memref::StoreOp,
             gpu::BlockIdOp, gpu::ThreadIdOp, gpu::BarrierOp, gpu::ShuffleOp, gpu::SubgroupReduceOp, func::ReturnOp,
             ub::PoisonOp>(op);
}

namespace {

struct VerifyDeviceFormPass final : loops_to_device::impl::VerifyDeviceFormPassBase<VerifyDeviceFormPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr(graph_to_plan::kWorkgroupSizeAttribute))
      return;
    markAllAnalysesPreserved();
    if (failed(verifySignature(function)))
      return signalPassFailure();
    auto walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      return op == function || succeeded(verifyOp(op)) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult verifySignature(func::FuncOp function) {
    ArrayRef<Type> types = function.getArgumentTypes();
    // An empty body stands for a text of the backend, which may know bf16.
    bool isText = llvm::hasSingleElement(function.getBody().front());
    auto isBuffer = [&](Type type) {
      auto buffer = dyn_cast<MemRefType>(type);
      bool isBF16 = isText && buffer && buffer.getElementType().isBF16();
      return isFlatBuffer(isBF16 ? buffer.clone(Float16Type::get(type.getContext())) : type);
    };
    size_t buffers = 0;
    while (buffers < types.size() && isBuffer(types[buffers]) && !cast<MemRefType>(types[buffers]).getMemorySpace())
      ++buffers;
    for (Type type : types.drop_front(buffers))
      if (!type.isIndex())
        return function.emitOpError("takes a ") << type << ", which is no buffer of a device or stands after scalars";
    return function.getNumResults() == 0 ? success() : function.emitOpError("has results");
  }

  static LogicalResult verifyOp(Operation *op) {
    if (!isKnown(op))
      return emitUserError(op->getLoc()) << "'" << op->getName() << "' op is not part of device form";
    for (Type type : llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes()))
      if (!isScalar(type) && !isFlatBuffer(type) && !(isOfElements(op) && isElements(type)))
        return emitUserError(op->getLoc())
               << "'" << op->getName() << "' op has the type " << type << ", which is not part of device form";
    return success();
  }
};

} // namespace
