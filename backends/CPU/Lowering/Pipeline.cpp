//===- Pipeline.cpp - From kernel functions to LLVM dialect ---------------===//

#include "backends/CPU/Lowering/Pipeline.h"

#include "backends/CPU/Kernels/Passes.h"

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hone;

void cpu::buildLoopPipeline(OpPassManager &passes) {
  // Families take the kernels they know; the others go through linalg.
  passes.addPass(cpu::createEmitPanelKernelsPass());
  passes.addPass(cpu::createEmitTransposeKernelsPass());
  kernels_to_loops::buildKernelsToLoops(passes);
  // Before allocations become parts of one buffer.
  passes.addNestedPass<func::FuncOp>(cpu::createKeepAccumulatorsPass());
  passes.addPass(cpu::createDistributeLoopsPass());
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

void cpu::buildLLVMPipeline(OpPassManager &passes) {
  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(cpu::createSequentialLoopsPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(kernels_to_loops::createExpandMathPass());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(
      arith::createArithExpandOpsPass({/*includeBf16=*/true, /*includeF8E8M0=*/true, /*includeF4E2M1=*/true}));
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(kernels_to_loops::createLowerReshapesPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  // Subviews leave affine arithmetic behind.
  kernels.addPass(createLowerAffinePass());
  passes.addPass(cpu::createKernelABIPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}
