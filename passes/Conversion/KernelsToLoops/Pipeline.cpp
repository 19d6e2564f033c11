//===- Pipeline.cpp - From kernel functions to loops ----------------------===//

#include "passes/Conversion/GraphToLinalg/Passes.h"
#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hone;

void kernels_to_loops::buildKernelsToLoops(OpPassManager &passes, LoopOrder order) {
  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(graph_to_linalg::createGraphToLinalgPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // Elementwise producers move into their consumers: no intermediate tensor, one loop.
  kernels.addPass(createLinalgElementwiseOpFusionPass());
  kernels.addPass(createPrepareLoopsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());

  kernels.addPass(createKernelDestinationsPass());
  // After the destinations are known: results are computed where they belong.
  kernels.addPass(bufferization::createEmptyTensorEliminationPass());
  kernels.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  passes.addPass(bufferization::createOneShotBufferizePass());

  OpPassManager &loops = passes.nest<func::FuncOp>();
  loops.addPass(memref::createResolveShapedTypeResultDimsPass());
  // Loops over tensors end with copies of their results to where these are already: seen when both have one name.
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  loops.addPass(createCopiesToLoopsPass());
  if (order == LoopOrder::ParallelFirst)
    loops.addPass(createOrderLoopsPass());
  loops.addPass(createConvertLinalgToParallelLoopsPass());
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  // Launch functions are plain arithmetic.
  loops.addPass(createLowerAffinePass());
}

void kernels_to_loops::registerPipelines() {
  PassPipelineRegistration<>("hone-kernels-to-loops", "Lowers kernels to loops over buffers.",
                             [](OpPassManager &passes) { buildKernelsToLoops(passes); });
}
