//===- KernelPrinter.cpp - Kernels as CUDA C++ ----------------------------===//

#include "backends/CUDA/Emit/KernelPrinter.h"

#include "backends/CUDA/Emit/FunctionPrinter.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// The private functions that `kernel` needs, in the order of the module.
static SmallVector<func::FuncOp> helpersOf(func::FuncOp kernel) {
  llvm::DenseSet<StringRef> called;
  kernel.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
  std::string prefix = (kernel.getName() + ".").str();
  SmallVector<func::FuncOp> helpers;
  for (auto function : kernel->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (function.isPrivate() && !function.isDeclaration() &&
        (called.contains(function.getName()) || function.getName().starts_with(prefix)))
      helpers.push_back(function);
  return helpers;
}

FailureOr<std::string> cuda::printKernel(func::FuncOp kernel) {
  std::string text;
  for (func::FuncOp helper : helpersOf(kernel)) {
    FailureOr<std::string> printed = FunctionPrinter(helper).printHelper();
    if (failed(printed))
      return failure();
    text += *printed + "\n";
  }
  auto statements = kernel->getAttrOfType<StringAttr>(kCudaText);
  FailureOr<std::string> printed = FunctionPrinter(kernel).printKernel(statements ? statements.getValue() : "");
  if (failed(printed))
    return failure();
  return text + *printed;
}
