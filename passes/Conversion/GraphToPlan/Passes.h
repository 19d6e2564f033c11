//===- Passes.h - From kernels of a graph to a plan -------------*- C++ -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H
#define PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H

#include "dialects/Plan/IR/Plan.h"

#include "mlir/Pass/Pass.h"

namespace hone::graph_to_plan {

/// Name of the module that holds the kernel functions beside the program.
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";
/// Names of the run-time extents a kernel function takes as scalars, in order.
inline constexpr llvm::StringLiteral kScalarsAttribute = "graph.scalars";
/// Suffix of the function from a kernel's scalars to its scratch bytes and the grids of its stages.
inline constexpr llvm::StringLiteral kLaunchSuffix = ".launch";
/// Of that function: the names of the stages, functions beside the kernel, one launch each.
inline constexpr llvm::StringLiteral kStagesAttribute = "stages";
/// Of a stage that needs only some of the kernel's buffers, of which scratch memory is the last: the positions of its
/// arguments among them, and of those that it writes.
inline constexpr llvm::StringLiteral kAccessedBuffersAttribute = "hone.accessed_buffers";
inline constexpr llvm::StringLiteral kWrittenBuffersAttribute = "hone.written_buffers";
/// Of a stage on a device: threads of a workgroup, and bytes of memory they share whose size is
/// decided by the launch.
inline constexpr llvm::StringLiteral kWorkgroupSizeAttribute = "hone.workgroup_size";
inline constexpr llvm::StringLiteral kSharedBytesAttribute = "hone.shared_bytes";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Conversion/GraphToPlan/Passes.h.inc"

} // namespace hone::graph_to_plan

#endif // PASSES_CONVERSION_GRAPHTOPLAN_PASSES_H
