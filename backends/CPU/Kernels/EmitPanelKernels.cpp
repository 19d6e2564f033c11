//===- EmitPanelKernels.cpp - Register-tiled contractions -----------------===//

#include "backends/CPU/Kernels/KernelFrame.h"
#include "backends/CPU/Kernels/Passes.h"

#include "lib/Target/KernelFacts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hone::cpu {
#define GEN_PASS_DEF_EMITPANELKERNELSPASS
#include "backends/CPU/Kernels/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;
using namespace hone::graph;

/// The dimensions of a product of two computed operands, where the columns of the right one are neighbours in memory.
static std::optional<ProductDims> arrangedProduct(Operation *op, const TargetInfo &info) {
  auto contract = dyn_cast<ContractOp>(op);
  auto dims = contract && info.vectorRegisters ? productDims(contract) : std::nullopt;
  return dims && contract.getRhs().getType().getEncoding() == productLayout(contract, *dims) ? dims : std::nullopt;
}

/// The contraction of `kernel` that has a register-tiled form, or null.
static Operation *tiledContraction(func::FuncOp kernel, const TargetInfo &info) {
  Operation *found = nullptr;
  kernel.walk([&](ContractionOpInterface op) {
    // Tiles are filled from buffers.
    if (!llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>))
      return;
    if (cast<RankedTensorType>(op.getWeights().getType()).getEncoding() || arrangedProduct(op, info))
      found = op;
  });
  return found;
}

static FailureOr<Value> emitFamily(cpu::KernelFrame &frame, Operation *op) {
  switch (panelFamily(op)) {
  case PanelFamily::Conv:
    return cpu::emitConvKernel(frame, cast<ConvOp>(op));
  case PanelFamily::Depthwise:
    return cpu::emitDepthwiseKernel(frame, cast<ConvOp>(op));
  case PanelFamily::MatMul:
    return cpu::emitMatMulKernel(frame, cast<ContractOp>(op));
  case PanelFamily::None:
    break;
  }
  return failure();
}

namespace {

struct EmitPanelKernelsPass final : cpu::impl::EmitPanelKernelsPassBase<EmitPanelKernelsPass> {
  void runOnOperation() override {
    TargetInfo info = TargetInfo::fromAttribute(getOperation()->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels)
      if (Operation *contraction = kernel.isDeclaration() ? nullptr : tiledContraction(kernel, info))
        if (failed(emitKernel(kernel, contraction, info)))
          return signalPassFailure();
  }

private:
  static LogicalResult emitKernel(func::FuncOp kernel, Operation *contraction, const TargetInfo &info) {
    auto setFamily = [&](StringRef name) {
      kernel->setAttr(kFamilyAttribute, StringAttr::get(kernel.getContext(), name));
    };
    if (auto dims = arrangedProduct(contraction, info)) {
      setFamily("tiled product");
      cpu::KernelFrame frame(kernel, contraction, info);
      FailureOr<Value> items = cpu::emitProductKernel(frame, cast<ContractOp>(contraction), *dims);
      return failure(failed(items) || failed(frame.finish(*items)));
    }
    if (panelFamily(contraction) == PanelFamily::None)
      return contraction->emitOpError() << "has packed weights but no kernel that reads them";
    auto weights = cast<RankedTensorType>(cast<ContractionOpInterface>(contraction).getWeights().getType());
    if (weights.getEncoding() != weightLayout(contraction, info))
      return contraction->emitOpError() << "has weights packed for another machine: " << weights;
    setFamily(familyName(panelFamily(contraction)));
    cpu::KernelFrame frame(kernel, contraction, info);
    FailureOr<Value> items = emitFamily(frame, contraction);
    return failure(failed(items) || failed(frame.finish(*items)));
  }
};

} // namespace
