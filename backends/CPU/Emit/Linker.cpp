//===- Linker.cpp - lld on temporary files --------------------------------===//

#include "backends/CPU/Emit/Linker.h"

#include "lib/Support/UserError.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    llvm::sys::fs::remove(path);
}

LogicalResult TemporaryFile::open(StringRef suffix, int &descriptor, Location loc) {
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("hone", suffix, descriptor, path))
    return emitUserError(loc) << "cannot create a temporary file: " << error.message();
  return success();
}

LogicalResult TemporaryFile::create(StringRef suffix, Location loc) {
  int descriptor;
  if (failed(open(suffix, descriptor, loc)))
    return failure();
  llvm::sys::fs::closeFile(descriptor);
  return success();
}

LogicalResult TemporaryFile::write(StringRef suffix, function_ref<void(raw_ostream &)> write, Location loc) {
  int descriptor;
  if (failed(open(suffix, descriptor, loc)))
    return failure();
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  write(os);
  os.close();
  if (!os.has_error())
    return success();
  std::error_code error = os.error();
  os.clear_error();
  return emitUserError(loc) << "cannot write a temporary file: " << error.message();
}

FailureOr<std::vector<char>> TemporaryFile::read(Location loc) const {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitUserError(loc) << "cannot read a temporary file: " << buffer.getError().message();
  return std::vector<char>((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
}

LogicalResult hone::cpu::runLinker(ArrayRef<const char *> arguments, Location loc) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  lld::Result result = lld::lldMain(arguments, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0 || !result.canRunAgain)
    return emitError(loc) << "linking failed: " << messages;
  return success();
}
