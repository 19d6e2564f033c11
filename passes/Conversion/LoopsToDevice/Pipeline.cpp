//===- Pipeline.cpp - From loops over buffers to device form --------------===//

#include "passes/Conversion/LoopsToDevice/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hone;

void loops_to_device::buildDevicePipeline(OpPassManager &passes, const TargetInfo &info) {
  passes.addPass(createSplitStagesPass());
  OpPassManager &stages = passes.nest<func::FuncOp>();
  stages.addPass(createDistributeThreadsPass());
  stages.addPass(createFlattenAccessesPass());
  // Before types change: what is stored and loaded again needs no conversion.
  stages.addPass(createCanonicalizerPass());
  stages.addPass(createCSEPass());
  stages.addPass(createLegalizeTypesPass());
  stages.addPass(createCanonicalizerPass());
  stages.addPass(createCSEPass());
  stages.addPass(createLoopInvariantCodeMotionPass());
  stages.addPass(createVerifyDeviceFormPass());
}

void loops_to_device::registerPipelines() {
  PassPipelineRegistration<>("hone-loops-to-device", "Lowers loops over buffers to device form.",
                             [](OpPassManager &passes) { buildDevicePipeline(passes, TargetInfo()); });
}
