//===- Pipeline.cpp - From kernel functions to device form ----------------===//

#include "backends/CUDA/Lowering/Pipeline.h"

#include "backends/CUDA/Kernels/Passes.h"
#include "passes/Conversion/KernelsToLoops/Passes.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"

using namespace mlir;
using namespace hone;

void cuda::buildPipeline(OpPassManager &passes, const TargetInfo &info) {
  // Takes the kernels it knows; the others go through linalg.
  passes.addPass(cuda::createEmitContractionsPass());
  kernels_to_loops::buildKernelsToLoops(passes, kernels_to_loops::LoopOrder::ParallelFirst);
  loops_to_device::WidenAccessesPassOptions accesses;
  accesses.bytes = info.vectorBytes;
  passes.nest<func::FuncOp>().addPass(loops_to_device::createWidenAccessesPass(accesses));
  loops_to_device::buildDevicePipeline(passes, info);
}
