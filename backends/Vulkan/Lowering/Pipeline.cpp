//===- Pipeline.cpp - From kernels in device form to SPIR-V ---------------===//

#include "backends/Vulkan/Lowering/Pipeline.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hone;

void vulkan::buildSPIRVPipeline(OpPassManager &passes) {
  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(createExpandFunctionsPass());
  kernels.addPass(createTypeBuffersPass());
  kernels.addPass(createCanonicalizerPass());
  // Signed divisions of what is not negative are slower than unsigned ones, and hide ranges.
  kernels.addPass(createNarrowIndicesPass());
  kernels.addPass(arith::createArithUnsignedWhenEquivalentPass());
  kernels.addPass(arith::createArithIntRangeNarrowing({{32}}));
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  passes.addPass(createKernelsToSPIRVPass());
  OpPassManager &modules = passes.nest<spirv::ModuleOp>();
  modules.addPass(createCanonicalizerPass());
  modules.addPass(createCSEPass());
  // Last: it sees what is left.
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
}
