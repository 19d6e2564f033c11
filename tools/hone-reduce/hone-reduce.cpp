//===- hone-reduce.cpp - Shrinks a failing program ------------------------===//

#include "backends/Register.h"
#include "lib/Pipeline/Registration.h"
#include "tools/hone-reduce/Shrink.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerBackendDialects(registry);
  hone::registerPasses();
  hone::registerBackendPasses();
  hone::registerShrinkPass();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
