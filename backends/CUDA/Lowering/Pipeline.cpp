//===- Pipeline.cpp - From kernel functions to device form ----------------===//

#include "backends/CUDA/Lowering/Pipeline.h"

#include "passes/Conversion/KernelsToLoops/Passes.h"

using namespace mlir;
using namespace hone;

void cuda::buildPipeline(OpPassManager &passes, const TargetInfo &info) {
  kernels_to_loops::buildKernelsToLoops(passes);
}
