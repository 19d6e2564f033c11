//===- hone-lsp-server.cpp - Our dialects in an editor --------------------===//

#include "backends/Register.h"
#include "lib/Pipeline/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerBackendDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
