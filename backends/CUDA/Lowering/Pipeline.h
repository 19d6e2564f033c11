//===- Pipeline.h - From kernel functions to device form --------*- C++ -*-===//

#ifndef BACKENDS_CUDA_LOWERING_PIPELINE_H
#define BACKENDS_CUDA_LOWERING_PIPELINE_H

#include "lib/Target/TargetBackend.h"

namespace hone::cuda {

/// Lowers a module of kernel functions (graph ops on tensors) to what the printer takes: functions of
/// scalar ops on flat buffers, one a launch.
void buildPipeline(mlir::OpPassManager &passes, const TargetInfo &info);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_LOWERING_PIPELINE_H
