//===- compile-kernels.cpp - The suite's kernels for one target -----------===//
//
// hone-cts-compile KERNELS.mlir TARGET FOLDER: emits the kernels, which are in device form already, and writes
// FOLDER/<driver>.image and FOLDER/<driver>.needs, as hone-cts reads them.
//
//===----------------------------------------------------------------------===//

#include "backends/Register.h"
#include "backends/Vulkan/VulkanBackend.h"
#include "lib/Pipeline/Registration.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static int write(const llvm::Twine &path, StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.str(), error);
  if (!error)
    file << content;
  file.close();
  if (!error && !file.has_error())
    return 0;
  llvm::errs() << "hone-cts-compile: error: cannot write " << path << "\n";
  file.clear_error();
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc != 4) {
    llvm::errs() << "usage: hone-cts-compile KERNELS.mlir TARGET FOLDER\n";
    return 2;
  }
  DialectRegistry dialects;
  hone::registerDialects(dialects);
  hone::registerBackendDialects(dialects);
  MLIRContext context(dialects);
  OwningOpRef<ModuleOp> kernels = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!kernels)
    return 1;
  hone::BackendRegistry backends = hone::createBackends();
  backends.add(hone::createVulkanBackend());
  auto target = backends.resolve(argv[2], kernels->getLoc());
  if (failed(target))
    return 1;
  auto &[backend, info] = *target;
  auto code = backend->emit(*kernels, info, hone::TargetBackend::Output::Image);
  if (failed(code))
    return 1;
  std::string needs = info.name + " " + code->format;
  for (const std::string &feature : code->features)
    needs += " " + feature;
  StringRef folder = argv[3];
  int failures = write(folder + "/" + backend->name() + ".image", {code->bytes.data(), code->bytes.size()});
  return failures + write(folder + "/" + backend->name() + ".needs", needs + "\n") ? 1 : 0;
}
