//===- Localization.h - Pieces of a compilation -----------------*- C++ -*-===//
//
// For finding the piece that is wrong: the kernels as functions that the reference interpreter runs, one
// kernel compiled alone, passes left out, and the graph behind every pass. For one target at a time.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_PIPELINE_LOCALIZATION_H
#define LIB_PIPELINE_LOCALIZATION_H

#include "lib/Pipeline/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// The plan of a model and, in its module of kernels, each kernel as a function of graph ops: what lowering starts
/// from. Null after diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> planKernels(const frontend::ModelSource &source, const CompileOptions &options,
                                              mlir::MLIRContext *context);

/// Which buffers of their kernel the functions of a device's code get: a device may take a kernel in stages, called as
/// the kernel with a number behind, each with the buffers that it uses. Functions that get all are left out.
using StageBuffers = llvm::StringMap<llvm::SmallVector<int64_t>>;
mlir::FailureOr<StageBuffers> stageBuffers(const frontend::ModelSource &source, const CompileOptions &options,
                                           mlir::MLIRContext *context);

/// Calls `visit` behind every pass that changed the graph, up to the forming of kernels, with the pass's name and
/// @main; the first time before any, with the name "import".
mlir::LogicalResult visitPasses(const frontend::ModelSource &source, const CompileOptions &options,
                                mlir::MLIRContext *context,
                                llvm::function_ref<void(llvm::StringRef, mlir::func::FuncOp)> visit);

/// A launch of a kernel whose run-time values are known.
struct KernelCall {
  mlir::func::FuncOp kernel; ///< one of `planKernels`
  llvm::SmallVector<int64_t> scalars;
  llvm::SmallVector<int64_t> bytes; ///< of its buffers: inputs, then outputs
};

/// Compiles a program that launches the kernel once: inputs and outputs are byte tensors.
mlir::LogicalResult compileKernel(const KernelCall &call, const CompileOptions &options,
                                  llvm::SmallVectorImpl<char> &out);

/// The names of the passes of phase Plan.
std::vector<std::string> planPasses(const CompileOptions &options, mlir::MLIRContext *context);

} // namespace hone

#endif // LIB_PIPELINE_LOCALIZATION_H
