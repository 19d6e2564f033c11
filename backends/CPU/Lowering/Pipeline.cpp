//===- Pipeline.cpp - From kernel functions to LLVM dialect ---------------===//

#include "backends/CPU/Lowering/Pipeline.h"

#include "backends/CPU/Kernels/Passes.h"

#include "passes/Conversion/GraphToLinalg/Passes.h"

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
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hone;

void cpu::buildLoopPipeline(OpPassManager &passes) {
  // Takes the kernels it knows; the others go through linalg.
  passes.addPass(cpu::createEmitPanelKernelsPass());
  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(graph_to_linalg::createGraphToLinalgPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // Elementwise producers move into their consumers: no intermediate tensor, one loop.
  kernels.addPass(createLinalgElementwiseOpFusionPass());
  kernels.addPass(cpu::createPrepareLoopsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());

  kernels.addPass(cpu::createKernelDestinationsPass());
  // After the destinations are known: results are computed where they belong.
  kernels.addPass(bufferization::createEmptyTensorEliminationPass());
  kernels.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  passes.addPass(bufferization::createOneShotBufferizePass());

  OpPassManager &loops = passes.nest<func::FuncOp>();
  loops.addPass(memref::createResolveShapedTypeResultDimsPass());
  loops.addPass(cpu::createCopiesToLoopsPass());
  loops.addPass(createConvertLinalgToParallelLoopsPass());
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  // Launch functions are plain arithmetic.
  loops.addPass(createLowerAffinePass());
  passes.addPass(cpu::createDistributeLoopsPass());
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

void cpu::buildLLVMPipeline(OpPassManager &passes) {
  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(createParallelForToNestedForsPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(cpu::createExpandMathPass());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(
      arith::createArithExpandOpsPass({/*includeBf16=*/true, /*includeF8E8M0=*/true, /*includeF4E2M1=*/true}));
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(cpu::createLowerReshapesPass());
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
