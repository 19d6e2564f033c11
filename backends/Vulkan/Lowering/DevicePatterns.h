//===- DevicePatterns.h - Device form to SPIR-V -----------------*- C++ -*-===//

#ifndef BACKENDS_VULKAN_LOWERING_DEVICEPATTERNS_H
#define BACKENDS_VULKAN_LOWERING_DEVICEPATTERNS_H

#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace hone::vulkan {

/// Memrefs whose memory space is a SPIR-V storage class become pointers.
void addBufferConversion(mlir::SPIRVTypeConverter &types);

/// Patterns for what differs from upstream's conversions: functions as entry points, one-dimensional
/// buffers, ids of 64 bits, barriers that order storage buffers, arithmetic that is not contracted.
void populateDevicePatterns(const mlir::SPIRVTypeConverter &types, mlir::RewritePatternSet &patterns);

/// The variables that hold the results of loops while their regions are converted.
struct LoopResults {
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> variables;
};

/// Patterns for loops.
void populateLoopPatterns(const mlir::SPIRVTypeConverter &types, LoopResults &results,
                          mlir::RewritePatternSet &patterns);

/// Name of the variable of a buffer argument.
std::string bufferName(unsigned argument);

} // namespace hone::vulkan

#endif // BACKENDS_VULKAN_LOWERING_DEVICEPATTERNS_H
