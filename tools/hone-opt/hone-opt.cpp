//===- hone-opt.cpp - Runs passes on textual IR ---------------------------===//

#include "backends/Register.h"
#include "lib/Pipeline/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerBackendDialects(registry);
  hone::registerBackendPasses();
  hone::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "hone pass driver\n", registry));
}
